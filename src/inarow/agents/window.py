"""The agent that looks up windows of a board in the Q-table of a smaller board.

For each group of adjacent columns as wide as the window, the lowest window that is not full is looked up as if it
were the whole board (kumbhakern-2025).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from inarow.agents.agent import Decision, ImmediateAgent
from inarow.agents.simple import reflex_action
from inarow.errors import InvalidLimitError
from inarow.games import GameSpec, Position, rules
from inarow.games.layout import layout_of
from inarow.learning.pretrained import shipped_table
from inarow.learning.tabular.lookup import TableValues, load_values

_USUAL_SIDE = 4


class WindowParameters(Struct, frozen=True, kw_only=True):
    table: Annotated[
        str,
        Meta(description="file of `inarow train` for the board of the window; auto: inarow's 4x4 table"),
    ] = "auto"


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
    """Plays the action with the highest value in any window, the leftmost of equal ones.

    Windows that were never met in training are ignored, and so are columns whose next free cell is outside the
    window. If nothing remains, the agent plays a winning move, else a block, else the open column nearest to the
    centre.
    """

    def __init__(self, name: str, table: TableValues | None) -> None:
        """Without `table`, it uses the one that ships with inarow for 4x4 and the line length of the board."""
        self.name = name
        self._table = table

    def _decide(self, position: Position) -> Decision:
        table = self._table_for(position.spec)
        windows = find_windows(position, table.spec)
        votes: dict[int, float] = {}
        unseen = 0
        for window in windows:
            values = table.values_of(window.stones, window.mask)
            if values is None:
                unseen += 1
                continue
            for place in window.inside:
                column, value = window.column + place, float(values[place])
                votes[column] = max(value, votes.get(column, value))
        details = {"windows": len(windows), "unseen": unseen}
        if not votes:
            return Decision(action=reflex_action(position), details=details)
        action = min(votes, key=lambda column: (-votes[column], column))
        return Decision(
            action=action,
            value=float(np.clip(votes[action] / table.config.rewards.win, -1, 1)),
            scores=tuple(votes.get(column) for column in range(position.spec.columns)),
            details=details,
        )

    def check_board(self, spec: GameSpec) -> None:
        self._table_for(spec)

    def _table_for(self, spec: GameSpec) -> TableValues:
        if self._table is None:
            self._table = load_values(shipped_table(GameSpec(_USUAL_SIDE, _USUAL_SIDE, min(spec.inarow, _USUAL_SIDE))))
        check_window(self._table.spec, spec)
        return self._table


def check_window(window: GameSpec, board: GameSpec) -> None:
    """Raises InvalidLimitError unless windows of one board can be looked up for the other."""
    fits = window.rows <= board.rows and window.columns <= board.columns and window.inarow == board.inarow
    if not (fits and window.gravity and board.gravity):
        raise InvalidLimitError(f"{board} has no windows of {window}: both need gravity and the same line length")


def build_window_agent(name: str, parameters: WindowParameters, rng: np.random.Generator) -> WindowAgent:
    """The agent `window`, which is deterministic."""
    return WindowAgent(name, None if parameters.table == "auto" else load_values(Path(parameters.table)))
