"""A turn-based PettingZoo environment for two players, on any board.

On 6x7x4 it is equivalent to `connect_four_v3` of PettingZoo, and does not need pygame.
"""

from typing import Any

import numpy as np

from inarow.adapters.planes import Planes, planes_for, room_mask
from inarow.errors import IllegalMoveError, MissingExtraError
from inarow.games import GameSpec, Position

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError:
    raise MissingExtraError("pettingzoo", "adapters") from None


def env(board: str = "connect4", render_mode: str | None = None) -> Any:
    """The environment in PettingZoo's usual wrappers: an illegal action ends the game with -1 for its player."""
    wrapped: Any = wrappers.TerminateIllegalWrapper(RawEnv(board, render_mode), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


class RawEnv(AECEnv):  # type: ignore[misc]
    """Players are `player_0`, who moves first, and `player_1`.

    Observations are `{"observation": int8 [rows, columns, 2], "action_mask": int8 [A]}`, row 0 on
    top, own stones first. Only the player to move has actions in the mask, which is also in the infos.
    """

    metadata = {"render_modes": ["ansi"], "name": "k_in_a_row_v0", "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, board: str = "connect4", render_mode: str | None = None) -> None:
        super().__init__()
        self.spec_of_game = spec = GameSpec.parse(board)
        self.render_mode = render_mode
        self.possible_agents = ["player_0", "player_1"]
        self.agents = list(self.possible_agents)
        planes, mask = (spaces.Box(0, 1, shape, np.int8) for shape in ((spec.rows, spec.columns, 2), (spec.actions,)))
        both: dict[str, Any] = {"observation": planes, "action_mask": mask}
        self.observation_spaces: dict[str, Any] = {agent: spaces.Dict(both) for agent in self.agents}
        self.action_spaces: dict[str, Any] = {agent: spaces.Discrete(spec.actions) for agent in self.agents}
        self._position = Position.start(spec)

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """The game is deterministic: the seed has no effect. `options={"position": "4453"}` starts there."""
        self._position = Position.parse((options or {}).get("position", ""), self.spec_of_game)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, self._position.is_over)
        self.truncations = dict.fromkeys(self.agents, False)
        self._turn()

    def step(self, action: int | None) -> None:
        """Plays for `agent_selection`; None for a player whose game is over. Raises IllegalMoveError."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None:
            raise IllegalMoveError(f"{self.agent_selection} is to move; pass an action instead of None")
        mover = self.agent_selection
        self._position = self._position.play(action)
        if self._position.winner is not None:
            self.rewards = {agent: 1 if agent == mover else -1 for agent in self.agents}
        if self._position.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
        self._turn()
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Planes]:
        side = self.possible_agents.index(agent) + 1
        return {"observation": planes_for(self._position, side), "action_mask": self._mask(agent)}

    def render(self) -> str | None:
        """The board as text, with `render_mode="ansi"`."""
        return str(self._position) if self.render_mode == "ansi" else None

    def _turn(self) -> None:
        self.agent_selection = self.possible_agents[self._position.side_to_move - 1]
        self.infos = {agent: {"action_mask": self._mask(agent)} for agent in self.agents}

    def _mask(self, agent: str) -> Planes:
        mask = room_mask(self._position)
        return mask if agent == self.agent_selection else np.zeros_like(mask)
