"""The agent that searches with a trained network."""

from dataclasses import replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec import Meta, Struct, structs

from inarow.agents.agent import Decision, ParameterisedAgent, Seconds, Watcher, watch_results
from inarow.agents.mcts import TREE_LIMITS, tree_decision
from inarow.agents.simple import with_temperature
from inarow.errors import NetError
from inarow.games import GameSpec, Position
from inarow.learning.net_file import Net, net_evaluator
from inarow.learning.pretrained import ALPHAZERO_DEFAULTS, default_alphazero_net, find_net, net_path
from inarow.search.limits import Limits
from inarow.search.tree.config import SearchConfig, TreeResult
from inarow.search.tree.parts import make_rule, rule_digest, rule_names
from inarow.search.tree.search import NetSearch
from inarow.search.tree.selection import MAX_PLANNED_SIMULATIONS
from inarow.storage.atomic import content_hash

USUAL_SIMULATIONS = 800
_AUTO = "auto"


class AlphaZeroParameters(Struct, frozen=True, kw_only=True):
    net: Annotated[
        str,
        Meta(description="net: a file of `inarow train` or a name that ships with inarow; auto: the net for the board"),
    ] = _AUTO
    simulations: Annotated[
        Annotated[int, Meta(ge=0, le=10**7)] | Literal["auto"],
        Meta(description="simulations per move; 0: the net alone; auto: 800, or no limit if seconds are given"),
    ] = "auto"
    seconds: Annotated[Seconds, Meta(description="time per move; not reproducible; root=puct only")] = "none"
    root: Annotated[Literal["puct", "gumbel"], Meta(description="selection of moves at the root")] = "puct"
    temperature: Annotated[
        float, Meta(ge=0, le=100, description="0: play the best move; otherwise draw by policy ^ (1 / temperature)")
    ] = 0.0
    memory: Annotated[int, Meta(ge=1, le=65536, description="megabytes for the tree, and the same for a cache")] = 32
    rule: Annotated[
        str,
        Meta(
            description="selection of moves below the root, and at the root if root=puct: puct or a registered rule",
            extra={"choices": lambda: rule_names("puct"), "part": "selection rule"},
        ),
    ] = "puct"

    tactics: Annotated[
        bool,
        Meta(
            description="look for wins, threats and forced moves in new positions and propagate proofs; false: know "
            "finished games only; root=puct only"
        ),
    ] = True

    added: ClassVar[frozenset[str]] = frozenset({"rule", "tactics"})  # see `AgentIdentity`

    def __post_init__(self) -> None:
        if self.simulations != "auto" and self.seconds != "none":
            raise ValueError("takes either simulations or seconds")
        if self.seconds != "none" and self.root == "gumbel":
            raise ValueError("needs root=puct for seconds; root=gumbel searches by simulations")
        if self.root == "gumbel" and not self.tactics:
            raise ValueError("needs root=puct for tactics=false")
        if self.root == "gumbel" and self.simulations != "auto" and self.simulations > MAX_PLANNED_SIMULATIONS:
            raise ValueError(f"takes at most {MAX_PLANNED_SIMULATIONS} simulations with root=gumbel")


class AlphaZeroAgent(ParameterisedAgent[AlphaZeroParameters]):
    """Tree search with a network that checks wins, threats and forced moves, unless tactics=false. With root=puct it
    keeps its tree during a game.
    """

    def __init__(self, name: str, parameters: AlphaZeroParameters, rng: np.random.Generator) -> None:
        super().__init__(name, parameters, rng)
        self._net = None if parameters.net == _AUTO else find_net(parameters.net)
        self._search: NetSearch | None = None

    def decide(self, position: Position, *, limits: Limits | None = None, watch: Watcher | None = None) -> Decision:
        position.check_ongoing()
        if self._search is None or self._search.spec != position.spec:
            net, memory = self._net_for(position.spec), self._parameters.memory << 20
            self._search = NetSearch(
                position.spec,
                net_evaluator(net),
                self._config,
                memory=memory,
                cache_memory=memory,
                rule=make_rule(self._parameters.rule),
            )
        found = self._search.search(position, limits=self._limits(limits), watch=watch_results(watch, self._decision))
        return self._decision(found, is_final=True)

    @property
    def _config(self) -> SearchConfig:
        return SearchConfig(root=self._parameters.root, tactics=self._parameters.tactics)

    def _limits(self, limits: Limits | None) -> Limits:
        """The limits of the search. Sequential halving needs simulations: those of the agent if none are given."""
        wanted = self._parameters
        simulations = USUAL_SIMULATIONS if wanted.simulations == "auto" else wanted.simulations
        own = Limits(simulations=simulations) if wanted.seconds == "none" else Limits(seconds=wanted.seconds)
        combined = own.replaced_by(limits, TREE_LIMITS)
        if wanted.root == "gumbel":
            planned = simulations if combined.simulations is None else combined.simulations
            combined = replace(combined, simulations=min(planned, MAX_PLANNED_SIMULATIONS))
        return combined

    def check_board(self, spec: GameSpec) -> None:
        self._net_for(spec)

    def _net_for(self, spec: GameSpec) -> Net:
        net = find_net(default_alphazero_net(spec)) if self._net is None else self._net
        net.check_board(spec)
        return net

    def _decision(self, result: TreeResult, *, is_final: bool = False) -> Decision:
        """Draws the action by temperature only for the final decision: reports must not use random numbers."""
        action, policy = result.action, result.policy
        if self._parameters.temperature > 0 and result.proven is None:
            policy = tuple(with_temperature(policy, self._parameters.temperature).tolist())
            if is_final:
                action = int(self._rng.choice(len(policy), p=policy))
        decision = tree_decision(result)
        details = {"priors": list(result.priors or ()), **(decision.details or {})}
        del details["tree_bytes"]
        return structs.replace(decision, action=action, policy=policy, scores=None, details=details)


def net_hash(parameters: AlphaZeroParameters) -> str:
    """A hash of the net's file, or of all possible nets, and of a registered rule."""
    names = ALPHAZERO_DEFAULTS if parameters.net == _AUTO else (parameters.net,)
    rule = rule_digest(parameters.rule)
    hashes = [content_hash(net_path(name), NetError) for name in names]
    return "+".join(hashes if rule is None else [*hashes, rule])
