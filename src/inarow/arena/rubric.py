"""Rubrics: points and grades for what was measured of a file of an assignment, from a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from inarow.errors import ConfigError, raised_as, shown
from inarow.learning.config import MAX_BYTES, ConfigPart
from inarow.storage.inputs import read_input

Measures = Mapping[str, float | None]
"""What was measured by name; None where nothing was."""


class Criterion(ConfigPart, frozen=True, kw_only=True, rename={"from_": "from"}):
    """Points for a measure: all or nothing by a limit, or in proportion between `from` and `to`."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    points: Annotated[float, Meta(gt=0, le=10_000)]
    measure: str
    against: str | None = None
    """An opponent, for the score against it alone."""
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None
    from_: float | None = None
    to: float | None = None

    def __post_init__(self) -> None:
        given = [name for name in _LIMITS if getattr(self, name) is not None]
        has_range = self.from_ is not None and self.to is not None
        if (self.from_ is None) != (self.to is None) or len(given) + has_range != 1:
            raise ValueError(f"it needs one of {', '.join(_LIMITS)}, or both from and to")
        if has_range and self.from_ == self.to:
            raise ValueError("from and to must differ")

    def earned(self, value: float | None) -> float:
        """The points for a value; none where nothing was measured."""
        if value is None:
            return 0.0
        if self.from_ is not None and self.to is not None:
            return self.points * min(1.0, max(0.0, (value - self.from_) / (self.to - self.from_)))
        met = (
            (self.at_least is not None and value >= self.at_least)
            or (self.above is not None and value > self.above)
            or (self.at_most is not None and value <= self.at_most)
            or (self.below is not None and value < self.below)
        )
        return self.points if met else 0.0

    @property
    def requirement(self) -> str:
        """What earns the points, in words."""
        what = self.measure + (f" against {self.against}" if self.against else "")
        if self.from_ is not None:
            return f"{what} from {self.from_:g} to {self.to:g}"
        limit = next(name for name in _LIMITS if getattr(self, name) is not None)
        return f"{what} {limit.replace('_', ' ')} {getattr(self, limit):g}"


_LIMITS = ("at_least", "above", "at_most", "below")


class Rubric(ConfigPart, frozen=True, kw_only=True):
    """How points become a grade."""

    criteria: Annotated[tuple[Criterion, ...], Meta(min_length=1, max_length=1000)]
    title: Annotated[str, Meta(max_length=200)] = ""
    grades: dict[str, float] = msgspec.field(default_factory=dict)
    """Grades with the least points of each."""

    @property
    def points(self) -> float:
        """The most points that can be earned."""
        return sum(each.points for each in self.criteria)

    def grade(self, points: float) -> str | None:
        """The best grade for some points; None if there is none."""
        earned = [(least, name) for name, least in self.grades.items() if points >= least]
        return max(earned)[1] if earned else None


class Earned(msgspec.Struct, frozen=True, kw_only=True):
    """What a file earned by one criterion."""

    name: str
    requirement: str
    value: float | None
    points: float
    most: float


def load_rubric(source: str | Path | Mapping[str, Any], measures: Sequence[str], opponents: Sequence[str]) -> Rubric:
    """A rubric from a TOML file or its content; raises ConfigError, also for measures and opponents that are none of
    those given.
    """
    name = "the rubric" if isinstance(source, Mapping) else str(source)
    document = source if isinstance(source, Mapping) else _read(Path(source))
    with raised_as(ConfigError, f"{name} is not a rubric", msgspec.ValidationError, ValueError):
        rubric = msgspec.convert(dict(document), Rubric)
    for each in rubric.criteria:
        known = against_measures(measures) if each.against else measures
        if each.measure not in known:
            raise ConfigError(f"{name}: there is no measure {shown(each.measure)}; measures are {', '.join(known)}")
        if each.against is not None and each.against not in opponents:
            raise ConfigError(
                f"{name}: {shown(each.against)} is no opponent; opponents are {', '.join(opponents) or 'none'}"
            )
    return rubric


def against_measures(measures: Sequence[str]) -> list[str]:
    """Those of one opponent."""
    return [name for name in measures if name in AGAINST]


AGAINST = ("games", "wins", "draws", "losses", "score", "score_low", "score_high")


def _read(path: Path) -> dict[str, Any]:
    content = read_input(path, MAX_BYTES, ConfigError)
    with raised_as(ConfigError, f"{path} is not TOML", ValueError, RecursionError):
        return tomllib.loads(content.decode())
