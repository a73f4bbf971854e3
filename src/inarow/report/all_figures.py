"""The published figures of all studies as a page of the documentation."""

from itertools import groupby
from operator import attrgetter

from inarow.report.markup import fixed
from inarow.report.study_page import estimate_text
from inarow.report.tables import Table, escape_markdown
from inarow.studies.all_figures import AllFigures, PublishedFigure

_INTRODUCTION = """# All published figures

Every number that the studies published, beside ours: *published*, *ours, as published* (our runs of the published
program, with the 95 % interval of the mean), *ours, corrected*, and whether the first two agree.
[Studies](index.md#read-the-numbers) says how that is decided. Below each table are the causes of disagreement. An empty
cell is no verdict: deviations, points of curves, scores on another scale, or fewer than five runs.

The same as data: [`all-figures.json`](all-figures.json).
"""
_COLUMNS = ("quantity", "published", "ours, as published", "ours, corrected", "agrees")


def all_figures_markdown(found: AllFigures) -> str:
    """A page with a table of counts, and a table for each table of the reports."""
    counts = ("published", "judged", "agreeing")
    rows = [(each.study, *(f"{getattr(each, count):,}" for count in counts)) for each in found.studies]
    rows.append(("all", *(f"{sum(getattr(each, count) for each in found.studies):,}" for count in counts)))
    headings = ("study", "published figures", "with a verdict", "agree")
    parts = [_INTRODUCTION, Table(headings, tuple(rows), words=("study",)).to_markdown()]
    for study, figures in groupby(found.figures, attrgetter("study")):
        parts.append(f"## {escape_markdown(study)}\n")
        for (section, table), group in groupby(figures, attrgetter("section", "table")):
            parts.append(f"### {escape_markdown(section)}: {escape_markdown(table)}\n")
            parts += _table(list(group))
    return "\n".join(parts)


def _table(figures: list[PublishedFigure]) -> list[str]:
    """The table, and a numbered list of causes."""
    causes = list(dict.fromkeys(each.cause for each in figures if each.cause))
    rows = tuple(
        (
            each.quantity,
            fixed(each.published, each.digits),
            estimate_text(each.as_published, each.digits),
            estimate_text(each.corrected, each.digits),
            _verdict(each, causes),
        )
        for each in figures
    )
    shown = Table(_COLUMNS, rows, words=("quantity", "agrees")).without_empty_columns().to_markdown()
    listed = "".join(f"{number}. {escape_markdown(cause)}\n" for number, cause in enumerate(causes, start=1))
    return [shown, listed] if listed else [shown]


def _verdict(each: PublishedFigure, causes: list[str]) -> str:
    if each.agrees is None:
        return ""
    if each.agrees:
        return "yes"
    return f"no ({causes.index(each.cause) + 1})" if each.cause else "no"
