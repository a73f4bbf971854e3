"""The report of kumbhakern-2025, and the study."""

from functools import partial
from itertools import product

from inarow.studies.experiment import VARIANTS, Experiment, Scale
from inarow.studies.kumbhakern_2025 import ENDS, RATES, End, Rate, published, runs
from inarow.studies.kumbhakern_2025.runs import OPPONENTS, SIDES, TRAININGS, PretrainedTable, Training
from inarow.studies.kumbhakern_2025.windows import window_experiments
from inarow.studies.report import BarPlot, Row, Section, agreement_summary, line, variant_bars
from inarow.studies.results import Results, accuracy_rows
from inarow.studies.study import Repeated, Study
from inarow.studies.texts import load_texts

TEXTS = load_texts(__package__)


def _sections(results: Results) -> list[Section]:
    """Table 1 and Figure 1, the accuracy of the table on its own board, and its play on the whole board by windows."""
    return [_test_section(results), _curve_section(results), _window_section(results), _board_section(results)]


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
    points = [reward for phase in runs.PHASES for reward in published().curve[phase]]
    curves = [line("published", [(float(number), reward) for number, reward in enumerate(points, start=1)]), *curves]
    table, others = TEXTS.table("curve", rows), TEXTS.table("readings", readings)
    plots = [TEXTS.curve_plot("reward", curves)]
    return TEXTS.section("curve", agreement=agreement_summary((table,)), tables=[table, others], curves=plots)


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


KUMBHAKERN_2025 = Study(TEXTS.name, TEXTS.title, TEXTS.source, _experiments, _sections)
