"""Tables I and II of santos-2025."""

from __future__ import annotations

from inarow.studies.comparison import Agreement
from inarow.studies.experiment import VARIANTS
from inarow.studies.report import Row, Section, Table
from inarow.studies.results import Results
from inarow.studies.santos_2025.published import PublishedRow, published
from inarow.studies.santos_2025.trainings import EPISODES, LEARNERS
from inarow.studies.welch import Spread, deviation_estimate, difference, spread

FIGURES = (
    ("iterations", "iterations", "iterations", 3),
    ("states", "states", "states explored", 0),
    ("wins", "wins", "test: wins, %", 1),
    ("losses", "losses", "test: losses, %", 1),
    ("draws", "draws", "test: draws, %", 1),
    ("plies", "plies", "test: plies", 3),
    ("training_wins", "training wins", "training: wins, %", 1),
    ("training_plies", "training plies", "training: plies", 3),
)
"""Field of `PublishedRow`, figure, label, digits."""
_OWN_FIGURES = (
    ("oracle calls", "oracle calls for a decision", 3),
    ("wins, other side", "test from the other side: wins, %", 1),
)
"""What the authors do not report: figure, label, digits."""
_TITLES = {
    "first, epsilon-greedy": "Table I, epsilon-greedy",
    "first, classical": "Table I, classical flags",
    "first, quantum": "Table I, quantum flags",
    "second, classical": "Table II, classical flags",
    "second, quantum": "Table II, quantum flags",
    "second, epsilon-greedy": "epsilon-greedy as second player, which the authors did not run",
}


def tables_section(results: Results) -> Section:
    tables = tuple(table for name in LEARNERS if (table := _row_table(results, name)).rows)
    text = (_summary(tables), *_size_warning(results), _READING)
    return Section(title="Tables I and II", text=text, tables=tables)


_READING = (
    "A published number and ours agree if Welch's 95 % interval for the difference of the two means holds 0."
    " Deviations are those of the population of runs, as published; their intervals suppose normal runs."
    " Corrected are: the target of a last move is its reward, the oracle marks the right columns, and a quantum draw"
    " amplifies by the best single m."
)


def _summary(tables: tuple[Table, ...]) -> str:
    found = [row.agreement for table in tables for row in table.rows if row.agreement is not None]
    if not found:
        return "No published mean was compared: that needs at least two runs of the published size."
    return f"{sum(each.agrees for each in found)} of {len(found)} published means agree with ours."


def _size_warning(results: Results) -> tuple[str, ...]:
    names = [name for name in LEARNERS if results.size(name, "as-published") is not None]
    if all(_is_published_size(results, name) for name in names):
        return ()
    return ("These trainings are shorter than the published ones: they show that everything runs, not what it gives.",)


def _row_table(results: Results, name: str) -> Table:
    printed = published().rows.get(name)
    rows: list[Row] = []
    for field, figure, label, digits in FIGURES:
        rows += _mean_and_deviation(results, name, figure, label, digits, _published_spread(printed, field))
    for figure, label, digits in _OWN_FIGURES:
        ours = [results.estimate(name, variant, figure, is_rate=label.endswith("%")) for variant in VARIANTS]
        if any(each is not None and each.mean for each in ours):
            rows.append(Row(label=label, as_published=ours[0], corrected=ours[1], digits=digits))
    return Table(_TITLES[name], tuple(rows), _note(results, name, printed))


def _mean_and_deviation(
    results: Results, name: str, figure: str, label: str, digits: int, printed: Spread | None
) -> list[Row]:
    ours = [results.estimate(name, variant, figure, is_rate=label.endswith("%")) for variant in VARIANTS]
    if printed is None and not any(ours):
        return []
    values = [results.values(name, variant, figure) for variant in VARIANTS]
    is_full = _is_published_size(results, name)
    agrees = mean_agreement(printed, spread(values[0]), digits) if printed is not None and is_full else None
    deviations = [deviation_estimate(each) for each in values]
    return [
        Row(
            label=label,
            published=None if printed is None else printed.mean,
            as_published=ours[0],
            corrected=ours[1],
            digits=digits,
            agreement=agrees,
        ),
        Row(
            label=f"{label}, deviation",
            published=None if printed is None else printed.deviation,
            as_published=deviations[0],
            corrected=deviations[1],
            digits=digits,
        ),
    ]


def _published_spread(row: PublishedRow | None, field: str) -> Spread | None:
    found = getattr(row, field) if row is not None else None
    return None if found is None else Spread(found[0], found[1], published().runs)


def _is_published_size(results: Results, name: str) -> bool:
    size = results.size(name, "as-published")
    return size is not None and size["episodes"] == EPISODES[LEARNERS[name].side]


def mean_agreement(printed: Spread, ours: Spread | None, digits: int) -> Agreement | None:
    """Whether two means may well be of the same thing; None where ours are too few."""
    found = difference(printed, ours)
    if found is None:
        return None
    low, high = found.interval
    agrees = low <= 0 <= high
    side = "above" if found.mean > 0 else "below"
    shares = f", {abs(found.mean) / printed.deviation:.1f} published deviations" if printed.deviation else ""
    sentence = f"{abs(found.mean):,.{digits}f} {side} ours{shares}, p = {found.p:.2g}"
    return Agreement(agrees, f"{'within' if agrees else 'outside'}: {sentence}")


def _note(results: Results, name: str, printed: PublishedRow | None) -> str:
    texts = []
    for variant in VARIANTS:
        seconds = results.timing(name, variant, "training")
        if seconds is not None:
            texts.append(
                f"{seconds:.0f} ({variant}, {results.runs(name, variant)} run{'s' * (results.runs(name, variant) > 1)})"
            )
    if not texts:
        return ""
    theirs = "" if printed is None else f"; published {printed.training_seconds:,}"
    return f"Seconds for a training: {', '.join(texts)}{theirs}."
