"""The report of a study as a self-contained page, and in Markdown."""

from xml.etree.ElementTree import Element

from inarow.report import plots
from inarow.report.markup import append, compact, element, fixed, footer, plain, section, standalone_page
from inarow.report.plots import WIDTH, Scale, marker, series, with_legend
from inarow.report.study_provenance import HEADING, provenance_sentences, verification_table
from inarow.report.tables import Table, escape_markdown
from inarow.studies import report
from inarow.studies.comparison import Estimate
from inarow.studies.report import BarPlot, CurvePlot, Section, StudyReport

_HEADINGS = ("quantity", "published", "ours, as published", "agreement", "ours, corrected")
INTERVALS = "Below each mean is its 95 % interval, over runs with different seeds."
_LEFT, _RIGHT, _TOP, _BOTTOM = 48.0, WIDTH - 12.0, 22.0, 214.0
_BAR = 22.0


def study_page(study: StudyReport) -> str:
    """The report as HTML."""
    main = element(
        "main",
        element("h1", study.title),
        element("p", study.source, class_="facts"),
        element("p", f"{study_facts(study)}. {INTERVALS}", class_="facts"),
    )
    if study.summary:
        append(main, section("In a minute", *(element("p", text) for text in study.summary)))
    append(main, *(_html_section(part) for part in study.sections))
    append(main, _html_provenance(study))
    append(main, footer(study.command, study.version, (study.seed,)))
    return standalone_page(study.title, main)


def study_markdown(study: StudyReport) -> str:
    """The report as Markdown: its texts and tables."""
    parts = [f"# {escape_markdown(study.title)}\n", f"{escape_markdown(study.source)}\n"]
    parts.append(f"{escape_markdown(study_facts(study))}. {INTERVALS}\n")
    if study.summary:
        parts += ["## In a minute\n", *(f"{escape_markdown(text)}\n" for text in study.summary)]
    for part in study.sections:
        parts.append(f"## {escape_markdown(part.title)}\n")
        parts += [f"{escape_markdown(text)}\n" for text in part.text]
        for table in part.tables:
            parts += [f"### {escape_markdown(table.title)}\n", comparison_table(table).to_markdown()]
            parts += [f"{escape_markdown(table.note)}\n"] if table.note else []
    parts.append(f"## {HEADING}\n")
    parts += [f"{escape_markdown(text)}\n" for text in provenance_sentences(study)]
    if study.verified is not None:
        parts.append(verification_table(study.verified).to_markdown())
    parts.append(f"Made by inarow {study.version}: `{study.command}`\n")
    return "\n".join(parts)


def study_facts(study: StudyReport) -> str:
    return f"Scale {study.scale} · {' and '.join(study.variants)} · {study.experiments} runs from seed {study.seed}"


def comparison_table(table: report.Table) -> Table:
    """A table of published, as-published and corrected numbers as strings, without empty columns."""
    rows = tuple(
        (
            row.label,
            "" if row.published is None else fixed(row.published, row.digits),
            estimate_text(row.as_published, row.digits),
            "" if row.agreement is None else row.agreement.sentence,
            estimate_text(row.corrected, row.digits),
        )
        for row in table.rows
    )
    return Table(_HEADINGS, rows, words=("quantity", "agreement")).without_empty_columns()


def estimate_text(ours: Estimate | None, digits: int) -> str:
    """The mean, and its interval on a line of its own, so that tables are narrow."""
    if ours is None:
        return ""
    interval = " to ".join(fixed(end, digits) for end in ours.interval or ())
    return f"{fixed(ours.mean, digits)}\n{interval}" if interval else fixed(ours.mean, digits)


def _wrapped(table: Table) -> Element:
    """A table whose columns of words are folded, so that it fits the page."""
    made = table.to_html()
    made.set("class", "scroll folded")
    return made


def _html_provenance(study: StudyReport) -> Element:
    made = section(HEADING, *(element("p", text) for text in provenance_sentences(study)))
    if study.verified is not None:
        append(made, _wrapped(verification_table(study.verified)))
    return made


