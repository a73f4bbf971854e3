"""The UCI-shaped protocol: transcripts with real processes, and garbage."""

import io
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.agents.agent import Decision
from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.engine.requests import GoLimits
from inarow.engine.search import Search
from inarow.engine.setup import OPTIONS, Setup
from inarow.engine.uci import UciEngine
from inarow.games.position import Position
from tests.engine.client import EngineProcess

pytestmark = pytest.mark.compiled


def transcript(*lines: str, setup: Setup = Setup()) -> list[str]:  # noqa: B008 - it is frozen
    """What the engine says to lines; a search is finished before the end."""
    output = io.StringIO()
    UciEngine(setup, output).run(lines)
    return output.getvalue().splitlines()


def test_a_client_is_served_in_a_process():
    with EngineProcess() as engine:
        engine.send("uci")
        said = engine.read_until("uciok")
        assert said[0].startswith("id name inarow")
        assert {line.split()[2] for line in said if line.startswith("option name")} == set(OPTIONS)
        engine.send("isready")
        assert engine.read_until("readyok") == ["readyok"]
        engine.send("position startpos moves 4 4 5")
        engine.send("go")
        said = engine.read_until("bestmove")
        assert "score mate -" not in said[-2]
        assert said[-1] in ("bestmove 3", "bestmove 6")
        engine.send("position startpos moves 4 4 5 5 bad luck")
        assert "'bad' is no move" in engine.read_until("info string")[-1]
        engine.send("\x00\udcff quatsch go")  # unknown words are skipped, go is known
        assert engine.read_until("bestmove")[-1] in ("bestmove 3", "bestmove 6")
        assert engine.quit() == 0


def test_the_engine_thinks_until_it_is_told_to_stop_and_tells_what_it_knows():
    with EngineProcess() as engine:
        engine.send("setoption name OwnBook value false")
        engine.send("isready")
        engine.read_until("readyok")
        engine.send("go infinite")
        assert "score from" in engine.read_until("info depth")[-1]
        engine.send("isready")  # read while thinking
        engine.read_until("readyok")
        engine.send("stop")
        assert engine.read_until("bestmove")[-1][-1] in "1234567"
        engine.send("position startpos moves 1 2 1 2 1 2")
        engine.send("go infinite")
        assert "score mate 1 score raw 18" in engine.read_until("info depth 1")[-1]
        engine.send("stop")
        assert engine.read_until("bestmove")[-1] == "bestmove 1"


@pytest.mark.parametrize("is_thinking", [False, True])
def test_ctrl_c_ends_it_with_one_line(is_thinking):
    with EngineProcess() as engine:
        engine.send("setoption name OwnBook value false")
        engine.send("isready")
        engine.read_until("readyok")
        if is_thinking:
            engine.send("go infinite")
            engine.read_until("info depth")
        assert engine.interrupt() == (130, "inarow: interrupted\n")


@pytest.mark.parametrize("agent", ["solver", "solver:level=9", "minimax", "mcts", "hybrid", "random"])
def test_stop_is_answered_once(agent):
    output = io.StringIO()
    engine = UciEngine(Setup(agent=agent), output)
    engine.handle(["go", "infinite"])
    engine.handle(["stop"])
    assert sum(line.startswith("bestmove ") for line in output.getvalue().splitlines()) == 1


def test_stop_is_answered_for_a_thinker_that_does_not_hear_it():
    is_told, said = threading.Event(), []

    class Deaf:
        def think(self, position, limits, is_over, tell):
            is_told.wait(60)
            return Decision(action=0)

    search = Search(Deaf(), Position.start(), GoLimits(infinite=True), 1, said.append)
    search.start()
    search.stop()
    assert said == ["bestmove 4"]
    is_told.set()
    assert search.has_ended(60)
    assert said == ["bestmove 4"]


def test_a_game_of_two_processes_is_the_game_of_two_agents():
    agents = ("mcts:simulations=60", "minimax:depth=3,tie=random")
    expected = play_game(make_agent(agents[0], seed=11), make_agent(agents[1], seed=12)).actions
    with (
        EngineProcess("--agent", agents[0], "--seed", "11") as first,
        EngineProcess("--agent", agents[1], "--seed", "12") as second,
    ):
        moves: list[int] = []
        while (answer := (first, second)[len(moves) % 2].best_move(moves)) != "(none)":
            moves.append(int(answer))
    assert tuple(move - 1 for move in moves) == expected


