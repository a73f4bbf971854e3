"""The agents of gupta-shah-2022: minimax as it was submitted to Kaggle, and the agent strings of all five players.

as published   the agents that the authors submitted: `gupta-shah-2022/minimax`; tree searches that play the move with
               the highest total score and do not use proofs; three moves of a rollout by minimax
corrected      the agents that their paper describes: minimax of five plies that prefers any win to any heuristic
               value; the most visited move; whole rollouts by minimax

The submitted minimax searches four plies, not five. It evaluates finished games by the heuristic as well: a line is a
window of four stones with the value 10^9, a line of the opponent -8 * 10^9, and all other windows are added, so it does
not prefer a fast win. Only the bound of the parent is used for cut-offs.

The submitted AlphaZero, `gupta-shah-2022/alphazero`, knows nothing of the game but its rules: it searches all legal
moves, and its tree learns of a win only by visiting it. The net is ours, trained by the authors' program as far as it
is known, since theirs is not published.

The submitted hybrid evaluates finished games by its heuristic, too. In rollouts of two plies that only affects the
choice among losing moves, so the ordinary `hybrid` is used for it.
"""

import math
import re
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from msgspec import Meta, Struct

from inarow.agents.agent import Decision, ParameterisedAgent, Seconds
from inarow.agents.alphazero import AlphaZeroAgent, AlphaZeroParameters, net_hash
from inarow.agents.simple import NoParameters
from inarow.games import GameSpec, Position
from inarow.games.bits import Bits, single_cell
from inarow.games.kernels import bits_of, compiled_layout, completes_line, kernel
from inarow.games.layout import Layout
from inarow.games.rules import action_count, landing_cell
from inarow.search.limits import Limits, Watch
from inarow.search.minimax.heuristics import Heuristic, WeightsRecord, evaluate, window_heuristic
from inarow.search.tree.config import SearchConfig
from inarow.studies.experiment import Variant
from inarow.studies.gupta_shah_2022 import PROGRAM, published

ALPHAZERO_SIMULATIONS = 100  # not published; here a move takes about as long as with the two other searches
PUBLISHED_NET = "gupta-shah-2022"
PUBLISHED_SEARCH = SearchConfig(root="puct", exploration=1.0, softness=1.0, unvisited="zero", tactics=False)
"""The search of the submitted AlphaZero."""
_TIMED_MEMORY = 1024  # megabytes; enough for the tree of five seconds
SUBMITTED_DEPTH = 4  # plies of the submitted minimax


def agent_string(player: str, variant: Variant, *, net: str | None = None, seconds: float | None = None) -> str:
    """The agent of a player, optionally with a time limit instead; both `alphazero` need a net."""
    is_published, limits = variant == "as-published", published().simulations
    own = f"final={'score' if is_published else 'visits'},solve=false"
    name = {
        "greedy": "greedy",
        "mcts": f"mcts:simulations={limits['mcts']},c={math.sqrt(2)},{own}",
        "minimax": "gupta-shah-2022/minimax" if is_published else "minimax:depth=5,heuristic=powers,tie=random",
        "hybrid": f"hybrid:simulations={limits['hybrid']},informed={3 if is_published else 'all'},{own}",
        "alphazero": f"alphazero:simulations={ALPHAZERO_SIMULATIONS},net={net}",
        PROGRAM: f"gupta-shah-2022/alphazero:simulations={ALPHAZERO_SIMULATIONS},net={net}",
    }[player]
    if seconds is None:
        return name
    memory = "" if player == "alphazero" else f",memory={_TIMED_MEMORY}"
    return re.sub(r"simulations=\d+", f"seconds={seconds}{memory}", name, count=1)


