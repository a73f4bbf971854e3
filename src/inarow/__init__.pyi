"""The public names of inarow and their modules."""

from .agents.agent import Agent as Agent
from .agents.agent import Decision as Decision
from .agents.registry import make_agent as make_agent
from .agents.registry import register_agent as register_agent
from .arena.game import play_game as play_game
from .arena.grading import Grade as Grade
from .arena.grading import grade as grade
from .arena.match import Match as Match
from .arena.match import play_match as play_match
from .arena.suite import Suite as Suite
from .errors import IllegalMoveError as IllegalMoveError
from .errors import InarowError as InarowError
from .errors import InvalidAgentError as InvalidAgentError
from .errors import InvalidSpecError as InvalidSpecError
from .errors import NotationError as NotationError
from .games.perft import count_positions as count_positions
from .games.perft import count_sequences as count_sequences
from .games.pgn import from_pgn as from_pgn
from .games.pgn import to_pgn as to_pgn
from .games.position import Position as Position
from .games.record import GameRecord as GameRecord
from .games.spec import CONNECT_FOUR as CONNECT_FOUR
from .games.spec import TIC_TAC_TOE as TIC_TAC_TOE
from .games.spec import GameSpec as GameSpec
from .games.symmetry import canonical_key as canonical_key
from .learning.loaded_net import LoadedNet as LoadedNet
from .learning.loaded_net import load_net as load_net
from .search.limits import Limits as Limits
from .search.solver.api import analyse as analyse
from .search.solver.api import solve as solve
from .search.solver.book import Book as Book
from .search.solver.solution import Analysis as Analysis
from .search.solver.solution import Solution as Solution
from .search.solver.solver import Solver as Solver

__version__: str
