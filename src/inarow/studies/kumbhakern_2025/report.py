"""The report of kumbhakern-2025, and the study itself."""

from __future__ import annotations

from functools import partial
from itertools import product

from inarow.studies.experiment import VARIANTS, Experiment
from inarow.studies.kumbhakern_2025 import ENDS, RATES, End, Rate, published, runs
from inarow.studies.kumbhakern_2025.runs import OPPONENTS, SIDES, TRAININGS, PretrainedTable, Training
from inarow.studies.report import BarPlot, CurvePlot, Row, Section, Table, agreement_summary, variant_bars
from inarow.studies.results import Results, accuracy_rows
from inarow.studies.study import Study

_BOARD_NOTE = (
    "Pairs of games from balanced openings, sides swapped. Illegal: games lost by choosing a full column, where the"
    " published program stopped. Unseen: windows that were never met in training."
)


def _sections(results: Results) -> list[Section]:
    """Table 1 and Figure 1, the worth of the table on its own board, and the whole board through windows."""
    return [_test_section(results), _curve_section(results), _window_section(results), _board_section(results)]


def _test_section(results: Results) -> Section:
    numbers, (training, with_starts) = published(), TRAININGS
    row, cells = partial(_test_row, results, training), list(product(numbers.table_1, RATES))
    rows = tuple(row(phase, rate, numbers.table_1[phase][rate]) for phase, rate in cells)
    first = numbers.table_1["random"]
    exchanged = row("random", "losses", first["draws"]), row("random", "draws", first["losses"])
    started = tuple(_test_row(results, with_starts, phase, rate) for phase, rate in cells)
    note = f"{numbers.games:,} games against random moves, sides in turn, no exploration."
    table = Table("Table 1", rows, note)
    return Section(
        title="Test games on 4x4",
        text=(agreement_summary((table,)),),
        tables=(
            table,
            Table("Table 1, losses and draws of its first row exchanged", exchanged),
            Table("The same with random starts in training", started),
        ),
    )


def _test_row(results: Results, training: Training, phase: str, rate: Rate, printed: float | None = None) -> Row:
    label, games = f"after {phase}: {rate}, %", published().games
    return results.row(label, training, f"after {phase}.{rate}", published=printed, digits=1, is_rate=True, games=games)


def _curve_section(results: Results) -> Section:
    training, _ = TRAININGS
    rows = [_curve_row(results, phase, training, phase, end) for phase in runs.PHASES for end in ENDS]
    readings = [_curve_row(results, each.name, each, "generation 1", end) for each in runs.READINGS for end in ENDS]
    trained = product(VARIANTS, TRAININGS)
    curves = [results.curve(each, variant, runs.CURVE, label=f"{variant}, {each.name}") for variant, each in trained]
    table = Table("Figure 1: mean reward of 5,000 episodes", tuple(rows))
    note = "The table above has random opponents in seven of ten games of a generation."
    others = Table("Generation 1 by other readings", tuple(readings), f"{note} Here they are the table as it was.")
    return Section(
        title="Learning curves",
        text=(agreement_summary((table,)),),
        tables=(table, others),
        curves=(CurvePlot("Mean reward", "points of 39 a phase", "mean reward", tuple(c for c in curves if c)),),
    )


def _curve_row(results: Results, label: str, experiment: Experiment, phase: str, end: End) -> Row:
    printed = published().figure_1[phase][end]
    return results.row(f"{label}: {end}", experiment, f"{phase}.{end}", published=printed, digits=3)


def _window_section(results: Results) -> Section:
    rows = []
    for each in TRAININGS:
        rows += accuracy_rows(results, each.name, each, "4x4.")
        games = results.size(each, "perfect games")
        label = f"{each.name}: losses against perfect play, %"
        rows.append(results.row(label, each, "perfect.losses", digits=1, is_rate=True, games=games))
    rows += _baseline_rows(results, "4x4")
    note = "Accuracy over all unfinished positions. Games against perfect play begin with the empty board, a draw."
    return Section(title="Against perfect play on 4x4", tables=(Table("The table", tuple(rows), note),))


def _board_section(results: Results) -> Section:
    titles: dict[Experiment, str] = {each: f"Windows on 6x7, trained {each.name}" for each in TRAININGS}
    titles[PretrainedTable()] = f"Windows on 6x7, {PretrainedTable().name}"
    tables = [Table(title, tuple(_board_rows(results, each)), _BOARD_NOTE) for each, title in titles.items()]
    accuracy = [row for each in titles for row in accuracy_rows(results, each.name, each, "6x7.")]
    accuracy += _baseline_rows(results, "6x7")
    return Section(
        title="The whole board through windows",
        tables=(*tables, Table("Accuracy on 6x7", tuple(accuracy), "On the standard suite of positions.")),
        bars=tuple(_win_plot(results, side) for side in SIDES),
    )


def _board_rows(results: Results, experiment: Experiment) -> list[Row]:
    games = (results.size(experiment, "games") or 0) // 2 or None
    rows = []
    for opponent, side, name in product(OPPONENTS, SIDES, ("wins", "draws", "illegal", "unseen")):
        label, figure = f"{opponent}, as {side}: {name}, %", f"6x7 {opponent}.{side}.{name}"
        sample = None if name == "unseen" else games  # windows of one game are not independent
        row = results.row(label, experiment, figure, digits=1, is_rate=True, games=sample)
        if name not in ("draws", "illegal") or any(each.mean for each in row.ours):
            rows.append(row)
    return rows


def _win_plot(results: Results, side: str) -> BarPlot:
    figures, training = {opponent: f"6x7 {opponent}.{side}.wins" for opponent in OPPONENTS}, TRAININGS[0]
    rows = [results.row(name, training, figure, digits=1, is_rate=True) for name, figure in figures.items()]
    bars = tuple(bar for row in rows for bar in variant_bars(row))
    return BarPlot(f"Wins on 6x7 as {side} player, trained {training.name}", "% of games", bars)


def _baseline_rows(results: Results, board: str) -> list[Row]:
    found = [accuracy_rows(results, each, runs.Baselines(), f"{each} on {board}.") for each in runs.BASELINE_AGENTS]
    return [row for rows in found for row in rows]


KUMBHAKERN_2025 = Study(
    name="kumbhakern-2025",
    title="kumbhakern-2025: a Q-table of 4x4 behind sliding windows",
    source="A. Kumbhakern, Using Q-Learning to train a 4x4 Connect Four Subgame Evaluator, March 2025",
    experiments=runs.experiments,
    sections=_sections,
)
