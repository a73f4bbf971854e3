"""Draws the picture of docs/studies/kumbhakern-2025.md from the results beside it: Figure 1, published and ours.

Run: `python tools/benchmarks/kumbhakern_curve.py`
"""

from __future__ import annotations

from pathlib import Path

import inarow
from inarow.report.pictures import picture
from inarow.studies.kumbhakern_2025.runs import PHASES

FOLDER = Path(__file__).parents[2] / "docs" / "studies" / "kumbhakern-2025"
COLOURS = {"published": "#1c1c1c", "as-published, without random starts": "#1b6ca8"}
LABELS = {"published": "published", "as-published, without random starts": "as published, ours: mean of 10 runs"}


def main() -> None:
    """Draws all points of all phases in one row."""
    report = inarow.reproduce("kumbhakern-2025", scale="paper", out=FOLDER, report_only=True)
    plots = {plot.title: plot.curves for section in report.sections for plot in section.curves}
    with picture(FOLDER / "curve.svg", 11, 4) as figure:
        place = figure.subplots()
        for curve in plots["Mean reward"]:
            if curve.label not in COLOURS:
                continue
            x, y, low, high = ([getattr(point, key) for point in curve.points] for key in ("x", "y", "low", "high"))
            colour = COLOURS[curve.label]
            style = "." if curve.label == "published" else "-"
            place.plot(x, y, style, color=colour, markersize=4, label=LABELS[curve.label])
            place.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
        length = len(x) // len(PHASES)
        for number, phase in enumerate(PHASES):
            place.axvline(number * length + 0.5, color="#cccccc", linewidth=0.8, zorder=0)
            place.text(number * length + 2, 1.03, phase, fontsize=8)
        place.set(xlabel="points of 5,000 games, 39 per phase", ylabel="mean reward", ylim=(0, 1.1))
        place.legend(loc="lower right")


if __name__ == "__main__":
    main()
