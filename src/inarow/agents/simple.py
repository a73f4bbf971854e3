"""Agents that look one move ahead, or not at all. They are the zero of every scale."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated

import msgspec
import numpy as np
from msgspec.structs import replace

from inarow.agents.agent import Decision
from inarow.games.position import Position

Epsilon = Annotated[float, msgspec.Meta(ge=0, le=1, description="chance of a uniformly random move instead")]


class NoParameters(msgspec.Struct, frozen=True, kw_only=True):
    pass


class ReflexParameters(msgspec.Struct, frozen=True, kw_only=True):
    epsilon: Epsilon = 0.0


class RandomAgent:
    """Plays uniformly among the legal actions."""

    def __init__(self, name: str, parameters: NoParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._rng = rng

    def decide(self, position: Position) -> Decision:
        return draw(position, position.legal_actions, self._rng)


class GreedyAgent:
    """Takes a win when there is one, else plays at random; it does not block (gupta-shah-2022).

    Draws uniformly among several wins.
    """

    def __init__(self, name: str, parameters: ReflexParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._epsilon = parameters.epsilon
        self._rng = rng

    def decide(self, position: Position) -> Decision:
        wins = position.winning_actions()
        return draw(position, wins or position.legal_actions, self._rng, self._epsilon)


class WinBlockAgent:
    """Takes the first win in the order of the actions, else takes the first action with which the
    opponent would win, else plays at random (the default agent of paranji-2025).
    """

    def __init__(self, name: str, parameters: ReflexParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._epsilon = parameters.epsilon
        self._rng = rng

    def decide(self, position: Position) -> Decision:
        urgent = position.winning_actions() or position.winning_actions(of_opponent=True)
        return draw(position, urgent[:1] or position.legal_actions, self._rng, self._epsilon)


def draw(position: Position, choices: tuple[int, ...], rng: np.random.Generator, epsilon: float = 0.0) -> Decision:
    """Draws uniformly from `choices`, with chance `epsilon` from all legal ones; raises FinishedGameError."""
    legal = position.legal_actions
    if not legal:
        position.check_ongoing()
    policy = _policy(choices, legal, epsilon, position.spec.actions)
    if epsilon and rng.random() < epsilon:
        choices = legal
    return Decision(action=choices[int(rng.random() * len(choices))], policy=policy)


def draw_best(position: Position, values: Sequence[float], rng: np.random.Generator) -> Decision:
    """Draws uniformly among the legal actions of the greatest value, and tells all values; one for each action."""
    legal = position.legal_actions
    best = max(values[action] for action in legal)
    decision = draw(position, tuple(action for action in legal if values[action] == best), rng)
    scores = tuple(float(value) if action in legal else None for action, value in enumerate(values))
    return replace(decision, scores=scores)


@lru_cache(maxsize=1024)
def _policy(choices: tuple[int, ...], legal: tuple[int, ...], epsilon: float, actions: int) -> tuple[float, ...]:
    """What `draw` draws from. Kept, since most positions of a game share a few of them."""
    policy = [0.0] * actions
    for action in legal:
        policy[action] += epsilon / len(legal)
    for action in choices:
        policy[action] += (1 - epsilon) / len(choices)
    return tuple(policy)
