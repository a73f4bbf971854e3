"""The config of deep Q-learning, read from TOML; unknown keys are errors."""

from typing import Annotated, Literal

from msgspec import Meta

from inarow.games import GameSpec
from inarow.learning.config import ConfigPart, Module
from inarow.learning.exploration.config import Policy

Side = Literal["first", "second"]
PAST = "past"  # the opponent that stands for past versions of the learner
Layer = Annotated[int, Meta(ge=1, le=1024)]


class Network(ConfigPart, frozen=True, kw_only=True):
    """The size of the net; defaults as published in santos-2025."""

    filters: Annotated[
        tuple[Layer, ...], Meta(min_length=1, max_length=32, description="filters of each convolution; kernels are 4x4")
    ] = (20, 20, 20, 30, 30, 30, 30)
    dense: Annotated[
        tuple[Layer, ...], Meta(max_length=8, description="units of each layer between the convolutions and the value")
    ] = (49, 7, 7)
    module: Module = None


class Rewards(ConfigPart, frozen=True, kw_only=True):
    """Rewards of the learner."""

    win: Annotated[float, Meta(gt=0, description="for a won game, with its last move")] = 1.0
    draw: Annotated[float, Meta(description="for a drawn game")] = 0.5
    loss: Annotated[float, Meta(description="for a lost game")] = -1.0
    step: Annotated[float, Meta(description="for every move of the learner except its last in a game")] = 0.0
    shaping: Annotated[
        str | None,
        Meta(description="a heuristic of minimax (windows, powers or squares) for potential-based shaping"),
    ] = None
    shaping_weight: Annotated[float, Meta(ge=0, description="bound of the potential of shaping")] = 0.5


class OpponentShare(ConfigPart, frozen=True, kw_only=True):
    """One of several opponents."""

    agent: Annotated[str, Meta(description="agent string, or past (an earlier version of the learner)")]
    share: Annotated[float, Meta(gt=0, description="relative number of games against this opponent")] = 1.0


class Pool(ConfigPart, frozen=True, kw_only=True):
    """Past versions of the learner as opponents."""

    size: Annotated[int, Meta(ge=1, le=1000, description="number of snapshots of the net to keep, the latest ones")] = (
        10
    )
    every: Annotated[int, Meta(ge=1, description="episodes between two snapshots")] = 1000
    epsilon: Annotated[float, Meta(ge=0, le=1, description="probability of a random move of a past version")] = 0.05


class Replay(ConfigPart, frozen=True, kw_only=True):
    """Moves of earlier batches in a fit, with the targets of their own batch."""

    size: Annotated[int, Meta(ge=0, le=10**7, description="number of moves to keep, the latest ones; 0: none")] = 0
    ratio: Annotated[float, Meta(gt=0, le=100, description="kept moves in a fit, for each move of its batch")] = 1.0


class DeepQConfig(ConfigPart, frozen=True, kw_only=True):
    """Deep Q-learning against opponents that do not learn."""

    learner: Annotated[Literal["deep-q"], Meta(description="kind of learner")]
    board: Annotated[str, Meta(description="board string")]
    episodes: Annotated[int, Meta(ge=1, le=10**7, description="games to learn from")]
    side: Annotated[
        Literal["first", "second", "alternating"],
        Meta(description="side of the learner; alternating: each side in half of the games of a batch"),
    ] = "first"
    opponent: Annotated[str, Meta(description="agent string, or past (an earlier version of the learner)")] = "negamax"
    opponents: Annotated[
        tuple[OpponentShare, ...],
        Meta(max_length=100, description="several opponents instead of one; drawn for each game"),
    ] = ()
    pool: Pool = Pool()
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1, description="random seed")] = 0
    policy: Policy = Policy()
    rewards: Rewards = Rewards()
    network: Network = Network()
    alpha: Annotated[float, Meta(gt=0, le=1, description="step from the current value towards the target")] = 0.8
    gamma: Annotated[float, Meta(gt=0, le=1, description="discount factor")] = 1.0
    trace: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="weight of the continuation of the game, instead of the net's best value, in targets: lambda "
            "in Peng's Q(lambda). 0: one step ahead (santos-2025), 1: the outcome of the game",
        ),
    ] = 0.0
    terminal: Annotated[
        Literal["blend", "reward"],
        Meta(
            description="target of a last move: blended by alpha like other moves (santos-2025), or the reward itself"
        ),
    ] = "blend"
    batch: Annotated[
        int, Meta(ge=1, le=100_000, description="games between two fits; the net does not change in between")
    ] = 300
    lockstep: Annotated[
        int, Meta(ge=1, le=100_000, description="games of a batch played in lockstep; 1: one game after the other")
    ] = 300
    epochs: Annotated[int, Meta(ge=1, le=1000, description="passes over the moves of a batch in a fit")] = 5
    minibatch: Annotated[int, Meta(ge=1, le=100_000, description="moves in an optimizer step")] = 32
    learning_rate: Annotated[float, Meta(gt=0, le=1, description="learning rate of Adam")] = 1e-3
    replay: Replay = Replay()
    mirror: Annotated[
        bool, Meta(description="fit each board as it is or reflected left to right, drawn for each fit")
    ] = False
    arithmetic: Annotated[
        Literal["fast", "portable"],
        Meta(
            description="fast: torch and ONNX Runtime, whose rounding depends on the processor; portable: own kernels "
            "on the CPU, the same results on every processor"
        ),
    ] = "fast"

    def __post_init__(self) -> None:
        GameSpec.parse(self.board)

    @property
    def spec(self) -> GameSpec:
        return GameSpec.parse(self.board)

    @property
    def mix(self) -> tuple[OpponentShare, ...]:
        """All opponents."""
        return self.opponents or (OpponentShare(agent=self.opponent),)
