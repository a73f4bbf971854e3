"""A report as a value: what a study shows, whatever page or screen it is shown on."""

from __future__ import annotations

import msgspec

from inarow.studies.comparison import Agreement, Estimate, agreement


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity: as printed by its authors, as their program gives it in our runs, and corrected."""

    label: str
    published: float | None = None
    as_published: Estimate | None = None
    corrected: Estimate | None = None
    digits: int = 2
    """After the point, as published."""
    agreement: Agreement | None = None
    """Of published and as_published."""


def compare(
    label: str,
    published: float | None,
    as_published: Estimate | None,
    corrected: Estimate | None,
    *,
    digits: int,
    games: int | None = None,
) -> Row:
    """A row whose agreement is computed where both numbers are there; `games` as in `agreement`."""
    agrees = None
    if published is not None and as_published is not None:
        agrees = agreement(published, as_published, digits=digits, games=games)
    return Row(
        label=label,
        published=published,
        as_published=as_published,
        corrected=corrected,
        digits=digits,
        agreement=agrees,
    )


class Table(msgspec.Struct, frozen=True):
    title: str
    rows: tuple[Row, ...]
    note: str = ""


class CurvePoint(msgspec.Struct, frozen=True):
    x: float
    y: float
    low: float
    high: float


class Curve(msgspec.Struct, frozen=True):
    label: str
    points: tuple[CurvePoint, ...]


class CurvePlot(msgspec.Struct, frozen=True):
    title: str
    x: str
    y: str
    curves: tuple[Curve, ...]


class Bar(msgspec.Struct, frozen=True):
    label: str
    value: float
    interval: tuple[float, float] | None
    series: str
    """Bars of one series look alike."""


class BarPlot(msgspec.Struct, frozen=True):
    title: str
    unit: str
    bars: tuple[Bar, ...]
    is_log: bool = False


class Section(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    text: tuple[str, ...] = ()
    """Paragraphs."""
    tables: tuple[Table, ...] = ()
    curves: tuple[CurvePlot, ...] = ()
    bars: tuple[BarPlot, ...] = ()


class StudyReport(msgspec.Struct, frozen=True, kw_only=True):
    study: str
    title: str
    source: str
    scale: str
    variants: tuple[str, ...]
    seed: int
    experiments: int
    version: str
    command: str
    """What makes this report again."""
    sections: tuple[Section, ...]


def agreement_summary(tables: tuple[Table, ...]) -> str:
    """How many published numbers of some tables our runs of the published program meet."""
    found = [row.agreement for table in tables for row in table.rows if row.agreement is not None]
    if not found:
        return "No published number was compared: the variant as-published was not run."
    agreeing = sum(each.agrees for each in found)
    return (
        f"{agreeing} of {len(found)} published numbers lie where a single run of the published program may well"
        " give them (95 % each, so that one in twenty would lie outside by chance)."
    )
