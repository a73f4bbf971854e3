"""Whom a learner plays against, in many games at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

import numpy as np

from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.deep_q import boards
from inarow.learning.tabular.agent_episodes import Opponent
from inarow.search.minimax.negamax import Negamax

MakeOpponent = Callable[[str, np.random.SeedSequence], Opponent]
"""From an agent string and a seed to somebody to play against."""

_NEGAMAX = re.compile(r"negamax(?::(?P<settings>.*))?")


class Opponents(Protocol):
    """The other side of N games that are played together."""

    def choose(self, own: np.ndarray, mask: np.ndarray, games: np.ndarray) -> np.ndarray:
        """Its actions in some games, int64, where it is to move; arrays as in `boards.py`."""
        ...

    def watch(self, games: np.ndarray, actions: np.ndarray) -> None:
        """Told every move of either side."""
        ...


class NegamaxOpponents:
    """The agent `negamax`, compiled."""

    def __init__(self, spec: GameSpec, depth: int, omega: float, rng: np.random.Generator) -> None:
        self._depth, self._omega, self._rng = depth, omega, rng
        self._parts = Negamax(spec)

    def choose(self, own: np.ndarray, mask: np.ndarray, games: np.ndarray) -> np.ndarray:
        actions = np.empty(len(games), np.int64)
        parts = self._parts
        boards.choose_by_negamax(
            parts.layout,
            parts.starts,
            parts.weights,
            parts.walk,
            parts.table,
            own,
            mask,
            games,
            self._depth,
            self._omega,
            self._rng,
            actions,
        )
        return actions

    def watch(self, games: np.ndarray, actions: np.ndarray) -> None:
        """Boards are all that it needs."""


class AgentOpponents:
    """Any agent, a new one for each game."""

    def __init__(self, spec: GameSpec, agents: list[Opponent]) -> None:
        self._agents = agents
        self._positions = [Position.start(spec)] * len(agents)

    def choose(self, own: np.ndarray, mask: np.ndarray, games: np.ndarray) -> np.ndarray:
        return np.array([self._agents[game].decide(self._positions[game]).action for game in games], np.int64)

    def watch(self, games: np.ndarray, actions: np.ndarray) -> None:
        for game, action in zip(games.tolist(), actions.tolist(), strict=True):
            self._positions[game] = self._positions[game].play(action)


def make_opponents(
    text: str, spec: GameSpec, games: int, seed: np.random.SeedSequence, make_opponent: MakeOpponent | None
) -> Opponents:
    """For so many games. `make_opponent` serves those that have no compiled form."""
    negamax = negamax_settings(text)
    if negamax is not None:
        return NegamaxOpponents(spec, *negamax, np.random.default_rng(seed))
    assert make_opponent is not None
    return AgentOpponents(spec, [make_opponent(text, each) for each in seed.spawn(games)])


def negamax_settings(text: str) -> tuple[int, float] | None:
    """(depth, omega) of an agent string that means `negamax`; None for others and for what is not well formed."""
    found = _NEGAMAX.fullmatch(text)
    if found is None:
        return None
    depth, omega = 2, 0.3
    for setting in (found["settings"] or "").split(",") if found["settings"] else ():
        if match := re.fullmatch(r"depth=(\d{1,3})", setting):
            depth = int(match[1])
        elif match := re.fullmatch(r"omega=([01]|0?\.\d{1,17}|1\.0)", setting):
            omega = float(match[1])
        else:
            return None
    return depth, omega
