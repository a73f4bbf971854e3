"""Runs in folders: what they leave, how they continue, and what is said about bad ones."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from inarow.agents.registry import make_agent
from inarow.errors import ConfigError
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.config import find_document, presets, to_config
from inarow.learning.deep_q.config import DeepQConfig
from inarow.learning.deep_q.network import TrainedNet
from inarow.learning.deep_q.run import DeepQRun, load_checkpoint, save_checkpoint
from inarow.learning.deep_q.trainer import Checkpoint, Trainer
from inarow.learning.exploration.config import Policy
from inarow.learning.run_folder import GamesFile
from tests.cli.command_line import inarow
from tests.learning.deep_q.nets import config_of

TINY = config_of("4x4x4", episodes=70, batch=10, lockstep=5, seed=2)


def test_a_net_of_a_named_board_plays_on_it(tmp_path):
    run = DeepQRun.start(replace(TINY, board="tictactoe", episodes=10), tmp_path)
    run.train()
    decision = make_agent(f"dqn:net={run.product}").decide(Position.start("tictactoe"))
    assert decision.action in range(9)


class StopError(Exception):
    pass


def files(folder: Path) -> dict[str, bytes]:
    """Those that are the same whenever the run was made."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith("events.")}


def test_a_run_leaves_a_net_that_plays_and_its_curve(tmp_path):
    run = DeepQRun.start(TINY, tmp_path)
    run.train()
    assert set(files(tmp_path)) == {"config.json", "net.onnx", "curve.csv", "games.csv", "checkpoint.safetensors"}
    decision = make_agent(f"dqn:net={run.product}").decide(Position.start(GameSpec.parse("4x4x4")))
    assert decision.action in range(4)
    rows = list(csv.DictReader((tmp_path / "curve.csv").read_text().splitlines()))
    assert [int(row["episode"]) for row in rows] == list(range(10, 71, 10))
    assert all(float(row["wins"]) + float(row["draws"]) + float(row["losses"]) == pytest.approx(1) for row in rows)
    games = list(csv.DictReader((tmp_path / "games.csv").read_text().splitlines()))
    assert len(games) == 70
    for game in games:
        winner = Position.parse(game["moves"], GameSpec.parse(game["board"])).winner
        assert int(game["result"]) == {1: 1, 2: -1, None: 0}[winner]
    assert sum(game["result"] == "1" for game in games) == round(sum(10 * float(row["wins"]) for row in rows))
    before = files(tmp_path)
    DeepQRun.resume(tmp_path).train()  # nothing is left to do
    assert files(tmp_path) == before


def test_a_run_killed_before_its_first_file_of_games_continues(tmp_path):
    DeepQRun.start(TINY, tmp_path)
    (tmp_path / "games.csv").unlink()
    DeepQRun.resume(tmp_path).train()
    assert (tmp_path / "games.csv").read_text().count("\n") == 71


@pytest.mark.parametrize("rule", ["quantum", "epsilon-greedy"])
def test_a_run_that_was_stopped_ends_with_the_same_files(tmp_path, rule, monkeypatch):
    config = replace(TINY, policy=Policy(rule=rule))
    DeepQRun.start(config, tmp_path / "whole").train()
    run = DeepQRun.start(config, tmp_path / "broken")

    def stop_after_three(progress):
        if progress.done == 30:
            raise StopError

    with pytest.raises(StopError):
        run.train(stop_after_three)
    run = DeepQRun.resume(tmp_path / "broken")
    assert run.trainer.episodes == 30
    play = Trainer._play_group

    def stop_in_the_middle(trainer, net, first, count, side):
        if first == 45:  # the first half of the fifth batch is played, and its flags are set
            raise KeyboardInterrupt
        return play(trainer, net, first, count, side)

    monkeypatch.setattr(Trainer, "_play_group", stop_in_the_middle)
    with pytest.raises(KeyboardInterrupt):
        run.train()
    monkeypatch.undo()
    run = DeepQRun.resume(tmp_path / "broken")
    assert run.trainer.episodes == 40
    run.train()
    assert files(tmp_path / "whole") == files(tmp_path / "broken")


SCRIPT = """
import sys
from pathlib import Path
from inarow.learning.deep_q.run import DeepQRun
from tests.learning.deep_q.nets import config_of
folder = Path(sys.argv[1])
config = config_of("4x4x4", episodes=400, batch=10)
run = DeepQRun.resume(folder) if folder.exists() else DeepQRun.start(config, folder)
run.train(checkpoint_seconds=0.0)
"""


@pytest.mark.compiled
def test_a_killed_run_continues_to_the_same_net(tmp_path):
    checkpoint = tmp_path / "killed" / "checkpoint.safetensors"
    command = [sys.executable, "-c", SCRIPT]
    with subprocess.Popen([*command, str(tmp_path / "killed")], env={**os.environ}) as process:
        while not checkpoint.exists() and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    resumed = DeepQRun.resume(tmp_path / "killed")
    assert 0 < resumed.trainer.episodes < 400
    resumed.train()
    DeepQRun.start(resumed.trainer.config, tmp_path / "whole").train()
    assert files(tmp_path / "whole") == {
        name: content for name, content in files(tmp_path / "killed").items() if not name.startswith(".")
    }


