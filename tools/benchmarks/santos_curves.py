"""Draws the picture of docs/studies/santos-2025.md from the results beside it: wins in training, ours and published.

Run: `python tools/benchmarks/santos_curves.py`
"""

from __future__ import annotations

from pathlib import Path

import inarow
from inarow.report.pictures import picture

FOLDER = Path(__file__).parents[2] / "docs" / "studies" / "santos-2025"
ROWS = {
    "first, epsilon-greedy": "#3b8132",
    "first, classical": "#1b6ca8",
    "first, quantum": "#d1495b",
    "second, epsilon-greedy": "#3b8132",
    "second, classical": "#1b6ca8",
    "second, quantum": "#d1495b",
}


def main() -> None:
    """Draws first players on the left and second ones on the right."""
    report = inarow.reproduce("santos-2025", scale="paper", out=FOLDER, report_only=True)
    plots = {plot["title"]: plot["curves"] for section in report.to_dict()["sections"] for plot in section["curves"]}
    with picture(FOLDER / "curves.svg", 11, 4) as figure:
        axes = dict(zip(("first", "second"), figure.subplots(1, 2, sharey=True), strict=True))
        for row, colour in ROWS.items():
            place, rule = axes[row.split(", ")[0]], row.split(", ")[1]
            for curve in plots[f"{row}: wins"]:
                x, y, low, high = ([point[key] for point in curve["points"]] for key in ("x", "y", "low", "high"))
                if curve["label"] == "as-published":
                    place.plot(x, y, color=colour, label=f"{rule}, ours")
                    place.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)
                elif curve["label"] == "published":
                    place.plot(x, y, "o", color=colour, markerfacecolor="white", label=f"{rule}, published")
        for side, place in axes.items():
            place.set(xlabel="episodes", title=f"{side} player")
            place.legend(fontsize=7)
        axes["first"].set_ylabel("wins in training, % of 300 games")


if __name__ == "__main__":
    main()
