"""Whether an agent can be beaten at all: tries every play of its opponent on small boards."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from inarow.agents.agent import Agent
from inarow.games.position import Position
from inarow.games.spec import GameSpec


def lost_position(spec: GameSpec, side: int, choices: Callable[[Position], Iterable[int]]) -> Position | None:
    """A game that `side` (1 or 2) loses although it always plays one of its `choices` for the position; None if
    there is none.
    """
    stack, seen = [Position.start(spec)], set()
    while stack:
        position = stack.pop()
        if position.is_over:
            if position.winner == 3 - side:
                return position
            continue
        if position.key in seen:
            continue
        seen.add(position.key)
        actions = choices(position) if position.side_to_move == side else position.legal_actions
        stack += [position.play(action) for action in actions]
    return None


def lost_game(spec: GameSpec, side: int, make: Callable[[], Agent]) -> Position | None:
    """The same for an agent that remembers: each game is played from its beginning by a new agent."""
    stack: list[tuple[int, ...]] = [()]
    while stack:
        replies = stack.pop()
        position, left, agent = Position.start(spec), list(replies), make()
        while not position.is_over:
            if position.side_to_move == side:
                position = position.play(agent.decide(position).action)
            elif left:
                position = position.play(left.pop(0))
            else:
                first, *others = position.legal_actions
                made = tuple(position.actions[2 - side :: 2])
                stack += [(*made, action) for action in others]
                position = position.play(first)
        if position.winner == 3 - side:
            return position
    return None
