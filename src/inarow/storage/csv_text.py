"""Tables as CSV."""

import csv
from collections.abc import Iterable
from typing import TextIO

from inarow.errors import visible

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_csv_rows(file: TextIO, rows: Iterable[Iterable[object]]) -> None:
    """Writes rows of values. Control characters are written as escapes; text that a spreadsheet would read as a formula
    gets an apostrophe in front.
    """
    csv.writer(file, lineterminator="\n").writerows(map(_cell, row) for row in rows)


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    return f"'{visible(value)}" if value.startswith(_FORMULA) and to_number(value) is None else visible(value)


def to_number(text: str) -> float | None:
    """The number in a cell; None if it holds something else."""
    try:
        return float(text)
    except ValueError:
        return None
