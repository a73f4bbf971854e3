"""An agent file of an assignment with everything that was measured of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from inarow.arena.file_result import FILE, FileResult
from inarow.arena.grading import ACCURACIES
from inarow.arena.ratings import Rating
from inarow.arena.rubric import AGAINST, Earned, Rubric
from inarow.arena.tally import Tally

_INTERVALS = (*ACCURACIES, "mean_regret")
MEASURES = (
    *("loads", "faults", "time_outs", *AGAINST, "elo", "elo_low", "elo_high", "positions"),
    *(f"{name}{end}" for name in _INTERVALS for end in ("", "_low", "_high")),
    *("seconds_per_move", "slowest_move"),
)
"""What a rubric can give points for."""
_COUNTS = ("loads", "faults", "time_outs", *AGAINST[:4], "positions")


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedFile:
    """A file with its results."""

    name: str
    """The name of the file without its ending."""
    file: str
    digest: str
    result: FileResult
    rating: Rating | None
    """On the scale of the opponents; None if it played no games."""
    rank: int
    """By rating; files of equal rating share it."""
    copies: tuple[str, ...] = ()
    """Names of files with the same content."""
    alike: tuple[str, ...] = ()
    """Names of others with the same code but for comments and layout."""
    earned: tuple[Earned, ...] = ()
    """By the criteria of the rubric."""
    grade: str | None = None

    def __repr__(self) -> str:
        elo = "unrated" if self.rating is None else f"Elo {self.rating.elo:.0f}"
        return f"<GradedFile {self.name}: {elo}, {self.faults} faults>"

    @property
    def is_loaded(self) -> bool:
        return self.result.loaded is not None

    @property
    def faults(self) -> int:
        """How often the file failed."""
        return sum(each.count for each in self.result.faults)

    @property
    def time_outs(self) -> int:
        return sum(each.count for each in self.result.faults if each.fault.kind == "time-out")

    @property
    def total(self) -> Tally:
        """All games together."""
        return sum((match.tally for match in self.result.matches), Tally())

    @property
    def points(self) -> float | None:
        """Of the rubric; None without one."""
        return round(sum(each.points for each in self.earned), 2) if self.earned else None

    def against(self, opponent: str) -> Tally:
        """The games against an opponent."""
        return next((each.tally for each in self.result.matches if each.opponent == opponent), Tally())

    def measures(self, opponent: str | None = None) -> dict[str, float | None]:
        """What was measured, by the names of `MEASURES`; those of the games against one opponent, if given."""
        games = _game_measures(self.total if opponent is None else self.against(opponent))
        if opponent is not None:
            return games
        low, high = self.rating.interval if self.rating else (None, None)
        accuracy = self.result.accuracy
        figures: dict[str, float | None] = {}
        for name in _INTERVALS:
            ends = accuracy.intervals.get(name) or (None, None)
            figures |= {name: getattr(accuracy, name), f"{name}_low": ends[0], f"{name}_high": ends[1]}
        return {
            **{"loads": float(self.is_loaded), "faults": float(self.faults), "time_outs": float(self.time_outs)},
            **games,
            **{"elo": self.rating.elo if self.rating else None, "elo_low": low, "elo_high": high},
            **{"positions": float(accuracy.positions), **figures},
            **{name: getattr(self.result, name) for name in ("seconds_per_move", "slowest_move")},
        }

    def row(self, opponents: Sequence[str]) -> dict[str, object]:
        """The file as a row of a table."""
        first = self.result.faults[0] if self.result.faults else None
        measured = {
            name: int(value) if name in _COUNTS and value is not None else value
            for name, value in self.measures().items()
        }
        return {
            **{"rank": self.rank, "name": self.name, "file": self.file, "grade": self.grade, "points": self.points},
            **measured,
            **{f"score against {each}": self.measures(each)["score"] for each in opponents},
            **{"first fault": None if first is None else str(first.fault), "notes": "; ".join(self.result.notes)},
            **{"copies": ", ".join(self.copies), "alike": ", ".join(self.alike)},
        }

    def to_dict(self) -> dict[str, Any]:
        """The file as JSON."""
        result = self.result
        return {
            **{"rank": self.rank, "name": self.name, "file": self.file, "digest": self.digest},
            **{"grade": self.grade, "points": self.points, "criteria": list(self.earned)},
            "measures": self.measures(),
            "against": {match.opponent: _match_document(match.tally, match.forfeited) for match in result.matches},
            "loaded": result.loaded,
            "faults": [
                {
                    **{name: getattr(each.fault, name) for name in ("kind", "message", "line", "moves")},
                    **{"text": str(each.fault), "count": each.count, "stage": each.stage},
                }
                for each in result.faults
            ],
            **{"warnings": result.warnings, "notes": result.notes, "copies": self.copies, "alike": self.alike},
            "games": [
                {
                    **{"opponent": match.opponent, "first": record.first == FILE, "moves": record.moves},
                    **{"winner": record.winner, "termination": record.termination, "opening": record.opening},
                }
                for match in result.matches
                for record in match.records
            ],
        }


def _game_measures(tally: Tally) -> dict[str, float | None]:
    low, high = tally.score_interval if tally.games else (None, None)
    return {
        **{name: float(getattr(tally, name)) for name in AGAINST[:4]},
        **{"score": tally.score if tally.games else None, "score_low": low, "score_high": high},
    }


def _match_document(tally: Tally, forfeited: int) -> dict[str, Any]:
    score = tally.score if tally.games else None
    interval = tally.score_interval if tally.games else None
    return {**tally.to_dict(), "forfeited": forfeited, "score": score, "score_interval": interval}


def with_points(file: GradedFile, rubric: Rubric) -> GradedFile:
    """The file with its points and its grade."""
    earned = []
    for criterion in rubric.criteria:
        value = file.measures(criterion.against)[criterion.measure]
        points = round(criterion.earned(value), 2)
        earned.append(
            Earned(
                name=criterion.name,
                requirement=criterion.requirement,
                value=value,
                points=points,
                most=criterion.points,
            )
        )
    marked = replace(file, earned=tuple(earned))
    return replace(marked, grade=rubric.grade(marked.points or 0.0))
