"""What goes into a tree search and what comes out: config, selection rules as NamedTuples for kernels, result."""

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
USUAL_EXPLORATION = 1 / math.sqrt(2)  # of UCT, for results between 0 and 1; the same as sqrt 2 where losses count -1


class SearchConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a tree is searched; see `selection.py`."""

    root: Annotated[
        Literal["gumbel", "puct"], Meta(description="how the root chooses: sequential halving, or as below it")
    ] = "gumbel"
    exploration: Annotated[float, Meta(gt=0, le=100, description="c of PUCT")] = 1.5
    first_play: Annotated[
        float, Meta(ge=0, le=2, description="how much less than its parent a move without a visit is worth")
    ] = 0.2
    softness: Annotated[float, Meta(gt=0, le=100, description="priors are softmax(logits / softness)")] = 1.8
    considered: Annotated[int, Meta(ge=1, le=256, description="moves that sequential halving looks at")] = 16
    value_weight: Annotated[float, Meta(gt=0, le=100, description="w of sigma(q) = w (b + most visits) q")] = 0.15
    value_visits: Annotated[float, Meta(ge=0, le=10_000, description="b of it")] = 50.0


class Uct(NamedTuple):
    """Upper confidence bounds applied to trees: mean + c sqrt(ln N / n). For rollout trees."""

    exploration: float = USUAL_EXPLORATION


class Puct(NamedTuple):
    """Predictor UCT: Q + c P sqrt(N) / (1 + n). For network trees."""

    exploration: float
    first_play: float  # how much less than its parent an unvisited child is worth


class SearchRules(NamedTuple):
    """`SearchConfig` for kernels."""

    rule: tuple[float, ...]  # the selection rule below the root: a `Puct`, or another one that is registered
    is_gumbel: bool  # whether the root uses sequential halving instead of `rule`
    value_weight: float
    value_visits: float
    softness: float
    noise: float  # weight of Dirichlet noise in the root's priors under PUCT


def search_rules(config: SearchConfig, *, noise: float = 0.0, rule: tuple[float, ...] | None = None) -> SearchRules:
    """The rules that a config describes; `rule` replaces PUCT."""
    rule = Puct(np.float64(config.exploration), np.float64(config.first_play)) if rule is None else rule
    numbers = config.value_weight, config.value_visits, config.softness, noise
    return SearchRules(rule, config.root == "gumbel", *map(np.float64, numbers))


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeResult:
    """What a search found, for the side to move. Tuples have an entry per action."""

    action: int
    value: float  # in [-1, 1]: the mean result, or the proven one
    policy: tuple[float, ...]  # what the search prefers; sums to 1
    priors: tuple[float, ...] | None
    """What the network prefers among the moves searched, zeros if none had to be; None without a network."""
    visits: tuple[int, ...]
    values: tuple[float | None, ...]
    """Mean results in [-1, 1], 1, 0 or -1 where proven; None for actions without a visit."""
    proven: int | None  # 1, 0 or -1 if the result of the position is proven
    simulations: int  # run for this decision, by all threads
    nodes: int  # positions in the trees
    bytes: int  # of the trees in use
    is_full: bool  # whether a tree has no room for more nodes


class Progress:
    """Polls the limits of one search, all but nodes and simulations, and reports to its watch."""

    def __init__(self, limits: Limits, watch: Watch[TreeResult] | None) -> None:
        self._limits, self._watch = Limits(seconds=limits.seconds, cancelled=limits.cancelled), watch
        self._start = time.perf_counter()
        self._reported = -math.inf
        self.is_stopped = False

    def must_stop(self) -> bool:
        return self.is_stopped or self._limits.is_reached(0, time.perf_counter() - self._start)

    @staticmethod
    def next_batch(batch: int, seconds: float) -> int:
        """Simulations until the next check of the clock, after a batch that took so long: at most twice as many."""
        return max(1, min(2 * batch, int(batch * REPORT_SECONDS / max(seconds, 1e-6))))

    def report(self, result: Callable[[], TreeResult]) -> None:
        if self._watch is not None and time.perf_counter() - self._reported >= REPORT_SECONDS:
            self._reported = time.perf_counter()
            self._watch(result())
