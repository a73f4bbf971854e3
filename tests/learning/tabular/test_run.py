"""Runs of tabular learners: stopped, killed or damaged they continue to the same table, or say why not."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from inarow.agents.registry import make_agent
from inarow.errors import ConfigError, TableError
from inarow.learning.config import find_document, to_config
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.q_table import QTable
from inarow.learning.tabular.run import _FROZEN_KIND, QRun
from inarow.learning.tabular.trainer import Trainer
from inarow.storage.array_file import save_arrays
from tests.learning.tabular.small_config import config


def same(one: Path, other: Path) -> bool:
    with np.load(one / "table.npz") as a, np.load(other / "table.npz") as b:
        return all(np.array_equal(a[name], b[name]) for name in ("keys", "values", "visits", "header"))


PHASES = [
    {"episodes": 3000, "opponent": "random", "random_starts": 0.3},
    {"episodes": 2000, "opponent": "frozen", "self_play": 0.3, "generations": 3},
    {"episodes": 1500, "opponent": "mcts:simulations=5", "side": "second"},
    {"episodes": 40, "opponent": "minimax:depth=1"},
]


class StopError(Exception):
    pass


@pytest.mark.compiled
@pytest.mark.parametrize("exploration", [{"rule": "adaptive"}, {"decay": 0.999}])
def test_a_stopped_run_ends_with_the_same_table(tmp_path, exploration):
    settings = config(phases=PHASES, exploration=exploration, report=700, symmetry=True)

    def opponent(text, seed):
        return make_agent(text, seed=seed)

    QRun.start(settings, tmp_path / "whole", opponent).train()
    choice = np.random.default_rng(3)
    stops = 0
    run = QRun.start(settings, tmp_path / "broken", opponent)
    while not run.trainer.is_finished:
        until = run.trainer.episodes + int(choice.integers(100, 2500))

        def watch(progress, until=until):
            if progress.done >= until:
                raise StopError

        try:
            run.train(watch)
        except StopError:
            stops += 1
            run = QRun.resume(tmp_path / "broken", opponent)
    assert stops >= 4
    assert same(tmp_path / "whole", tmp_path / "broken")
    assert (tmp_path / "whole" / "curve.csv").read_text() == (tmp_path / "broken" / "curve.csv").read_text()
    assert not list(tmp_path.glob("*/frozen-*"))


@pytest.mark.compiled
def test_a_run_whose_table_is_full_ends_with_the_same_table(tmp_path):
    settings = config(
        board="4x4x4", memory=1, phases=[{"episodes": 20_000}], exploration={"start": 1.0, "floor": 1.0}, report=5000
    )
    QRun.start(settings, tmp_path / "whole").train()
    run = QRun.start(settings, tmp_path / "broken")

    def stop_when_full(_):
        if run.trainer.table.refused:
            raise StopError

    with pytest.raises(StopError):
        run.train(stop_when_full)
    assert not run.trainer.is_finished
    QRun.resume(tmp_path / "broken").train()
    assert same(tmp_path / "whole", tmp_path / "broken")


class Failing:
    """An agent that has no second decision."""

    def __init__(self, agent):
        self._agent, self._decisions = agent, 0

    def decide(self, position):
        self._decisions += 1
        if self._decisions == 2:
            raise TimeoutError("too slow")
        return self._agent.decide(position)


def test_an_opponent_that_fails_leaves_the_last_checkpoint(tmp_path):
    settings = config(phases=[{"episodes": 60, "opponent": "greedy"}], report=20)
    made = []

    def opponent(text, seed):
        return make_agent(text, seed=seed)

    def opponent_that_fails_once(text, seed):
        made.append(seed)
        return Failing(opponent(text, seed)) if len(made) == 40 else opponent(text, seed)

    QRun.start(settings, tmp_path / "whole", opponent).train()
    run = QRun.start(settings, tmp_path / "broken", opponent_that_fails_once)
    with pytest.raises(TimeoutError, match="too slow"):
        run.train(checkpoint_seconds=0.0)
    with pytest.raises(ConfigError, match="stopped within an episode; resume it"):
        run.train()
    run = QRun.resume(tmp_path / "broken", opponent)
    assert 0 < run.trainer.episodes < 40
    run.train()
    assert same(tmp_path / "whole", tmp_path / "broken")


FROZEN = config(phases=[{"episodes": 200, "opponent": "frozen", "generations": 3}])


def stopped_in(generation: int, folder: Path) -> Trainer:
    run = QRun.start(FROZEN, folder)

    def watch(_):
        if run.trainer.generation >= generation:
            raise StopError

    with pytest.raises(StopError):
        run.train(watch)
    assert len(run.trainer.table)
    return run.trainer


@pytest.mark.parametrize("generation", [0, 1])
@pytest.mark.parametrize("are_rows_counted", [True, False])
def test_a_run_stopped_against_a_frozen_opponent_ends_with_the_same_table(tmp_path, generation, are_rows_counted):
    QRun.start(FROZEN, tmp_path / "whole").train()
    before = stopped_in(generation, tmp_path / "broken").frozen
    assert bool(len(before)) == bool(generation)  # the first opponent knows nothing
    if not are_rows_counted:  # as in files of earlier versions
        path = tmp_path / "broken" / "table.npz"
        table, about = QTable.load(path)
        del about["state"]["frozen_rows"]
        table.save(path, **about)
    run = QRun.resume(tmp_path / "broken")
    assert np.array_equal(run.trainer.frozen, before)
    run.train()
    assert same(tmp_path / "whole", tmp_path / "broken")
    assert not list(tmp_path.glob("*/frozen-*"))


def test_frozen_values_of_the_wrong_kind_are_refused(tmp_path):
    values = stopped_in(1, tmp_path).frozen
    (path,) = tmp_path.glob("frozen-*")
    for wrong in (values[:-1], values[:, :-1], values.astype(np.float32), values[0]):
        save_arrays(path, _FROZEN_KIND, {}, {"values": wrong})
        with pytest.raises(TableError, match="has values of the wrong kind"):
            QRun.resume(tmp_path)
    path.unlink()
    with pytest.raises(TableError, match="is not a frozen opponent"):
        QRun.resume(tmp_path)


SETTINGS = ("phases.0.episodes=400000", "report=20000")
SCRIPT = f"""
import sys
from pathlib import Path
from inarow.learning.config import find_document, to_config
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.run import QRun
folder = Path(sys.argv[1])
config = to_config(find_document("tictactoe-q", {SETTINGS}), QConfig, "test")
run = QRun.resume(folder) if folder.exists() else QRun.start(config, folder)
run.train(checkpoint_seconds=0.0)
"""


@pytest.mark.compiled
def test_a_killed_run_continues(tmp_path):
    def start(folder):
        return subprocess.Popen([sys.executable, "-c", SCRIPT, str(folder)], env={**os.environ})

    QRun.start(to_config(find_document("tictactoe-q", SETTINGS), QConfig, "test"), tmp_path / "whole").train()
    kills = 0
    for kill in (True, False):
        with start(tmp_path / "killed") as process:
            try:
                before = _changed(tmp_path / "killed")
                while kill and process.poll() is None and _changed(tmp_path / "killed") == before:
                    time.sleep(0.01)
                if kill and process.poll() is None:
                    process.send_signal(signal.SIGKILL)
                    kills += 1
                process.wait(120)
            finally:
                process.kill()
    assert kills >= 1
    assert same(tmp_path / "whole", tmp_path / "killed")


def _changed(folder: Path) -> int:
    try:
        return (folder / "table.npz").stat().st_mtime_ns
    except OSError:
        return 0


def test_a_run_is_not_started_over(tmp_path):
    QRun.start(config(), tmp_path)
    with pytest.raises(ConfigError, match="has a training run; continue it with --resume"):
        QRun.start(config(), tmp_path)
    with pytest.raises(ConfigError, match="has no training run"):
        QRun.resume(tmp_path / "elsewhere")
    QRun.resume(tmp_path).train()
    other = QRun.start(config(alpha=0.1), tmp_path / "other")
    (tmp_path / "other" / "table.npz").write_bytes((tmp_path / "table.npz").read_bytes())
    with pytest.raises(TableError, match="does not belong to the config beside it"):
        QRun.resume(other.folder)


# --- Configs ---
