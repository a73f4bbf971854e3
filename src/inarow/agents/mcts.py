"""Agents that grow a tree of random games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

import msgspec
import numpy as np

from inarow.agents.agent import Decision, Watch
from inarow.agents.minimax import HeuristicChoice
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.tree.mcts import USUAL_EXPLORATION, Rollouts, TreeResult, TreeSearch
from inarow.search.tree.memory import bytes_for_game

USUAL_SIMULATIONS = 1000
_MAX_ROLLOUT_DEPTH = 8
"""No clock and no interrupt ends a rollout, so it must not take long."""


class MctsParameters(msgspec.Struct, frozen=True, kw_only=True):
    simulations: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=10**8)] | Literal["auto"],
        msgspec.Meta(description="for a move, in each thread; auto: 1000, or no limit if seconds are given"),
    ] = "auto"
    seconds: Annotated[
        Annotated[float, msgspec.Meta(gt=0, le=3600)] | Literal["none"],
        msgspec.Meta(description="time for a move; not reproducible"),
    ] = "none"
    c: Annotated[float, msgspec.Meta(ge=0, le=100, description="exploration constant, for results from 0 to 1")] = (
        USUAL_EXPLORATION
    )
    final: Annotated[Literal["visits", "score"], msgspec.Meta(description="what the move played has most of")] = (
        "visits"
    )
    solve: Annotated[bool, msgspec.Meta(description="carry proven wins and losses up the tree")] = True
    threads: Annotated[int, msgspec.Meta(ge=1, le=64, description="trees grown side by side and added up")] = 1
    memory: Annotated[int, msgspec.Meta(ge=1, le=4096, description="megabytes for the trees")] = 64

    def __post_init__(self) -> None:
        if self.simulations != "auto" and self.seconds != "none":
            raise ValueError("takes simulations or seconds, not both")


class HybridParameters(MctsParameters, frozen=True, kw_only=True):
    informed: Annotated[
        Annotated[int, msgspec.Meta(ge=0, le=256)] | Literal["all"],
        msgspec.Meta(description="first moves of a rollout that minimax plays"),
    ] = 3
    depth: Annotated[
        int, msgspec.Meta(ge=1, le=_MAX_ROLLOUT_DEPTH, description="plies that this minimax looks ahead")
    ] = 2
    heuristic: HeuristicChoice = "powers"


class MctsAgent:
    """Monte Carlo tree search (UCT). Goes on with its tree while one game goes on, and begins a new
    one with every new game.
    """

    def __init__(self, name: str, parameters: MctsParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._parameters = parameters
        self._rng = rng
        self._search: TreeSearch | None = None

    def decide(self, position: Position) -> Decision:
        return self.decide_watched(position, None)

    def decide_watched(self, position: Position, watch: Watch | None) -> Decision:
        wanted = self._parameters
        if self._search is None or self._search.spec != position.spec:
            self._search = self._make_search(position.spec)
        tell = watch_tree(watch)
        if wanted.seconds != "none":
            return tree_decision(self._search.search(position, seconds=wanted.seconds, watch=tell))
        return tree_decision(self._search.search(position, simulations=self._simulations, watch=tell))

    @property
    def _simulations(self) -> int:
        wanted = self._parameters.simulations
        return USUAL_SIMULATIONS if wanted == "auto" else wanted

    def _make_search(self, spec: GameSpec) -> TreeSearch:
        wanted = self._parameters
        memory = wanted.memory << 20
        if wanted.seconds == "none":  # hundreds of agents may play in step: none takes what it cannot fill
            memory = min(memory, wanted.threads * bytes_for_game(spec, self._simulations))
        return TreeSearch(
            spec,
            self._rng,
            exploration=wanted.c,
            final=wanted.final,
            solve=wanted.solve,
            memory=memory,
            threads=wanted.threads,
            rollouts=self._rollouts(spec),
        )

    def _rollouts(self, spec: GameSpec) -> Rollouts:
        return Rollouts()


class HybridAgent(MctsAgent):
    """The same search with rollouts that begin with minimax moves (gupta-shah-2022)."""

    _parameters: HybridParameters

    def check_board(self, spec: GameSpec) -> None:
        make_heuristic(self._parameters.heuristic, spec)

    def _rollouts(self, spec: GameSpec) -> Rollouts:
        wanted = self._parameters
        informed = spec.cells if wanted.informed == "all" else wanted.informed
        return Rollouts(informed, wanted.depth, make_heuristic(wanted.heuristic, spec))


def watch_tree(watch: Watch | None) -> Callable[[TreeResult], None] | None:
    """What a tree search tells on its way, to somebody who watches decisions."""
    return None if watch is None else lambda result: watch(tree_decision(result))


def tree_decision(result: TreeResult) -> Decision:
    """What a tree search tells about its choice."""
    total = max(1, sum(result.visits))
    return Decision(
        action=result.action,
        value=result.value,
        policy=tuple(visits / total for visits in result.visits),
        visits=result.visits,
        scores=result.values,
        nodes=result.nodes,
        details={
            "simulations": result.simulations,
            "proven": result.score,
            "tree_bytes": result.bytes,
            "tree_is_full": result.is_full,
        },
    )