def test_scores_are_told_as_mate_and_in_pons_scale():
    said = transcript("setoption name MultiPV value 7", "position startpos moves 4453", "go")
    scores = [line.split(" nodes")[0].split("score raw ")[1] for line in said if line.startswith("info")]
    assert [int(score) for score in scores] == sorted((int(score) for score in scores), reverse=True)
    assert scores[0] == "-2"
    assert said[0].startswith("info depth 36 multipv 1 score mate -18 score raw -2 nodes ")


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        (["setoption name Gravity value false", "position startpos moves a1 b1 a2 b2 a3 b3", "go"], {"a4"}),
        (["setoption name agent value winblock", "position startpos moves 1 2 1 2 1", "go"], {"1"}),
        (["position fen 7/7/7/xo5/xo5/xo5 x", "go nodes 1000"], {"1"}),
        (["position fen 7/7/7/xo5/xo5/xo5 x moves 3 2", "go"], {"(none)"}),
        (["setoption name Agent value mcts", "position startpos moves 121212", "go nodes 200"], {"1"}),
        (["setoption name Agent value minimax", "position startpos moves 121212", "go depth 3"], {"1"}),
        (["setoption name Agent value minimax", "position startpos moves 121212", "go nodes 5"], {"1"}),
        (["setoption name Agent value mcts", "position startpos moves 121212", "go wtime 500 btime 1"], {"1"}),
        (["setoption name Level value 9", "position startpos moves 1212123", "go"], {"2"}),
        (["setoption name Agent value q", "go"], set("1234567")),  # no table for the board: told, and answered
        (["setoption name Rows value 3", "setoption name Cols value 3", "go"], {"(none)"}),  # no line of four fits
    ],
)
def test_answers(lines, answers):
    assert transcript(*lines)[-1].removeprefix("bestmove ") in answers


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("setoption name Rows value 17", "Rows is '17'; it must be a whole number from 1 to 16"),
        ("setoption name Agent value nobody", "there is no agent 'nobody'"),
        ("setoption name Gravity value perhaps", "it must be true or false"),
        ("setoption name Colour value red", "there is no option 'Colour'; options are Rows"),
        ("setoption", "there is no option ''"),
        ("position", "position needs startpos or fen"),
        ("position fen 7/7", "is not a board of 6 rows and 7 columns"),
        ("position fen 7/7/7/7/7/xx5", "stones"),
        ("position startpos moves 4 4 4 4 4 4 4", "move 7: column 4 is full"),
    ],
)
def test_complaints_are_info_strings(line, reason):
    said = transcript(line)
    assert len(said) == 1
    assert said[0].startswith("info string ")
    assert reason in said[0]


def test_whatever_an_agent_raises_is_told(monkeypatch):
    bad = "setoption name Agent value kaggle:file=\x00"
    assert transcript(bad, "isready") == ["readyok", "info string kaggle needs an agent file; '\\x00' is none"]

    def fail(setup):
        raise ZeroDivisionError("no\nluck")

    monkeypatch.setattr("inarow.engine.uci.make_thinker", fail)
    complaint = "info string no luck"
    assert transcript("isready", "go") == ["readyok", complaint, complaint, "bestmove (none)"]


WORDS = (
    *("uci", "isready", "setoption", "name", "value", "position", "startpos", "fen", "moves", "go", "ucinewgame"),
    *("depth", "nodes", "movetime", "wtime", "winc", "movestogo", "stop", "true", "false", "Rows", "Cols", "InARow"),
    *("Gravity", "MultiPV", "Level", "Seed", "Agent", "random", "winblock", "greedy", "0", "1", "2", "3", "4", "-7"),
    *("xo5/7", "9" * 30, "x(0,1)", "a1", "\udcff", "\x00", "bestmove"),
)


@settings(max_examples=300)
@given(
    st.lists(
        st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=8).filter(lambda words: "quit" not in words),
        max_size=8,
    )
)
def test_nothing_that_comes_in_ends_it(requests):
    lines = [" ".join(words) for words in requests]
    said = transcript(*lines, "isready", setup=Setup(agent="random"))
    assert "readyok" in said
    asked = sum(line.split()[:1] == ["go"] for line in lines)
    assert sum(line.startswith("bestmove") for line in said) >= min(1, asked)
