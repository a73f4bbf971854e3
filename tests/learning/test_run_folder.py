"""Folders of training runs: one process at a time, `curve.csv`, and the same for TensorBoard."""

import csv
import errno
import gc
import struct
from dataclasses import dataclass
from pathlib import Path

import pytest
from tensorboardX.crc32c import crc32c
from tensorboardX.event_file_writer import EventsWriter
from tensorboardX.proto.event_pb2 import Event, SessionLog

from inarow.errors import ConfigError
from inarow.learning.alphazero.run import AlphaZeroRun
from inarow.learning.deep_q.run import DeepQRun
from inarow.learning.run_folder import CurveFiles, EventFile, RunClaim
from inarow.learning.tabular.config import Phase, QConfig
from inarow.learning.tabular.run import QRun
from tests.learning.alphazero.tiny_runs import tiny
from tests.learning.deep_q.nets import config_of


def events_of(folder: Path) -> list[Event]:
    """All events of the only event file, with their checksums verified, as TensorBoard reads them."""
    (path,) = folder.glob("events.out.tfevents.*")
    content, events = path.read_bytes(), []
    while content:
        (length,) = struct.unpack("<Q", content[:8])
        data = content[12 : 12 + length]
        checksums = struct.unpack("<I", content[8:12]) + struct.unpack("<I", content[12 + length : 16 + length])
        assert checksums == (masked(content[:8]), masked(data))
        events.append(Event.FromString(data))
        content = content[16 + length :]
    return events


def masked(data: bytes) -> int:
    checksum = crc32c(data)
    return ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF


def scalars(folder: Path) -> list[tuple[int, dict[str, float]]]:
    version, start, *points = events_of(folder)
    assert version.file_version == "brain.Event:2"
    assert (start.step, start.session_log.status) == (0, SessionLog.START)
    return [(point.step, {value.tag: value.simple_value for value in point.summary.value}) for point in points]


def lines(folder: Path, step: str) -> list[tuple[int, dict[str, float]]]:
    rows = csv.DictReader((folder / "curve.csv").read_text().splitlines())
    return [
        (int(row.pop(step)), {name: pytest.approx(float(text), rel=1e-6) for name, text in row.items() if text})
        for row in rows
    ]


@dataclass(frozen=True)
class Point:
    episode: int
    reward: float
    loss: float | None


CURVE = [Point(10, 0.5, None), Point(20, 0.75, 1.5), Point(30, 1.0, 1.25)]


def test_the_event_file_grows_with_the_curve(tmp_path):
    files = CurveFiles(tmp_path, Point, "episode")
    for count in (0, 1, 3, 3):
        files.write(CURVE[:count])
        assert scalars(tmp_path) == lines(tmp_path, "episode")
    assert scalars(tmp_path)[0] == (10, {"reward": 0.5})
    assert (tmp_path / "curve.csv").read_text() == "episode,reward,loss\n10,0.5,\n20,0.75,1.5\n30,1.0,1.25\n"


def test_a_full_disk_at_the_end_is_not_told_again(tmp_path, monkeypatch, capfd):
    close = EventsWriter.close

    def fail(writer):
        close(writer)
        raise OSError(errno.ENOSPC, "No space left on device")

    events = EventFile(tmp_path)
    monkeypatch.setattr(EventsWriter, "close", fail)
    del events
    gc.collect()
    assert capfd.readouterr().err == ""


def test_a_run_that_continues_has_no_step_twice(tmp_path):
    CurveFiles(tmp_path, Point, "episode").write(CURVE)
    CurveFiles(tmp_path, Point, "episode").write(CURVE[:2])  # from an older checkpoint
    assert [step for step, _ in scalars(tmp_path)] == [10, 20]
    files = CurveFiles(tmp_path, Point, "episode")
    files.write(CURVE)
    files.write([*CURVE, CURVE[-1]])
    assert [step for step, _ in scalars(tmp_path)] == [10, 20, 30]


class StopError(Exception):
    pass


def stop(_: object) -> None:
    raise StopError


Q = QConfig(board="tictactoe", report=1000, phases=(Phase(episodes=3000, opponent="random"),))
RUNS = {
    "q": (QRun, Q, "episode"),
    "deep-q": (DeepQRun, config_of("4x4x4", episodes=40, batch=10), "episode"),
    "alphazero": (AlphaZeroRun, tiny(), "games"),
}


@pytest.mark.parametrize("learner", RUNS)
def test_every_learner_can_be_watched_in_tensorboard(tmp_path, learner):
    kind, config, step = RUNS[learner]
    with pytest.raises(StopError):
        kind.start(config, tmp_path / "run").train(stop)
    kind.resume(tmp_path / "run").train()
    told = scalars(tmp_path / "run")
    written = dict(reversed(lines(tmp_path / "run", step)))  # of two points of one step, the first
    assert [each for each, _ in told] == sorted(written)
    assert len(told) > 2
    assert told[1][1] == written[told[1][0]]


@pytest.mark.parametrize("learner", RUNS)
def test_what_another_process_trained_meanwhile_is_not_overwritten(tmp_path, learner):
    kind, config, _ = RUNS[learner]
    stale = [kind.start(config, tmp_path), kind.resume(tmp_path)]
    kind.resume(tmp_path).train()
    finished = contents(tmp_path)
    for run in stale:
        with pytest.raises(ConfigError, match="another process trained; resume it again"):
            run.train()
    assert contents(tmp_path) == finished


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith("events.")}


def test_a_run_that_was_extended_meanwhile_is_not_trained_by_its_old_config(tmp_path):
    stale = AlphaZeroRun.start(tiny(), tmp_path)
    AlphaZeroRun.resume(tmp_path, iterations=2)
    with pytest.raises(ConfigError, match="resume it again"):
        stale.train()


def test_who_stopped_a_run_can_continue_with_it(tmp_path):
    run = QRun.start(Q, tmp_path)
    with pytest.raises(StopError):
        run.train(stop)
    run.train()
    assert run.trainer.is_finished


def test_a_run_is_claimed_while_it_is_begun(tmp_path):
    claim = RunClaim(tmp_path, "checkpoint")
    with claim.begun(Q), pytest.raises(ConfigError, match="is in use: another process trains there"):
        QRun.resume(tmp_path)
