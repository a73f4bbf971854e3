"""Agents with Monte Carlo tree search."""

from abc import abstractmethod
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

from inarow.agents.agent import Decision, ParameterisedAgent, Seconds, Watcher, joined_digests, watch_results
from inarow.agents.minimax import HeuristicChoice
from inarow.games import GameSpec, Position
from inarow.search.limits import Limits
from inarow.search.minimax.heuristics import heuristic_digest, make_heuristic
from inarow.search.tree.config import USUAL_EXPLORATION, TreeResult
from inarow.search.tree.memory import bytes_for_game
from inarow.search.tree.parts import (
    is_fractional,
    leaf_digest,
    leaf_names,
    make_leaf,
    make_rule,
    rule_digest,
    rule_names,
)
from inarow.search.tree.probes import Probes
from inarow.search.tree.rollouts import Rollouts
from inarow.search.tree.search import TreeSearch

USUAL_SIMULATIONS = 1000
TREE_LIMITS = ("nodes", "simulations", "seconds")  # fields of `Limits` that tree searches support
_MAX_ROLLOUT_DEPTH = 8  # nothing can stop a rollout, so it must be short


class TreeParameters(Struct, frozen=True, kw_only=True):
    """Parameters of searches with rollouts."""

    simulations: Annotated[
        Annotated[int, Meta(ge=1, le=10**8)] | Literal["auto"],
        Meta(description="simulations per move, in each thread; auto: 1000, or no limit if seconds are given"),
    ] = "auto"
    seconds: Annotated[Seconds, Meta(description="time per move; not reproducible")] = "none"
    c: Annotated[float, Meta(ge=0, le=100, description="exploration constant of uct, for results from 0 to 1")] = (
        USUAL_EXPLORATION
    )
    final: Annotated[
        Literal["visits", "score"], Meta(description="criterion of the move to play: most visits or highest score")
    ] = "visits"
    solve: Annotated[bool, Meta(description="propagate proven results up the tree")] = True
    threads: Annotated[int, Meta(ge=1, le=64, description="number of independent trees, whose results are added")] = 1
    memory: Annotated[int, Meta(ge=1, le=4096, description="megabytes for the trees")] = 64
    rule: Annotated[
        str,
        Meta(
            description="selection among visited moves: uct or a registered rule",
            extra={"choices": lambda: rule_names("uct"), "part": "selection rule"},
        ),
    ] = "uct"

    added: ClassVar[frozenset[str]] = frozenset({"rule"})  # see `AgentIdentity`

    def __post_init__(self) -> None:
        if self.simulations != "auto" and self.seconds != "none":
            raise ValueError("takes either simulations or seconds")
        if self.rule != "uct" and self.c != USUAL_EXPLORATION:
            raise ValueError("takes c with rule=uct only")


class MctsParameters(TreeParameters, frozen=True, kw_only=True):
    leaf: Annotated[
        str,
        Meta(
            description="value of a new position: random (the result of a random game) or a registered evaluator",
            extra={"choices": leaf_names, "part": "leaf evaluator"},
        ),
    ] = "random"

    added: ClassVar[frozenset[str]] = frozenset({"rule", "leaf"})


