"""Draws the picture of docs/studies/santos-2025-harder.md from the results beside it: scores while training.

Run: `python tools/benchmarks/santos_harder.py`
"""

from __future__ import annotations

from pathlib import Path

import inarow
from inarow.report.pictures import picture

FOLDER = Path(__file__).parents[2] / "docs" / "studies" / "santos-2025"
COLOURS = ("#3b8132", "#7f7f7f", "#1b6ca8", "#d1495b", "#e2a72e")
TITLES = {"Harder play, four plies: test score": "four plies", "Harder play, mix: test score": "mix"}


def main() -> None:
    """Draws the two kinds of opponents side by side, a curve for each policy."""
    report = inarow.reproduce("santos-2025", scale="paper", out=FOLDER, report_only=True)
    plots = {plot["title"]: plot["curves"] for section in report.to_dict()["sections"] for plot in section["curves"]}
    with picture(FOLDER / "harder.svg", 11, 4) as figure:
        for place, (title, name) in zip(figure.subplots(1, 2, sharey=True), TITLES.items(), strict=True):
            for curve, colour in zip(plots[title], COLOURS, strict=True):
                x, y, low, high = ([point[key] for point in curve["points"]] for key in ("x", "y", "low", "high"))
                place.plot(x, y, color=colour, label=curve["label"])
                place.fill_between(x, low, high, color=colour, alpha=0.12, linewidth=0)
            place.set(xlabel="episodes", title=name)
            place.legend(fontsize=7)
        figure.axes[0].set_ylabel("score in tests, %")


if __name__ == "__main__":
    main()
