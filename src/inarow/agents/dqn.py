"""The agent that plays by a net of deep Q-learning."""

from functools import lru_cache
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from inarow.agents.agent import Decision, ImmediateAgent
from inarow.errors import NetError
from inarow.games import GameSpec, Position
from inarow.learning.deep_q.play import NetValues, load_net_values
from inarow.learning.pretrained import DEEP_Q, DEEP_Q_DEFAULTS, default_deep_q_net, net_path
from inarow.storage.atomic import content_hash

_AUTO = "auto"
_shipped_values = lru_cache(maxsize=8)(load_net_values)


class DqnParameters(Struct, frozen=True, kw_only=True):
    net: Annotated[
        str,
        Meta(
            description="net: a file of `inarow train` or a name that ships with inarow; auto: the net for the board"
            " and the side"
        ),
    ] = _AUTO


class DqnAgent(ImmediateAgent):
    """Plays the action with the highest value of the board after it, the first of equal ones. It is deterministic."""

    def __init__(self, name: str, values: NetValues | None) -> None:
        """Without `values` it plays by the net that ships with the package for the side to move."""
        self.name = name
        self._values = values

    def _decide(self, position: Position) -> Decision:
        net = self._values or _shipped_values(default_deep_q_net(position.spec, position.ply % 2))
        values = net.values(position)
        action = int(values.argmax())
        return Decision(
            action=action,
            value=float(np.clip(values[action] / net.win_reward, -1, 1)),
            policy=tuple(float(other == action) for other in range(len(values))),
            scores=tuple(value if value > -np.inf else None for value in values.tolist()),
        )

    def check_board(self, spec: GameSpec) -> None:
        if self._values is None:
            default_deep_q_net(spec, 0)
        else:
            self._values.net.check_board(spec)


def build_dqn_agent(name: str, parameters: DqnParameters, rng: np.random.Generator) -> DqnAgent:
    """The agent `dqn`; raises NetError."""
    return DqnAgent(name, None if parameters.net == _AUTO else load_net_values(net_path(parameters.net, DEEP_Q)))


def dqn_hash(parameters: DqnParameters) -> str:
    """A hash of the net's file, or of both nets that ship with inarow."""
    names = DEEP_Q_DEFAULTS if parameters.net == _AUTO else (parameters.net,)
    return "+".join(content_hash(net_path(name, DEEP_Q), NetError) for name in names)