class HybridParameters(TreeParameters, frozen=True, kw_only=True):
    place: Annotated[
        Literal["rollout", "selection", "backup"],
        Meta(
            description="where minimax is used: rollout (plays moves), selection (proves nodes that a simulation "
            "reaches), backup (proves nodes above a lost move)"
        ),
    ] = "rollout"
    informed: Annotated[
        Annotated[int, Meta(ge=0, le=256)] | Literal["all"],
        Meta(description="number of moves at the start of a rollout that minimax plays; place=rollout only"),
    ] = 3
    depth: Annotated[int, Meta(ge=1, le=_MAX_ROLLOUT_DEPTH, description="depth of this minimax in plies")] = 2
    visits: Annotated[
        int,
        Meta(ge=0, le=10**6, description="earlier visits of a node at which it is searched; place=selection only"),
    ] = 0
    heuristic: HeuristicChoice = "powers"

    added: ClassVar[frozenset[str]] = frozenset({"rule", "place", "visits"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.place == "rollout":
            if self.visits:
                raise ValueError("takes visits with place=selection only")
            return
        if self.informed != 3 or self.heuristic != "powers":
            raise ValueError("takes informed and heuristic with place=rollout only")
        if not self.solve:
            raise ValueError(f"needs solve=true for place={self.place}: its searches prove results")
        if self.visits and self.place != "selection":
            raise ValueError("takes visits with place=selection only")


class TreeAgent(ParameterisedAgent[TreeParameters]):
    """Monte Carlo tree search. Keeps its tree during a game and starts a new one with every new game."""

    _search: TreeSearch | None = None

    def decide(self, position: Position, *, limits: Limits | None = None, watch: Watcher | None = None) -> Decision:
        used = self._limits.replaced_by(limits, TREE_LIMITS)
        search = self._search_for(position.spec, used)
        return tree_decision(search.search(position, limits=used, watch=watch_results(watch, tree_decision)))

    @property
    def _limits(self) -> Limits:
        wanted = self._parameters
        if wanted.seconds != "none":
            return Limits(seconds=wanted.seconds)
        return Limits(simulations=USUAL_SIMULATIONS if wanted.simulations == "auto" else wanted.simulations)

    def _search_for(self, spec: GameSpec, limits: Limits) -> TreeSearch:
        wanted = self._parameters
        memory = wanted.memory << 20
        if limits.simulations is not None:
            # Hundreds of agents may play in lockstep: limit the memory of each to what a game can use.
            most = bytes_for_game(spec, limits.simulations, fractional=self._is_fractional)
            memory = min(memory, wanted.threads * most)
        if self._search is None or self._search.spec != spec or self._search.memory < memory:
            self._search = TreeSearch(
                spec,
                self._rng,
                exploration=wanted.c,
                final=wanted.final,
                solve=wanted.solve,
                memory=memory,
                threads=wanted.threads,
                rollouts=self._rollouts(spec),
                rule=make_rule(wanted.rule),
                probes=self._probes,
            )
        return self._search

    @property
    def _probes(self) -> Probes | None:
        """Minimax searches in the tree."""
        return None

    @property
    def _is_fractional(self) -> bool:
        """Whether results may be fractions."""
        return False

    @abstractmethod
    def _rollouts(self, spec: GameSpec) -> Any:
        """The leaf evaluator for `TreeSearch`."""


class MctsAgent(TreeAgent):
    """Monte Carlo tree search (UCT). Keeps its tree during a game and starts a new one with every new game."""

    _parameters: MctsParameters

    @property
    def _is_fractional(self) -> bool:
        return is_fractional(self._parameters.leaf)

    def _rollouts(self, spec: GameSpec) -> Any:
        return make_leaf(self._parameters.leaf)


class HybridAgent(TreeAgent):
    """The same search with minimax in its rollouts (gupta-shah-2022), in selection or in backpropagation."""

    _parameters: HybridParameters

    def check_board(self, spec: GameSpec) -> None:
        make_heuristic(self._parameters.heuristic, spec)

    def _rollouts(self, spec: GameSpec) -> Rollouts:
        wanted = self._parameters
        if wanted.place != "rollout":
            return Rollouts()
        informed = spec.cells if wanted.informed == "all" else wanted.informed
        return Rollouts(informed, wanted.depth, make_heuristic(wanted.heuristic, spec))

    @property
    def _probes(self) -> Probes | None:
        wanted = self._parameters
        return None if wanted.place == "rollout" else Probes(wanted.place, wanted.depth, wanted.visits)


def mcts_hash(parameters: MctsParameters) -> str | None:
    """A digest of the registered rule and leaf evaluator, if any."""
    return joined_digests(rule_digest(parameters.rule), leaf_digest(parameters.leaf))


def hybrid_hash(parameters: HybridParameters) -> str | None:
    """A digest of the registered rule and heuristic, if any."""
    return joined_digests(rule_digest(parameters.rule), heuristic_digest(parameters.heuristic))


def tree_decision(result: TreeResult) -> Decision:
    """The result of a search with rollouts as a decision."""
    return Decision(
        action=result.action,
        value=result.value,
        policy=result.policy,
        visits=result.visits,
        scores=result.values,
        nodes=result.nodes,
        details={
            "simulations": result.simulations,
            "proven": result.proven,
            "tree_bytes": result.bytes,
            "tree_is_full": result.is_full,
        },
    )
