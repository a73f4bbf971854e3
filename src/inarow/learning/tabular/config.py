"""What a tabular training run is told: frozen, read from TOML, unknown keys refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from msgspec import Meta

from inarow.games.spec import GameSpec
from inarow.learning.config import ConfigPart, find_document, to_config

Share = Annotated[float, Meta(ge=0, le=1)]


class Rewards(ConfigPart, frozen=True, kw_only=True):
    """What the learner is given."""

    win: Annotated[float, Meta(description="for the move that makes a line")] = 1.0
    loss: Annotated[float, Meta(description="for the move before the opponent's line")] = -1.0
    draw: Annotated[float, Meta(description="for the last move of each side in a drawn game")] = 0.0
    step: Annotated[float, Meta(description="for every move after which the game goes on")] = 0.0
    block: Annotated[float, Meta(description="times the block weight of such a move (kumbhakern-2025)")] = 0.0


class Exploration(ConfigPart, frozen=True, kw_only=True):
    """How often the learner moves at random."""

    start: Annotated[Share, Meta(description="chance of a random move at the start of a phase or generation")] = 0.5
    floor: Annotated[Share, Meta(description="the chance falls no lower")] = 0.05
    rule: Annotated[
        Literal["geometric", "adaptive"],
        Meta(description="how it falls: by a factor every episode, or every 5,000 as rewards go (kumbhakern-2025)"),
    ] = "geometric"
    decay: Annotated[float, Meta(gt=0, le=1, description="the factor of the geometric rule")] = 1.0


class Phase(ConfigPart, frozen=True, kw_only=True):
    """A stretch of training against one opponent."""

    episodes: Annotated[int, Meta(ge=1, le=10**10, description="games in each generation")]
    opponent: Annotated[
        str, Meta(description="self, frozen (the table as it was when the generation began) or an agent string")
    ] = "self"
    self_play: Annotated[Share, Meta(description="share of episodes against itself, whoever the opponent is")] = 0.0
    side: Annotated[
        Literal["first", "second", "alternating"], Meta(description="which side the learner has against others")
    ] = "alternating"
    random_starts: Annotated[Share, Meta(description="share of episodes that begin after some random moves")] = 0.0
    generations: Annotated[int, Meta(ge=1, le=1000, description="how often the phase is run")] = 1


class QConfig(ConfigPart, frozen=True, kw_only=True):
    """Tabular Q-learning."""

    board: Annotated[str, Meta(description="board string")]
    phases: Annotated[tuple[Phase, ...], Meta(min_length=1, max_length=100, description="one after the other")]
    learner: Annotated[Literal["q"], Meta(description="which kind of learner this configures")] = "q"
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1, description="root of all chance")] = 0
    target: Annotated[
        Literal["negamax", "own-turn"],
        Meta(description="what a move is compared with; see tabular/episode.py"),
    ] = "negamax"
    alpha: Annotated[float, Meta(gt=0, le=1, description="learning rate")] = 0.5
    gamma: Annotated[float, Meta(gt=0, le=1, description="worth of a reward one move later")] = 0.95
    symmetry: Annotated[bool, Meta(description="mirror images share their values")] = True
    rewards: Rewards = Rewards()
    exploration: Exploration = Exploration()
    report: Annotated[
        int,
        Meta(ge=1, le=10**9, description="episodes between points of the curve and steps of the adaptive rule"),
    ] = 5000
    memory: Annotated[int, Meta(ge=1, le=1 << 20, description="megabytes for the table")] = 512

    def __post_init__(self) -> None:
        GameSpec.parse(self.board)
        rewards = self.rewards
        if self.target == "negamax" and (rewards.win != -rewards.loss or rewards.draw or rewards.step):
            raise ValueError("negamax needs rewards of a game for two: loss = -win, draw = 0, step = 0")

    @property
    def spec(self) -> GameSpec:
        return GameSpec.parse(self.board)

    @property
    def episodes(self) -> int:
        """Of all phases and generations."""
        return sum(phase.episodes * phase.generations for phase in self.phases)


def find_q_config(name: str, settings: Iterable[str] = ()) -> QConfig:
    """The config of a preset or a TOML file, changed by settings; raises ConfigError."""
    return to_config(find_document(name, settings), QConfig, name)
