"""Compiles every kernel of this room by using it once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.search.limits import Limits
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.minimax.minimax import Minimax
from inarow.search.solver.solver import MIN_MEMORY, Solver
from inarow.search.tree.mcts import TreeSearch

_WORD, _WIDE = GameSpec(5, 6, 4), GameSpec(8, 8, 5)


def warm_up_steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """What to run, each with its name."""
    for kind, spec in (("wide", _WIDE), ("word", CONNECT_FOUR)):
        yield f"minimax and mcts ({kind})", partial(_search_trees, Position.start(spec))
    solvers = (("6x7x4", CONNECT_FOUR), ("word", _WORD), ("free", TIC_TAC_TOE), ("wide", _WIDE))
    for kind, spec in solvers:
        yield f"solver ({kind})", partial(_solve_a_little, Position.start(spec))


def _solve_a_little(position: Position) -> None:
    Solver(position.spec, memory=MIN_MEMORY).solve(position, limits=Limits(nodes=100))


def _search_trees(position: Position) -> None:
    Minimax(position.spec, make_heuristic("windows", position.spec)).search(position, 2)
    search = TreeSearch(position.spec, np.random.default_rng(0))
    action = search.search(position, simulations=50).action
    search.search(position.play(action), simulations=50)
