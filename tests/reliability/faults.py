"""What was done to long work and files, and what came of it, as lines of JSON for `table.py`."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator

FAULTS_FILE = "INAROW_FAULTS"
"""Names the file to which faults are told; without it nobody is told."""


def tell(fault: str, target: str, *, injected: int, lost: str, seen: str) -> None:
    """What happened `injected` times to the target: what of finished work was lost, how a user sees it."""
    path = os.environ.get(FAULTS_FILE)
    if path is not None:
        line = {"fault": fault, "target": target, "injected": injected, "lost": lost, "seen": seen}
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def rounds(at_least: int, seconds: float) -> Iterator[int]:
    """0, 1, 2, ... so many, and then on until the time is over."""
    end = time.monotonic() + seconds
    number = 0
    while number < at_least or time.monotonic() < end:
        yield number
        number += 1


def last_line(said: str) -> str:
    """What a failed command told: its only line, or the last one after its notes."""
    assert "Traceback" not in said, said
    return said.rstrip("\n").split("\n")[-1]
