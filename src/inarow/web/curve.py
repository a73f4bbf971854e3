"""The curve of a training run, read from its folder whatever the learner is."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

_MAX_BYTES = 32 << 20
_MAX_POINTS = 1000


def read_curve(folder: Path) -> dict[str, Any]:
    """`{"columns": [...], "rows": [[...]]}` of numbers, null where there is none; long curves are thinned out."""
    path = folder / "curve.csv"
    try:
        if path.stat().st_size > _MAX_BYTES:
            return {"columns": [], "rows": []}
        with path.open(newline="", encoding="utf-8") as file:
            header, *rows = list(csv.reader(file)) or [[]]
    except (OSError, ValueError, csv.Error):  # not there yet
        return {"columns": [], "rows": []}
    step = -(-len(rows) // _MAX_POINTS) or 1
    kept = rows[::-1][::step][::-1]  # the last one is always among them
    return {"columns": header, "rows": [[_number(text) for text in row] for row in kept]}


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
