"""Without the optional packages: what works, and what is said about the rest."""

import subprocess
import sys

import pytest

from tests.learning.deep_q.nets import write_net

BLOCK = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
"""
EXTRAS = {"torch", "onnx", "onnxscript", "safetensors", "qiskit", "qiskit_aer", "ray", "tensorboardX", "matplotlib"}
EXTRAS |= {"pandas", "optuna", "gymnasium", "pettingzoo", "pyspiel", "anywidget", "ipywidgets", "IPython", "PIL"}


def run_without(blocked: set[str], script: str, *args: str) -> subprocess.CompletedProcess[str]:
    code = BLOCK.format(blocked=blocked) + script
    return subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, timeout=120)


def inarow_without(blocked: set[str], *args: str) -> subprocess.CompletedProcess[str]:
    return run_without(blocked, "from inarow.cli.app import main\nmain()", *args)


PLAY = """
import inarow
agent, spec = inarow.make_agent(sys.argv[1]), inarow.GameSpec.parse(sys.argv[2])
record = inarow.play_game(agent, inarow.make_agent("winblock"), spec)
assert record.moves
assert not {name.partition(".")[0] for name in sys.modules} & {"torch", "onnx", "qiskit"}
print(agent.decide(inarow.Position.start(spec)).action)
"""


def test_a_net_plays_without_any_extra(tmp_path):
    path = write_net(tmp_path / "net.onnx", "4x4x4")
    for agent, board in ((f"dqn:net={path}", "4x4x4"), ("alphazero:simulations=4", "6x7x4")):
        result = run_without(EXTRAS, PLAY, agent, board)
        assert result.returncode == 0, result.stderr
        assert result.stdout.strip().isdigit()


@pytest.mark.parametrize(
    ("blocked", "command", "line"),
    [
        ({"torch"}, ["train", "4x4x4-dqn"], "inarow: torch is not installed; run: pip install 'inarow[train]'\n"),
        ({"onnx"}, ["train", "4x4x4-dqn"], "inarow: onnx is not installed; run: pip install 'inarow[train]'\n"),
        (
            {"safetensors"},
            ["train", "4x4x4-dqn"],
            "inarow: safetensors is not installed; run: pip install 'inarow[train]'\n",
        ),
        (
            {"matplotlib"},
            ["depth-test", "minimax", "--plot", "depths.svg"],
            "inarow: matplotlib is not installed; run: pip install 'inarow[plots]'\n",
        ),
        (
            {"optuna"},
            ["sweep", "docs/howto/sweep.toml"],
            "inarow: optuna is not installed; run: pip install 'inarow[sweep]'\n",
        ),
        (
            {"ray"},
            ["match", "random", "greedy", "--ray", "local"],
            "inarow: ray is not installed; run: pip install 'inarow[cluster]'\n",
        ),
        (
            {"ray"},
            ["train", "tictactoe", "--ray", "local"],
            "inarow: ray is not installed; run: pip install 'inarow[cluster]'\n",
        ),
        ({"qiskit"}, ["quantum", "verify"], "inarow: qiskit is not installed; run: pip install 'inarow[quantum]'\n"),
    ],
)
def test_what_needs_an_extra_says_how_to_get_it(tmp_path, blocked, command, line):
    options = ["--out", str(tmp_path / "run")] if command[0] == "train" else []
    result = inarow_without(blocked, *command, *options)
    assert (result.returncode, result.stderr) == (2, line)
    assert not (tmp_path / "run").exists()


NOTEBOOK = """
import inarow
try:
    inarow.board()
except inarow.InarowError as error:
    print(error)
"""


@pytest.mark.parametrize("blocked", [{"anywidget"}, {"anywidget", "traitlets", "ipywidgets"}])
def test_the_board_of_notebooks_says_what_it_needs(blocked):
    result = run_without(blocked, NOTEBOOK)
    line = "anywidget is not installed; run: pip install 'inarow[notebook]'\n"
    assert (result.returncode, result.stdout) == (0, line), result.stderr


def test_a_table_is_trained_without_any_extra(tmp_path):
    settings = ["--set", "phases.0.episodes=100"]
    result = inarow_without(EXTRAS, "train", "tictactoe-q", *settings, "--out", str(tmp_path / "run"))
    assert result.returncode == 0, result.stderr
    assert {path.name for path in (tmp_path / "run").iterdir()} == {"config.json", "curve.csv", "table.npz"}


def test_a_study_that_trains_says_what_it_needs(tmp_path):
    result = inarow_without(EXTRAS, "reproduce", "santos-2025", "--out", str(tmp_path))
    assert result.returncode == 2
    assert "pip install 'inarow[train]'" in result.stderr
    assert result.stderr.count("\n") == 1
