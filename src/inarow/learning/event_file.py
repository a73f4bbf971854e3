"""Curves for TensorBoard: the only file that imports tensorboardX."""

from __future__ import annotations

import time
import weakref
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tensorboardX.event_file_writer import EventsWriter
from tensorboardX.proto.event_pb2 import Event, SessionLog
from tensorboardX.proto.summary_pb2 import Summary

_NAMES = "events.out.tfevents.*"


class EventFile:
    """Scalars by step in the folder of a run, to be watched with `tensorboard --logdir`.

    Each process that continues a run starts a new file with all points of the curve: the steps after the last
    checkpoint are repeated, and none may occur twice.
    """

    def __init__(self, folder: Path) -> None:
        for old in folder.glob(_NAMES):
            old.unlink()
        self._writer = EventsWriter(str(folder.absolute() / "events"))
        weakref.finalize(self, _close, self._writer)
        # A running TensorBoard then forgets what it has read from the previous file.
        self._add(Event(step=0, session_log=SessionLog(status=SessionLog.START)))

    def add(self, step: int, values: Mapping[str, float | None]) -> None:
        """A point; what is None has no value there."""
        summary = Summary()
        for name, value in values.items():
            if value is not None:
                summary.value.add(tag=name, simple_value=value)
        self._add(Event(step=step, summary=summary))

    def _add(self, event: Event) -> None:
        event.wall_time = time.time()
        self._writer.write_event(event)

    def flush(self) -> None:
        """For TensorBoard, which may be reading."""
        self._writer.flush()


def _close(writer: EventsWriter) -> None:
    """A full disk was reported when it was met."""
    with suppress(OSError):
        writer.close()
