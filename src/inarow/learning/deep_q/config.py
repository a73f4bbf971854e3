"""The config of deep Q-learning, read from TOML; unknown keys are errors."""

from typing import Annotated, Literal

from msgspec import Meta

from inarow.games import GameSpec
from inarow.learning.config import ConfigPart, Module
from inarow.learning.exploration.config import Policy

Side = Literal["first", "second"]
Layer = Annotated[int, Meta(ge=1, le=1024)]


class Network(ConfigPart, frozen=True, kw_only=True):
    """The sizes of the net; defaults as published in santos-2025."""

    filters: Annotated[
        tuple[Layer, ...], Meta(min_length=1, max_length=32, description="filters of each convolution; kernels are 4x4")
    ] = (20, 20, 20, 30, 30, 30, 30)
    dense: Annotated[
        tuple[Layer, ...], Meta(max_length=8, description="units of each layer between the convolutions and the value")
    ] = (49, 7, 7)
    module: Module = None


class Rewards(ConfigPart, frozen=True, kw_only=True):
    """Rewards at the end of a game."""

    win: Annotated[float, Meta(gt=0)] = 1.0
    draw: float = 0.5
    loss: float = -1.0


class DeepQConfig(ConfigPart, frozen=True, kw_only=True):
    """Deep Q-learning of one side against an opponent that does not learn."""

    learner: Annotated[Literal["deep-q"], Meta(description="kind of learner")]
    board: Annotated[str, Meta(description="board string")]
    episodes: Annotated[int, Meta(ge=1, le=10**7, description="games to learn from")]
    side: Annotated[Side, Meta(description="side of the learner")] = "first"
    opponent: Annotated[str, Meta(description="agent string")] = "negamax"
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1, description="random seed")] = 0
    policy: Policy = Policy()
    rewards: Rewards = Rewards()
    network: Network = Network()
    alpha: Annotated[float, Meta(gt=0, le=1, description="step from the current value towards the target")] = 0.8
    terminal: Annotated[
        Literal["blend", "reward"],
        Meta(description="target of a last move: blended by alpha like all others (santos-2025), or the reward itself"),
    ] = "blend"
    batch: Annotated[int, Meta(ge=1, le=100_000, description="games between two fits; the net is fixed in between")] = (
        300
    )
    lockstep: Annotated[
        int, Meta(ge=1, le=100_000, description="games of a batch played in lockstep; 1: one game after the other")
    ] = 300
    epochs: Annotated[int, Meta(ge=1, le=1000, description="passes over the moves of a batch in a fit")] = 5
    minibatch: Annotated[int, Meta(ge=1, le=100_000, description="moves in an optimizer step")] = 32
    learning_rate: Annotated[float, Meta(gt=0, le=1, description="learning rate of Adam")] = 1e-3

    def __post_init__(self) -> None:
        GameSpec.parse(self.board)

    @property
    def spec(self) -> GameSpec:
        return GameSpec.parse(self.board)