class PublishedAlphaZeroParameters(Struct, frozen=True, kw_only=True):
    net: Annotated[
        str, Meta(description="net: a file of `inarow train gupta-shah-2022`, or a name that ships with inarow")
    ] = PUBLISHED_NET
    simulations: Annotated[
        Annotated[int, Meta(ge=0, le=10**7)] | Literal["auto"],
        Meta(description="simulations per move; 0: the net alone; auto: 800, or no limit if seconds are given"),
    ] = "auto"
    seconds: Annotated[Seconds, Meta(description="time per move; not reproducible")] = "none"

    def __post_init__(self) -> None:
        if self.simulations != "auto" and self.seconds != "none":
            raise ValueError("takes either simulations or seconds")

    @property
    def usual(self) -> AlphaZeroParameters:
        """The parameters of our own agent; the settings of its search differ."""
        return AlphaZeroParameters(net=self.net, simulations=self.simulations, seconds=self.seconds, tactics=False)


class GuptaShahAlphaZero(AlphaZeroAgent):
    """Tree search with a network and without tactics. Keeps its tree during a game."""

    def __init__(self, name: str, parameters: PublishedAlphaZeroParameters, rng: np.random.Generator) -> None:
        super().__init__(name, parameters.usual, rng)

    @property
    def _config(self) -> SearchConfig:
        return PUBLISHED_SEARCH


def published_net_hash(parameters: PublishedAlphaZeroParameters) -> str:
    return net_hash(parameters.usual)


class GuptaShahMinimax(ParameterisedAgent[NoParameters]):
    """Draws among the best moves of a four-ply search. Can be cancelled between root moves."""

    def decide(
        self, position: Position, *, limits: Limits | None = None, watch: Watch[Decision] | None = None
    ) -> Decision:
        position.check_ongoing()
        board, nodes = _board(position.spec), np.zeros(1, np.int64)
        stones, mask = bits_of(position, board.layout)
        values: dict[int, float] = {}
        bound = -np.inf
        for action in position.legal_actions:
            if values and limits is not None and limits.cancelled is not None and limits.cancelled():
                break
            values[action] = _value_after(board, stones, mask, position.ply, action, 1, bound, nodes)
            bound = max(bound, values[action])
        best = [action for action, value in values.items() if value == bound]
        return Decision(action=best[int(self._rng.random() * len(best))], nodes=int(nodes[0]), depth=SUBMITTED_DEPTH)


class _Board(NamedTuple):
    """A board and its heuristic."""

    layout: Layout
    starts: Any  # four sets of cells: the first cells of windows
    weights: WeightsRecord


def submitted_heuristic(spec: GameSpec) -> Heuristic:
    """The heuristic `powers`, with lines counted as windows."""
    stones = range(2, spec.inarow + 1)
    own = [0.0, 0.0, *(1000.0 ** (count - 1) for count in stones)]
    other = [0.0, 0.0, *(-(2000.0 ** (count - 1)) for count in stones)]
    return window_heuristic(spec, own, other, 1.0)


@lru_cache(maxsize=64)
def _board(spec: GameSpec) -> _Board:
    heuristic = submitted_heuristic(spec)
    return _Board(compiled_layout(spec), heuristic.starts, heuristic.weights)


@kernel
def _value_after(
    board: _Board, stones: Bits, mask: Bits, ply: int, action: int, level: int, bound: float, nodes: np.ndarray
) -> float:
    """The value, for the root's side, of a legal action at `level` (1 at the root). A value beyond `bound`, the best
    value (highest or lowest) so far of the side to move, need not be exact.
    """
    layout = board.layout
    nodes[0] += 1
    cell = landing_cell(mask, action, layout)
    mine = stones | single_cell(cell, stones)
    others = mask ^ stones
    is_roots = level % 2 == 1
    if level == SUBMITTED_DEPTH or ply + 1 == layout.rows * layout.columns or completes_line(mine, cell, layout):
        if is_roots:
            return evaluate(mine, others, board.starts, board.weights, layout)
        return evaluate(others, mine, board.starts, board.weights, layout)
    best = np.inf if is_roots else -np.inf
    for reply in range(action_count(layout)):
        if landing_cell(mask | mine, reply, layout) < 0:
            continue
        value = _value_after(board, others, mask | mine, ply + 1, reply, level + 1, best, nodes)
        best = min(best, value) if is_roots else max(best, value)
        if (is_roots and best < bound) or (not is_roots and best > bound):
            break
    return best
