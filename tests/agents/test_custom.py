"""Objects, classes and functions as agents, wherever an agent string is accepted."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import inarow
from inarow.agents.agent import Decision, ImmediateAgent
from inarow.agents.custom import agent_strings, as_agent, name_of
from inarow.agents.registry import registry, string_of
from inarow.errors import InvalidAgentError, PluginError
from tests.cli.command_line import inarow_process

pytestmark = pytest.mark.compiled  # thousands of positions, and many processes


class Rightmost:
    """Plays the rightmost column."""

    def decide(self, position):
        return position.legal_actions[-1]


class Random:
    def __init__(self, rng):
        self._rng = rng

    def decide(self, position):
        return self._rng.choice(position.legal_actions)


class Stopping:
    """Presses Ctrl-C after some moves."""

    def __init__(self, moves):
        self._left = moves

    def decide(self, position):
        self._left -= 1
        if not self._left:
            raise KeyboardInterrupt
        return position.legal_actions[0]


def leftmost(position):
    return position.legal_actions[0]


def weak_mcts():
    return inarow.make_agent("mcts:simulations=5")


def results(match: inarow.Match) -> list[str]:
    return [record.moves for record in match.records]


@pytest.mark.parametrize(
    "agent", [Rightmost(), Rightmost, leftmost, weak_mcts, lambda position: position.legal_actions[0]]
)
def test_anything_that_decides_plays_everywhere(agent):
    match = inarow.play_match(agent, "winblock", "4x5x3", games=4, seed=1)
    assert len(match.records) == 4
    assert {record.termination for record in match.records} == {"normal"}
    assert inarow.grade(agent, "tictactoe", suite="exhaustive").positions == 4520
    record = inarow.play_game(agent, Random, "4x5x3", opening="12", seed=3)
    assert (record.first, record.opening, record.fault) == (name_of(agent), 2, None)


def test_a_class_or_a_factory_gets_a_random_stream_for_each_game():
    one, two, other = (inarow.play_match(Random, leftmost, games=10, seed=seed) for seed in (1, 1, 2))
    assert results(one) == results(two) != results(other)
    assert one.summary.distinct_games == 10


def test_worker_processes_make_agents_from_classes_and_functions():
    alone, together = (inarow.play_match(Random, weak_mcts, "4x4x3", games=12, workers=workers) for workers in (1, 2))
    assert results(alone) == results(together)


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (Rightmost(), "Rightmost is a single object: for worker processes pass its class or a function"),
        (lambda position: 0, "worker processes cannot import the agent lambda: define it in a .py file"),
    ],
)
def test_what_worker_processes_cannot_make_is_refused_at_once(agent, reason):
    with pytest.raises(PluginError, match=reason):
        inarow.play_match(agent, "random", games=4, workers=2)
    with pytest.raises(PluginError, match=reason):
        inarow.grade(agent, "tictactoe", workers=2)


def test_names_are_distinct_and_forgotten_after_the_block():
    with agent_strings(Rightmost(), Rightmost, "random", leftmost) as names:
        assert names == ("Rightmost", "Rightmost-2", "random", "leftmost")
        assert set(names) <= set(registry())
    assert "Rightmost" not in registry()
    assert "leftmost" not in registry()


def test_an_agent_of_inarow_counts_as_its_agent_string():
    agent = inarow.make_agent("mcts:simulations=20", seed=5)
    assert results(inarow.play_match(agent, leftmost, games=4)) == results(
        inarow.play_match("mcts:simulations=20", leftmost, games=4)
    )


def test_an_agent_that_only_has_the_name_of_another_is_itself():
    """As a learner has that was trained in this process."""

    class Rightmost(ImmediateAgent):
        name = "winblock"

        def _decide(self, position):
            return Decision(action=position.legal_actions[-1])

    Rightmost.__module__ = "inarow.learning.somewhere"
    grade = inarow.grade(Rightmost(), "3x3x3")
    assert grade.outcome_accuracy < inarow.grade("winblock", "3x3x3").outcome_accuracy - 0.05
    assert string_of(Rightmost()) is None
    assert string_of(inarow.make_agent("mcts:simulations=20")) == "mcts:simulations=20"


def test_a_name_of_inarow_is_not_taken_over():
    def greedy(position):
        return position.legal_actions[0]

    match = inarow.play_match(greedy, "greedy", games=4)
    assert (match.summary.a, match.summary.b) == ("greedy-2", "greedy")


@pytest.mark.parametrize("agent", [None, 3.5, [], object()])
def test_what_cannot_decide_is_refused_in_one_line(agent):
    with pytest.raises(InvalidAgentError, match=r"is not an agent: it has no method `decide"):
        inarow.play_match(agent, "random", games=4)


class Deep:
    def __init__(self, name, depth):
        self.name, self.depth = name, depth

    def decide(self, position):
        return position.legal_actions[0]


def test_a_class_that_needs_more_than_inarow_gives_is_refused_in_one_line():
    with pytest.raises(InvalidAgentError, match="Deep needs depth: pass a function that creates it"):
        inarow.play_match(Deep, "random", games=4)
    assert inarow.play_match(lambda: Deep("deep", 3), "random", games=4).summary.games == 4


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: inarow.play_match("random", "random", 7), "board '7' is not ROWSxCOLUMNSxINAROW"),
        (lambda: inarow.solve(4453), "'4453' is neither a move string"),
        (lambda: inarow.play_game("random", "random", seed=-1), "seed is -1"),
        (lambda: inarow.train(None), "'None' is not a preset, a TOML file or a config"),
        (lambda: inarow.ratings("nosuch.sqlite"), "there is no results store at nosuch.sqlite"),
    ],
)
def test_arguments_of_the_wrong_kind_are_one_line(call, reason, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(inarow.InarowError, match=reason):
        call()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("answer", [None, "3", 2.0, 99])
def test_a_bad_answer_loses_the_game(answer):
    record = inarow.play_game(lambda position: answer, "random")
    assert (record.winner, record.termination) == (2, "illegal move" if answer == 99 else "crash")


def test_numpy_integers_are_actions():
    assert as_agent(lambda position: np.int8(3)).decide(inarow.Position.start()) == inarow.Decision(3)


def test_the_store_distinguishes_objects_and_edited_functions(tmp_path):
    source = "def mine(position):\n    return position.legal_actions[{}]\n"
    with inarow.Store(tmp_path / "lab.sqlite") as store:
        for number in (0, 0, -1):
            path = tmp_path / f"{number}.py"
            path.write_text(source.format(number))
            names: dict = {}
            exec(compile(path.read_text(), str(path), "exec"), names)
            inarow.play_match(names["mine"], "random", "4x4x3", games=4, store=store)
        inarow.play_match(Rightmost(), "random", "4x4x3", games=4, store=store)
        inarow.play_match(Rightmost(), "random", "4x4x3", games=4, store=store)
        assert len(store.matches()) == 4


def test_on_ctrl_c_the_finished_games_are_in_the_exception():
    with pytest.raises(inarow.Interrupted, match=r"stopped after \d+ of 100 games") as stopped:
        inarow.play_match(Stopping(60), "winblock", games=100)
    assert 0 < stopped.value.result.summary.games < 30
    with pytest.raises(inarow.Interrupted) as stopped:
        inarow.play_tournament(["random", "winblock", Stopping(60)], games=100)
    assert stopped.value.result.standings[0].agent == "winblock"
    with pytest.raises(inarow.Interrupted) as stopped:
        inarow.play_match(Stopping(1), "winblock", games=100)
    assert stopped.value.result is None


# --- Scripts and plug-in files ---

GUARDED = """
import inarow

