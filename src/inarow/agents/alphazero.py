"""The agent that searches with a trained network."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import numpy as np

from inarow.agents.agent import Decision
from inarow.errors import NetError
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.alphazero.evaluator import net_evaluator
from inarow.learning.alphazero.search import NetResult, NetSearch
from inarow.learning.alphazero.search_config import SearchConfig
from inarow.learning.alphazero.shipped import USUAL, find_net, net_path, usual_net
from inarow.learning.net_file import Net
from inarow.storage.atomic import content_hash

USUAL_SIMULATIONS = 800
MOST_PLANNED_SIMULATIONS = 100_000
_AUTO = "auto"


class AlphaZeroParameters(msgspec.Struct, frozen=True, kw_only=True):
    net: Annotated[
        str,
        msgspec.Meta(
            description="file made by `inarow train`, or a net that comes with inarow; auto: the one for the board"
        ),
    ] = _AUTO
    simulations: Annotated[
        Annotated[int, msgspec.Meta(ge=0, le=10**7)] | Literal["auto"],
        msgspec.Meta(description="for a move; 0: the net alone; auto: 800, or no limit if seconds are given"),
    ] = "auto"
    seconds: Annotated[
        Annotated[float, msgspec.Meta(gt=0, le=3600)] | Literal["none"],
        msgspec.Meta(description="time for a move; not reproducible; root puct only"),
    ] = "none"
    root: Annotated[
        Literal["puct", "gumbel"], msgspec.Meta(description="how moves at the root are chosen for simulations")
    ] = "puct"
    temperature: Annotated[
        float, msgspec.Meta(ge=0, le=100, description="0 plays the best; more draws by policy ^ (1 / temperature)")
    ] = 0.0
    memory: Annotated[
        int, msgspec.Meta(ge=1, le=65536, description="megabytes for the tree, and as many for a cache")
    ] = 32

    def __post_init__(self) -> None:
        if self.simulations != "auto" and self.seconds != "none":
            raise ValueError("takes simulations or seconds, not both")
        if self.seconds != "none" and self.root == "gumbel":
            raise ValueError("plans a search with root=gumbel by its simulations; seconds need root=puct")
        if self.root == "gumbel" and self.simulations != "auto" and self.simulations > MOST_PLANNED_SIMULATIONS:
            raise ValueError(f"plans at most {MOST_PLANNED_SIMULATIONS} simulations with root=gumbel")


class AlphaZeroAgent:
    """Search with a network, and one look at every position for wins, threats and forced moves. With
    root puct it goes on with its tree while one game goes on.
    """

    def __init__(self, name: str, parameters: AlphaZeroParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._parameters = parameters
        self._rng = rng
        self._net = None if parameters.net == _AUTO else find_net(parameters.net)
        self._search: NetSearch | None = None

    def decide(self, position: Position) -> Decision:
        position.check_ongoing()
        wanted = self._parameters
        if self._search is None or self._search.spec != position.spec:
            self._search = self._make_search(position.spec)
        if wanted.seconds != "none":
            return self._decision(position, self._search.search(position, seconds=wanted.seconds))
        simulations = USUAL_SIMULATIONS if wanted.simulations == "auto" else wanted.simulations
        return self._decision(position, self._search.search(position, simulations=simulations))

    def check_board(self, spec: GameSpec) -> None:
        self._net_for(spec)

    def _net_for(self, spec: GameSpec) -> Net:
        net = find_net(usual_net(spec)) if self._net is None else self._net
        net.check_board(spec)
        return net

    def _make_search(self, spec: GameSpec) -> NetSearch:
        memory = self._parameters.memory << 20
        config = SearchConfig(root=self._parameters.root)
        return NetSearch(spec, net_evaluator(self._net_for(spec)), config, memory=memory, cache_memory=memory)

    def _decision(self, position: Position, result: NetResult) -> Decision:
        action, policy = result.action, result.policy
        if self._parameters.temperature > 0 and result.proven is None:
            # Relative to the largest, which stays 1: else a low temperature lets all of them vanish.
            weights = (np.array(policy) / max(policy)) ** (1 / self._parameters.temperature)
            policy = tuple((weights / weights.sum()).tolist())
            action = int(self._rng.choice(len(policy), p=policy))
        return Decision(
            action=action,
            value=result.value,
            policy=policy,
            visits=result.visits,
            nodes=result.nodes,
            details={
                "priors": list(result.priors),
                "simulations": result.simulations,
                "proven": result.proven,
                "tree_is_full": result.is_full,
            },
        )


def net_hash(parameters: AlphaZeroParameters) -> str:
    """Of the net's file, or of all that may play."""
    names = USUAL if parameters.net == _AUTO else (parameters.net,)
    return "+".join(content_hash(net_path(name), NetError) for name in names)
