"""The report of a study as data, independent of its presentation."""

from collections.abc import Iterable

import msgspec

from inarow.results import Result
from inarow.studies.comparison import LEAST_RUNS, Agreement, Estimate
from inarow.studies.provenance import Provenance
from inarow.studies.verification import Verification


class Row(msgspec.Struct, frozen=True):
    """One quantity: as published, as reproduced by our runs of the published program, and corrected."""

    label: str
    published: float | None = None
    as_published: Estimate | None = None
    corrected: Estimate | None = None
    digits: int = 2  # after the point, as published
    agreement: Agreement | None = None  # between published and as_published

    @property
    def ours(self) -> tuple[Estimate, ...]:
        """Our estimates for which there are results."""
        return tuple(each for each in (self.as_published, self.corrected) if each is not None)


def measured(rows: Iterable[Row]) -> tuple[Row, ...]:
    """The rows that have results."""
    return tuple(row for row in rows if row.ours)


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    rows: tuple[Row, ...] = ()
    note: str = ""
    is_repeated: bool = False  # its published numbers are those of other tables, or follow from them


class CurvePoint(msgspec.Struct, frozen=True):
    x: float
    y: float
    low: float
    high: float


class Curve(msgspec.Struct, frozen=True):
    label: str
    points: tuple[CurvePoint, ...]


def line(label: str, points: Iterable[tuple[float, float]]) -> Curve:
    """A curve without intervals."""
    return Curve(label, tuple(CurvePoint(x, y, y, y) for x, y in points))


class CurvePlot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    x: str
    y: str
    curves: tuple[Curve, ...] = ()


class Bar(msgspec.Struct, frozen=True):
    label: str
    value: float
    interval: tuple[float, float] | None
    series: str  # bars of a series have the same colour


def variant_bars(row: Row) -> tuple[Bar, ...]:
    """A bar for each of our estimates in a row."""
    pairs = (("as-published", row.as_published), ("corrected", row.corrected))
    return tuple(Bar(row.label, each.mean, each.interval, variant) for variant, each in pairs if each is not None)


class BarPlot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    unit: str
    bars: tuple[Bar, ...] = ()
    is_log: bool = False


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: str
    text: tuple[str, ...] = ()  # paragraphs
    tables: tuple[Table, ...] = ()
    curves: tuple[CurvePlot, ...] = ()
    bars: tuple[BarPlot, ...] = ()


class Origin(msgspec.Struct, frozen=True):
    """Runs of the same provenance."""

    runs: int
    computed: Provenance | None  # None if it was not recorded


class StudyReport(msgspec.Struct, Result, frozen=True, kw_only=True):
    study: str
    title: str
    source: str
    scale: str
    variants: tuple[str, ...]
    seed: int
    experiments: int
    version: str
    command: str  # creates this report again
    summary: tuple[str, ...] = ()  # what a reader should know after a minute: paragraphs
    sections: tuple[Section, ...]
    origins: tuple[Origin, ...] = ()
    verified: Verification | None = None  # results that were run again
    other_code: int = 0  # results of other code than that which made the report

    def rows(self) -> list[dict[str, object]]:
        """A row for each quantity of the tables: published and ours, with 95 % intervals."""
        return [
            {
                "section": section.title,
                "table": table.title,
                "quantity": row.label,
                "published": row.published,
                **_columns("as_published", row.as_published),
                **_columns("corrected", row.corrected),
                "agrees": None if row.agreement is None else row.agreement.agrees,
            }
            for section in self.sections
            for table in section.tables
            for row in table.rows
        ]


def _columns(name: str, ours: Estimate | None) -> dict[str, object]:
    low, high = (ours and ours.interval) or (None, None)
    mean, runs = (None, 0) if ours is None else (ours.mean, ours.runs)
    return {name: mean, f"{name}_low": low, f"{name}_high": high, f"{name}_runs": runs}


def verdicts(tables: Iterable[Table]) -> list[bool]:
    """Whether each published figure agrees, without those that have no verdict."""
    found = [row.agreement.agrees for table in tables for row in table.rows if row.agreement is not None]
    return [agrees for agrees in found if agrees is not None]


def agreement_summary(tables: tuple[Table, ...]) -> str:
    """A sentence with the number of published figures that agree with our runs of the published program."""
    if not any(row.agreement for table in tables for row in table.rows):
        return "No published number was compared: the variant as-published was not run."
    found = verdicts(tables)
    if not found:
        return f"No published number has a verdict: it takes at least {LEAST_RUNS} runs."
    return (
        f"{sum(found)} of {len(found)} published numbers are within the 95 % range of single runs of the published"
        " program (one in twenty would be outside by chance)."
    )