@inarow.register_agent("edge")
def edge(position):
    return position.legal_actions[0]

class Last:
    def decide(self, position):
        return position.legal_actions[-1]

if __name__ == "__main__":
    print(inarow.play_match("edge", Last, games=8, workers=2).summary.games)
"""


def run_script(path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120, cwd=path.parent)


def test_a_script_may_register_and_use_agents_in_worker_processes(tmp_path):
    script = tmp_path / "guarded.py"
    script.write_text(GUARDED)
    result = run_script(script)
    assert (result.returncode, result.stdout, result.stderr) == (0, "8\n", "")


def test_a_script_without_a_main_guard_is_reported_in_one_line(tmp_path):
    script = tmp_path / "unguarded.py"
    script.write_text(GUARDED.replace('if __name__ == "__main__":', "if True:"))
    result = run_script(script)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert "start them under `if __name__ == '__main__':`" in result.stderr


PLUGIN = '''
import inarow

@inarow.register_agent("edge")
def edge(position):
    """Plays the leftmost legal column."""
    return position.legal_actions[0]
'''


@pytest.fixture
def plugin(tmp_path):
    path = tmp_path / "edge_plugin.py"
    path.write_text(PLUGIN)
    return path


@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_plugin_file_adds_agents_to_any_command(plugin, place):
    words = ["match", "edge", "random", "--games", "2", "--workers", "1" if place else "2"]
    result = inarow_process(*words[:place], "--plugin", str(plugin), *words[place:])
    assert result.returncode == 0, result.stderr
    assert "edge - random on 6x7x4" in result.stdout


def test_a_plugin_file_is_inherited_by_the_environment(plugin):
    environment = {**os.environ, "INAROW_PLUGINS": str(plugin)}
    script = (
        "from inarow.plugins import load_plugin_files\nload_plugin_files()\nimport inarow\ninarow.make_agent('edge')"
    )
    assert subprocess.run([sys.executable, "-c", script], env=environment, check=False).returncode == 0


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("raise SystemExit(3)", "cannot be loaded: SystemExit: 3"),
        ("import nothing_like_it", "ModuleNotFoundError"),
        ("def", "SyntaxError"),
        (None, "FileNotFoundError"),
    ],
)
def test_a_bad_plugin_file_is_one_line(tmp_path, content, reason):
    path = tmp_path / "bad.py"
    if content is not None:
        path.write_text(content)
    result = inarow_process("agents", "--plugin", str(path))
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert reason in result.stderr
    assert inarow_process("agents", "--plugin").stderr == "inarow: --plugin needs a file: --plugin FILE.py\n"
