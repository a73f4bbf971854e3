"""A Gymnasium environment: one learner against any agent.

Importing this registers it: `gymnasium.make("inarow/KInARow-v0", board="6x7x4", opponent="mcts")`.
"""

from typing import Any, Literal, cast, get_args

import numpy as np
import numpy.typing as npt

from inarow.adapters.planes import Planes, planes_for, room_mask
from inarow.agents.agent import Agent
from inarow.agents.custom import AgentLike, as_agent
from inarow.errors import InvalidLimitError, MissingExtraError, shown
from inarow.games import Board, GameSpec, Position

try:
    import gymnasium
    from gymnasium import spaces
except ImportError:
    raise MissingExtraError("gymnasium", "adapters") from None

ENV_ID = "inarow/KInARow-v0"
Learner = Literal[0, 1, "alternate"]


class KInARowEnv(gymnasium.Env[Planes, int]):
    """Observations are int8 [rows, columns, 2], row 0 on top: own stones, then the opponent's.

    The reward is 1, 0 or -1 at the end of the game and 0 before. An illegal action ends the
    game with -1 and `info["illegal"]`. Legal actions are in `info["action_mask"]` (int8) and
    `action_masks()` (bool). `reset` takes the options `learner` (0 moves first, 1 second,
    `alternate` changes sides game by game, from 0 after a seed) and `position` (a move string to start from).
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012 - Gymnasium's own form

    def __init__(
        self,
        board: Board = "connect4",
        opponent: AgentLike = "random",
        learner: Learner = 0,
        render_mode: str | None = None,
    ) -> None:
        """The opponent is an agent string, an object, a class or a function, as in `inarow.play_match`. Unless it is an
        object, every game has a new opponent with its own random stream.
        """
        self.spec_of_game = spec = GameSpec.parse(board)
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0, 1, (spec.rows, spec.columns, 2), np.int8)
        # int instead of np.int64, the declared type of Discrete: users pass plain numbers to `step`.
        self.action_space: Any = spaces.Discrete(spec.actions)
        self._wanted_opponent = opponent
        self._learner = _checked(learner)
        self._games = 0
        self._position = Position.start(spec)
        self._side = 1
        self._opponent: Agent | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Planes, dict[str, Any]]:
        super().reset(seed=seed)
        options = options or {}
        if seed is not None:  # so that the same seed gives the same side
            self._games = 0
        learner = _checked(options.get("learner", self._learner))
        self._side = 1 + (self._games % 2 if learner == "alternate" else int(learner))
        self._games += 1
        self._position = Position.parse(options.get("position", ""), self.spec_of_game)
        if self._position.is_over:
            raise InvalidLimitError(f"the game is over after {self._position.moves!r}; start from another position")
        stream, wanted = int(self.np_random.integers(2**63)), self._wanted_opponent
        self._opponent = as_agent(wanted, stream)
        self._let_opponent_move()
        return planes_for(self._position, self._side), self._info()

    def step(self, action: int) -> tuple[Planes, float, bool, bool, dict[str, Any]]:
        if self._opponent is None or self._position.is_over:
            raise InvalidLimitError("the game is over or was never started: call reset")
        if int(action) not in self._position.legal_actions:
            self._opponent = None
            return planes_for(self._position, self._side), -1.0, True, False, {**self._info(), "illegal": True}
        self._position = self._position.play(int(action))
        self._let_opponent_move()
        winner = self._position.winner
        reward = 0.0 if winner is None else 1.0 if winner == self._side else -1.0
        return planes_for(self._position, self._side), reward, self._position.is_over, False, self._info()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The mask of legal actions."""
        return room_mask(self._position).astype(bool)

    def render(self) -> str | None:
        """The board as text, with `render_mode="ansi"`."""
        return str(self._position) if self.render_mode == "ansi" else None

    def _let_opponent_move(self) -> None:
        assert self._opponent is not None
        while not self._position.is_over and self._position.side_to_move != self._side:
            self._position = self._position.play(self._opponent.decide(self._position).action)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": room_mask(self._position), "moves": self._position.moves}


def observe(position: Position) -> tuple[Planes, npt.NDArray[np.bool_]]:
    """The observation of the side to move, and the mask of legal actions: for agents made from trained models."""
    return planes_for(position, position.side_to_move), room_mask(position).astype(bool)


def _checked(learner: Any) -> Learner:
    if learner not in get_args(Learner):
        raise InvalidLimitError(f"learner is {shown(repr(learner))}; it must be 0, 1 or 'alternate'")
    return cast(Learner, learner)


if ENV_ID not in gymnasium.registry:
    gymnasium.register(ENV_ID, entry_point="inarow.adapters.gymnasium_env:KInARowEnv")
