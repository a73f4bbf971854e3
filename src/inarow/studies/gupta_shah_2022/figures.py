"""Matches as figures of a trial, and back."""

import dataclasses
from collections.abc import Iterable

from inarow.arena.match import MatchSummary
from inarow.arena.statistics import pair_score
from inarow.arena.tally import SideTally, Tally
from inarow.studies.comparison import PERCENT, Estimate
from inarow.studies.experiment import Experiment, Variant
from inarow.studies.results import Results


def match_figures(summary: MatchSummary) -> dict[str, float]:
    """The figures of a part of a match; see `runs.py`."""
    figures = {f"pairs.{points}": float(count) for points, count in enumerate(summary.pairs)}
    for side, result in (("first", summary.as_first), ("second", summary.as_second)):
        figures |= {f"{side}.{kind}": float(getattr(result, kind)) for kind in ("wins", "draws", "losses")}
    return {**figures, "distinct": float(summary.distinct_games)}


def total_of(results: Results, parts: Iterable[Experiment], variant: Variant) -> Tally | None:
    """The sum of the finished parts of a match, for its first agent; None if there are none."""
    parts = list(parts)

    def added(figure: str) -> int:
        return int(sum(value for part in parts for value in results.values(part, variant, figure)))

    lost, half, even, ahead, won = (added(f"pairs.{points}") for points in range(5))
    if not any((lost, half, even, ahead, won)):
        return None
    first, second = (
        SideTally(*(added(f"{side}.{kind}") for kind in ("wins", "draws", "losses"))) for side in ("first", "second")
    )
    first = dataclasses.replace(first, distinct=added("distinct"))
    return Tally(as_first=first, as_second=second, pairs=(lost, half, even, ahead, won))


def points_of(total: Tally) -> Estimate:
    """The points of the first agent in percent, with the interval of its pairs of games."""
    low, high = (PERCENT * end for end in total.score_interval)
    return Estimate(PERCENT * pair_score(total.pairs), (low, high), 0.0, total.games)
