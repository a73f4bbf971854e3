"""The agent that plays from a net of deep Q-learning."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np

from inarow.agents.agent import Decision
from inarow.array_file import content_hash
from inarow.errors import NetError
from inarow.games.position import Position
from inarow.learning.deep_q.values import NetValues, load_net_values


class DqnParameters(msgspec.Struct, frozen=True, kw_only=True):
    net: Annotated[str, msgspec.Meta(description="file made by `inarow train`")]


class DqnAgent:
    """Takes the first of the actions after which the net values the board highest. It has no chance."""

    def __init__(self, name: str, values: NetValues) -> None:
        self.name = name
        self._values = values

    def decide(self, position: Position) -> Decision:
        values = self._values.values(position)
        action = int(values.argmax())
        return Decision(
            action=action,
            value=float(np.clip(values[action], -1, 1)),
            scores=tuple(value if value > -np.inf else None for value in values.tolist()),
        )


def build_dqn_agent(name: str, parameters: DqnParameters, rng: np.random.Generator) -> DqnAgent:
    """From a file; raises NetError."""
    return DqnAgent(name, load_net_values(Path(parameters.net)))


def net_hash(parameters: DqnParameters) -> str | None:
    """Of the file of the net."""
    return content_hash(Path(parameters.net), NetError)
