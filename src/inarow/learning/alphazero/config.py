"""What an AlphaZero training run is told: frozen, read from TOML, unknown keys refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, structs

from inarow.errors import ConfigError, shown
from inarow.games.spec import GameSpec
from inarow.learning.alphazero.search_config import SearchConfig
from inarow.learning.config import ConfigPart, checked, to_config, with_settings
from inarow.workers import MAX_CLUSTER_WORKERS

Share = Annotated[float, Meta(ge=0, le=1)]
Side = Annotated[int, Meta(ge=1, le=16)]


class BoardRange(ConfigPart, frozen=True, kw_only=True):
    """Boards with gravity of all sizes from the first to the second number, on which a line fits."""

    rows: tuple[Side, Side]
    columns: tuple[Side, Side]
    inarow: tuple[Side, Side]
    unseen: Annotated[tuple[str, ...], Meta(description="boards that are left out, to be tried afterwards")] = ()

    def specs(self) -> tuple[GameSpec, ...]:
        """All of them, without the unseen ones."""
        unseen = {GameSpec.parse(board) for board in self.unseen}
        sizes = [range(low, high + 1) for low, high in (self.rows, self.columns, self.inarow)]
        found = [
            GameSpec(rows, columns, inarow)
            for rows in sizes[0]
            for columns in sizes[1]
            for inarow in sizes[2]
            if inarow <= max(rows, columns)
        ]
        return tuple(spec for spec in found if spec not in unseen)


class NetworkConfig(ConfigPart, frozen=True, kw_only=True):
    """The size of the network."""

    channels: Annotated[int, Meta(ge=1, le=512)] = 32
    blocks: Annotated[int, Meta(ge=0, le=64, description="residual blocks")] = 2


class SelfPlayConfig(ConfigPart, frozen=True, kw_only=True):
    """How the network plays against itself; see `selfplay_memory.py`."""

    games: Annotated[int, Meta(ge=1, le=4096, description="in step, in each process")] = 128
    simulations: Annotated[int, Meta(ge=2, le=100_000, description="for a move, at the end of the run")] = 32
    first_simulations: Annotated[
        int, Meta(ge=2, le=100_000, description="at its beginning; in between they grow evenly")
    ] = 16
    quick_share: Annotated[
        Share, Meta(description="share of moves with a quick search and no example (playout cap); root puct only")
    ] = 0.0
    quick_simulations: Annotated[int, Meta(ge=2, le=100_000)] = 8
    random_starts: Annotated[Share, Meta(description="share of games that begin with random safe moves")] = 0.8
    random_plies: Annotated[int, Meta(ge=0, le=256, description="at most so many; never more than half the cells")] = 14
    early_stop: Annotated[Share, Meta(description="share of games that end when the result is proven")] = 0.9
    drawn_plies: Annotated[int, Meta(ge=0, le=256, description="first plies drawn by visits; root puct only")] = 0
    noise: Annotated[Share, Meta(description="weight of Dirichlet noise at the root; root puct only")] = 0.0
    dirichlet: Annotated[float, Meta(gt=0, le=100, description="its parameter")] = 1.0
    search_weight: Annotated[
        Share, Meta(description="of what the search thought, against what came after, in an example's value")
    ] = 0.1
    cache: Annotated[
        int, Meta(ge=1, le=1 << 16, description="megabytes for the network's answers, in each process")
    ] = 64


class LearningConfig(ConfigPart, frozen=True, kw_only=True):
    """How the network learns from examples (AdamW)."""

    batch: Annotated[int, Meta(ge=1, le=65536)] = 256
    rate: Annotated[float, Meta(gt=0, le=1, description="learning rate after the warm-up")] = 3e-3
    last_rate: Annotated[Share, Meta(description="share of it that is left at the end; it falls as a cosine")] = 0.03
    warm_up: Annotated[int, Meta(ge=0, le=10**6, description="steps in which it rises")] = 100
    weight_decay: Annotated[float, Meta(ge=0, le=1)] = 1e-3
    reuse: Annotated[float, Meta(gt=0, le=1000, description="how often an example is learnt from, on average")] = 3.0
    mirror: Annotated[bool, Meta(description="learn from mirror images, too")] = True
    averaging: Annotated[
        float, Meta(ge=0, lt=1, description="what plays is an average over steps with this memory; 0: the last step")
    ] = 0.99
    window: Annotated[Share, Meta(description="share of all examples so far, the newest, to learn from")] = 0.5
    smallest_window: Annotated[int, Meta(ge=1, le=10**8)] = 15_000
    largest_window: Annotated[int, Meta(ge=1, le=10**8)] = 400_000


class GateConfig(ConfigPart, frozen=True, kw_only=True):
    """A new net plays only after it has beaten the one that plays."""

    games: Annotated[int, Meta(ge=2, le=10_000)] = 50
    threshold: Annotated[Share, Meta(description="wins as a share of wins and losses")] = 0.6
    simulations: Annotated[int, Meta(ge=1, le=100_000)] = 32


class AlphaZeroConfig(ConfigPart, frozen=True, kw_only=True):
    """AlphaZero: search with a network, and a network that learns from search."""

    learner: Annotated[Literal["alphazero"], Meta(description="which kind of learner this configures")]
    board: Annotated[str | None, Meta(description="board string; or else boards")] = None
    boards: BoardRange | None = None
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1, description="root of all chance")] = 0
    minutes: Annotated[
        Annotated[float, Meta(gt=0, le=10**6)] | None,
        Meta(description="how long it trains, without waiting for compilers"),
    ] = None
    iterations: Annotated[
        Annotated[int, Meta(ge=1, le=10**7)] | None,
        Meta(description="or how often a net is published; reproducible with one worker, or with --ray"),
    ] = None
    iteration_games: Annotated[int, Meta(ge=1, le=10**7, description="games between two published nets")] = 300
    workers: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_CLUSTER_WORKERS,
            description="processes: all play, the first learns and plays when it has learnt enough; with --ray CPUs "
            "of the cluster that play",
        ),
    ] = 2
    start: Annotated[
        str | None, Meta(description="net to begin with, a file or one that comes with inarow; else weights by chance")
    ] = None
    network: NetworkConfig = NetworkConfig()
    search: SearchConfig = SearchConfig()
    selfplay: SelfPlayConfig = SelfPlayConfig()
    learning: LearningConfig = LearningConfig()
    gate: GateConfig | None = None
    graded_simulations: Annotated[
        int, Meta(ge=1, le=100_000, description="with which the curve is graded against perfect play")
    ] = 64

    def __post_init__(self) -> None:
        if (self.board is None) == (self.boards is None):
            raise ValueError("give board or boards, and not both")
        if (self.minutes is None) == (self.iterations is None):
            raise ValueError("give minutes or iterations, and not both")
        if self.selfplay.first_simulations > self.selfplay.simulations:
            raise ValueError("selfplay.first_simulations must not be more than selfplay.simulations")
        is_puct = self.search.root == "puct"
        if not is_puct and (self.selfplay.quick_share or self.selfplay.drawn_plies or self.selfplay.noise):
            raise ValueError("selfplay.quick_share, drawn_plies and noise need search.root = 'puct'")
        if not self.specs:
            raise ValueError("boards leaves no board to play on")

    @property
    def specs(self) -> tuple[GameSpec, ...]:
        """The boards to play on."""
        if self.board is not None:
            return (GameSpec.parse(self.board),)
        assert self.boards is not None
        return self.boards.specs()

    def changed(self, settings: Sequence[str], source: str) -> AlphaZeroConfig:
        """The same with settings `key=value` of how it plays and learns, for a run that has begun; raises ConfigError,
        which names `source`.
        """
        if other := [each for each in settings if not each.startswith(("search.", "selfplay.", "learning."))]:
            raise ConfigError(f"{source}: {shown(other[0])} cannot be set in a run that has begun")
        config = to_config(with_settings(msgspec.to_builtins(self), settings), type(self), source)
        if config.learning.largest_window != self.learning.largest_window:
            raise ConfigError(f"{source}: learning.largest_window cannot be set in a run that has begun")
        return config

    def extended(self, *, minutes: float = 0.0, iterations: int = 0, done: int = 0) -> AlphaZeroConfig:
        """The same with a larger budget: so many minutes more, or iterations more; a run that counted
        the other goes on from the `done` iterations. Raises ValueError.
        """
        if iterations and minutes:
            raise ValueError("extend a run by minutes or iterations, not both")
        if minutes and self.minutes is None:
            raise ValueError("the run counts iterations: extend it by iterations=+N")
        longer = structs.replace(
            self,
            minutes=None if self.minutes is None or iterations else self.minutes + minutes,
            iterations=(self.iterations or done) + iterations if iterations else self.iterations,
        )
        return checked(longer)
