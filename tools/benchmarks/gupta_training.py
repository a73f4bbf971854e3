"""Adds a run of the published AlphaZero to the study gupta-shah-2022: net, curve, gate, picture, and its result.

The result is that of the experiment `training of alphazero-as-published`, which trains in the same way in one piece; a
run that is not finished has none. Run: `python tools/benchmarks/gupta_training.py runs/gupta-shah-2022-short`
"""

from __future__ import annotations

import csv
import shutil
import sys
from pathlib import Path

from inarow.report.pictures import picture
from inarow.studies.experiment import Trial
from inarow.studies.gupta_shah_2022.agents import PUBLISHED_NET
from inarow.studies.gupta_shah_2022.runs import TRAINED_ITERATIONS
from inarow.studies.gupta_shah_2022.training import Training, measured_of
from inarow.studies.results import ResultsFile

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "studies" / "gupta-shah-2022"
NET = ROOT / "src" / "inarow" / "learning" / "alphazero" / "nets" / f"{PUBLISHED_NET}.onnx"
NAMES = {"curve.csv": "alphazero-curve.csv", "gate.csv": "alphazero-gate.csv"}


def main(run: Path) -> None:
    """Copies the files of a run, stores its result once, and draws its gate and its accuracy."""
    measured = measured_of(run)
    results = ResultsFile(FOLDER / "results.jsonl")
    trial = Trial("gupta-shah-2022", Training(), "as-published", 0, {"iterations": TRAINED_ITERATIONS})
    is_finished = measured.figures["iterations"] == TRAINED_ITERATIONS
    if is_finished and trial.key not in {each.trial.key for each in results.finished}:
        measured.files.clear()
        results.add(trial, measured)
    shutil.copy(run / "net.onnx", NET)
    for name, kept in NAMES.items():
        shutil.copy(run / name, FOLDER / kept)
    draw()


def draw() -> None:
    """Draws the matches at the gate on the left, the accuracy of the current net on the right."""
    gate, curve = (list(csv.DictReader((FOLDER / kept).open(encoding="utf-8"))) for kept in reversed(NAMES.values()))
    with picture(FOLDER / "alphazero.svg", 11, 4) as figure:
        left, right = figure.subplots(1, 2)
        for is_accepted, colour, label in (("True", "#3b8132", "accepted"), ("False", "#d1495b", "rejected")):
            shown = [match for match in gate if match["is_accepted"] == is_accepted]
            shares = [100 * int(each["wins"]) / max(1, int(each["wins"]) + int(each["losses"])) for each in shown]
            left.plot([int(each["iteration"]) for each in shown], shares, "o", color=colour, label=label)
        left.axhline(60, color="#888888", linewidth=0.8)
        left.set(xlabel="iteration", ylabel="wins of the new net, % of wins and losses", title="matches at the gate")
        for column, label in (("raw_accuracy", "net alone"), ("search_accuracy", "64 simulations")):
            points = [(float(each["core_seconds"]) / 60, 100 * float(each[column])) for each in curve if each[column]]
            right.plot(*zip(*points, strict=True), label=label)
        right.set(xlabel="minutes of one core", ylabel="outcome kept, % of 250 critical positions", title="accuracy")
        for axes in (left, right):
            axes.grid(alpha=0.3)
            axes.legend(fontsize=7)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
