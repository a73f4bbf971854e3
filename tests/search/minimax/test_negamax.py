"""Compiled negamax for many positions against the agent that thinks about one."""

import numpy as np
import pytest

from inarow.agents.registry import make_agent
from inarow.games.bits import from_int
from inarow.games.kernels import kernel
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.minimax.negamax import negamax_move, negamax_search


@kernel
def move(context, stones, mask, ply, depth, omega, rng):
    return negamax_move(context, stones, mask, ply, depth, omega, rng)


@pytest.mark.parametrize(("board", "games"), [("6x7x4", 2), ("4x5x3", 3), ("9x9x5", 1)])
@pytest.mark.parametrize(("depth", "omega"), [(2, 0.0), (2, 0.3), (2, 1.0), (3, 0.5)])
def test_it_moves_as_the_agent_does(board, games, depth, omega):
    spec = GameSpec.parse(board)
    context = negamax_search(spec).context
    agent = make_agent(f"negamax:depth={depth},omega={omega}", seed=5)
    ours, other = np.random.default_rng(5), np.random.default_rng(6)
    for _ in range(games):
        position = Position.start(spec)
        while not position.is_over:
            stones, mask = (from_int(each, context.layout.board) for each in (position.stones, position.mask))
            action = move(context, stones, mask, position.ply, depth, omega, ours)
            assert action == agent.decide(position).action
            position = position.play(action)
            if not position.is_over:  # an opponent that leads to strange places
                position = position.play(other.choice(position.legal_actions))