def _html_section(part: Section) -> Element:
    made = section(part.title, *(element("p", text) for text in part.text))
    curves = [plot for plot in part.curves if any(curve.points for curve in plot.curves)]
    bars = [plot for plot in part.bars if plot.bars]  # without results, plots are empty
    append(made, *(section(plot.title, curve_plot(plot), heading="h3") for plot in curves))
    append(made, *(section(plot.title, _bar_plot(plot), heading="h3") for plot in bars))
    for table in part.tables:
        note = [element("p", table.note, class_="note")] if table.note else []
        append(made, section(table.title, _wrapped(comparison_table(table)), *note, heading="h3"))
    return made


def curve_plot(plot: CurvePlot) -> Element:
    """A curve with its band for each series, and a legend. Not checked: there is at least one point."""
    points = [point for curve in plot.curves for point in curve.points]
    xs = [point.x for point in points]
    x_scale = Scale(min(xs), max(xs) if max(xs) > min(xs) else min(xs) + 1, _LEFT, _RIGHT)
    low, high = min(point.low for point in points), max(point.high for point in points)
    y_scale = Scale(low, high if high > low else low + 1, _BOTTOM, _TOP)
    drawn = plots.new_plot(_BOTTOM + 36, plot.title)
    plots.draw_x_axis(drawn, x_scale, _TOP, _BOTTOM, compact)
    plots.draw_y_axis(drawn, y_scale, _LEFT, _RIGHT, compact)
    append(drawn, plots.axis_title(plot.x, (_LEFT + _RIGHT) / 2, _BOTTOM + 31))
    append(drawn, plots.axis_title(plot.y, 8, 12, "start"))
    for number, curve in enumerate(plot.curves):
        upper = [f"{x_scale(point.x):.1f},{y_scale(point.high):.1f}" for point in curve.points]
        lower = [f"{x_scale(point.x):.1f},{y_scale(point.low):.1f}" for point in reversed(curve.points)]
        line = " ".join(f"{x_scale(point.x):.1f},{y_scale(point.y):.1f}" for point in curve.points)
        append(drawn, element("polygon", points=" ".join(upper + lower), class_=series("band", number)))
        append(drawn, element("polyline", points=line, class_=series("curve", number)))
        end = curve.points[-1]
        title = f"{curve.label}: {plain(end.y)} ({plain(end.low)} to {plain(end.high)}) at {plain(end.x)}"
        append(drawn, marker(number, x_scale(end.x), y_scale(end.y), title, series("point", number)))
    return with_legend(drawn, (curve.label for curve in plot.curves))


def _bar_plot(plot: BarPlot) -> Element:
    """A horizontal bar for each value with its interval; series differ in colour and marker."""
    kinds = list(dict.fromkeys(bar.series for bar in plot.bars))
    left = plots.name_width(bar.label for bar in plot.bars)
    bottom = _BAR * len(plot.bars) + 4
    highest = max(max(bar.value, bar.interval[1] if bar.interval else bar.value) for bar in plot.bars)
    if plot.is_log:
        scale = Scale(min(bar.value for bar in plot.bars) / 3, highest * 1.5, left, _RIGHT, is_log=True)
    else:
        scale = Scale(0.0, highest * 1.05 if highest > 0 else 1.0, left, _RIGHT)
    drawn = plots.new_plot(bottom + 38, plot.title)
    plots.draw_x_axis(drawn, scale, 4, bottom, compact)
    append(drawn, plots.axis_title(plot.unit, (left + _RIGHT) / 2, bottom + 33))
    for row, bar in enumerate(plot.bars):
        number = kinds.index(bar.series)
        y, end = _BAR * row + 15, scale(bar.value)
        if row == 0 or plot.bars[row - 1].label != bar.label:
            append(drawn, plots.row_name(bar.label, left, y))
        width, colour = max(end - left, 0.5), series("box", number)
        append(drawn, element("rect", x=left, y=y - 7, width=width, height=14, class_=colour))
        title = f"{bar.label}, {bar.series}: {plain(bar.value)}"
        if bar.interval is not None:
            title += f" ({plain(bar.interval[0])} to {plain(bar.interval[1])})"
            low, high = (scale(max(side, scale.low)) for side in bar.interval)
            append(drawn, element("path", d=f"M{low:.1f} {y} H{high:.1f}", class_="whisker"))
        append(drawn, marker(number, end, y, title, series("point", number)))
    return with_legend(drawn, kinds)
