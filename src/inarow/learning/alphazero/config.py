"""The config of AlphaZero, read from TOML; unknown keys are errors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from inarow.errors import ConfigError, shown
from inarow.games import GameSpec
from inarow.learning.config import ConfigPart, Module, to_config, with_settings
from inarow.search.tree.config import SearchConfig
from inarow.workers import MAX_CLUSTER_WORKERS

Share = Annotated[float, Meta(ge=0, le=1)]
Side = Annotated[int, Meta(ge=1, le=16)]
Simulations = Annotated[int, Meta(ge=2, le=100_000)]
Games = Annotated[int, Meta(ge=1, le=10**7)]
Minutes = Annotated[float, Meta(gt=0, le=10**6)]
Workers = Annotated[int, Meta(ge=1, le=MAX_CLUSTER_WORKERS)]


class BoardRange(ConfigPart, frozen=True, kw_only=True):
    """Boards with gravity, of all sizes from the first to the second number, on which a line fits, and further ones."""

    rows: Annotated[tuple[Side, Side], Meta(description="smallest and largest number of rows, from 1 to 16")]
    columns: Annotated[tuple[Side, Side], Meta(description="the same for columns")]
    inarow: Annotated[tuple[Side, Side], Meta(description="the same for the length of a line")]
    more: Annotated[
        tuple[str, ...], Meta(description="further boards, for example larger ones or boards without gravity")
    ] = ()
    unseen: Annotated[tuple[str, ...], Meta(description="boards excluded from training, for tests afterwards")] = ()

    def specs(self) -> tuple[GameSpec, ...]:
        """All boards of the range except the unseen ones."""
        unseen = {GameSpec.parse(board) for board in self.unseen}
        sizes = [range(low, high + 1) for low, high in (self.rows, self.columns, self.inarow)]
        found = (GameSpec(rows, columns, line) for rows, columns, line in product(*sizes) if line <= max(rows, columns))
        more = map(GameSpec.parse, self.more)
        return tuple(spec for spec in dict.fromkeys((*found, *more)) if spec not in unseen)


class NetworkConfig(ConfigPart, frozen=True, kw_only=True):
    """The network."""

    kind: Annotated[
        Literal["residual", "dense"],
        Meta(description="residual (for any board), or the published one of gupta-shah-2022: dense layers, one board"),
    ] = "residual"
    channels: Annotated[int, Meta(ge=1, le=512, description="channels of each convolution")] = 32
    blocks: Annotated[int, Meta(ge=0, le=64, description="residual blocks; unused by a dense network")] = 2
    padding: Annotated[
        int, Meta(ge=0, le=16, description="dense network: side of the square of zeros that holds the board; 0: none")
    ] = 0
    module: Module = None


class SelfPlayConfig(ConfigPart, frozen=True, kw_only=True):
    """Settings of self-play; see `selfplay_kernel.py`."""

    games: Annotated[int, Meta(ge=1, le=4096, description="games played in lockstep in each process")] = 128
    simulations: Annotated[Simulations, Meta(description="simulations of a move at the end of the run")] = 32
    first_simulations: Annotated[
        Simulations, Meta(description="simulations of a move at the beginning; they grow linearly")
    ] = 16
    quick_share: Annotated[
        Share,
        Meta(
            description="share of moves with a short search and no example (playout cap randomisation); root puct only"
        ),
    ] = 0.0
    quick_simulations: Annotated[Simulations, Meta(description="simulations of a short search")] = 8
    random_starts: Annotated[Share, Meta(description="share of games that begin with random safe moves")] = 0.8
    random_plies: Annotated[
        int, Meta(ge=0, le=256, description="maximum number of these moves; never more than half the cells")
    ] = 14
    early_stop: Annotated[Share, Meta(description="share of games that end when the result is proven")] = 0.9
    drawn_plies: Annotated[int, Meta(ge=0, le=256, description="first plies sampled by visits; root puct only")] = 0
    noise: Annotated[Share, Meta(description="weight of Dirichlet noise at the root; root puct only")] = 0.0
    dirichlet: Annotated[float, Meta(gt=0, le=100, description="parameter of the noise")] = 1.0
    search_weight: Annotated[
        Share,
        Meta(
            description="weight of the search's value in the target value; the rest is the weight of the game's result"
        ),
    ] = 0.1
    cache: Annotated[
        int, Meta(ge=1, le=1 << 16, description="megabytes for the network's answers, in each process")
    ] = 64


class LearningConfig(ConfigPart, frozen=True, kw_only=True):
    """Settings of learning from examples (AdamW)."""

    batch: Annotated[int, Meta(ge=1, le=65536, description="examples in an optimizer step")] = 256
    rate: Annotated[float, Meta(gt=0, le=1, description="learning rate after the warm-up")] = 3e-3
    last_rate: Annotated[Share, Meta(description="final learning rate as a share of `rate`; cosine decay")] = 0.03
    warm_up: Annotated[int, Meta(ge=0, le=10**6, description="steps of linear warm-up")] = 100
    weight_decay: Annotated[float, Meta(ge=0, le=1, description="weight decay of AdamW")] = 1e-3
    reuse: Annotated[float, Meta(gt=0, le=1000, description="average number of times that an example is used")] = 3.0
    mirror: Annotated[bool, Meta(description="whether to learn from mirror images, too")] = True
    averaging: Annotated[
        float,
        Meta(ge=0, lt=1, description="decay of the moving average of weights used for play; 0: the latest weights"),
    ] = 0.99
    window: Annotated[Share, Meta(description="share of all examples so far, newest first, to learn from")] = 0.5
    smallest_window: Annotated[int, Meta(ge=1, le=10**8, description="lower bound of this window, in examples")] = (
        15_000
    )
    largest_window: Annotated[int, Meta(ge=1, le=10**8, description="upper bound of this window, in examples")] = (
        400_000
    )


class GateConfig(ConfigPart, frozen=True, kw_only=True):
    """A match that a new net must win before it replaces the current one."""

    games: Annotated[int, Meta(ge=2, le=10_000, description="games between the two nets")] = 50
    threshold: Annotated[Share, Meta(description="wins as a share of wins and losses")] = 0.6
    simulations: Annotated[int, Meta(ge=1, le=100_000, description="simulations of a move in these games")] = 32
    restore: Annotated[
        bool, Meta(description="whether learning returns to the current net when a new one is rejected")
    ] = False

    def accepts(self, wins: int, losses: int) -> bool:
        """Whether the new net won often enough; False if all games are drawn."""
        return wins + losses > 0 and wins >= self.threshold * (wins + losses)


class AlphaZeroConfig(ConfigPart, frozen=True, kw_only=True):
    """AlphaZero: search with a network, and a network that learns from search."""

    learner: Annotated[Literal["alphazero"], Meta(description="kind of learner")]
    board: Annotated[str | None, Meta(description="board string; give this or boards")] = None
    boards: BoardRange | None = None
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1, description="random seed")] = 0
    minutes: Annotated[Minutes | None, Meta(description="budget of training time, without compilation")] = None
    iterations: Annotated[
        Games | None,
        Meta(description="budget of published nets, instead of minutes; reproducible with one worker or with --ray"),
    ] = None
    iteration_games: Annotated[Games, Meta(description="games between two published nets")] = 300
    workers: Annotated[
        Workers,
        Meta(description="worker processes, of which the first also learns; with --ray, CPUs of the cluster for play"),
    ] = 2
    start: Annotated[
        str | None,
        Meta(description="initial net: a file, or the name of a net that ships with inarow; default: random weights"),
    ] = None
    network: NetworkConfig = NetworkConfig()
    search: SearchConfig = SearchConfig()
    selfplay: SelfPlayConfig = SelfPlayConfig()
    learning: LearningConfig = LearningConfig()
    gate: GateConfig | None = None
    graded_simulations: Annotated[
        int, Meta(ge=1, le=100_000, description="simulations for the accuracy against perfect play in the curve")
    ] = 64

    def __post_init__(self) -> None:
        if (self.board is None) == (self.boards is None):
            raise ValueError("give either board or boards")
        if (self.minutes is None) == (self.iterations is None):
            raise ValueError("give either minutes or iterations")
        if self.selfplay.first_simulations > self.selfplay.simulations:
            raise ValueError("selfplay.first_simulations must not be more than selfplay.simulations")
        is_puct = self.search.root == "puct"
        if not is_puct and (self.selfplay.quick_share or self.selfplay.drawn_plies or self.selfplay.noise):
            raise ValueError("selfplay.quick_share, drawn_plies and noise need search.root = 'puct'")
        if not self.specs:
            raise ValueError("boards leaves no board to play on")
        self._check_network()

    def _check_network(self) -> None:
        network = self.network
        if network.kind != "dense":
            if network.padding:
                raise ValueError("network.padding needs network.kind = 'dense'")
            return
        (spec, *others) = self.specs
        if others or not spec.gravity or self.start is not None:
            raise ValueError("network.kind = 'dense' learns one board with gravity, and takes no start")
        if (network.padding or min(spec.rows, spec.columns)) < (max(spec.rows, spec.columns) if network.padding else 5):
            raise ValueError("network.kind = 'dense' needs at least five rows and columns, and padding for all of them")

    @property
    def specs(self) -> tuple[GameSpec, ...]:
        """The boards to play on."""
        if self.board is not None:
            return (GameSpec.parse(self.board),)
        assert self.boards is not None
        return self.boards.specs()

    def changed(self, settings: Sequence[str], source: str) -> AlphaZeroConfig:
        """The config with settings `key=value` that may change when a run resumes; raises ConfigError naming
        `source`.
        """
        if other := [each for each in settings if not each.startswith(("search.", "selfplay.", "learning."))]:
            raise ConfigError(f"{source}: {shown(other[0])} cannot be changed after the start of a run")
        config = to_config(with_settings(msgspec.to_builtins(self), settings), type(self), source)
        if config.learning.largest_window != self.learning.largest_window:
            raise ConfigError(f"{source}: learning.largest_window cannot be changed after the start of a run")
        return config

    def extended(
        self, *, minutes: float = 0.0, iterations: int = 0, done: int = 0, source: str = "config"
    ) -> AlphaZeroConfig:
        """The same with a budget larger by these minutes or iterations. If a run with a budget of minutes gets
        iterations, they are added to the `done` ones. Raises ConfigError naming `source`.
        """
        if iterations and minutes:
            raise ConfigError(f"{source}: extend a run by minutes or iterations, not both")
        if minutes and self.minutes is None:
            raise ConfigError(f"{source}: the run has a budget of iterations; extend it by iterations=+N")
        longer = {"minutes": (self.minutes or 0.0) + minutes}
        more = {"minutes": None, "iterations": (self.iterations or done) + iterations}
        return to_config({**msgspec.to_builtins(self), **(more if iterations else longer)}, type(self), source)
