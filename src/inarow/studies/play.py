"""Functions shared by studies: agents that play by a table, games without faults, accuracies in percent."""

from collections.abc import Callable

import numpy as np

from inarow.agents.agent import Agent, Decision, ImmediateAgent
from inarow.agents.simple import draw_best
from inarow.arena.game import play_game
from inarow.arena.grading import ACCURACIES, Accuracy
from inarow.games import CONNECT_FOUR, GameRecord, GameSpec, Position
from inarow.games.kernels import bits_of, compiled_layout, hash_key
from inarow.learning.tabular.q_table import QTable
from inarow.studies.comparison import PERCENT

Lookup = Callable[[Position], np.ndarray | None]
"""From a position to the values of its actions for the side to move; None if the position was never met."""


class TablePlayer(ImmediateAgent):
    """Plays the action with the greatest value, drawn among equal ones, or without a random stream the leftmost of
    them. The values of positions that were never met are 0.
    """

    def __init__(self, name: str, lookup: Lookup, rng: np.random.Generator | None = None) -> None:
        self.name = name
        self._lookup, self._rng = lookup, rng

    def _decide(self, position: Position) -> Decision:
        found = self._lookup(position)
        values = [0.0] * position.spec.actions if found is None else found.tolist()
        if self._rng is None:
            return Decision(action=max(position.legal_actions, key=values.__getitem__))
        return draw_best(position, values, self._rng)


def values_by_position(table: QTable, position: Position) -> np.ndarray | None:
    """The values of a table in which every position has its own row. With the table bound, a `Lookup`."""
    layout = compiled_layout(position.spec)
    (row,) = table.find(np.array([hash_key(*bits_of(position, layout), layout)], np.uint64))
    return table.values[row] if row >= 0 else None


def play_sound_game(first: Agent, second: Agent, spec: GameSpec = CONNECT_FOUR) -> GameRecord:
    """Plays a game from the empty board. A crash or an illegal move is an error here, not a lost game."""
    return check_sound(play_game(first, second, spec))


def check_sound(record: GameRecord) -> GameRecord:
    """Raises RuntimeError if a crash or an illegal move ended the game."""
    if record.fault is not None:
        raise RuntimeError(f"{record.first} against {record.second}: {record.fault}")
    return record


def accuracy_figures(graded: Accuracy, prefix: str = "") -> dict[str, float]:
    """The accuracies of a grade in percent, by name."""
    return {f"{prefix}{name}": PERCENT * (getattr(graded, name) or 0.0) for name in ACCURACIES}
