"""The parts of matches added up, and the ratings that follow from all matches."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from inarow.arena import ratings
from inarow.arena.statistics import Interval, pair_score, score_interval
from inarow.studies.experiment import Variant
from inarow.studies.gupta_shah_2022 import names
from inarow.studies.gupta_shah_2022.published import PAIRS, published
from inarow.studies.results import Results

_SIDES = ("first", "second")
_KINDS = ("wins", "draws", "losses")


@dataclass(frozen=True, slots=True)
class MatchTotal:
    """All games of a match, counted for its first agent. Points are shares of all that can be made."""

    pairs: tuple[int, ...]
    sides: dict[str, dict[str, int]]
    """By side and kind of result."""
    distinct: int

    @property
    def games(self) -> int:
        return 2 * sum(self.pairs)

    @property
    def points(self) -> float:
        return pair_score(self.pairs)

    @property
    def interval(self) -> Interval:
        """Of 95 %."""
        return score_interval(self.pairs)

    def points_as(self, side: str) -> float:
        """Of the games on one side."""
        found = self.sides[side]
        return (found["wins"] + found["draws"] / 2) / sum(found.values())


def match_total(results: Results, a: str, b: str, variant: Variant) -> MatchTotal | None:
    """What there is of a match; None if there is nothing."""

    def added(figure: str) -> int:
        parts = [names.part(a, b, number) for number in range(names.PARTS)]
        return int(sum(value for part in parts for value in results.values(part, variant, figure)))

    pairs = tuple(added(f"pairs.{points}") for points in range(5))
    if not any(pairs):
        return None
    sides = {side: {kind: added(f"{side}.{kind}") for kind in _KINDS} for side in _SIDES}
    return MatchTotal(pairs, sides, added("distinct"))


def seconds_a_move(results: Results, player: str, variant: Variant) -> float | None:
    """The mean over all that there is of a player's matches."""
    found = []
    for pair in PAIRS:
        if player in pair:
            side = "ab"[pair.index(player)]
            timings = [results.timing(names.part(*pair, number), variant, side) for number in range(names.PARTS)]
            found += [seconds for seconds in timings if seconds is not None]
    return fmean(found) if found else None


def rate_players(results: Results, variant: Variant) -> ratings.Ratings | None:
    """Ratings around 0 from all matches; None unless every two players have met."""
    counted = []
    for a, b in PAIRS:
        total = match_total(results, a, b, variant)
        if total is None:
            return None
        first, second = total.sides["first"], total.sides["second"]
        counted.append(ratings.Results(a, b, first["wins"], first["draws"], first["losses"]))
        counted.append(ratings.Results(b, a, second["losses"], second["draws"], second["wins"]))
    return ratings.fit_ratings(counted)


def rate_published() -> ratings.Ratings:
    """What the published Table 1 says by itself, if the column moved first in every cell."""
    table = published().table_1
    counted = []
    for row, column in PAIRS:
        column_wins, row_wins, draws = table.of(row, column)
        counted.append(ratings.Results(column, row, column_wins, draws, row_wins))
    return ratings.fit_ratings(counted)
