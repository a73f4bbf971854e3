"""The report of santos-2025, and the study. Any part of the results may be missing."""

from collections.abc import Sequence
from functools import partial
from itertools import product

import numpy as np
from msgspec.structs import replace

from inarow.learning.exploration.config import Temperature
from inarow.studies.comparison import (
    LEAST_RUNS,
    Agreement,
    Difference,
    Estimate,
    Spread,
    deviation_estimate,
    difference,
    no_verdict,
    spread,
)
from inarow.studies.experiment import VARIANTS, Variant, by_variant
from inarow.studies.report import Curve, CurvePlot, Row, Section, Table, line, measured, verdicts
from inarow.studies.results import Results, accuracy_rows
from inarow.studies.santos_2025 import published, runs
from inarow.studies.santos_2025.harder_report import harder_section
from inarow.studies.santos_2025.pooled import deviations_section, pooled_section, published_spread
from inarow.studies.santos_2025.runs import AMPLIFICATIONS, COSTS, EPISODES, LEARNERS, DrawCosts, Training
from inarow.studies.texts import load_texts

TEXTS = load_texts(__package__)
FIGURES = {"iterations": 3, "states": 0, "wins": 1, "losses": 1, "draws": 1, "plies": 3}
FIGURES |= {"training wins": 1, "training plies": 3}
"""Figures that the authors report, with their numbers of decimals; fields of `PublishedRow`, with _ for spaces."""
_OWN_FIGURES = {"oracle calls": 3, "wins, other side": 1}  # figures that they do not report
_DIGITS, _LABELS = FIGURES | _OWN_FIGURES, TEXTS.labels["figures"]
_COMPARED = ("iterations", "states", "wins")
_CURVE_DIGITS = {"wins": 1, "states": 0, "plies": 2}
_BATCH, _TEMPERATURES = 300, 61
_LEAST_SHOWN_MASS = 0.1  # below it classical draws do not fit in the plot


def _sections(results: Results) -> list[Section]:
    """The tables, the question behind them, and questions that the authors left open."""
    published_parts = _tables_section, _differences_section, _pooled_section, _deviations_section, _curves_section
    own_parts = _theory_section, _perfect_play_section, _opponents_section, _lockstep_section
    found = [make(results) for make in (*published_parts, *own_parts)]
    found.append(harder_section(results, TEXTS))
    return [each for each in found if each.curves or any(table.rows for table in each.tables)]


def _row(results: Results, training: Training, figure: str, prefix: str = "") -> Row:
    label, digits = f"{prefix}{_LABELS[figure]}", _DIGITS[figure]
    return results.row(label, training, figure, digits=digits, is_rate=label.endswith("%"))


def _tables_section(results: Results) -> Section:
    tables = [table for training in LEARNERS if (table := _training_table(results, training)).rows]
    found = verdicts(tables)
    compared = TEXTS.sentence("compared" if found else "not_compared", agreeing=sum(found), count=len(found))
    started = [training for training in LEARNERS if results.runs(training, "as-published")]
    is_short = not all(_is_published_size(results, training) for training in started)
    return TEXTS.section("tables", compared=compared, short=TEXTS.sentence("short") if is_short else "", tables=tables)


def _training_table(results: Results, training: Training) -> Table:
    rows = [row for figure in FIGURES for row in _mean_and_deviation(results, training, figure)]
    own = [_row(results, training, figure) for figure in _OWN_FIGURES]
    rows += [row for row in own if any(each.mean for each in row.ours)]
    title, seconds = TEXTS.labels["trainings"][training.name], _seconds_note(results, training)
    return TEXTS.table("training", rows, title=title, seconds=seconds)


def _mean_and_deviation(results: Results, training: Training, figure: str) -> list[Row]:
    row, printed = _row(results, training, figure), published_spread(training, figure)
    if printed is None and not row.ours:
        return []
    values = by_variant(lambda variant: results.values(training, variant, figure))
    as_published, corrected = map(deviation_estimate, values)
    deviation = Row(f"{row.label}, deviation", None, as_published, corrected, row.digits)
    if printed is None:
        return [row, deviation]
    agrees = mean_agreement(printed, values[0]) if _is_published_size(results, training) else None
    return [replace(row, published=printed.mean, agreement=agrees), replace(deviation, published=printed.deviation)]


