"""Settings and results of a tree search: config, selection rules as NamedTuples for kernels, result."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from inarow.search.limits import Limits, Watch

REPORT_SECONDS = 0.01  # approximate time between two checks of the clock, and between two reports
USUAL_EXPLORATION = 1 / math.sqrt(2)  # of UCT, for results in [0, 1]; equivalent to sqrt 2 for results in [-1, 1]


class SearchConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of a tree search; see `selection.py`."""

    root: Annotated[
        Literal["gumbel", "puct"],
        Meta(description="selection at the root: sequential halving (gumbel), or the rule used below it (puct)"),
    ] = "gumbel"
    exploration: Annotated[float, Meta(gt=0, le=100, description="c of PUCT")] = 1.5
    first_play: Annotated[
        float, Meta(ge=0, le=2, description="how much the value of an unvisited move is below that of its parent")
    ] = 0.2
    unvisited: Annotated[
        Literal["parent", "zero"],
        Meta(description="value of an unvisited move: parent (first_play below that of its parent) or zero"),
    ] = "parent"
    softness: Annotated[float, Meta(gt=0, le=100, description="priors are softmax(logits / softness)")] = 1.8
    considered: Annotated[int, Meta(ge=1, le=256, description="moves that sequential halving considers")] = 16
    value_weight: Annotated[float, Meta(gt=0, le=100, description="w of sigma(q) = w (b + most visits) q")] = 0.15
    value_visits: Annotated[float, Meta(ge=0, le=10_000, description="b of sigma")] = 50.0
    tactics: Annotated[
        bool,
        Meta(
            description="examine new positions for wins, threats and forced moves, and propagate proofs; "
            "false: only finished games are known, as in the published AlphaZero; needs root=puct"
        ),
    ] = True

    def __post_init__(self) -> None:
        if not self.tactics and self.root == "gumbel":
            raise ValueError("search.tactics=false needs search.root = 'puct'")


class Uct(NamedTuple):
    """Upper confidence bounds applied to trees: mean + c sqrt(ln N / n). For rollout trees."""

    exploration: float = USUAL_EXPLORATION


class Puct(NamedTuple):
    """Predictor UCT: Q + c P sqrt(N) / (1 + n). For network trees."""

    exploration: float
    first_play: float  # how much the value of an unvisited child is below that of its parent
    is_relative: bool = True  # False: the value of an unvisited child is 0


class SearchRules(NamedTuple):
    """`SearchConfig` for kernels."""

    rule: tuple[float, ...]  # the selection rule below the root: a `Puct` or another registered rule
    is_gumbel: bool  # whether the root uses sequential halving instead of `rule`
    value_weight: float
    value_visits: float
    softness: float
    noise: float  # weight of Dirichlet noise in the root's priors under PUCT
    tactics: bool  # whether new positions are examined, and proofs propagated


def search_rules(config: SearchConfig, *, noise: float = 0.0, rule: tuple[float, ...] | None = None) -> SearchRules:
    """The rules of a config; `rule` replaces PUCT."""
    if rule is None:
        is_relative = config.unvisited == "parent"
        rule = Puct(np.float64(config.exploration), np.float64(config.first_play), is_relative)
    numbers = config.value_weight, config.value_visits, config.softness, noise
    value_weight, value_visits, softness, mixed = map(np.float64, numbers)
    return SearchRules(rule, config.root == "gumbel", value_weight, value_visits, softness, mixed, config.tactics)


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeResult:
    """The result of a search, for the side to move. Tuples have an entry per action."""

    action: int
    value: float  # in [-1, 1]: the mean result, or the proven result
    policy: tuple[float, ...]  # the policy after the search; sums to 1
    priors: tuple[float, ...] | None
    """The prior of the network over the searched moves; zeros if none was searched; None without a network."""
    visits: tuple[int, ...]
    values: tuple[float | None, ...]
    """Mean results in [-1, 1], or 1, 0 or -1 if proven; None for unvisited actions."""
    proven: int | None  # 1, 0 or -1 if the result of the position is proven
    simulations: int  # number for this decision, in all threads
    nodes: int  # positions in the trees
    bytes: int  # of the trees in use
    is_full: bool  # whether a tree has no space for more nodes


class Progress:
    """Checks the limits of one search except nodes and simulations, and calls its watcher."""

    def __init__(self, limits: Limits, watch: Watch[TreeResult] | None) -> None:
        self._limits, self._watch = Limits(seconds=limits.seconds, cancelled=limits.cancelled), watch
        self._start = time.perf_counter()
        self._reported = -math.inf
        self.is_stopped = False

    def must_stop(self) -> bool:
        return self.is_stopped or self._limits.is_reached(0, time.perf_counter() - self._start)

    @staticmethod
    def next_batch(batch: int, seconds: float) -> int:
        """Simulations until the next check of the clock, after a batch that took `seconds`: at most twice as many."""
        return max(1, min(2 * batch, int(batch * REPORT_SECONDS / max(seconds, 1e-6))))

    def report(self, result: Callable[[], TreeResult]) -> None:
        if self._watch is not None and time.perf_counter() - self._reported >= REPORT_SECONDS:
            self._reported = time.perf_counter()
            self._watch(result())
