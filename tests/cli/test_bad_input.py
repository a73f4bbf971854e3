"""What the command line says about input that makes no sense: one line, and nothing is lost."""

import subprocess
from importlib.resources import files

import pytest

from tests.cli.command_line import inarow, inarow_process, process_command

SMALL_BOOK = str(files("inarow.search.solver") / "books" / "6x6x4.npz")
SUITE = str(files("inarow.arena") / "suites" / "6x7x4.npz")
BAD = {
    "unknown agent": (["match", "nobody", "random"], "there is no agent 'nobody'; agents are random"),
    "misspelt agent": (
        ["match", "mtcs", "random"],
        "there is no agent 'mtcs' (did you mean 'mcts'?); agents are random",
    ),
    "misspelt key": (["match", "mcts:simulation=3", "random"], "key 'simulation' (did you mean 'simulations'?); its"),
    "misspelt heuristic": (["match", "minimax:heuristic=window", "random"], "'window' (did you mean 'windows'?); it"),
    "misspelt preset": (["train", "conect4-5min"], "there is no preset 'conect4-5min' (did you mean 'connect4-5min'?)"),
    "misspelt config key": (
        ["train", "tictactoe-q", "--set", "alhpa=1"],
        "`alhpa` (did you mean 'alpha'?); valid keys",
    ),
    "misspelt suite": (
        ["grade", "random", "--suite", "standrd"],
        "there is no suite 'standrd' (did you mean 'standard'?)",
    ),
    "misspelt benchmark": (["bench", "--only", "mtcs"], "there is no benchmark 'mtcs' (did you mean 'mcts'?)"),
    "misspelt board": (["perft", "2", "--board", "conect4"], "board 'conect4' (did you mean 'connect4'?) is not"),
    "misspelt option": (
        ["perft", "2", "--bord", "4x4x4"],
        "no option '--bord' (did you mean '--board'?); see inarow perft",
    ),
    "misspelt choice": (
        ["match", "a", "b", "--openings", "randm"],
        "--openings is 'randm' (did you mean 'random'?); it",
    ),
    "misspelt main option": (["--hlep"], "there is no option '--hlep' (did you mean '--help'?)"),
    "one word too many": (["perft", "2", "3"], "perft takes no further argument '3'; see inarow perft --help"),
    "an option without its value": (
        ["perft", "2", "--board"],
        "--board needs a value, a text; see inarow perft --help",
    ),
    "a file that is not there": (["analyse", "nosuch.pgn"], "nosuch.pgn cannot be read: No such file"),
    "a path that is not there": (["analyse", "no/such"], "no/such cannot be read: No such file"),
    "a folder for a game": (["analyse", "/"], "/ cannot be read: it is a folder"),
    "nothing to train": (["train"], "list the presets: inarow train --list"),
    "nothing to reproduce": (["reproduce"], "reproduce needs a study: paranji-2025, "),
    "no folder to resume": (["train", "--resume", "nowhere"], "nowhere has no training run: there is no such folder"),
    "unknown key": (["match", "winblock:depth=3", "random"], "winblock has no key 'depth'; its keys are epsilon"),
    "out of range": (["match", "winblock:epsilon=2", "random"], "it must be a number from 0 to 1"),
    "no rows": (["perft", "2", "--board", "0x7x4"], "rows is 0"),
    "no line": (["perft", "2", "--board", "6x7x9"], "no line of 9 fits"),
    "no column": (["perft", "2", "--moves", "8"], "'8' is not a move on 6x7x4; columns are 1 to 7"),
    "full column": (["perft", "2", "--moves", "4444444"], "column 4 is full"),
    "after the end": (["play", "--moves", "12121211"], "the game is over"),
    "letters": (["perft", "2", "--moves", "xyz"], "'x' is not a move"),
    "empty board": (["perft", "2", "--board", ""], "board ''"),
    "empty agent": (["match", "", "random"], "there is no agent ''"),
    "10,000 characters": (["perft", "2", "--moves", "4" * 10_000], "10000 moves do not fit"),
    "10,000 characters of board": (["perft", "2", "--board", "4" * 10_000], "is not ROWSxCOLUMNSxINAROW"),
    "10,000 characters of number": (["perft", "x" * 10_000], "DEPTH"),
    "garbage": (["perft", "2", "--moves", "\udcff\udcfe\x01"], "is not a move"),
    "garbage agent": (["match", "\udcff\x02", "random"], "there is no agent"),
    "garbage file of an agent": (
        ["match", "q:table=\udcff.npz", "random"],
        "table of q is '\\udcff.npz'; it must be text",
    ),
    "garbage command": (["\udcff\x02"], "there is no command"),
    "negative games": (["match", "random", "random", "--games", "-4"], "games is -4"),
    "odd games": (["match", "random", "random", "--games", "3"], "it must be even"),
    "a board that an agent does not play": (
        ["match", "negamax", "random", "--board", "3x5x4", "--games", "2"],
        "the heuristic squares does not fit 3x5x4",
    ),
    "no number": (["match", "random", "random", "--games", "many"], "many"),
    "negative seed": (["match", "random", "random", "--seed", "-1"], "seed is -1"),
    "negative seed in play": (["play", "--first", "random", "--second", "random", "--seed", "-1"], "seed is -1"),
    "more memory than there is": (["solve", "4453", "--memory", "10000000"], "Unable to allocate"),
    "a folder to write to": (["match", "random", "random", "--games", "2", "--out", "/"], "is a folder"),
    "a folder for a book": (["book", "build", "/", "--board", "4x4x4", "--plies", "1"], "is a folder"),
    "negative entries": (["book", "build", "b.npz", "--plies", "1", "--entries", "-1"], "entries is -1"),
    "fewer entries than a book needs": (
        ["book", "build", "b.npz", "--board", "5x5x4", "--plies", "4", "--entries", "1"],
        "entries is 1; on 5x5x4 there are",
    ),
    "negative sample": (["book", "verify", SMALL_BOOK, "--sample", "-1"], "sample is -1"),
    "lines as one document": (["solve", "-", "--json"], "--json prints one document"),
    "no workers": (["match", "random", "random", "--workers", "0"], "workers is 0"),
    "depth": (["perft", "43"], "depth is 43"),
    "human in a match": (["match", "human", "random"], "human needs input"),
    "unknown option": (["perft", "2", "--colour", "red"], "--colour"),
    "unknown command": (["solv"], "there is no command 'solv' (did you mean 'solve'?); commands are play"),
    "unknown sub-command": (["book", "burn"], "there is no command book 'burn'; commands are build, verify, export"),
    "unknown benchmark": (["bench", "--only", "speed"], "there is no benchmark 'speed'"),
    "missing argument": (["match", "random"], "match needs B: agent string of the opponent; see inarow match --help"),
    "a finished game": (["solve", "1212121"], "is over after '1212121'"),
    "no memory": (["solve", "4453", "--memory", "0"], "memory is 0 bytes"),
    "no threads": (["solve", "4453", "--threads", "0"], "threads is 0"),
    "no nodes": (["solve", "4453", "--nodes", "0"], "nodes is 0"),
    "negative seconds": (["solve", "4453", "--seconds", "-1"], "seconds is -1"),
    "no nodes to analyse": (["analyse", "4453", "--nodes", "0"], "nodes is 0"),
    "no seconds to analyse": (["analyse", "4453", "--seconds", "0"], "seconds is 0"),
    "a bad game to analyse": (["analyse", "4x"], "move 2: 'x' is not a move"),
    "no book": (["book", "verify", "/nowhere/book.npz"], "is not a book"),
    "a book without gravity": (
        ["book", "build", "b.npz", "--board", "tictactoe", "--plies", "2"],
        "there are no books",
    ),
    "a list for a learner": (
        ["train", "tictactoe-q", "--set", "learner=[1]"],
        "tictactoe-q: there is no learner '[1]'; learners are q, deep-q, alphazero",
    ),
    "unknown study": (
        ["reproduce", "paranji"],
        "there is no study 'paranji' (did you mean 'paranji-2025'?); studies are paranji-2025",
    ),
    "unknown scale": (["reproduce", "paranji-2025", "--scale", "huge"], "huge"),
    "unknown setting of a study": (
        ["reproduce", "paranji-2025", "--set", "net=x"],
        "has no setting 'net'; it has no settings",
    ),
    "setting without a value": (["reproduce", "harman", "--set", "net"], "is not of the form name=value"),
    "no workers for a study": (["reproduce", "paranji-2025", "--workers", "0"], "workers is 0"),
    "results that are none": (["reproduce", "paranji-2025", "--out", "/dev/null"], "/dev/null"),
    "a learner that is no name": (["train", "tictactoe-q", "--set", "learner=[]"], "there is no learner '[]'"),
    "no agent to grade": (["grade", "nobody"], "there is no agent 'nobody'"),
    "human to grade": (["grade", "human"], "human needs input"),
    "no workers to grade": (["grade", "random", "--workers", "0"], "workers is 0"),
    "no suite": (["grade", "random", "--suite", "/nowhere/suite.npz"], "is not a suite"),
    "a book for a suite": (["grade", "random", "--suite", SMALL_BOOK], "has format inarow-book 1, not inarow-suite 1"),
    "a suite for another board": (
        ["grade", "random", "--suite", SUITE, "--board", "tictactoe"],
        "is a suite for 6x7x4, not for 3x3x3/free",
    ),
    "no standard suite": (["grade", "random", "--suite", "standard", "--board", "tictactoe"], "use exhaustive"),
    "too many positions": (["grade", "random", "--suite", "exhaustive"], "more than 200,000 positions"),
    "a folder for a store": (["grade", "random", "--board", "tictactoe", "--store", "/"], "is not a file"),
    "a folder for a suite": (["suite", "build", "/"], "is a folder"),
    "a suite in a folder that is not there": (["suite", "build", "nowhere/s.npz"], "there is no folder nowhere"),
    "no positions": (["suite", "build", "s.npz", "--positions", "0"], "positions is 0"),
    "unknown agent in a tournament": (["tournament", "random", "nobody"], "there is no agent 'nobody'"),
    "odd games in a tournament": (["tournament", "random", "greedy", "--games", "3"], "it must be even"),
    "a tournament of one": (["tournament", "random"], "at least 2 agents; there is 1"),
    "a tournament of none": (["tournament"], "at least 2 agents; there are none"),
    "an agent twice": (["tournament", "random", "greedy", "random"], "'random' takes part more than once"),
    "no workers in a tournament": (["tournament", "random", "greedy", "--workers", "0"], "workers is 0"),
    "a store of others": (["tournament", "random", "greedy", "--store", SMALL_BOOK], "not a database"),
    "a match in a store of others": (["match", "random", "greedy", "--store", SMALL_BOOK], "not a database"),
    "no store": (["leaderboard", "--store", "/nowhere/lab.sqlite"], "there is no results store"),
    "hypotheses": (["match", "random", "greedy", "--sprt", "5", "0"], "SPRT from 5 to 0 Elo"),
    "half a hypothesis": (["match", "random", "greedy", "--sprt", "5"], "--sprt"),
    "no time to move": (["match", "random", "greedy", "--move-seconds", "0"], "move-seconds is 0"),
    "unknown openings": (["match", "random", "greedy", "--openings", "nice"], "--openings"),
    "a folder that is not there": (["match", "random", "random", "--out", "/nowhere/games.pgn"], "/nowhere"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_and_exit_code_2(name, tmp_path):
    args, reason = BAD[name]
    result = inarow(*args, cwd=tmp_path)
    assert list(tmp_path.iterdir()) == []  # nothing is left behind
    assert result.returncode == 2
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1
    assert len(result.stderr) < 500
    assert result.stdout == ""


def test_a_process_ends_as_the_command_does():
    args, reason = BAD["unknown agent"]
    result, here = inarow_process(*args), inarow(*args)
    assert reason in result.stderr
    assert (result.returncode, result.stdout, result.stderr) == (here.returncode, here.stdout, here.stderr)


@pytest.mark.parametrize("lines", ["8\n", "x\n", "\n", "4\n" * 7, "9" * 10_000 + "\n", "\x00\x01\n", "4\n" * 6 + "4\n"])
def test_a_bad_move_from_a_pipe_is_an_error(lines):
    result = inarow("play", "--second", "human", stdin=lines)
    assert result.returncode == 2
    assert result.stderr.startswith("inarow: line ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["play", "solve -"])
def test_bytes_that_are_not_utf_8_are_a_bad_line(command):
    result = subprocess.run(
        process_command(*command.split()), input=b"\xff\xfe\x00\n", capture_output=True, check=False
    )
    assert result.returncode == (2 if command == "play" else 1)
    assert result.stderr.count(b"\n") == 1
    assert b"is not a move" in result.stderr