def _is_published_size(results: Results, training: Training) -> bool:
    return results.size(training, "episodes", "as-published") == EPISODES[training.side]


def mean_agreement(printed: Spread, ours: Sequence[float]) -> Agreement | None:
    """Whether two means may have the same expectation; None without runs."""
    found = difference(printed, spread(ours))
    if found is None:
        return no_verdict(len(ours)) if ours else None
    return found.agreement()


def _seconds_note(results: Results, training: Training) -> str:
    texts, printed = [], published().rows.get(training.name)
    for variant in VARIANTS:
        seconds, runs = results.timing(training, variant, "training"), results.runs(training, variant)
        if seconds is not None:
            texts.append(f"{seconds:.0f} ({variant}, {runs} run{'s' * (runs > 1)})")
    theirs = "" if printed is None else f"; published {printed.training_seconds:,}"
    return TEXTS.sentence("seconds", ours=", ".join(texts), theirs=theirs) if texts else ""


def _differences_section(results: Results) -> Section:
    rows, detectable, counts = [], [], []
    for side in EPISODES:
        pair = Training(side, "classical"), Training(side, "quantum")
        counts += [results.runs(training, "as-published") for training in pair]
        for figure in _COMPARED:
            label, digits = f"{side}: {_LABELS[figure]}", FIGURES[figure]
            printed = difference(*(published_spread(training, figure) for training in pair))
            ours = [_difference(results, pair, variant, figure) for variant in VARIANTS]
            as_published, corrected = (None if each is None else each.estimate for each in ours)
            mean, agrees = None if printed is None else printed.mean, _same_answer(printed, ours[0])
            rows.append(Row(label, mean, as_published, corrected, digits, agrees))
            if ours[0] is not None:
                detectable.append(f"{side}, {_LABELS[figure]}: {ours[0].detectable:,.{digits}f}")
    many = " to ".join(map(str, sorted({min(counts), max(counts)})))
    text = TEXTS.sentence("power" if detectable else "too_few", runs=many, detectable="; ".join(detectable))
    return TEXTS.section("differences", power=text, tables=[TEXTS.table("differences", rows)])


def _pooled_section(results: Results) -> Section:
    return pooled_section(results, TEXTS)


def _deviations_section(results: Results) -> Section:
    return deviations_section(results, TEXTS, FIGURES)


def _difference(results: Results, pair: tuple[Training, Training], variant: Variant, figure: str) -> Difference | None:
    return difference(*(spread(results.values(training, variant, figure)) for training in pair))


def _same_answer(printed: Difference | None, ours: Difference | None) -> Agreement | None:
    if printed is None or ours is None:
        return None
    if ours.fewest < LEAST_RUNS:
        return no_verdict(ours.fewest)
    theirs, own = ("yes" if each.p < 0.05 else "no" for each in (printed, ours))
    sentence = TEXTS.sentence("answers", theirs=theirs, own=own, printed=printed, found=ours)
    return Agreement(theirs == own, sentence)


def _curves_section(results: Results) -> Section:
    plots, tables = [], []
    for (curve, digits), training in product(_CURVE_DIGITS.items(), LEARNERS):
        ours = [results.curve(training, variant, curve, label=variant) for variant in VARIANTS]
        printed = getattr(published().rows.get(training.name), f"curve_{curve}", ())
        shown, names = list(ours), {"training": training.name, "curve": curve}
        found = next((each for each in ours if each is not None), None)
        if found and printed and len(found.points) == len(printed):
            shown.append(line("published", ((_BATCH * number, y) for number, y in enumerate(printed, start=1))))
            if ours[0] is not None:
                rows = _curve_rows(curve, printed, ours, [results.runs(training, each) for each in VARIANTS], digits)
                tables.append(TEXTS.table("curve", rows, **names))
        plots.append(TEXTS.curve_plot("batches", shown, **names, unit=TEXTS.labels["curves"][curve]))
    trained = product(LEARNERS, VARIANTS)
    rewards = [results.curve(each, variant, "reward", label=f"{each.name}, {variant}") for each, variant in trained]
    plots.append(TEXTS.curve_plot("reward", rewards))
    return TEXTS.section("curves", tables=tables, curves=[plot for plot in plots if plot.curves])


