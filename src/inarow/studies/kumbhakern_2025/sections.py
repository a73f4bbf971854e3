"""What the report of kumbhakern-2025 shows."""

from __future__ import annotations

from inarow.studies.experiment import VARIANTS
from inarow.studies.kumbhakern_2025.full_board import OPPONENTS, SIDES
from inarow.studies.kumbhakern_2025.published import published
from inarow.studies.kumbhakern_2025.runs import (
    ACCURACIES,
    BASELINE_AGENTS,
    BASELINES,
    CURVE,
    PHASES,
    READINGS,
    SHIPPED,
    WITH_STARTS,
    WITHOUT_STARTS,
)
from inarow.studies.report import Bar, BarPlot, CurvePlot, Row, Section, Table, agreement_summary, compare
from inarow.studies.results import Results

_STARTS = (WITHOUT_STARTS, WITH_STARTS)
_RATES = ("wins", "losses", "draws")


def sections(results: Results) -> list[Section]:
    """Table 1 and Figure 1, the worth of the table on its own board, and the whole board through windows."""
    return [_test_section(results), _curve_section(results), _window_section(results), _board_section(results)]


def _test_section(results: Results) -> Section:
    numbers = published()
    rows = [
        _test_row(results, WITHOUT_STARTS, phase, rate, getattr(printed, rate))
        for phase, printed in numbers.table_1.items()
        for rate in _RATES
    ]
    random = numbers.table_1["random"]
    exchanged = tuple(
        _test_row(results, WITHOUT_STARTS, "random", rate, value)
        for rate, value in (("losses", random.draws), ("draws", random.losses))
    )
    with_starts = [_test_row(results, WITH_STARTS, phase, rate) for phase in numbers.table_1 for rate in _RATES]
    table = Table(
        "Table 1", tuple(rows), f"{numbers.games:,} games against random moves, sides in turn, no exploration."
    )
    return Section(
        title="Test games on 4x4",
        text=(agreement_summary((table,)),),
        tables=(
            table,
            Table("Table 1, losses and draws of its first row exchanged", exchanged),
            Table("The same with random starts in training", tuple(with_starts)),
        ),
    )


def _test_row(results: Results, name: str, phase: str, rate: str, printed: float | None = None) -> Row:
    games = published().games
    ours = results.estimates(name, f"after {phase}.{rate}", is_rate=True, games=games)
    return compare(f"after {phase}: {rate}, %", printed, *ours, digits=1, games=games)


def _curve_section(results: Results) -> Section:
    rows, readings = [], []
    for phase in PHASES:
        printed = published().figure_1[phase]
        for name in ("first", "last", "max"):
            ours = results.estimates(WITHOUT_STARTS, f"{phase}.{name}")
            rows.append(compare(f"{phase}: {name}", getattr(printed, name), *ours, digits=3))
    printed = published().figure_1["generation 1"]
    for reading in READINGS:
        for name in ("first", "last", "max"):
            ours = results.estimates(reading, f"generation 1.{name}")
            readings.append(compare(f"{reading}: {name}", getattr(printed, name), *ours, digits=3))
    curves = [
        results.curve(start, variant, CURVE, label=f"{variant}, {start}") for variant in VARIANTS for start in _STARTS
    ]
    table = Table("Figure 1: mean reward of 5,000 episodes", tuple(rows))
    note = (
        "The table above has random opponents in seven of ten games of a generation. Here they are the table as it was."
    )
    return Section(
        title="Learning curves",
        text=(agreement_summary((table,)),),
        tables=(table, Table("Generation 1 by other readings", tuple(readings), note)),
        curves=(CurvePlot("Mean reward", "points of 39 a phase", "mean reward", tuple(c for c in curves if c)),),
    )


def _window_section(results: Results) -> Section:
    rows = []
    for start in _STARTS:
        rows += _accuracy_rows(results, start, "4x4", start)
        ours = results.estimates(start, "perfect.losses", is_rate=True, games=_size(results, start, "perfect games"))
        rows.append(compare(f"{start}: losses against perfect play, %", None, *ours, digits=1))
    for agent in BASELINE_AGENTS:
        rows += _accuracy_rows(results, BASELINES, f"{agent} on 4x4", agent)
    note = "Accuracy over all unfinished positions. Games against perfect play begin with the empty board, a draw."
    return Section(title="Against perfect play on 4x4", tables=(Table("The table", tuple(rows), note),))


def _board_section(results: Results) -> Section:
    titles = {start: f"Windows on 6x7, trained {start}" for start in _STARTS} | {SHIPPED: f"Windows on 6x7, {SHIPPED}"}
    tables = [Table(title, tuple(_board_rows(results, name)), _BOARD_NOTE) for name, title in titles.items()]
    accuracy = [row for name in titles for row in _accuracy_rows(results, name, "6x7", name)]
    for agent in BASELINE_AGENTS:
        accuracy += _accuracy_rows(results, BASELINES, f"{agent} on 6x7", agent)
    bars = tuple(
        BarPlot(f"Wins on 6x7 as {side} player, trained {WITHOUT_STARTS}", "% of games", _win_bars(results, side))
        for side in SIDES
    )
    return Section(
        title="The whole board through windows",
        tables=(*tables, Table("Accuracy on 6x7", tuple(accuracy), "On the standard suite of positions.")),
        bars=bars,
    )


_BOARD_NOTE = (
    "Pairs of games from balanced openings, sides swapped. Illegal: games lost by choosing a full column, where the"
    " published program stopped. Unseen: windows that were never met in training."
)


def _board_rows(results: Results, start: str) -> list[Row]:
    games = (_size(results, start, "games") or 0) // 2 or None
    rows = []
    for opponent in OPPONENTS:
        for side in SIDES:
            for name in ("wins", "draws", "illegal", "unseen"):
                ours = results.estimates(
                    start,
                    f"6x7 {opponent}.{side}.{name}",
                    is_rate=True,
                    games=None if name == "unseen" else games,  # windows of one game are not alike
                )
                is_rare = name in ("draws", "illegal")
                if not is_rare or any(each is not None and each.mean for each in ours):
                    rows.append(compare(f"{opponent}, as {side}: {name}, %", None, *ours, digits=1))
    return rows


def _win_bars(results: Results, side: str) -> tuple[Bar, ...]:
    bars = []
    for opponent in OPPONENTS:
        ours = results.estimates(WITHOUT_STARTS, f"6x7 {opponent}.{side}.wins", is_rate=True)
        for variant, each in zip(VARIANTS, ours, strict=True):
            if each is not None:
                bars.append(Bar(opponent, each.mean, each.interval, variant))
    return tuple(bars)


def _accuracy_rows(results: Results, name: str, figure: str, label: str) -> list[Row]:
    return [
        compare(
            f"{label}: {each.replace('_', ' ')}, %",
            None,
            *results.estimates(name, f"{figure}.{each}", is_rate=True),
            digits=1,
        )
        for each in ACCURACIES
    ]


def _size(results: Results, name: str, what: str) -> int | None:
    sizes = (results.size(name, variant) for variant in VARIANTS)
    return next((size[what] for size in sizes if size is not None), None)
