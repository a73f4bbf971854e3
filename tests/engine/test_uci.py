"""The UCI-shaped protocol: transcripts with real processes, and garbage."""

import io
import math
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.agents.agent import Decision
from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.engine.search import Search
from inarow.engine.setup import OPTIONS, Setup, build_agent
from inarow.engine.uci import UciEngine
from inarow.games.position import Position
from inarow.search.limits import Limits
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
        assert "'bad' is not a move" in engine.read_until("info string")[-1]
        engine.send("\x00\udcff quatsch go")  # unknown words are skipped, go is known
        assert engine.read_until("bestmove")[-1] in ("bestmove 3", "bestmove 6")
        assert engine.quit() == 0


def test_an_infinite_search_reports_what_it_knows_until_it_is_stopped():
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


AGENTS = ["solver", "solver:book=false", "solver:level=9", "minimax", "mcts", "hybrid", "alphazero", "random"]
SOON = 1.0
"""Seconds for what takes 50 ms on a quiet machine."""


def searching_threads(before: set[threading.Thread]) -> list[threading.Thread]:
    """The threads that are still alive a moment later."""
    for thread in set(threading.enumerate()) - before:
        thread.join(SOON)
    return [thread for thread in threading.enumerate() if thread not in before]


@pytest.mark.parametrize("agent", AGENTS)
def test_stop_is_answered_once_and_no_thread_outlives_it(agent):
    output, before = io.StringIO(), set(threading.enumerate())
    engine = UciEngine(Setup(agent=agent), output)
    engine.handle(["isready"])
    for _ in range(2):
        engine.handle(["go", "infinite"])
        time.sleep(0.1)
        clock = time.perf_counter()
        engine.handle(["stop"])
        assert time.perf_counter() - clock < SOON
        assert searching_threads(before) == []
    answers = [line for line in output.getvalue().splitlines() if line.startswith("bestmove ")]
    assert len(answers) == 2
    assert {answer.split()[1] for answer in answers} <= set("1234567")


@pytest.mark.parametrize("end", [["quit"], []])
def test_no_search_outlives_the_engine(end):
    before = set(threading.enumerate())
    said = transcript("setoption name OwnBook value false", "go infinite", *end)
    for thread in set(threading.enumerate()) - before:
        thread.join(10)  # one that loads compiled code on a busy machine; an infinite search would not end
    assert [thread for thread in threading.enumerate() if thread not in before] == []
    assert sum(line.startswith("bestmove ") for line in said) == 1


def test_the_timer_of_a_search_ends_with_it():
    before = set(threading.enumerate())
    assert transcript("position startpos moves 121212", "go movetime 60000")[-1] == "bestmove 1"
    assert searching_threads(before) == []


def test_a_stopped_search_answers_with_the_best_move_so_far():
    """The minimax of the agent sees the only move that does not lose, the immediate answer does not."""
    output = io.StringIO()
    engine = UciEngine(Setup(agent="minimax"), output)
    engine.handle(["position", "startpos", "moves", "4", "1", "5"])
    engine.handle(["go", "infinite"])
    time.sleep(0.3)
    engine.handle(["stop"])
    assert output.getvalue().splitlines()[-1] in ("bestmove 3", "bestmove 6")


def test_stop_is_answered_for_an_agent_that_does_not_stop():
    may_end, said = threading.Event(), []

    class Deaf:
        name = "deaf"

        def decide(self, position, *, limits=None, watch=None):
            may_end.wait(60)
            return Decision(action=0)

    search = Search(Deaf(), Position.start(), Limits(seconds=math.inf), 1, said.append)
    search.start()
    search.stop()
    assert said == ["bestmove 4"]
    assert not search.has_ended(0.01)
    may_end.set()
    assert search.has_ended(60)
    assert said == ["bestmove 4"]


@pytest.mark.parametrize(
    ("options", "agent", "expected"),
    [
        ({"threads": 3, "memory": 64, "book": False, "lines": 2}, "solver", (3, 64, False, "all")),
        ({}, "solver", (1, 256, True, "best")),
        ({"threads": 3}, "solver:threads=2", (2, 256, True, "best")),
        ({"memory": 9999, "threads": 2}, "mcts", (2, 4096)),
    ],
)
def test_options_become_parameters_of_the_agent(options, agent, expected):
    parameters = build_agent(Setup(agent=agent, **options))._parameters
    names = ("threads", "memory", "book", "scores")[: len(expected)]
    assert tuple(getattr(parameters, name) for name in names) == expected


def test_a_level_of_the_solver_ignores_the_options_of_the_solver():
    assert build_agent(Setup(level=3, threads=2, book=False)).name == "solver:level=3"


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


def test_scores_are_reported_as_mate_and_in_pons_scale():
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
        ("setoption name Colour value red", "there is no option 'Colour' (did you mean 'Cols'?); options are Rows"),
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


def test_whatever_an_agent_raises_is_reported(monkeypatch):
    bad = "setoption name Agent value kaggle:file=\x00"
    assert transcript(bad, "isready") == ["readyok", "info string kaggle needs an agent file; '\\x00' is not a file"]

    def fail(setup):
        raise ZeroDivisionError("no\nluck")

    monkeypatch.setattr("inarow.engine.uci.build_agent", fail)
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
