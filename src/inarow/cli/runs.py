"""`inarow runs`: what training runs have learnt, in lists and side by side."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from inarow.arena.run_comparison import RunComparison, compare_runs
from inarow.arena.run_list import RunSummary, list_runs
from inarow.cli.options import Json, UnusedSeed
from inarow.cli.output import number_table, print_json, print_table, stdout

runs = App(name="runs", help="List and compare training runs.", default_parameter=Parameter(negative=()))
_SECONDS = "seconds"


@runs.command(name="list")
def list_(folder: Path = Path("runs"), *, json: Json = False, seed: UnusedSeed = 0) -> None:
    """List the training runs in a folder and below it.

    Args:
        folder: Where to look.

    Examples:
        inarow runs list
        inarow runs list sweeps --json
    """
    found = list_runs(folder)
    if json:
        print_json({"folder": str(folder), "runs": found.rows()})
    elif not found.runs:
        stdout.print(f"there are no training runs in {folder}", soft_wrap=True)
    else:
        headings = ("run", "learner", "board", "done", "time", "last point", "saved")
        words = ("run", "learner", "board", "last point")
        print_table(number_table(*headings, rows=map(_cells, found.runs), words=words))


@runs.command
def compare(
    *folders: Path,
    column: str | None = None,
    out: Annotated[Path | None, Parameter(help="Also draw the curves, in an .svg, .png or .html file.")] = None,
    json: Json = False,
    seed: UnusedSeed = 0,
) -> None:
    """Compare training runs side by side.

    Shows the settings that differ, the training time, and the last and best value of each column of the curves.

    Args:
        folders: Folders of the runs.
        column: Only this column of the curves.

    Examples:
        inarow runs compare runs/first runs/second
        inarow runs compare runs/first runs/second --out curves.svg
    """
    if out is not None:
        from inarow.report.run_plots import check_plot_path

        check_plot_path(out)
    found = compare_runs(folders, column)
    if out is not None:
        found.plot(out)
    print_json(found.to_dict()) if json else _print_comparison(found)


def _cells(run: RunSummary) -> tuple[str, ...]:
    when = f"{run.changed.astimezone():%Y-%m-%d %H:%M}"
    if run.error is not None:
        return run.name, "-", "-", "-", "-", run.error, when
    done = "-"
    if run.done is not None and run.total is not None:
        done = f"{run.total if run.is_finished else run.done:,.10g} of {run.total:,.10g} {run.unit}"
    figures = "  ".join(f"{name} {value:.3f}" for name, value in run.figures.items())
    return run.name, run.learner or "-", run.board or "-", done, _time(run.seconds), figures or "-", when


def _print_comparison(found: RunComparison) -> None:
    """A column for each run: there are more figures than runs."""
    rows = found.rows()
    cells = [[key, *(_figure(key, row[key]) for row in rows)] for key in rows[0] if key != "run"]
    print_table(number_table("", *found.runs, rows=cells))


def _figure(key: str, value: object) -> str:
    if value is None:
        return "-"
    if key == _SECONDS and isinstance(value, (int, float)):
        return _time(value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{seconds:.1f} s" if seconds < 600 else f"{seconds / 60:,.0f} min"
