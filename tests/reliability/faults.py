"""Records injected faults and their consequences as lines of JSON for `table.py`."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator

FAULTS_FILE = "INAROW_FAULTS"
"""The environment variable with the file for the records; nothing is recorded without it."""


def report_fault(fault: str, target: str, *, injected: int, lost: str, seen: str) -> None:
    """Records a fault injected `injected` times: what finished work was lost, and what the user sees."""
    path = os.environ.get(FAULTS_FILE)
    if path is not None:
        line = {"fault": fault, "target": target, "injected": injected, "lost": lost, "seen": seen}
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def rounds(at_least: int, seconds: float) -> Iterator[int]:
    """0, 1, 2, ...: at least `at_least` numbers, and more until the time is over."""
    end = time.monotonic() + seconds
    number = 0
    while number < at_least or time.monotonic() < end:
        yield number
        number += 1


def last_line(said: str) -> str:
    """The last line that a failed command printed: its error message."""
    assert "Traceback" not in said, said
    return said.rstrip("\n").split("\n")[-1]
