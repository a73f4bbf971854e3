"""Agent files of students: what is an agent, what is a fault, and what a file can and cannot do."""

import os
import sys
from contextlib import closing

import numpy as np
import pytest

from inarow.agents.student import FileFaultError, FileLimits, StudentAgent, StudentProcess, hidden_folders
from inarow.games import Position

LIMITS = FileLimits(load_seconds=5.0, move_seconds=5.0)
FULL = Position.parse("444444")


def move(source: str | bytes, position: Position = FULL, limits: FileLimits = LIMITS) -> int:
    """The action of a file in its first game."""
    with closing(StudentProcess(source.encode() if isinstance(source, str) else source, limits)) as process:
        process.load()
        return decide(process, position)


def decide(process: StudentProcess, position: Position = FULL, seed: int = 0) -> int:
    return StudentAgent("file", process, np.random.SeedSequence(seed)).decide(position).action


def fault(source: str | bytes, limits: FileLimits = LIMITS) -> str:
    with pytest.raises(FileFaultError) as caught:
        move(source, limits=limits)
    return str(caught.value)


@pytest.mark.parametrize(
    "source",
    [
        "def agent(observation, configuration):\n    return configuration.columns - observation.board[3] - 3",
        "def helper(x):\n    return 0\ndef act(obs):\n    return obs.mark + 1\ndef late(x):\n    return 1",
        "import inarow\ndef agent(position: inarow.Position) -> int:\n    return position.legal_actions[2]",
        "import inarow\nclass A:\n    def __init__(self, rng):\n        self.rng = rng\n"
        "    def decide(self, p):\n        return inarow.Decision(2 + 0 * int(self.rng.integers(9)))",
        "class A:\n    def decide(self, p):\n        return p.ply - 4\nagent = A()",
        "\ufeffimport numpy as np\ndef decide(position):\n    return np.int64(2)",
    ],
    ids=["observation", "last function", "position", "class", "object", "decide"],
)
def test_every_convention_plays(source):
    assert move(source) == 2


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def agent(:", "has a syntax error on line 1: invalid syntax"),
        (b"name = '\xe9'", "is not UTF-8 text; save it as UTF-8"),
        ("\nimport nosuch", "imports what is not available on line 2: No module named 'nosuch'"),
        ("x = 1 / 0", "raised ZeroDivisionError: division by zero on line 1 while it was loaded"),
        ("exit()", "ends the program while it is loaded on line 1: leave exit() out"),
        ("input()", "waits for input on line 1; nobody can answer"),
        ("agent = 3", "`agent` is int, not a function"),
        ("def play(x):\n    return 3", "the file defines play"),
        ("import os\nos._exit(3)", "ended its process while it was loaded"),
    ],
)
def test_a_file_that_does_not_load_says_why(source, message):
    assert message in fault(source)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("3", "played column 4 (returned 3), which is full, after 444444"),
        ("None", "returned None instead of a column: does every path end with return?"),
        ("3.0", "returned 3.0 (float), not an integer; columns are numbered 0 to 6, after 444444"),
        ("'3'", "returned '3' (str), not an integer"),
        ("7", "returned 7; columns are numbered 0 to 6"),
        ("True", "returned True (bool), not an integer"),
        ("[][1]", "raised IndexError: list index out of range on line 3, after 444444"),
        ("sys.exit()", "called exit() on line 3"),
        ("os._exit(3)", "ended its process (exit code 3), after 444444"),
        ("inarow.solve(p)", "inarow.search.solver is not available to graded files"),
        ("bytearray(1 << 30)", "used more than 512 MB of memory on line 3"),
    ],
)
def test_a_fault_names_the_line_and_the_position(answer, message):
    assert message in fault(f"import inarow, os, sys\ndef agent(p):\n    return {answer}")


def test_games_do_not_see_each_other_and_are_seeded():
    source = b"""
import random
games = 0
def agent(obs):
    global games
    games += 1
    return games if games > 1 else 4 + random.randrange(3)
"""
    with closing(StudentProcess(source, LIMITS)) as process:
        process.load()
        moves = [decide(process, seed=seed) for seed in (1, 2, 3, 4, 5, 1)]
    assert set(moves) <= {4, 5, 6}
    assert len(set(moves)) > 1
    assert moves[0] == moves[-1]


def test_a_file_goes_through_a_time_out_to_the_next_game():
    source = b"print('x' * 10**6)\ndef agent(obs):\n    while obs.step == 6:\n        pass\n    return 2"
    with closing(StudentProcess(source, FileLimits(move_seconds=0.2))) as process:
        process.load()
        agent = StudentAgent("file", process, np.random.SeedSequence(0))
        with pytest.raises(FileFaultError, match=r"took longer than 0\.2 s, after 444444"):
            agent.decide(FULL)
        assert agent.fault.kind == "time-out"
        process.limits = LIMITS
        assert decide(process, Position.parse("44")) == 2


def test_a_loop_outside_of_functions_is_a_time_out():
    assert "took longer than 0.3 s to load" in fault("while True:\n    pass", FileLimits(load_seconds=0.3))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_a_file_that_forks_or_leaves_processes_plays_on():
    source = b"import os, time\ndef agent(obs):\n    os.fork()\n    os.fork() or time.sleep(600)\n    return 2"
    with closing(StudentProcess(source, FileLimits(move_seconds=5.0))) as process:
        process.load()
        assert decide(process) == 2


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="namespaces are of Linux")
def test_an_isolated_file_sees_no_file_of_the_others_and_no_result(tmp_path):
    for name in ("submissions", "grades"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "other.py").write_text("secret")
    hidden = hidden_folders(tmp_path / "submissions", tmp_path / "grades")
    deed = f"sorted(os.listdir('.') + glob.glob({str(tmp_path)!r} + '/*/*'))"
    source = f"import glob, os\ndef agent(obs):\n    open('own', 'w').close()\n    raise ValueError(*{deed})"
    with closing(StudentProcess(source.encode(), FileLimits(hidden=hidden))) as process:
        if not process.load().isolated:
            pytest.skip("this system refuses namespaces")
        with pytest.raises(FileFaultError) as caught:
            decide(process)
    assert "agent.py" in str(caught.value)
    assert "other.py" not in str(caught.value)
    assert (tmp_path / "grades" / "other.py").read_text() == "secret"
