"""A laboratory for k-in-a-row games: Connect Four, ConnectX, Tic Tac Toe.

This module is the whole public API. Names are loaded when first used, so that importing the package
is instant and compiles nothing. The packages behind it, in the order of their dependencies:

storage    atomic writes, locks, journals, array files
workers    tasks on local processes or on a Ray cluster
games      the rules: spec, position, notation, compiled kernels
search     the exact solver, opening books, minimax, Monte Carlo tree search
learning   tabular and deep Q-learning, exploration, AlphaZero
agents     one interface for everything that plays, and the registry of agent strings
arena      games, matches, tournaments, grades, statistics, the results store
studies    published systems as their authors ran them
report     boards, plots, tables and pages
cli, web, engine, adapters   the front ends, none of which imports another
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from inarow.version import __version__ as __version__

if TYPE_CHECKING:
    from inarow.agents.agent import Agent as Agent
    from inarow.agents.agent import Decision as Decision
    from inarow.agents.registry import make_agent as make_agent
    from inarow.agents.registry import register_agent as register_agent
    from inarow.arena.game import play_game as play_game
    from inarow.arena.grading import Grade as Grade
    from inarow.arena.grading import grade as grade
    from inarow.arena.match import Match as Match
    from inarow.arena.match import play_match as play_match
    from inarow.arena.suite import Suite as Suite
    from inarow.errors import IllegalMoveError as IllegalMoveError
    from inarow.errors import InarowError as InarowError
    from inarow.errors import InvalidAgentError as InvalidAgentError
    from inarow.errors import InvalidSpecError as InvalidSpecError
    from inarow.errors import NotationError as NotationError
    from inarow.games.perft import count_positions as count_positions
    from inarow.games.perft import count_sequences as count_sequences
    from inarow.games.pgn import from_pgn as from_pgn
    from inarow.games.pgn import to_pgn as to_pgn
    from inarow.games.position import Position as Position
    from inarow.games.record import GameRecord as GameRecord
    from inarow.games.spec import CONNECT_FOUR as CONNECT_FOUR
    from inarow.games.spec import TIC_TAC_TOE as TIC_TAC_TOE
    from inarow.games.spec import GameSpec as GameSpec
    from inarow.games.symmetry import canonical_key as canonical_key
    from inarow.search.limits import Limits as Limits
    from inarow.search.solver.api import analyse as analyse
    from inarow.search.solver.api import solve as solve
    from inarow.search.solver.book import Book as Book
    from inarow.search.solver.solution import Analysis as Analysis
    from inarow.search.solver.solution import Solution as Solution
    from inarow.search.solver.solver import Solver as Solver

_HOMES = {
    "agents.agent": ("Agent", "Decision"),
    "agents.registry": ("make_agent", "register_agent"),
    "arena.game": ("play_game",),
    "arena.grading": ("Grade", "grade"),
    "arena.match": ("Match", "play_match"),
    "arena.suite": ("Suite",),
    "errors": ("IllegalMoveError", "InarowError", "InvalidAgentError", "InvalidSpecError", "NotationError"),
    "games.perft": ("count_positions", "count_sequences"),
    "games.pgn": ("from_pgn", "to_pgn"),
    "games.position": ("Position",),
    "games.record": ("GameRecord",),
    "games.spec": ("CONNECT_FOUR", "TIC_TAC_TOE", "GameSpec"),
    "games.symmetry": ("canonical_key",),
    "search.solver.book": ("Book",),
    "search.limits": ("Limits",),
    "search.solver.api": ("analyse", "solve"),
    "search.solver.solution": ("Analysis", "Solution"),
    "search.solver.solver": ("Solver",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'inarow' has no attribute {name!r}")
    value = getattr(import_module(f"inarow.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
