"""The specification of a game: size of the board, length of a line, gravity."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from inarow.errors import InvalidSpecError, did_you_mean, shown

MAX_SIDE = 16
MIN_INAROW = 2
_WORD_BITS = 64
_BOARD_STRING = re.compile(r"([0-9]{1,3})x([0-9]{1,3})x([0-9]{1,3})(/free)?")


@dataclass(frozen=True, slots=True)
class GameSpec:
    """A k-in-a-row game: `inarow` stones in a row, column or diagonal win. With gravity an action is a column and the
    stone falls to its lowest free cell; without, a cell counted row by row from the top left. Both count from 0.
    """

    rows: int
    columns: int
    inarow: int
    gravity: bool = True

    def __post_init__(self) -> None:
        for name, low in (("rows", 1), ("columns", 1), ("inarow", MIN_INAROW)):
            number = getattr(self, name)
            if type(number) is not int or not low <= number <= MAX_SIDE:
                text = shown(repr(number)) if type(number) is not int else number
                raise InvalidSpecError(f"{name} is {text}; it must be {low} to {MAX_SIDE}")
        if type(self.gravity) is not bool:
            raise InvalidSpecError(f"gravity is {shown(repr(self.gravity))}; it must be True or False")
        if self.inarow > max(self.rows, self.columns):
            raise InvalidSpecError(f"no line of {self.inarow} fits on {self.rows} rows x {self.columns} columns")

    @classmethod
    def parse(cls, text: Board) -> GameSpec:
        """The spec of a board string: `6x7x4`, `15x15x5/free`, `connect4`, `tictactoe`. A spec is returned
        unchanged.
        """
        return text if isinstance(text, GameSpec) else NAMED_SPECS.get(text) or _parse_size(text)

    def __str__(self) -> str:
        return f"{self.rows}x{self.columns}x{self.inarow}" + ("" if self.gravity else "/free")

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    @property
    def actions(self) -> int:
        """The number of actions, legal or not."""
        return self.columns if self.gravity else self.cells

    @property
    def fits_word(self) -> bool:
        """Whether a position's stones fit one 64-bit word, sentinels included."""
        return (self.rows + 1) * self.columns <= _WORD_BITS


Board = GameSpec | str
"""A board as an argument: a spec or a board string."""


@lru_cache(maxsize=256)
def _parse_size(text: str) -> GameSpec:
    """The spec of a board string that is not a name. Cached, since every game record has one."""
    match = _BOARD_STRING.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        problem = f"board {shown(str(text))}{did_you_mean(str(text), NAMED_SPECS)} is not ROWSxCOLUMNSxINAROW"
        raise InvalidSpecError(f"{problem}, e.g. 6x7x4 or 15x15x5/free, nor one of {', '.join(NAMED_SPECS)}")
    rows, columns, inarow = (int(number) for number in match.group(1, 2, 3))
    return GameSpec(rows, columns, inarow, gravity=match.group(4) is None)


CONNECT_FOUR = GameSpec(rows=6, columns=7, inarow=4)
TIC_TAC_TOE = GameSpec(rows=3, columns=3, inarow=3, gravity=False)
NAMED_SPECS = {"connect4": CONNECT_FOUR, "tictactoe": TIC_TAC_TOE}
