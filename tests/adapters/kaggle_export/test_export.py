"""Exported files, as Kaggle and its users meet them."""

import ast
import gzip
import io
import json
import random
import subprocess
import sys
import tarfile
import warnings
from contextlib import redirect_stdout

import pytest

from inarow.adapters.kaggle_export.export import export_kaggle, kaggle_source, rehearse, source_of
from inarow.adapters.kaggle_export.exporters import assemble, parts_of
from inarow.agents.kaggle_host import load_last_callable
from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.errors import KaggleFileError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, GameSpec
from tests.cli.command_line import document, inarow_process

AGENTS = ["random", "greedy", "winblock", "minimax", "mcts:simulations=100", "hybrid:simulations=20"]
AGENTS += ["gupta-shah-2022/minimax", "gupta-shah-2022/alphazero:simulations=20"]
STANDARD = {*sys.stdlib_module_names, "numpy"}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_file_imports_only_the_standard_library_and_ends_with_its_agent(agent, tmp_path):
    source = kaggle_source(agent, CONNECT_FOUR)
    imported = {
        (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).partition(".")[0]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert imported <= STANDARD
    file = tmp_path / "main.py"
    file.write_text(source)
    assert type(load_last_callable(str(file))).__name__ == "Entry"


def test_a_file_says_what_it_was_made_of_whatever_that_is_called():
    name = 'q:table=C:\\users\\\'é\'""".npz'
    tree = ast.parse(source_of(name, parts_of("random", CONNECT_FOUR)))
    assert ast.get_docstring(tree).startswith(f"{name} of inarow ")


def test_names_of_the_parts_do_not_collide():
    """All modules in one file: each name is defined once."""
    modules = ("base", "simple", "minimax", "shallow", "mcts", "q_table", "net", "dqn", "alphazero")
    tree = ast.parse(assemble(modules, title="all", entry="agent = None"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    names += [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    assert len(names) == len(set(names))


@pytest.mark.compiled
def test_the_command_writes_a_file_that_our_own_host_plays(tmp_path):
    file = tmp_path / "submission.py"
    command = [sys.executable, "-m", "inarow", "export", "kaggle"]
    result = subprocess.run(
        [*command, "minimax:depth=3", "-o", str(file), "--json"], capture_output=True, text=True, timeout=120
    )
    assert result.returncode == 0, result.stderr
    about = json.loads(result.stdout)
    assert (about["file"], about["bytes"], about["games"]) == (str(file), file.stat().st_size, 2)
    # It plays the same game as the agent that it was made of.
    exported = play_game(make_agent(f"kaggle:file={file}"), make_agent("random", seed=5))
    assert exported.moves == play_game(make_agent("minimax:depth=3"), make_agent("random", seed=5)).moves
    refused = subprocess.run([*command, "negamax", "-o", str(tmp_path / "no.py")], capture_output=True, text=True)
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        "inarow: negamax cannot be exported: a file can only use the standard library and NumPy"
    )
    assert len(refused.stderr.splitlines()) == 1
    assert not (tmp_path / "no.py").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_a_file_may_have_a_name_that_is_not_utf_8(tmp_path):
    file = tmp_path / "\udcff.py"
    command = ("export", "kaggle", "random", "-o", str(file))
    result = inarow_process(*command)
    assert (result.returncode, result.stderr) == (0, "")
    assert "\\udcff.py: " in result.stdout
    assert document(*command)["file"] == str(file)


def test_an_archive_has_a_main_file(tmp_path):
    file = tmp_path / "submission.tar.gz"
    export_kaggle("winblock", file, CONNECT_FOUR)
    assert file.read_bytes()[:2] == b"\x1f\x8b"
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(file.read_bytes()))) as archive:
        assert archive.getnames() == ["main.py"]
    assert make_agent(f"kaggle:file={file}").decide(Position.parse("121212")).action == 0


@pytest.mark.parametrize(
    ("agent", "board", "reason"),
    [
        ("negamax", "6x7x4", "negamax cannot be exported"),
        ("human", "6x7x4", "human cannot be exported"),
        ("minimax:heuristic=squares", "6x7x4", "the heuristic squares cannot be exported"),
        ("hybrid:place=backup", "6x7x4", "hybrid:place=backup cannot be exported; place=rollout can"),
        ("minimax", "tictactoe", "Kaggle's ConnectX has gravity"),
        ("q", "6x7x4", "inarow has no Q-table for 6x7x4"),
    ],
)
def test_what_cannot_be_exported_is_reported_in_one_line(agent, board, reason):
    with pytest.raises(ValueError if agent == "q" else KaggleFileError) as caught:
        kaggle_source(agent, GameSpec.parse(board))
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import numpy\ndef agent(obs, config):\n    return numpy.int64(3)\n", "an answer is of type int64"),
        ("import scipy\ndef agent(obs, config):\n    return 3\n", "No module named 'scipy'"),
        ("import inarow\ndef agent(obs, config):\n    return 3\n", "No module named 'inarow'"),
        ("def agent(obs, config):\n    return 3\n", "column 4 is full"),
        ("def agent(obs, config):\n    return 3\ndef late(obs):\n    return 9\n", "action 9 does not exist"),
    ],
)
def test_a_rehearsal_finds_what_kaggle_would_refuse(source, reason, tmp_path):
    file = tmp_path / "main.py"
    file.write_text(source)
    with pytest.raises(KaggleFileError) as caught:
        rehearse(file, GameSpec.parse("2x7x4"))
    assert str(caught.value).startswith("not written: after ")
    assert reason in str(caught.value)


