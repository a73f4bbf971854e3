"""Draws the picture of docs/explanation/alphazero.md from the curves beside it: accuracy over training time.

Run: `python tools/benchmarks/alphazero_curves.py`
"""

from __future__ import annotations

import csv
from pathlib import Path

from inarow.report.pictures import picture

FOLDER = Path(__file__).parents[2] / "docs" / "alphazero"
RUNS = {
    "connect4-5min-seed0": ("connect4-5min", "#3b8132"),
    "connect4-5min-seed1": ("connect4-5min, seed 1", "#8fbf86"),
    "connect4": ("the net connect4", "#5a3d8a"),
    "connect4-60min-seed0": ("connect4-60min", "#1b6ca8"),
    "connect4-60min-seed1": ("connect4-60min, seed 1", "#86b6d8"),
    "universal": ("universal, on 6x7x4", "#d1495b"),
}
SHOWN = {"raw_accuracy": "net alone", "search_accuracy": "64 simulations"}


def main() -> None:
    """Draws the net alone on the left and with search on the right."""
    with picture(FOLDER / "curves.svg", 11, 4) as figure:
        for column, axes in zip(SHOWN, figure.subplots(1, 2, sharey=True), strict=True):
            for run, (label, colour) in RUNS.items():
                with (FOLDER / f"{run}.csv").open(encoding="utf-8") as file:
                    points = list(csv.DictReader(file))
                minutes = [float(point["core_seconds"]) / 60 for point in points]
                axes.plot(minutes, [100 * float(point[column]) for point in points], label=label, color=colour)
            axes.set(xscale="log", xlabel="minutes of one core", title=SHOWN[column])
            axes.grid(alpha=0.3)
            axes.legend(fontsize=7, loc="lower right")
            if column == "raw_accuracy":
                axes.set_ylabel("outcome kept, % of 250 critical positions")


if __name__ == "__main__":
    main()