@pytest.mark.parametrize("left", [None, "", "board,open", "board,opening,result,moves\n4x4x4,0,1,1"])
def test_a_run_killed_before_its_first_checkpoint_begins_again(tmp_path, left):
    config = replace(TINY, episodes=20)
    for name in ("whole", "killed"):
        DeepQRun.start(config, tmp_path / name)
    games = tmp_path / "killed" / "games.csv"
    games.unlink() if left is None else games.write_text(left)
    for name in ("whole", "killed"):
        DeepQRun.resume(tmp_path / name).train()
    assert files(tmp_path / "whole") == files(tmp_path / "killed")


def test_games_are_on_the_disk_before_the_checkpoint_that_counts_them(tmp_path, monkeypatch):
    done = []
    monkeypatch.setattr(GamesFile, "sync", lambda games: done.append("games"))
    monkeypatch.setattr("inarow.learning.deep_q.run.save_checkpoint", lambda *_: done.append("checkpoint"))
    DeepQRun.start(replace(TINY, episodes=10), tmp_path).train(checkpoint_seconds=1000)
    assert done == ["games", "checkpoint"]


def test_a_net_that_diverges_ends_the_run_at_the_last_batch(tmp_path, monkeypatch):
    run = DeepQRun.start(TINY, tmp_path)
    fit, losses = TrainedNet.fit, iter([0.5, float("inf")])

    def diverge(net, *batch):
        fit(net, *batch)
        return next(losses)

    monkeypatch.setattr(TrainedNet, "fit", diverge)
    with pytest.raises(ConfigError, match=r"the net has diverged.*lower learning_rate"):
        run.train()
    assert DeepQRun.resume(tmp_path).trainer.episodes == 10


def refusal(folder: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        DeepQRun.resume(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_bad_folders_are_reported_in_one_line(tmp_path):
    assert "has no training run" in refusal(tmp_path)
    DeepQRun.start(TINY, tmp_path).train(checkpoint_seconds=1000)
    with pytest.raises(ConfigError, match="has a training run; continue it with --resume"):
        DeepQRun.start(TINY, tmp_path)
    path = tmp_path / "checkpoint.safetensors"
    good = path.read_bytes()
    for content in (b"", b"hello", good[: len(good) // 2], good[:-1]):
        path.write_bytes(content)
        assert "is not a checkpoint" in refusal(tmp_path)
    path.write_bytes(good)
    checkpoint = load_checkpoint(path)
    for state, arrays, reason in (
        ({"config": msgspec.to_builtins(config_of("4x4x4"))}, {}, "does not belong to the config beside it"),
        ({"curve": [3]}, {}, "is not a checkpoint"),
        ({"counts": {}}, {}, "is not a checkpoint"),
        ({"episodes": None}, {}, "is not a checkpoint"),
        ({}, {"dense0.weight": np.zeros((2, 2), np.float32)}, "is not a checkpoint"),
        ({}, {"conv0.weight.exp_avg": np.zeros((2, 2), np.float32)}, "is not a checkpoint"),
        ({}, {"flags.keys": np.zeros(1, np.uint64)}, "is not a checkpoint"),
    ):
        save_checkpoint(path, Checkpoint({**checkpoint.state, **state}, {**checkpoint.arrays, **arrays}))
        assert reason in refusal(tmp_path)
    (tmp_path / "config.json").write_text('{"learner": "deep-q"}')
    assert "has no training run" in refusal(tmp_path)


def test_presets_are_sound():
    names = {name for name in presets() if find_document(name).get("learner") == "deep-q"}
    assert {"connect4-dqn", "4x4x4-dqn"} <= names
    for name in names:
        to_config(find_document(name), DeepQConfig, name)


def test_the_command_trains_tests_and_continues(tmp_path):
    folder = tmp_path / "run"
    small = ("--set", "episodes=30", "--set", "batch=10", "--set", "network.filters=[4]", "--seed", "5")
    result = inarow("train", "4x4x4-dqn", *small, "--out", str(folder), "--json")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["episodes"] == document["curve"][-1]["episode"] == 30
    assert document["test"]["wins"] + document["test"]["draws"] + document["test"]["losses"] == 30
    again = inarow("train", "--resume", str(folder), "--json")
    assert json.loads(again.stdout) == document
    shown = inarow("train", "--resume", str(folder))
    assert f"--first dqn:net={folder / 'net.onnx'}" in shown.stdout


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (("opponent=nobody",), "there is no agent 'nobody'"),
        (("opponent=negamax:depth=0",), "depth of negamax is '0'"),
        (("board=3x5x4",), "the heuristic squares does not fit 3x5x4"),
        (("episodes=0",), "`int` >= 1"),
        (("policy.rule=best",), "there is no exploration rule 'best'; exploration rules are epsilon-greedy, "),
        (("gama=1",), "unknown field `gama` (did you mean 'gamma'?); valid keys are alpha, arithmetic, batch, "),
        (("gamma=0",), "`float` > 0.0 - at `$.gamma`"),
        (("rewards.shaping=best",), "there is no heuristic 'best'; heuristics are windows, powers, squares"),
        (("opponents=[{agent='nobody'}]",), "there is no agent 'nobody'"),
        (("opponents=[{agent='past',share=0}]",), "`float` > 0.0 - at `$.opponents[0].share`"),
    ],
)
def test_a_bad_setting_is_one_line_and_leaves_no_folder(tmp_path, settings, reason):
    options = [option for setting in settings for option in ("--set", setting)]
    result = inarow("train", "4x4x4-dqn", *options, "--out", str(tmp_path / "run"))
    assert result.returncode == 2
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()
