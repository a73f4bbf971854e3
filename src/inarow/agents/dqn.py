"""The agent that plays from a net of deep Q-learning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from inarow.agents.agent import Decision
from inarow.errors import NetError
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.deep_q.shipped import USUAL, net_path, usual_net
from inarow.learning.deep_q.values import NetValues, load_net_values
from inarow.storage.atomic import content_hash

_AUTO = "auto"


class DqnParameters(msgspec.Struct, frozen=True, kw_only=True):
    net: Annotated[
        str,
        msgspec.Meta(
            description="file made by `inarow train`, or the name of a net that comes with inarow; auto: what"
            " comes with inarow for the board and the side"
        ),
    ] = _AUTO


class DqnAgent:
    """Takes the first of the actions after which a net values the board highest. It has no chance."""

    def __init__(self, name: str, values: NetValues | None) -> None:
        """Without `values` it plays what comes with the package for the side to move."""
        self.name = name
        self._values = values
        self._usual: dict[Path, NetValues] = {}

    def decide(self, position: Position) -> Decision:
        position.check_ongoing()
        net = self._values or self._usual_values(position)
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
            usual_net(spec, 0)
        else:
            self._values.check_board(spec)

    def _usual_values(self, position: Position) -> NetValues:
        path = usual_net(position.spec, position.ply % 2)
        if path not in self._usual:
            self._usual[path] = load_net_values(path)
        return self._usual[path]


def build_dqn_agent(name: str, parameters: DqnParameters, rng: np.random.Generator) -> DqnAgent:
    """From a file or a name; raises NetError."""
    return DqnAgent(name, None if parameters.net == _AUTO else load_net_values(net_path(parameters.net)))


def dqn_hash(parameters: DqnParameters) -> str:
    """Of the file of the net, or of both that come with inarow."""
    names = USUAL if parameters.net == _AUTO else (parameters.net,)
    return "+".join(content_hash(net_path(name), NetError) for name in names)
