"""ASCII diagrams: `.` empty, `X` the first side, `O` the second; the top row first."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from inarow.errors import NotationError, shown
from inarow.games.spec import GameSpec

_CHARACTERS = ".XO"
_VALUES = {".": 0, "X": 1, "x": 1, "O": 2, "o": 2}


def format_diagram(cells: npt.NDArray[np.int8]) -> str:
    """The diagram of an array as `Position.to_array` gives it; no line break at the end."""
    return "\n".join(" ".join(_CHARACTERS[cell] for cell in row) for row in cells)


def parse_diagram(text: str, spec: GameSpec) -> npt.NDArray[np.int8]:
    """The array of a diagram of the size of `spec`. Blanks and empty lines do not count; whether
    a game reaches it is not checked.
    """
    lines = ["".join(line.split()) for line in text.splitlines() if line.strip()]
    if len(lines) != spec.rows:
        raise NotationError(f"the diagram has {len(lines)} rows; {spec} has {spec.rows}")
    for number, line in enumerate(lines, start=1):
        if len(line) != spec.columns:
            raise NotationError(f"row {number} of the diagram has {len(line)} cells; {spec} has {spec.columns} columns")
        strange = next((character for character in line if character not in _VALUES), None)
        if strange is not None:
            raise NotationError(f"row {number} of the diagram has {shown(strange)}; cells are '.', 'X' or 'O'")
    return np.array([[_VALUES[character] for character in line] for line in lines], np.int8)
