"""The config of tabular Q-learning, read from TOML; unknown keys are errors."""

from typing import Annotated, Literal

from msgspec import Meta

from inarow.games import GameSpec
from inarow.learning.config import ConfigPart
from inarow.learning.exploration.config import Policy

Share = Annotated[float, Meta(ge=0, le=1)]


class Rewards(ConfigPart, frozen=True, kw_only=True):
    """Rewards of the learner."""

    win: Annotated[float, Meta(description="for the move that completes a line")] = 1.0
    loss: Annotated[float, Meta(description="for the move before the opponent's line")] = -1.0
    draw: Annotated[float, Meta(description="for the last move of each side in a drawn game")] = 0.0
    step: Annotated[float, Meta(description="for every move that does not end the game")] = 0.0
    block: Annotated[float, Meta(description="factor of the block weight of such a move (kumbhakern-2025)")] = 0.0


class Exploration(ConfigPart, frozen=True, kw_only=True):
    """The probability of random moves of the learner, unless it has a policy."""

    start: Annotated[Share, Meta(description="probability of a random move at the start of a phase or generation")] = (
        0.5
    )
    floor: Annotated[Share, Meta(description="lower bound of this probability")] = 0.05
    rule: Annotated[
        Literal["geometric", "adaptive"],
        Meta(description="geometric: a factor per episode; or by rewards, every `report` episodes (kumbhakern-2025)"),
    ] = "geometric"
    decay: Annotated[float, Meta(gt=0, le=1, description="factor of the geometric rule")] = 1.0


class Phase(ConfigPart, frozen=True, kw_only=True):
    """Training against one opponent."""

    episodes: Annotated[int, Meta(ge=1, le=10**10, description="games in each generation")]
    opponent: Annotated[
        str, Meta(description="self, frozen (the table at the start of the generation) or an agent string")
    ] = "self"
    self_play: Annotated[
        Share, Meta(description="share of episodes of self-play instead of games against the opponent")
    ] = 0.0
    side: Annotated[
        Literal["first", "second", "alternating"], Meta(description="side of the learner, except in self-play")
    ] = "alternating"
    random_starts: Annotated[Share, Meta(description="share of episodes that begin with a random board")] = 0.0
    starts: Annotated[
        Literal["moves", "boards"],
        Meta(
            description="random boards: moves (after some random moves) or boards (any stones that gravity allows, not"
            " necessarily as many of each side, and either side to move; as in windows of a larger board)"
        ),
    ] = "moves"
    generations: Annotated[int, Meta(ge=1, le=1000, description="repetitions of the phase")] = 1


class QConfig(ConfigPart, frozen=True, kw_only=True):
    """Tabular Q-learning."""

    board: Annotated[str, Meta(description="board string")]
    phases: Annotated[tuple[Phase, ...], Meta(min_length=1, max_length=100, description="phases of training, in order")]
    learner: Annotated[Literal["q"], Meta(description="kind of learner")] = "q"
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1, description="random seed")] = 0
    target: Annotated[
        Literal["negamax", "own-turn"],
        Meta(
            description="target of an update: negamax (minus the best reply) or own-turn (the mover's best next move)"
        ),
    ] = "negamax"
    alpha: Annotated[float, Meta(gt=0, le=1, description="learning rate")] = 0.5
    gamma: Annotated[float, Meta(gt=0, le=1, description="discount factor")] = 0.95
    symmetry: Annotated[bool, Meta(description="whether mirror images share their values")] = True
    symmetric_actions: Annotated[
        bool,
        Meta(description="whether in positions that are their own mirror image mirrored actions share their values"),
    ] = False
    rewards: Rewards = Rewards()
    exploration: Exploration = Exploration()
    policy: Policy | None = None  # replaces `exploration`; its episodes count from 1 in each generation
    report: Annotated[
        int, Meta(ge=1, le=10**9, description="episodes between points of the curve and steps of the adaptive rule")
    ] = 5000
    memory: Annotated[int, Meta(ge=1, le=1 << 20, description="megabytes for the table")] = 512

    def __post_init__(self) -> None:
        GameSpec.parse(self.board)
        if self.symmetric_actions and not self.symmetry:
            raise ValueError("symmetric_actions needs symmetry = true")
        rewards = self.rewards
        if self.target == "negamax" and (rewards.win != -rewards.loss or rewards.draw or rewards.step):
            raise ValueError("negamax needs zero-sum rewards: loss = -win, draw = 0, step = 0")
        if not self.spec.gravity and any(phase.starts == "boards" for phase in self.phases):
            raise ValueError(f"starts = boards needs a board with gravity, not {self.spec}")

    @property
    def spec(self) -> GameSpec:
        return GameSpec.parse(self.board)

    @property
    def episodes(self) -> int:
        """The number of episodes of all phases and generations."""
        return sum(phase.episodes * phase.generations for phase in self.phases)
