"""Compiles every kernel of this package by calling it once."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from inarow.games import CONNECT_FOUR, TIC_TAC_TOE, GameSpec, Position
from inarow.games.kernels import compiled_layout
from inarow.search.limits import Limits
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.minimax.minimax import Minimax
from inarow.search.solver.solver import MIN_MEMORY, Solver
from inarow.search.tree.config import SearchConfig
from inarow.search.tree.evaluation import planes_of, uniform_evaluator
from inarow.search.tree.probes import Probes
from inarow.search.tree.rollouts import Rollouts
from inarow.search.tree.search import NetSearch, TreeSearch
from inarow.search.tree.simulation import look

_WORD, _WIDE = GameSpec(5, 6, 4), GameSpec(8, 8, 5)
_LITTLE = 1 << 16


def warm_up_steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """The names and functions to run."""
    for kind, spec in (("wide", _WIDE), ("word", CONNECT_FOUR)):
        yield f"minimax and mcts ({kind})", partial(_search_trees, Position.start(spec))
        yield f"search with a network ({kind})", partial(search_with_network, spec)
    solvers = (("6x7x4", CONNECT_FOUR), ("word", _WORD), ("free", TIC_TAC_TOE), ("wide", _WIDE))
    for kind, spec in solvers:
        yield f"solver ({kind})", partial(_solve_a_little, Position.start(spec))


def _solve_a_little(position: Position) -> None:
    Solver(position.spec, memory=MIN_MEMORY).solve(position, limits=Limits(nodes=100))


def _search_trees(position: Position) -> None:
    Minimax(position.spec, make_heuristic("windows", position.spec)).search(position, Limits(depth=2))
    for rollouts, probes in ((Rollouts(), None), (Rollouts(informed=1), None), (Rollouts(), Probes("selection"))):
        search = TreeSearch(position.spec, np.random.default_rng(0), rollouts=rollouts, probes=probes)
        action = search.search(position, limits=Limits(simulations=50)).action
        search.search(position.play(action), limits=Limits(simulations=50))


def search_with_network(spec: GameSpec) -> None:
    """Runs a few simulations with the uniform evaluator."""
    search = NetSearch(spec, uniform_evaluator, SearchConfig(root="puct"), memory=_LITTLE, cache_memory=_LITTLE)
    start, layout = Position.start(spec), compiled_layout(spec)
    after = start.play(search.search(start, limits=Limits(simulations=8)).action)
    if not after.is_over:
        search.search(after, limits=Limits(simulations=1))
    planes_of(start)
    empty = layout.board ^ layout.board
    look(empty, empty, 0, layout)
