"""The report of santos-2025, and the study itself. Any part of the results may be missing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from msgspec.structs import replace

from inarow.learning.exploration.config import Temperature
from inarow.studies.comparison import Agreement, Difference, Estimate, Spread, deviation_estimate, difference, spread
from inarow.studies.experiment import VARIANTS, Variant
from inarow.studies.report import Curve, CurvePlot, Row, Section, Table, line, measured
from inarow.studies.results import Results, accuracy_rows
from inarow.studies.santos_2025 import PublishedRow, published, runs
from inarow.studies.santos_2025.runs import AMPLIFICATIONS, COSTS, EPISODES, LEARNERS, DrawCosts, Training
from inarow.studies.study import Study

FIGURES = (
    ("iterations", "iterations", "iterations", 3),
    ("states", "states", "states explored", 0),
    ("wins", "wins", "test: wins, %", 1),
    ("losses", "losses", "test: losses, %", 1),
    ("draws", "draws", "test: draws, %", 1),
    ("plies", "plies", "test: plies", 3),
    ("training_wins", "training wins", "training: wins, %", 1),
    ("training_plies", "training plies", "training: plies", 3),
)  # field of `PublishedRow`, figure, label, digits
_OWN_FIGURES = (
    ("oracle calls", "oracle calls for a decision", 3),
    ("wins, other side", "test from the other side: wins, %", 1),
)  # what the authors do not report: figure, label, digits
_TITLES = {
    "first, epsilon-greedy": "Table I, epsilon-greedy",
    "first, classical": "Table I, classical flags",
    "first, quantum": "Table I, quantum flags",
    "second, classical": "Table II, classical flags",
    "second, quantum": "Table II, quantum flags",
    "second, epsilon-greedy": "epsilon-greedy as second player, which the authors did not run",
}
_CURVES = (("wins", "% of games", 1), ("states", "positions", 0), ("plies", "plies a game", 2))  # curve, unit, digits
_BATCH, _TEMPERATURES = 300, 61
_LEAST_SHOWN_MASS = 0.1  # below it classical draws leave the picture
_SHORT = "These trainings are shorter than the published ones: they show that everything runs, not what it gives."
_READING = (
    "A published number and ours agree if Welch's 95 % interval for the difference of the two means holds 0."
    " Deviations are those of the population of runs, as published; their intervals suppose normal runs."
    " Corrected are: the target of a last move is its reward, the oracle marks the right columns, and a quantum draw"
    " amplifies by the best single m."
)
_DIFFERENCE_NOTE = (
    "Welch's t-test over runs, intervals for the difference of the means. Yes: p is below 0.05. Six tests are made, so"
    " one of them is below 0.05 by chance in about a quarter of all such studies."
)
_LOCKSTEP_NOTE = (
    "Eight figures are compared: if nothing differs, chance still puts one or more outside 95 % in up to a third of"
    " such checks."
)


def _sections(results: Results) -> list[Section]:
    """The tables, the question they were made for, and what their authors left open."""
    published_parts = _tables_section, _differences_section, _curves_section
    own_parts = _theory_section, _perfect_play_section, _opponents_section, _lockstep_section
    found = [make(results) for make in (*published_parts, *own_parts)]
    return [each for each in found if each.curves or any(table.rows for table in each.tables)]


def _row(results: Results, training: Training, figure: str, label: str, digits: int) -> Row:
    return results.row(label, training, figure, digits=digits, is_rate=label.endswith("%"))


def _tables_section(results: Results) -> Section:
    tables = tuple(table for training in LEARNERS if (table := _training_table(results, training)).rows)
    found = [row.agreement for table in tables for row in table.rows if row.agreement is not None]
    text = ["No published mean was compared: that needs at least two runs of the published size."]
    if found:
        text = [f"{sum(each.agrees for each in found)} of {len(found)} published means agree with ours."]
    started = [training for training in LEARNERS if results.runs(training, "as-published")]
    if not all(_is_published_size(results, training) for training in started):
        text.append(_SHORT)
    return Section(title="Tables I and II", text=(*text, _READING), tables=tables)


def _training_table(results: Results, training: Training) -> Table:
    printed = published().rows.get(training.name)
    rows: list[Row] = []
    for field, figure, label, digits in FIGURES:
        rows += _mean_and_deviation(results, training, figure, label, digits, _published_spread(printed, field))
    for figure, label, digits in _OWN_FIGURES:
        row = _row(results, training, figure, label, digits)
        rows += [row] if any(each.mean for each in row.ours) else []
    return Table(_TITLES[training.name], tuple(rows), _seconds_note(results, training, printed))


def _mean_and_deviation(
    results: Results, training: Training, figure: str, label: str, digits: int, printed: Spread | None
) -> list[Row]:
    row = _row(results, training, figure, label, digits)
    if printed is None and not row.ours:
        return []
    values = [results.values(training, variant, figure) for variant in VARIANTS]
    as_published, corrected = map(deviation_estimate, values)
    deviation = Row(f"{label}, deviation", None, as_published, corrected, digits)
    if printed is None:
        return [row, deviation]
    agrees = mean_agreement(printed, spread(values[0]), digits) if _is_published_size(results, training) else None
    return [replace(row, published=printed.mean, agreement=agrees), replace(deviation, published=printed.deviation)]


def _published_spread(row: PublishedRow | None, field: str) -> Spread | None:
    found: tuple[float, float] | None = getattr(row, field, None)
    return None if found is None else Spread(*found, published().runs)


def _is_published_size(results: Results, training: Training) -> bool:
    return results.size(training, "episodes", "as-published") == EPISODES[training.side]


def mean_agreement(printed: Spread, ours: Spread | None, digits: int) -> Agreement | None:
    """Whether two means may well have the same expectation; None where ours are too few."""
    found = difference(printed, ours)
    if found is None:
        return None
    side = "above" if found.mean > 0 else "below"
    shares = f", {abs(found.mean) / printed.deviation:.1f} published deviations" if printed.deviation else ""
    return found.agreement(f"{abs(found.mean):,.{digits}f} {side} ours{shares}, ")


def _seconds_note(results: Results, training: Training, printed: PublishedRow | None) -> str:
    texts = []
    for variant in VARIANTS:
        seconds, runs = results.timing(training, variant, "training"), results.runs(training, variant)
        if seconds is not None:
            texts.append(f"{seconds:.0f} ({variant}, {runs} run{'s' * (runs > 1)})")
    if not texts:
        return ""
    theirs = "" if printed is None else f"; published {printed.training_seconds:,}"
    return f"Seconds for a training: {', '.join(texts)}{theirs}."


def _differences_section(results: Results) -> Section:
    rows, detectable, counts = [], [], []
    for side in EPISODES:
        pair = Training(side, "classical"), Training(side, "quantum")
        counts += [results.runs(training, "as-published") for training in pair]
        for _, figure, label, digits in FIGURES[:3]:
            printed = difference(*(_published_spread(published().rows[training.name], figure) for training in pair))
            ours = [_difference(results, pair, variant, figure) for variant in VARIANTS]
            as_published, corrected = (None if each is None else each.estimate for each in ours)
            mean, agrees = None if printed is None else printed.mean, _same_answer(printed, ours[0])
            rows.append(Row(f"{side}: {label}", mean, as_published, corrected, digits, agrees))
            if ours[0] is not None:
                detectable.append(f"{side}, {label}: {ours[0].detectable:,.{digits}f}")
    many = " to ".join(map(str, sorted({min(counts), max(counts)})))
    text = "This needs at least two runs of each kind."
    if detectable:
        text = (
            f"What {many} runs of each kind can tell: a true difference of this size would be found in four of five"
            f" such studies, a smaller one less often. {'; '.join(detectable)}."
        )
    return Section(
        title="Do classical and quantum draws differ?",
        text=(text,),
        tables=(Table("classical minus quantum", tuple(rows), _DIFFERENCE_NOTE),),
    )


def _difference(results: Results, pair: tuple[Training, Training], variant: Variant, figure: str) -> Difference | None:
    return difference(*(spread(results.values(training, variant, figure)) for training in pair))


def _same_answer(printed: Difference | None, ours: Difference | None) -> Agreement | None:
    if printed is None or ours is None:
        return None
    answers = ["yes" if each.p < 0.05 else "no" for each in (printed, ours)]
    return Agreement(
        answers[0] == answers[1],
        f"published {answers[0]} (t = {printed.t:.1f}, p = {printed.p:.2g}), ours {answers[1]}"
        f" (t = {ours.t:.1f}, p = {ours.p:.2g})",
    )


def _curves_section(results: Results) -> Section:
    plots, tables = [], []
    for (curve, unit, digits), training in product(_CURVES, LEARNERS):
        ours = [results.curve(training, variant, curve, label=variant) for variant in VARIANTS]
        printed = getattr(published().rows.get(training.name), f"curve_{curve}", ())
        found, title = [each for each in ours if each is not None], f"{training.name}: {curve}"
        if found and printed and len(found[0].points) == len(printed):
            found.append(line("published", ((_BATCH * number, y) for number, y in enumerate(printed, start=1))))
            if ours[0] is not None:
                rows = _curve_rows(curve, printed, ours, [results.runs(training, each) for each in VARIANTS], digits)
                tables.append(Table(title, rows))
        plots.append(CurvePlot(title, "episodes", unit, tuple(found)))
    trained = product(LEARNERS, VARIANTS)
    rewards = [results.curve(each, variant, "reward", label=f"{each.name}, {variant}") for each, variant in trained]
    plots.append(CurvePlot("Mean reward", "episodes", "reward", tuple(curve for curve in rewards if curve)))
    return Section(
        title="Learning curves",
        text=(
            "Each point is a batch of 300 games of the training, with exploration; states are counted from the start."
            " While the temperature is high the learner plays nearly at random: the first batch shows the opponent.",
        ),
        tables=tuple(tables),
        curves=tuple(plot for plot in plots if plot.curves),
    )


def _curve_rows(
    curve: str, printed: Sequence[float], ours: Sequence[Curve | None], runs: Sequence[int], digits: int
) -> tuple[Row, ...]:
    """A row for each batch. Without a second run there is no interval."""
    rows = []
    for number, value in enumerate(printed):
        points = [None if each is None else each.points[number] for each in ours]
        as_published, corrected = (
            None if point is None else Estimate(point.y, (point.low, point.high) if count > 1 else None, 0.0, count)
            for point, count in zip(points, runs, strict=True)
        )
        label = f"{curve}, episodes {_BATCH * number + 1:,} to {_BATCH * (number + 1):,}"
        rows.append(Row(label, value, as_published, corrected, digits))
    return tuple(rows)


def _theory_section(results: Results) -> Section:
    texts = [text for variant in VARIANTS if (text := _distance(results, variant))]
    return Section(
        title="Temperature, and the cost of draws",
        text=(
            "How often must be drawn until a flagged column comes, by the mass of the flagged columns? Amplified draws"
            " need fewer rounds than plain ones only where less than about half of the mass is flagged, and each round"
            " costs oracle calls. docs/exploration.md has the numbers, and what noise does to them.",
            *texts,
        ),
        curves=(_temperature_plot(), *(_cost_plot(results, variant) for variant in VARIANTS)),
    )


def _temperature_plot() -> CurvePlot:
    curves = []
    for side, episodes in EPISODES.items():
        xs = np.linspace(1, episodes, _TEMPERATURES)
        inverse = 1 / Temperature(delta=runs.DELTAS[side]).at(xs)
        curves.append(line(f"{side} player", zip(xs.tolist(), inverse.tolist(), strict=True)))
    return CurvePlot("Inverse temperature", "episodes", "1 / T", tuple(curves))


def _cost_plot(results: Results, variant: Variant) -> CurvePlot:
    curves = []
    for cost, label in COSTS.items():
        expected = [point for point in runs.expected_draws(variant, cost) if point[0] >= _LEAST_SHOWN_MASS]
        curves.append(line(f"{label}, theory", expected))
        found = results.curve(DrawCosts(), variant, cost, label=f"{label}, measured")
        if found is not None:
            curves.append(Curve(found.label, tuple(point for point in found.points if point.x >= _LEAST_SHOWN_MASS)))
    title = f"Cost of a flagged column, m {AMPLIFICATIONS[variant]}"
    return CurvePlot(title, "flagged mass", "for each flagged column", tuple(curves))


def _distance(results: Results, variant: Variant) -> str:
    """How far theory and measurement are apart, in words."""
    worst = 0.0
    for cost in COSTS:
        found = results.curve(DrawCosts(), variant, cost, label=cost)
        if found is None:
            return ""
        for point, (_, expected) in zip(found.points, runs.expected_draws(variant, cost), strict=True):
            worst = max(worst, abs(point.y - expected) / max(expected, 1.0))
    decisions = (results.size(DrawCosts(), "decisions", variant) or 0) * results.runs(DrawCosts(), variant)
    amplification = AMPLIFICATIONS[variant]
    return f"m {amplification}: measured over {decisions:,} decisions a mass, at most {worst:.1%} from theory."


def _perfect_play_section(results: Results) -> Section:
    trained = (*LEARNERS, runs.PRESAMPLED, *runs.STRONGER)
    rows = [row for training in trained for row in accuracy_rows(results, training.name, training)]
    return Section(
        title="Against perfect play",
        text=(
            "Each net in the graded positions of the side it was trained on: how often its move keeps the outcome of"
            " the game, how often where that is not certain for every move, and how often it is a best one.",
        ),
        tables=(Table("Accuracy", measured(rows)),),
    )


def _opponents_section(results: Results) -> Section:
    rows = []
    for training in (runs.QUANTUM, runs.PRESAMPLED, *runs.STRONGER):
        for _, figure, label, digits in FIGURES:
            if figure in ("iterations", "wins", "draws", "training wins"):
                row = _row(results, training, figure, f"{training.name}: {label}", digits)
                rows.append(replace(row, as_published=None))
    return Section(
        title="Other opponents, other draws",
        text=(
            "The same training against opponents that look further ahead, tested against the opponent of the training;"
            " and with five plain draws before the amplified ones, as the textbook has it.",
        ),
        tables=(Table("Trained and tested against", measured(rows)),),
    )


def _lockstep_section(results: Results) -> Section:
    """Welch's interval for each figure's difference between the two orders of play."""
    rows = []
    for _, figure, label, digits in FIGURES:
        found = _difference(results, runs.LOCKSTEPS, "as-published", figure)
        if found is not None:
            rows.append(Row(label, None, found.estimate, None, digits, found.agreement()))
    counts = [f"{results.runs(each, 'as-published')} {each.name.removeprefix('first, ')}" for each in runs.LOCKSTEPS]
    return Section(
        title="Games in lockstep",
        text=(
            "The authors play one game after the other; here the 300 games of a batch move together. The net is fixed"
            " within a batch in any case. A position always comes at the same ply, and at each ply games are decided in"
            " their order, so its flags meet the same games in the same order as one by one: only the random streams"
            f" differ. Difference of the means, lockstep minus one by one; runs: {' and '.join(counts)}.",
        ),
        tables=(Table("Lockstep minus one by one", tuple(rows), _LOCKSTEP_NOTE),) if rows else (),
    )


SANTOS_2025 = Study(
    name="santos-2025",
    title="santos-2025: deep Q-learning with flags, classical and quantum",
    source="F. Santos, J. P. Fernandes, L. Macedo, Extending a Quantum Reinforcement Learning Exploration Policy with"
    " Flags to Connect Four, 2025",
    experiments=runs.experiments,
    sections=_sections,
)
