"""The agent that looks up windows of a board as boards of their own.

For each group of adjacent columns as wide as the window, the lowest window that is not full is looked up in a Q-table,
in the exact values of all windows, or in a small net (kumbhakern-2025).
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import numpy as np
from msgspec import Meta, Struct

from inarow.agents.agent import Decision, ImmediateAgent
from inarow.agents.q import QParameters, table_hash
from inarow.agents.simple import reflex_action
from inarow.errors import InvalidLimitError, NetError
from inarow.games import GameSpec, Position, rules
from inarow.games.layout import layout_of
from inarow.learning.pretrained import shipped_table, shipped_window_net
from inarow.learning.tabular.lookup import load_values
from inarow.learning.windows.exact import ExactWindows, check_window_count
from inarow.learning.windows.net import load_window_net
from inarow.storage.atomic import content_hash

_USUAL_SIDE = 4
_AUTO, _EXACT, _NONE = "auto", "exact", "none"
_SIZE = re.compile(r"([1-9]\d?)x([1-9]\d?)")

Aggregate = Literal["max", "sum", "absmax", "mean", "vote"]
Ties = Literal["left", "centre"]


class WindowParameters(Struct, frozen=True, kw_only=True):
    table: Annotated[
        str,
        Meta(
            description="file of `inarow train` for the board of the window; exact: the values of perfect play in every"
            " window, with any stones; auto: inarow's 4x4 table"
        ),
    ] = _AUTO
    size: Annotated[
        str,
        Meta(description="rows x columns of the window, such as 5x4; auto: those of the table or net, 4x4 for exact"),
    ] = _AUTO
    aggregate: Annotated[
        Aggregate,
        Meta(
            description="value of a column that several windows value: the greatest, the sum, the one of largest"
            " absolute value, the mean, or the number of windows that prefer the column"
        ),
    ] = "max"
    ties: Annotated[
        Ties, Meta(description="column among equal ones: the leftmost (kumbhakern-2025), or the nearest to the centre")
    ] = "left"
    net: Annotated[
        str,
        Meta(description="file of `inarow window-net`, used instead of a table; auto: inarow's 4x4 net; none: no net"),
    ] = _NONE

    def __post_init__(self) -> None:
        if self.size != _AUTO and _SIZE.fullmatch(self.size) is None:
            raise ValueError(f"size is {self.size!r}; it must be auto, or rows x columns such as 5x4")
        if self.net != _NONE and self.table != _AUTO:
            raise ValueError("takes a table or a net, not both")


class WindowValues(Protocol):
    """Values of the moves in a window, as a smaller board."""

    spec: GameSpec

    @property
    def win(self) -> float:
        """The value of a move that wins."""

    def values_of(self, own: int, both: int) -> np.ndarray | None:
        """The values for the side to move, float64 [A], for its stones and those of both sides, in the layout of the
        spec. None if they are unknown. Full columns may have any value.
        """


@dataclass(frozen=True, slots=True)
class Window:
    """Part of a board, as a smaller board."""

    column: int  # its leftmost, on the whole board
    base: int  # number of rows below it
    stones: int  # of the side to move, in the layout of the window's spec; may be unreachable as a position
    mask: int
    inside: tuple[int, ...]  # its columns, counted from its leftmost, whose next free cell is in the window


def find_windows(position: Position, window: GameSpec) -> list[Window]:
    """For each group of columns the lowest window that is not full, else the highest; from the left.

    The board must have gravity and be at least as large as the window.
    """
    spec, part, heights = position.spec, layout_of(window), position.column_heights
    found = []
    for left in range(spec.columns - window.columns + 1):
        group = heights[left : left + window.columns]
        base = min(max(0, min(group) - window.rows + 1), spec.rows - window.rows)
        stones, mask = (
            rules.window(cells, left, base, part, position.layout) for cells in (position.stones, position.mask)
        )
        inside = tuple(place for place, height in enumerate(group) if base <= height < base + window.rows)
        found.append(Window(left, base, stones, mask, inside))
    return found


class WindowAgent(ImmediateAgent):
    """Plays the action with the highest value, which is combined from all windows with its column.

    Windows with unknown values are ignored, and so are columns whose next free cell is outside the window. If nothing
    remains, the agent plays a winning move, else a block, else the open column nearest to the centre.
    """

    def __init__(
        self,
        name: str,
        values: WindowValues | Callable[[GameSpec], WindowValues] | None = None,
        aggregate: Aggregate = "max",
        ties: Ties = "left",
    ) -> None:
        """`values` may be a function of the board. Without, they are those of the table that ships with inarow for 4x4
        and the line length of the board.
        """
        self.name, self._aggregate, self._ties = name, aggregate, ties
        self._values = shipped_window_values if values is None else values

    def _decide(self, position: Position) -> Decision:
        values = self._values_for(position.spec)
        votes = votes_of(position, values)
        details = {"windows": votes.windows, "unseen": votes.unseen}
        if not votes.values:
            return Decision(action=reflex_action(position), details=details)
        scores = combined(votes, self._aggregate)
        action = best_column(scores, self._ties, position.spec)
        is_value = self._aggregate in ("max", "mean", "absmax")
        return Decision(
            action=action,
            value=float(np.clip(scores[action] / values.win, -1, 1)) if is_value else None,
            scores=tuple(scores.get(column) for column in range(position.spec.columns)),
            details=details,
        )

    def check_board(self, spec: GameSpec) -> None:
        self._values_for(spec)

    def _values_for(self, spec: GameSpec) -> WindowValues:
        values = self._values(spec) if callable(self._values) else self._values
        check_window(values.spec, spec)
        return values


@dataclass(frozen=True, slots=True)
class Votes:
    """What the windows of a position say."""

    values: dict[int, list[float]]  # by column: its value in each window
    preferred: list[int]  # by window: its best column, the leftmost of equal ones
    windows: int
    unseen: int  # windows with unknown values


def votes_of(position: Position, values: WindowValues) -> Votes:
    """Looks up all windows. Not checked: the board has such windows."""
    windows, unseen = find_windows(position, values.spec), 0
    by_column: dict[int, list[float]] = {}
    preferred: list[int] = []
    for window in windows:
        known = values.values_of(window.stones, window.mask)
        if known is None:
            unseen += 1
            continue
        found = {window.column + place: float(known[place]) for place in window.inside}
        for column, value in found.items():
            by_column.setdefault(column, []).append(value)
        if found:
            preferred.append(max(found, key=found.__getitem__))
    return Votes(by_column, preferred, len(windows), unseen)


def combined(votes: Votes, aggregate: Aggregate) -> dict[int, float]:
    """The score of each column: of its values in all windows or, for `vote`, the number of windows that prefer it."""
    if aggregate == "vote":
        return {column: float(votes.preferred.count(column)) for column in votes.values}
    combine = _COMBINE[aggregate]
    return {column: combine(values) for column, values in votes.values.items()}


_COMBINE: dict[str, Callable[[list[float]], float]] = {
    "max": max,
    "sum": math.fsum,  # independent of the order, so that mirror images are equal
    "absmax": lambda values: max(values, key=lambda value: (abs(value), value)),
    "mean": lambda values: math.fsum(values) / len(values),
}


def best_column(scores: dict[int, float], ties: Ties, spec: GameSpec) -> int:
    """The column with the greatest score."""
    centre = (spec.columns - 1) / 2 if ties == "centre" else 0
    return min(scores, key=lambda column: (-scores[column], abs(column - centre), column))


def check_window(window: GameSpec, board: GameSpec) -> None:
    """Raises InvalidLimitError unless windows of one board can be looked up for the other."""
    fits = window.rows <= board.rows and window.columns <= board.columns and window.inarow == board.inarow
    if not (fits and window.gravity and board.gravity):
        raise InvalidLimitError(f"{board} has no windows of {window}: both need gravity and the same line length")


# --- From agent strings ---


def shipped_window_values(board: GameSpec) -> WindowValues:
    """The 4x4 table that ships with inarow for the line length of a board; raises TableError."""
    return load_values(shipped_table(GameSpec(_USUAL_SIDE, _USUAL_SIDE, min(board.inarow, _USUAL_SIDE))))


@lru_cache(maxsize=2)
def _exact_values(window: GameSpec) -> WindowValues:
    return ExactWindows(window)


def _exact_values_for(board: GameSpec, rows: int, columns: int) -> WindowValues:
    """Checked before anything is computed."""
    if board.inarow > max(rows, columns) or rows > board.rows or columns > board.columns or not board.gravity:
        raise InvalidLimitError(
            f"{board} has no windows of {rows}x{columns}: they must fit on the board, hold a line, and have gravity"
        )
    window = GameSpec(rows, columns, board.inarow)
    check_window_count(window)
    return _exact_values(window)


def build_window_agent(name: str, parameters: WindowParameters, rng: np.random.Generator) -> WindowAgent:
    """The agent `window`, which is deterministic; raises TableError, NetError and InvalidLimitError."""
    match, table, net = _SIZE.fullmatch(parameters.size), parameters.table, parameters.net
    how = parameters.aggregate, parameters.ties
    size = (int(match[1]), int(match[2])) if match else None
    if table == _EXACT:
        rows, columns = size or (_USUAL_SIDE, _USUAL_SIDE)
        return WindowAgent(name, lambda board: _exact_values_for(board, rows, columns), *how)
    values: Any = shipped_window_values
    found = _USUAL_SIDE, _USUAL_SIDE
    if net != _NONE or table != _AUTO:
        values = load_values(Path(table)) if net == _NONE else load_window_net(_net_path(net))
        found = values.spec.rows, values.spec.columns
    if size not in (None, found):
        source = "net" if net != _NONE else "table" if table != _AUTO else "table of inarow"
        raise InvalidLimitError(
            f"size of window is {parameters.size}, but the {source} is for {found[0]}x{found[1]}; leave size out, or"
            " use table=exact"
        )
    return WindowAgent(name, values, *how)


def _net_path(net: str) -> Path:
    return shipped_window_net() if net == _AUTO else Path(net)


def window_hash(parameters: WindowParameters) -> str | None:
    """A hash of the file of the table or net, or of all tables that ship with inarow; None for exact values."""
    if parameters.net != _NONE:
        return content_hash(_net_path(parameters.net), NetError)
    return None if parameters.table == _EXACT else table_hash(QParameters(table=parameters.table))
