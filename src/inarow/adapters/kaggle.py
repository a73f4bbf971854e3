"""Agents in Kaggle's form: functions of observation and configuration."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from inarow.agents.custom import AgentLike, as_agent
from inarow.agents.registry import Seed
from inarow.games import TIC_TAC_TOE, GameSpec, Position


def spec_of_configuration(configuration: Mapping[str, Any] | None) -> GameSpec:
    """The board of a ConnectX configuration; Kaggle's Tic Tac Toe has none."""
    if configuration is None or "columns" not in configuration:
        return TIC_TAC_TOE
    return GameSpec(int(configuration["rows"]), int(configuration["columns"]), int(configuration["inarow"]))


class KaggleAgent:
    """`agent(observation, configuration) -> int`, the 0-based column (or cell), for successive games."""

    def __init__(self, agent: AgentLike, *, seed: Seed = 0) -> None:
        self._agent = as_agent(agent, seed)
        self._last: Position | None = None

    def __call__(self, observation: Mapping[str, Any], configuration: Mapping[str, Any] | None = None) -> int:
        board = [int(cell) for cell in observation["board"]]
        position = self._position(board, spec_of_configuration(configuration))
        action = self._agent.decide(position).action
        self._last = position.play(action)
        return action

    def _position(self, board: list[int], spec: GameSpec) -> Position:
        """The position of a board: if possible the last one with the moves since then, so that trees are reused."""
        last = self._last
        if last is not None and last.spec == spec and not last.is_over:
            for after in map(last.play, last.legal_actions):
                if after.to_kaggle() == board:
                    return after
        return Position.from_array(np.array(board, np.int8).reshape(spec.rows, spec.columns), spec)
