"""Learning curves of santos-2025, by 300 episodes, beside the published ones."""

from __future__ import annotations

from inarow.studies.comparison import Estimate
from inarow.studies.experiment import VARIANTS, Variant
from inarow.studies.report import Curve, CurvePlot, CurvePoint, Row, Section, Table
from inarow.studies.results import Results
from inarow.studies.santos_2025.published import published
from inarow.studies.santos_2025.trainings import LEARNERS

_CURVES = (("wins", "% of games", 1), ("states", "positions", 0), ("plies", "plies a game", 2))
"""Curve, unit, digits."""
_BATCH = 300


def curves_section(results: Results) -> Section:
    plots = [_plot(results, name, curve, unit) for curve, unit, _ in _CURVES for name in LEARNERS]
    tables = [_table(results, name, curve, digits) for curve, _, digits in _CURVES for name in LEARNERS]
    rewards = [
        results.curve(name, variant, "reward", label=f"{name}, {variant}") for name in LEARNERS for variant in VARIANTS
    ]
    plots.append(CurvePlot("Mean reward", "episodes", "reward", tuple(curve for curve in rewards if curve)))
    return Section(
        title="Learning curves",
        text=(
            "Each point is a batch of 300 games of the training, with exploration; states are counted from the start."
            " While the temperature is high the learner plays nearly at random: the first batch shows the opponent.",
        ),
        tables=tuple(table for table in tables if table is not None),
        curves=tuple(plot for plot in plots if plot is not None and plot.curves),
    )


def _plot(results: Results, name: str, curve: str, unit: str) -> CurvePlot | None:
    ours = [_curve(results, name, variant, curve) for variant in VARIANTS]
    found = [each for each in ours if each is not None]
    printed = _published_curve(name, curve)
    if found and printed and len(found[0].points) == len(printed):
        points = [CurvePoint(_BATCH * number, y, y, y) for number, y in enumerate(printed, start=1)]
        found.append(Curve("published", tuple(points)))
    return CurvePlot(f"{name}: {curve}", "episodes", unit, tuple(found)) if found else None


def _table(results: Results, name: str, curve: str, digits: int) -> Table | None:
    """Where there is a published curve and ours has as many points."""
    printed = _published_curve(name, curve)
    ours = [_curve(results, name, variant, curve) for variant in VARIANTS]
    if not printed or ours[0] is None or len(ours[0].points) != len(printed):
        return None
    rows = []
    for number, value in enumerate(printed):
        found = [_estimate(results, name, variant, each, number) for variant, each in zip(VARIANTS, ours, strict=True)]
        label = f"{curve}, episodes {_BATCH * number + 1:,} to {_BATCH * (number + 1):,}"
        rows.append(Row(label=label, published=value, as_published=found[0], corrected=found[1], digits=digits))
    return Table(f"{name}: {curve}", tuple(rows))


def _curve(results: Results, name: str, variant: Variant, curve: str) -> Curve | None:
    return results.curve(name, variant, curve, label=variant)


def _published_curve(name: str, curve: str) -> tuple[float, ...]:
    row = published().rows.get(name)
    return () if row is None else getattr(row, f"curve_{curve}")


def _estimate(results: Results, name: str, variant: Variant, curve: Curve | None, number: int) -> Estimate | None:
    if curve is None or number >= len(curve.points):
        return None
    point, runs = curve.points[number], results.runs(name, variant)
    return Estimate(point.y, (point.low, point.high) if runs > 1 else None, 0.0, runs)
