"""What the report of santos-2025 shows."""

from __future__ import annotations

from inarow.studies.experiment import VARIANTS
from inarow.studies.report import CurvePlot, Row, Section, Table, compare
from inarow.studies.results import Results
from inarow.studies.santos_2025.published import published
from inarow.studies.santos_2025.runs import ACCURACIES, LEARNERS

_FIGURES = (
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


def sections(results: Results) -> list[Section]:
    """Both tables and the learning curves."""
    return [_tables_section(results), _curves_section(results)]


def _tables_section(results: Results) -> Section:
    tables = tuple(_row_table(results, name) for name in LEARNERS)
    return Section(title="Tables I and II", tables=tables)


def _row_table(results: Results, name: str) -> Table:
    row = published().rows.get(name)
    rows: list[Row] = []
    for field, figure, label, digits in _FIGURES:
        spread = getattr(row, field) if row is not None else None
        ours = [results.estimate(name, variant, figure) for variant in VARIANTS]
        if any(each is not None for each in ours):
            rows.append(compare(label, spread[0] if spread else None, ours[0], ours[1], digits=digits))
    for figure in ACCURACIES:
        ours = [results.estimate(name, variant, figure, is_rate=True) for variant in VARIANTS]
        rows.append(compare(f"{figure.replace('_', ' ')}, %", None, ours[0], ours[1], digits=1))
    return Table(name, tuple(rows))


def _curves_section(results: Results) -> Section:
    plots = []
    for curve, unit in (("wins", "% of games"), ("states", "positions"), ("plies", "plies"), ("reward", "mean reward")):
        found = [
            results.curve(name, variant, curve, label=f"{name}, {variant}") for name in LEARNERS for variant in VARIANTS
        ]
        plots.append(CurvePlot(f"Training: {curve}", "episodes", unit, tuple(each for each in found if each)))
    return Section(title="Learning curves", curves=tuple(plots))