SLEEPER = "import time\n{}\ndef agent(obs, config):\n    {}\n    return obs.board[:7].index(0)\n"


def test_a_rehearsal_grants_time_for_loading_and_not_for_every_move(tmp_path, monkeypatch):
    monkeypatch.setattr("inarow.adapters.kaggle_export.export._ACT_SECONDS", 0.2)
    file, spec = tmp_path / "main.py", GameSpec.parse("2x7x4")
    file.write_text(SLEEPER.format("time.sleep(0.5)", "pass"))
    rehearsal = rehearse(file, spec)
    assert rehearsal.slowest >= 0.5
    assert 0.3 <= rehearsal.overage < 60
    file.write_text(SLEEPER.format("", "time.sleep(0.3)"))
    with pytest.raises(
        KaggleFileError,
        match=r"^not written: .* its moves took \d+\.\d\d s without loading; the limit of Kaggle is 0\.2 s$",
    ):
        rehearse(file, spec)


@pytest.mark.parametrize(
    ("agent", "board", "beats_random"),
    [
        ("minimax:depth=3", "6x7x4", True),
        ("mcts:simulations=150", "6x7x4", True),
        ("q", "4x4x4", False),
        ("dqn", "6x7x4", False),
        ("alphazero:simulations=4", "6x7x4", False),
    ],
)
def test_kaggle_itself_plays_the_files(agent, board, beats_random, tmp_path):
    with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        kaggle = pytest.importorskip("kaggle_environments")
    if agent.startswith(("dqn", "alphazero")):
        pytest.importorskip("onnx")
    file, spec = tmp_path / "submission.py", GameSpec.parse(board)
    export_kaggle(agent, file, spec)
    random.seed(1)  # Kaggle's agent draws from there, and now and then finds an open three
    for side in (0, 1):
        players = [str(file), "random"]
        game = kaggle.make(
            "connectx", configuration={"rows": spec.rows, "columns": spec.columns, "inarow": spec.inarow}
        )
        game.run(players if side == 0 else players[::-1])
        assert [state.status for state in game.state] == ["DONE", "DONE"]
        assert game.state[side].reward == 1 or not beats_random


def test_a_file_plays_every_board(tmp_path):
    file = tmp_path / "main.py"
    file.write_text(kaggle_source("minimax:depth=2", CONNECT_FOUR))
    for board in ("4x4x3", "9x10x5", "2x2x2", "1x6x3"):
        assert rehearse(file, GameSpec.parse(board)).games == 2
    agent = load_last_callable(str(file))
    position = Position.parse("121212")
    observation = {"board": position.to_kaggle(), "mark": 1}
    assert agent(observation, {"rows": 6, "columns": 7, "inarow": 4, "actTimeout": 2}) == 0