def _curve_rows(
    curve: str, printed: Sequence[float], ours: Sequence[Curve | None], runs: Sequence[int], digits: int
) -> list[Row]:
    """A row for each batch. With a single run there is no interval."""
    rows = []
    for number, value in enumerate(printed):
        points = [None if each is None else each.points[number] for each in ours]
        as_published, corrected = (
            None if point is None else Estimate(point.y, (point.low, point.high) if count > 1 else None, 0.0, count)
            for point, count in zip(points, runs, strict=True)
        )
        label = f"{curve}, episodes {_BATCH * number + 1:,} to {_BATCH * (number + 1):,}"
        rows.append(Row(label, value, as_published, corrected, digits))
    return rows


def _theory_section(results: Results) -> Section:
    plots = [_temperature_plot(), *(_cost_plot(results, variant) for variant in VARIANTS)]
    return TEXTS.section("theory", distances=by_variant(partial(_distance, results)), curves=plots)


def _temperature_plot() -> CurvePlot:
    curves = []
    for side, episodes in EPISODES.items():
        xs = np.linspace(1, episodes, _TEMPERATURES)
        inverse = 1 / Temperature(delta=runs.DELTAS[side]).at(xs)
        curves.append(line(f"{side} player", zip(xs.tolist(), inverse.tolist(), strict=True)))
    return TEXTS.curve_plot("temperature", curves)


def _cost_plot(results: Results, variant: Variant) -> CurvePlot:
    curves = []
    for cost, label in COSTS.items():
        found = results.curve(DrawCosts(), variant, cost, label=f"{label}, measured")
        curves += [line(f"{label}, theory", runs.expected_draws(variant, cost)), *([found] if found else [])]
    shown = [replace(each, points=tuple(p for p in each.points if p.x >= _LEAST_SHOWN_MASS)) for each in curves]
    return TEXTS.curve_plot("costs", shown, m=AMPLIFICATIONS[variant])


def _distance(results: Results, variant: Variant) -> str:
    """A sentence with the difference of theory and measurement."""
    worst = 0.0
    for cost in COSTS:
        found = results.curve(DrawCosts(), variant, cost, label=cost)
        if found is None:
            return ""
        for point, (_, expected) in zip(found.points, runs.expected_draws(variant, cost), strict=True):
            worst = max(worst, abs(point.y - expected) / max(expected, 1.0))
    decisions = (results.size(DrawCosts(), "decisions", variant) or 0) * results.runs(DrawCosts(), variant)
    return TEXTS.sentence("distance", m=AMPLIFICATIONS[variant], decisions=decisions, worst=worst)


def _perfect_play_section(results: Results) -> Section:
    trained = (*LEARNERS, runs.PRESAMPLED, *runs.STRONGER)
    rows = [row for training in trained for row in accuracy_rows(results, training.name, training)]
    return TEXTS.section("perfect_play", tables=[TEXTS.table("accuracy", measured(rows))])


def _opponents_section(results: Results) -> Section:
    trained = product((runs.QUANTUM, runs.PRESAMPLED, *runs.STRONGER), ("iterations", "wins", "draws", "training wins"))
    rows = [_row(results, training, figure, f"{training.name}: ") for training, figure in trained]
    shown = measured(replace(row, as_published=None) for row in rows)
    return TEXTS.section("opponents", tables=[TEXTS.table("opponents", shown)])


def _lockstep_section(results: Results) -> Section:
    """Welch's interval for the difference of each figure between the two orders of play."""
    rows = []
    for figure, digits in FIGURES.items():
        found = _difference(results, runs.LOCKSTEPS, "as-published", figure)
        if found is not None:
            rows.append(Row(_LABELS[figure], None, found.estimate, None, digits, found.agreement()))
    counts = [f"{results.runs(each, 'as-published')} {each.name.removeprefix('first, ')}" for each in runs.LOCKSTEPS]
    tables = [TEXTS.table("lockstep", rows)] if rows else []
    return TEXTS.section("lockstep", runs=" and ".join(counts), tables=tables)


SANTOS_2025 = TEXTS.study(runs.experiments, _sections)
