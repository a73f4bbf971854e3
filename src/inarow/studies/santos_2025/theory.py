"""Figures that need no training: the temperature, and what draws cost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inarow.learning.exploration.schedules import Temperature
from inarow.studies.experiment import VARIANTS, Variant
from inarow.studies.report import Curve, CurvePlot, CurvePoint, Section
from inarow.studies.results import Results
from inarow.studies.santos_2025 import draws
from inarow.studies.santos_2025.trainings import DELTAS, EPISODES

_POINTS = 61
_LEAST_SHOWN_MASS = 0.1
"""Below it classical draws leave the picture."""


def theory_section(results: Results) -> Section:
    plots = [_temperature_plot(), *(_cost_plot(results, variant) for variant in VARIANTS)]
    texts = [text for variant in VARIANTS if (text := _distance(results, variant))]
    return Section(
        title="Temperature, and the cost of draws",
        text=(
            "How often must be drawn until a flagged column comes, by the mass of the flagged columns? Amplified draws"
            " need fewer rounds than plain ones only where less than about half of the mass is flagged, and each round"
            " costs oracle calls. docs/exploration.md has the numbers, and what noise does to them.",
            *texts,
        ),
        curves=tuple(plots),
    )


def _temperature_plot() -> CurvePlot:
    curves = []
    for side, episodes in EPISODES.items():
        xs = np.linspace(1, episodes, _POINTS)
        curves.append(_line(f"{side} player", list(zip(xs, 1 / Temperature(delta=DELTAS[side]).at(xs), strict=True))))
    return CurvePlot("Inverse temperature", "episodes", "1 / T", tuple(curves))


def _cost_plot(results: Results, variant: Variant) -> CurvePlot:
    curves = []
    for cost, label in draws.COSTS.items():
        curves.append(_line(f"{label}, theory", [p for p in draws.expected_draws(variant, cost) if _is_shown(p)]))
        measured = results.curve(draws.NAME, variant, cost, label=f"{label}, measured")
        if measured is not None:
            shown = tuple(point for point in measured.points if _is_shown((point.x, point.y)))
            curves.append(Curve(measured.label, shown))
    title = f"Cost of a flagged column, m {draws.AMPLIFICATIONS[variant]}"
    return CurvePlot(title, "flagged mass", "for each flagged column", tuple(curves))


def _is_shown(point: tuple[float, float]) -> bool:
    return point[0] >= _LEAST_SHOWN_MASS


def _distance(results: Results, variant: Variant) -> str:
    """How far theory and measurement are apart, in words."""
    worst = 0.0
    for cost in draws.COSTS:
        measured = results.curve(draws.NAME, variant, cost, label=cost)
        if measured is None:
            return ""
        for point, (_, expected) in zip(measured.points, draws.expected_draws(variant, cost), strict=True):
            worst = max(worst, abs(point.y - expected) / max(expected, 1.0))
    size = results.size(draws.NAME, variant)
    decisions = 0 if size is None else size["decisions"] * results.runs(draws.NAME, variant)
    amplification = draws.AMPLIFICATIONS[variant]
    return f"m {amplification}: measured over {decisions:,} decisions a mass, at most {worst:.1%} from theory."


def _line(label: str, points: Sequence[tuple[float, float]]) -> Curve:
    return Curve(label, tuple(CurvePoint(float(x), float(y), float(y), float(y)) for x, y in points))
