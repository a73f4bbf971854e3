"""Plots of comparisons of training runs, and of sweeps, by matplotlib."""

from __future__ import annotations

import base64
import io
from contextlib import AbstractContextManager
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from inarow.arena.run_comparison import RunComparison
from inarow.arena.sweep_result import Sweep, Trial
from inarow.errors import PictureError, shown, visible
from inarow.report.markup import append, element, footer, plain, section, standalone_page
from inarow.report.pictures import check_matplotlib, picture
from inarow.report.tables import Table
from inarow.storage.atomic import atomic_write
from inarow.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = ("#1b6ca8", "#d1495b", "#3b8132", "#8a5a9e", "#c07a1d", "#4b4b4b", "#1a9e96")
_STYLES = ("-", "--", ":")
_MARKS = {"complete": "o", "pruned": "x", "failed": "|"}
_ACROSS, _MOST_PANELS = 2, 16
_LETTERS = 40


def plot_comparison(comparison: RunComparison, path: Path | str | None = None) -> Figure:
    """A panel for each shared column with a curve for each run; see `RunComparison.plot`."""
    if path is not None and Path(path).suffix == ".html":
        figure = plot_comparison(comparison)
        with atomic_write(Path(path)) as file:
            file.write(_page(comparison, figure).encode())
        return figure
    columns = comparison.columns[:_MOST_PANELS]
    if not columns:
        raise PictureError("the curves of these runs have no column in common")
    with _panels(path, len(columns)) as figure:
        panels = _grid(figure, len(columns))
        for axes, column in zip(panels, columns, strict=True):
            for number, name in enumerate(comparison.runs):
                xs, ys = comparison.points(name, column)
                colour, style = _COLOURS[number % len(_COLOURS)], _STYLES[number // len(_COLOURS) % len(_STYLES)]
                axes.plot(xs, ys, style, color=colour, label=_name(name), marker="." if len(xs) == 1 else None)
            axes.set(title=column.replace("_", " "), xlabel=comparison.axis or "point")
        for text in panels[0].legend(fontsize=7).get_texts():
            text.set_parse_math(False)
    return figure


def plot_sweep(sweep: Sweep, path: Path | str | None = None) -> Figure:
    """The best value so far by trial, and a panel for each parameter; see `Sweep.plot`."""
    complete = [trial for trial in sweep.trials if trial.value is not None]
    if not complete:
        raise PictureError("no trial of the sweep is complete; continue the sweep before plotting it")
    parameters = list(complete[0].parameters)[: _MOST_PANELS - 1]
    with _panels(path, 1 + len(parameters)) as figure:
        progress, *others = _grid(figure, 1 + len(parameters))
        _plot_progress(progress, sweep, complete)
        for axes, parameter in zip(others, parameters, strict=True):
            _plot_parameter(axes, parameter, complete)
            axes.set_ylabel(sweep.objective, parse_math=False)
    return figure


def _plot_progress(axes: Axes, sweep: Sweep, complete: list[Trial]) -> None:
    values = [trial.value for trial in complete if trial.value is not None]
    numbers = [trial.number for trial in complete]
    axes.plot(numbers, values, "o", color=_COLOURS[0], label="complete trial")
    so_far = list(accumulate(values, max if sweep.direction == "maximize" else min))
    axes.step(numbers, so_far, where="post", color=_COLOURS[1], label="best")
    for state, colour in (("pruned", "#888888"), ("failed", _COLOURS[1])):
        places = [trial.number for trial in sweep.trials if trial.state == state]
        if places:
            axes.plot(places, [so_far[-1]] * len(places), _MARKS[state], color=colour, label=state)
    axes.set(xlabel="trial", ylabel=_name(sweep.objective))
    axes.xaxis.get_major_locator().set_params(integer=True)  # type: ignore[call-arg]  # it is a MaxNLocator
    axes.legend(fontsize=7)


def _plot_parameter(axes: Axes, parameter: str, complete: list[Trial]) -> None:
    """Draws the value by a parameter; values that are not numbers, or few distinct ones, are drawn as categories."""
    places = [trial.parameters[parameter] for trial in complete]
    values = [trial.value for trial in complete if trial.value is not None]
    is_number = all(isinstance(place, (int, float)) and not isinstance(place, bool) for place in places)
    xs = places if is_number else [_name(str(place)) for place in places]
    axes.plot(xs, values, "o", color=_COLOURS[0])
    if is_number and min(places) > 0 and max(places) >= 50 * min(places):
        axes.set_xscale("log")
    axes.set_xlabel(parameter, parse_math=False)


def _panels(path: Path | str | None, panels: int) -> AbstractContextManager[Figure]:
    rows = -(-panels // _ACROSS)
    return picture(None if path is None else Path(path), 4.2 * min(panels, _ACROSS), 2.8 * rows)


def _grid(figure: Figure, panels: int) -> list[Axes]:
    rows, across = -(-panels // _ACROSS), min(panels, _ACROSS)
    return [figure.add_subplot(rows, across, number + 1) for number in range(panels)]


def _name(text: str) -> str:
    """A name short enough for a legend. A leading underscore would hide it."""
    text = visible(text).lstrip("_") or text
    return text if len(text) <= _LETTERS else "…" + text[1 - _LETTERS :]


# --- a page ---


def comparison_table(comparison: RunComparison) -> Table:
    """The rows of a comparison as strings."""
    rows = comparison.rows()
    texts = tuple(tuple(_text(value) for value in row.values()) for row in rows)
    return Table(tuple(rows[0]), texts, words=("run",))


def _text(value: object) -> str:
    if value is None:
        return "-"
    return plain(value) if isinstance(value, float) else str(value)


def _page(comparison: RunComparison, figure: Figure) -> str:
    """A self-contained page with table and picture; the same page for the same runs."""
    import matplotlib

    content = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "inarow"}):
        figure.savefig(content, format="svg", metadata={"Date": None})
    source = f"data:image/svg+xml;base64,{base64.b64encode(content.getvalue()).decode()}"
    title = f"{len(comparison.runs)} training runs"
    main = element("main", element("h1", title))
    append(main, section("Runs", comparison_table(comparison).to_html()))
    append(main, section("Learning curves", element("img", src=source, alt="Learning curves", style="max-width: 100%")))
    append(main, footer("", __version__, ()))
    return standalone_page(title, main)


def check_plot_path(path: Path) -> None:
    """Raises PictureError unless the file is an .svg, .png or .html file, FileNotFoundError if it has no folder,
    MissingExtraError without matplotlib.
    """
    if path.suffix not in (".svg", ".png", ".html"):
        raise PictureError(f"{shown(str(path))} must end in .svg, .png or .html")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent}")
    check_matplotlib()
