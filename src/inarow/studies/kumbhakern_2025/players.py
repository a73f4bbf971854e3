"""The agents of kumbhakern-2025: a table that plays its own board, and the published one behind windows."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Annotated

import msgspec
import numpy as np

from inarow.agents.agent import Decision
from inarow.agents.window import check_window, find_windows
from inarow.errors import IllegalMoveError
from inarow.games.layout import layout_of
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.tabular.q_table import QTable
from inarow.studies.kumbhakern_2025.episode import RANDOM, learner_key
from inarow.studies.kumbhakern_2025.training import GENERATIONS, WINDOW, PublishedTrainer, phases

Lookup = Callable[[Position], np.ndarray | None]
"""From a position to the values of its actions for the side to move; None if it was never met."""


class LeftmostAgent:
    """Plays the leftmost of the best actions of a table, as in the test games; all are equal where it was never."""

    def __init__(self, name: str, lookup: Lookup) -> None:
        self.name = name
        self._lookup = lookup

    def decide(self, position: Position) -> Decision:
        values = self._lookup(position)
        legal = position.legal_actions
        return Decision(action=legal[0] if values is None else max(legal, key=lambda action: float(values[action])))


def published_values(table: QTable, position: Position) -> np.ndarray | None:
    """What a table as published says to the side to move."""
    (values,) = _look_up(table, [(position.stones, position.mask)], position.side_to_move)
    return values


def _look_up(table: QTable, boards: list[tuple[int, int]], side: int) -> list[np.ndarray | None]:
    """For each (own stones, all stones) the values for side 1 or 2, None if it was never met."""
    layout = layout_of(table.spec)
    keys = [learner_key(stones, mask, side - 1, layout) for stones, mask in boards]
    rows = table.find(np.array(keys, np.uint64)).tolist()
    return [table.values[row] if row >= 0 else None for row in rows]


class PublishedWindowParameters(msgspec.Struct, frozen=True, kw_only=True):
    episodes: Annotated[
        int, msgspec.Meta(ge=1, le=500_000, description="games in each of the seven phases of training")
    ] = 200_000
    random_starts: Annotated[
        float, msgspec.Meta(ge=0, le=1, description="share of them that begin with a random board")
    ] = 0.0
    training_seed: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1, description="root of the chance in training")] = 0


class PublishedWindowAgent:
    """Plays the best action of the window with the greatest value, the first on ties.

    What is known of its faults, and repeated here: the columns of every window are taken for full where
    the first columns of the board are; a window that was never met has values 0, more than one that is known
    to be bad; a column may be chosen by its look although its next free cell lies above the window. So it may
    choose a full column. The published program stopped there; this raises IllegalMoveError, a lost game.
    """

    def __init__(self, name: str, table: Callable[[], QTable]) -> None:
        """`table` is called for every decision, so that training can wait for the first."""
        self.name = name
        self._table = table

    def decide(self, position: Position) -> Decision:
        position.check_ongoing()
        self.check_board(position.spec)
        windows = find_windows(position, WINDOW)
        found = _look_up(self._table(), [(window.stones, window.mask) for window in windows], position.side_to_move)
        legal = position.legal_actions
        highest, chosen = -np.inf, windows[0].column
        for window, known in zip(windows, found, strict=True):
            values = np.zeros(WINDOW.columns) if known is None else known
            masked = [value if place in legal else -np.inf for place, value in enumerate(values.tolist())]
            if max(masked) > highest:
                highest, chosen = max(masked), window.column + masked.index(max(masked))
        if chosen not in legal:
            raise IllegalMoveError(f"kumbhakern-2025/window chose column {chosen + 1}, which is full, and stopped")
        details = {"windows": len(windows), "unseen": sum(known is None for known in found)}
        return Decision(action=chosen, details=details)

    def check_board(self, spec: GameSpec) -> None:
        check_window(WINDOW, spec)


def build_published_window(
    name: str, parameters: PublishedWindowParameters, rng: np.random.Generator
) -> PublishedWindowAgent:
    """Trains before its first move, unless there is such a table. Nothing is left to chance in play."""
    wanted = parameters
    table = partial(trained_table, wanted.episodes, wanted.random_starts, wanted.training_seed)
    return PublishedWindowAgent(name, table)


@lru_cache(maxsize=2)
def trained_table(episodes: int, random_starts: float, seed: int) -> QTable:
    """Read only: agents share it."""
    trainer = PublishedTrainer(np.random.default_rng(seed), random_starts=random_starts)
    for phase in phases(RANDOM, GENERATIONS):
        trainer.run(phase, episodes)
    return trainer.table
