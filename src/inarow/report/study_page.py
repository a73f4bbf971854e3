"""The report of a study as a page that stands alone, and in Markdown."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from inarow.report.markup import Child, append, element, fixed, footer, section, standalone_page
from inarow.report.study_plots import bar_plot, curve_plot
from inarow.report.tables import Table, escape_markdown
from inarow.studies import report
from inarow.studies.comparison import Estimate
from inarow.studies.report import Section, StudyReport

_HEADINGS = ("quantity", "published", "as published, ours", "95 %", "agreement", "corrected", "95 % ")
_WORDS = ("quantity", "agreement")
INTERVALS = "Intervals are for the mean over runs with different seeds."


def study_page(study: StudyReport) -> str:
    """The whole report as HTML."""
    main = element(
        "main",
        element("h1", study.title),
        element("p", study.source, class_="facts"),
        element("p", f"{study_facts(study)}. {INTERVALS}", class_="facts"),
    )
    append(main, *(_html_section(part) for part in study.sections))
    append(main, footer(study.command, study.version, (study.seed,)))
    return standalone_page(study.title, main)


def study_markdown(study: StudyReport) -> str:
    """The texts and tables of the report."""
    parts = [f"# {escape_markdown(study.title)}\n", f"{escape_markdown(study.source)}\n"]
    parts.append(f"{escape_markdown(study_facts(study))}. {INTERVALS}\n")
    for part in study.sections:
        parts.append(f"## {escape_markdown(part.title)}\n")
        parts += [f"{escape_markdown(text)}\n" for text in part.text]
        for table in part.tables:
            parts += [f"### {escape_markdown(table.title)}\n", comparison_table(table).to_markdown()]
            parts += [f"{escape_markdown(table.note)}\n"] if table.note else []
    parts.append(f"Made by inarow {study.version}: `{study.command}`\n")
    return "\n".join(parts)


def study_facts(study: StudyReport) -> str:
    return f"Scale {study.scale} · {' and '.join(study.variants)} · {study.experiments} runs from seed {study.seed}"


def comparison_table(table: report.Table) -> Table:
    """Published, as published by us, corrected: as texts, without the columns that say nothing."""
    rows = tuple(
        (
            row.label,
            "" if row.published is None else fixed(row.published, row.digits),
            *_texts(row.as_published, row.digits),
            "" if row.agreement is None else row.agreement.sentence,
            *_texts(row.corrected, row.digits),
        )
        for row in table.rows
    )
    return Table(_HEADINGS, rows, words=_WORDS).without_empty_columns()


def _texts(ours: Estimate | None, digits: int) -> tuple[str, str]:
    if ours is None:
        return "", ""
    low_and_high = "" if ours.interval is None else " to ".join(fixed(end, digits) for end in ours.interval)
    return fixed(ours.mean, digits), low_and_high


def _html_section(part: Section) -> Element:
    made = section(part.title, *(element("p", text) for text in part.text))
    append(made, *(_part(curves.title, curve_plot(curves)) for curves in part.curves))
    append(made, *(_part(bars.title, bar_plot(bars)) for bars in part.bars))
    for table in part.tables:
        note = [element("p", table.note, class_="note")] if table.note else []
        append(made, _part(table.title, comparison_table(table).to_html(), *note))
    return made


def _part(title: str, *children: Child) -> Element:
    return element("section", element("h3", title), *children)
