"""The report of kumbhakern-2025, and the study."""

import math
from functools import partial
from itertools import product

from inarow.studies.experiment import VARIANTS, Experiment, Scale
from inarow.studies.kumbhakern_2025 import ENDS, RATES, End, Rate, published, runs
from inarow.studies.kumbhakern_2025.runs import OPPONENTS, SIDES, TRAININGS, PretrainedTable, Training
from inarow.studies.kumbhakern_2025.texts import TEXTS
from inarow.studies.kumbhakern_2025.windows import window_experiments
from inarow.studies.kumbhakern_2025.windows_report import windows_section
from inarow.studies.report import BarPlot, Row, Section, agreement_summary, line, variant_bars
from inarow.studies.results import Results, accuracy_rows
from inarow.studies.study import Repeated


def _sections(results: Results) -> list[Section]:
    """Table 1 and Figure 1, the accuracy of the table on its own board, its play on the whole board by windows, and
    what limits the windows.
    """
    parts = (_test_section, _curve_section, _window_section, _board_section, windows_section)
    return [part(results) for part in parts]


def _test_section(results: Results) -> Section:
    numbers, (training, with_starts) = published(), TRAININGS
    row, cells = partial(_test_row, results, training), list(product(numbers.table_1, RATES))
    rows = [row(phase, rate, numbers.table_1[phase][rate]) for phase, rate in cells]
    first = numbers.table_1["random"]
    exchanged = row("random", "losses", first["draws"]), row("random", "draws", first["losses"])
    started = [_test_row(results, with_starts, phase, rate) for phase, rate in cells]
    table = TEXTS.table("test", rows, games=numbers.games)
    others = [TEXTS.table("exchanged", exchanged), TEXTS.table("with_starts", started)]
    return TEXTS.section("test", agreement=agreement_summary((table,)), tables=[table, *others])


def _test_row(results: Results, training: Training, phase: str, rate: Rate, printed: float | None = None) -> Row:
    label, games = f"after {phase}: {rate}, %", published().games
    return results.row(label, training, f"after {phase}.{rate}", published=printed, digits=1, is_rate=True, games=games)


def _curve_section(results: Results) -> Section:
    training, _ = TRAININGS
    rows = [_curve_row(results, phase, training, phase, end) for phase in runs.PHASES for end in ENDS]
    readings = [_curve_row(results, each.name, each, "generation 1", end) for each in runs.READINGS for end in ENDS]
    trained = product(VARIANTS, TRAININGS)
    curves = [results.curve(each, variant, runs.CURVE, label=f"{variant}, {each.name}") for variant, each in trained]
    curves = [line("published", list(enumerate(published_curve(), start=1))), *curves]
    table, others = TEXTS.table("curve", rows), TEXTS.table("readings", readings)
    plots = [TEXTS.curve_plot("reward", curves)]
    near = _points_within(results, training)
    within = "" if near is None else TEXTS.sentence("points", within=near, points=len(published_curve()))
    return TEXTS.section(
        "curve", agreement=agreement_summary((table,)), within=within, tables=[table, others], curves=plots
    )


def published_curve() -> list[float]:
    """All points of Figure 1."""
    return [reward for phase in runs.PHASES for reward in published().curve[phase]]


def _points_within(results: Results, training: Training) -> int | None:
    """The number of published points within the 95 % range of single runs; None without at least two runs."""
    ours, count = results.curve(training, "as-published", runs.CURVE, label=""), results.runs(training, "as-published")
    if ours is None or count < 2 or len(ours.points) != len(published_curve()):
        return None
    # The interval is that of the mean of the runs; a single run scatters sqrt(runs + 1) times as much.
    pairs = zip(published_curve(), ours.points, strict=True)
    return sum(abs(reward - each.y) <= math.sqrt(count + 1) * (each.high - each.y) + 0.0005 for reward, each in pairs)


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
    return TEXTS.section("window", tables=[TEXTS.table("window", rows)])


def _board_section(results: Results) -> Section:
    titles: dict[Experiment, str] = {each: f"trained {each.name}" for each in TRAININGS}
    titles[PretrainedTable()] = PretrainedTable().name
    tables = [TEXTS.table("board", _board_rows(results, each), table=title) for each, title in titles.items()]
    accuracy = [row for each in titles for row in accuracy_rows(results, each.name, each, "6x7.")]
    tables.append(TEXTS.table("accuracy", [*accuracy, *_baseline_rows(results, "6x7")]))
    return TEXTS.section("board", tables=tables, bars=[_win_plot(results, side) for side in SIDES])


def _board_rows(results: Results, experiment: Experiment) -> list[Row]:
    games = (results.size(experiment, "games") or 0) // 2 or None
    rows = []
    for opponent, side, name in product(OPPONENTS, SIDES, ("wins", "draws", "illegal", "unseen")):
        label, figure = f"{opponent}, as {side}: {name}, %", f"6x7 {opponent}.{side}.{name}"
        sample = None if name == "unseen" else games  # the windows of a game are not independent
        row = results.row(label, experiment, figure, digits=1, is_rate=True, games=sample)
        if name not in ("draws", "illegal") or any(each.mean for each in row.ours):
            rows.append(row)
    return rows


def _win_plot(results: Results, side: str) -> BarPlot:
    figures, training = {opponent: f"6x7 {opponent}.{side}.wins" for opponent in OPPONENTS}, TRAININGS[0]
    rows = [results.row(name, training, figure, digits=1, is_rate=True) for name, figure in figures.items()]
    bars = [bar for row in rows for bar in variant_bars(row)]
    return TEXTS.bar_plot("wins", bars, side=side, training=training.name)


def _baseline_rows(results: Results, board: str) -> list[Row]:
    found = [accuracy_rows(results, each, runs.Baselines(), f"{each} on {board}.") for each in runs.BASELINE_AGENTS]
    return [row for rows in found for row in rows]


def _experiments(scale: Scale) -> list[Repeated]:
    return [*runs.experiments(scale), *window_experiments(scale)]


KUMBHAKERN_2025 = TEXTS.study(_experiments, _sections)
