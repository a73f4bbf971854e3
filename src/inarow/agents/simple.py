"""Agents that look ahead at most one move, and the human player."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import replace

from inarow.agents.agent import Decision, ImmediateAgent, ParameterisedAgent
from inarow.games import Position

Ask = Callable[[Position], int]  # returns the action chosen by a person, which may be illegal
Epsilon = Annotated[float, Meta(ge=0, le=1, description="probability of a uniformly random move instead")]


class NoParameters(Struct, frozen=True, kw_only=True):
    pass


class ReflexParameters(Struct, frozen=True, kw_only=True):
    epsilon: Epsilon = 0.0


class RandomAgent(ParameterisedAgent[NoParameters], ImmediateAgent):
    """Plays uniformly among the legal actions."""

    def _decide(self, position: Position) -> Decision:
        return draw(position, (), self._rng)


class GreedyAgent(ParameterisedAgent[ReflexParameters], ImmediateAgent):
    """Plays a winning move if there is one, else a random move; it does not block (gupta-shah-2022).

    Draws uniformly among several wins.
    """

    def _decide(self, position: Position) -> Decision:
        return draw(position, position.winning_actions(), self._rng, self._parameters.epsilon)


class WinBlockAgent(ParameterisedAgent[ReflexParameters], ImmediateAgent):
    """Plays the first winning action, else the first action with which the opponent would win, else a random one
    (the default agent of paranji-2025).
    """

    def _decide(self, position: Position) -> Decision:
        urgent = position.winning_actions() or position.winning_actions(of_opponent=True)
        return draw(position, urgent[:1], self._rng, self._parameters.epsilon)


class HumanAgent(ImmediateAgent):
    """Decides by calling `ask`."""

    def __init__(self, name: str, ask: Ask) -> None:
        self.name = name
        self._ask = ask

    def _decide(self, position: Position) -> Decision:
        return Decision(action=self._ask(position))


def draw(position: Position, choices: tuple[int, ...], rng: np.random.Generator, epsilon: float = 0.0) -> Decision:
    """Draws uniformly from `choices`; with probability `epsilon`, or without choices, from all legal actions."""
    legal = position.legal_actions
    choices = choices or legal
    policy = _policy(choices, legal, epsilon, position.spec.actions)
    if epsilon and rng.random() < epsilon:
        choices = legal
    return Decision(action=choices[int(rng.random() * len(choices))], policy=policy)


def draw_best(position: Position, values: Sequence[float], rng: np.random.Generator) -> Decision:
    """Draws uniformly among the legal actions with the greatest value; `scores` of the decision are the values."""
    legal = position.legal_actions
    best = max(values[action] for action in legal)
    decision = draw(position, tuple(action for action in legal if values[action] == best), rng)
    scores = tuple(float(value) if action in legal else None for action, value in enumerate(values))
    return replace(decision, scores=scores)


def reflex_action(position: Position) -> int:
    """The first winning action, else the first block, else the action nearest to the centre, in an unfinished
    position.
    """
    urgent = position.winning_actions() or position.winning_actions(of_opponent=True)
    return urgent[0] if urgent else nearest_to_centre(position, position.legal_actions)


def nearest_to_centre(position: Position, actions: tuple[int, ...]) -> int:
    """The action whose column (and row, without gravity) is nearest to the centre; the first of several."""
    spec = position.spec

    def distance(action: int) -> int:
        row, column = divmod(action, spec.columns)
        return abs(2 * column - spec.columns + 1) + (0 if spec.gravity else abs(2 * row - spec.rows + 1))

    return min(actions, key=distance)


def with_temperature(weights: Sequence[float], temperature: float) -> np.ndarray:
    """Probabilities proportional to weights ** (1 / temperature)."""
    # Relative to the largest, which stays 1: otherwise all of them underflow at a low temperature.
    powers = (np.array(weights, float) / max(weights)) ** (1 / temperature)
    policy: np.ndarray = powers / powers.sum()
    return policy


@lru_cache(maxsize=1024)
def _policy(choices: tuple[int, ...], legal: tuple[int, ...], epsilon: float, actions: int) -> tuple[float, ...]:
    """The distribution of `draw`. Cached, since most positions of a game share a few of them."""
    policy = [0.0] * actions
    for action in legal:
        policy[action] += epsilon / len(legal)
    for action in choices:
        policy[action] += (1 - epsilon) / len(choices)
    return tuple(policy)
