"""Which nets of the study go into the package: of each row the run of the median win rate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from inarow.errors import InvalidResultsError
from inarow.learning.deep_q.export import read_model
from inarow.learning.deep_q.values import KIND
from inarow.learning.net_file import load_net, to_bytes
from inarow.storage.atomic import atomic_write
from inarow.studies.results import Finished
from inarow.studies.runner import ResultsFile
from inarow.studies.santos_2025.runs import net_file_name
from inarow.studies.santos_2025.trainings import EPISODES, LEARNERS


def ship_median_nets(results: Path, folder: Path, *, least_runs: int) -> dict[str, Path]:
    """Writes a net for each row of the tables that has so many as-published runs of the published size; by row.

    `results` is the folder of a reproduction. Raises InvalidResultsError if no row has.
    """
    finished = ResultsFile(results / "results.jsonl").finished
    folder.mkdir(exist_ok=True)
    written = {}
    for row, training in LEARNERS.items():
        runs = [
            each
            for each in finished
            if (each.experiment.name, each.experiment.variant) == (row, "as-published")
            and each.experiment.size["episodes"] == EPISODES[training.side]
        ]
        if len(runs) >= least_runs:
            written[row] = _write(results, folder, runs)
    if not written:
        raise InvalidResultsError(f"{results} has no row with {least_runs} runs of the published size")
    return written


def median_run(runs: Sequence[Finished]) -> Finished:
    """The one of the median win rate; of two in the middle the lower one, of equal ones the lowest seed."""
    ordered = sorted(runs, key=lambda each: (each.measured.figures["wins"], each.experiment.seed))
    return ordered[(len(ordered) - 1) // 2]


def _write(results: Path, folder: Path, runs: Sequence[Finished]) -> Path:
    chosen = median_run(runs)
    source = results / net_file_name(chosen.experiment)
    about = load_net(source, KIND).about
    rates = sorted(each.measured.figures["wins"] for each in runs)
    story = {
        **about.provenance,
        "chosen": f"the median of {len(runs)} runs by wins in tests, %",
        "wins of all runs": rates,
        "study seed": chosen.experiment.seed,
    }
    path = folder / f"santos-2025-{chosen.experiment.name.replace(', ', '-')}.onnx"
    with atomic_write(path) as file:
        file.write(to_bytes(read_model(source.read_bytes()), replace(about, provenance=story)))
    return path
