"""Copies nets of santos-2025 into the package: for each row of its tables the run with the median win rate.

    inarow reproduce santos-2025 --scale paper --workers 2 --out reproductions/santos-2025-paper
    python tools/benchmarks/median_nets.py reproductions/santos-2025-paper [LEAST_RUNS]

Rows with fewer than LEAST_RUNS runs (20) are skipped.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace
from onnx import load_model_from_string

from inarow.errors import InvalidResultsError
from inarow.learning.net_file import open_net, to_bytes
from inarow.learning.pretrained import DEEP_Q
from inarow.storage.atomic import atomic_write
from inarow.studies.results import Finished, ResultsFile
from inarow.studies.santos_2025.runs import EPISODES, LEARNERS, net_file_name

NETS = Path(__file__).parents[2] / "src" / "inarow" / "learning" / "deep_q" / "nets"


def ship_median_nets(results: Path, folder: Path, *, least_runs: int) -> dict[str, Path]:
    """Writes a net for each row of the tables with enough as-published runs of the published size; paths by row.

    `results` is the folder of a reproduction. Raises InvalidResultsError if no row has enough runs.
    """
    finished = ResultsFile(results / "results.jsonl").finished
    folder.mkdir(exist_ok=True)
    written = {}
    for training in LEARNERS:
        runs = [
            each
            for each in finished
            if (each.trial.name, each.trial.variant) == (training.name, "as-published")
            and each.trial.size["episodes"] == EPISODES[training.side]
        ]
        if len(runs) >= least_runs:
            written[training.name] = _write(results, folder, runs)
    if not written:
        raise InvalidResultsError(f"{results} has no row with {least_runs} runs of the published size")
    return written


def median_run(runs: Sequence[Finished]) -> Finished:
    """The run with the median win rate; of two in the middle the lower one, of equal ones that with the lowest seed."""
    ordered = sorted(runs, key=lambda each: (each.measured.figures["wins"], each.trial.seed))
    return ordered[(len(ordered) - 1) // 2]


def _write(results: Path, folder: Path, runs: Sequence[Finished]) -> Path:
    chosen = median_run(runs)
    source = results / net_file_name(chosen.trial)
    about = open_net(source, DEEP_Q).about
    rates = sorted(each.measured.figures["wins"] for each in runs)
    story = {
        **about.provenance,
        "chosen": f"the median of {len(runs)} runs by wins in tests, %",
        "wins of all runs": rates,
        "study seed": chosen.trial.seed,
    }
    model = load_model_from_string(source.read_bytes())
    del model.metadata_props[:]
    path = folder / f"santos-2025-{chosen.trial.name.replace(', ', '-')}.onnx"
    with atomic_write(path) as file:
        file.write(to_bytes(model, replace(about, provenance=story)))
    return path


if __name__ == "__main__":
    least = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    for row, path in ship_median_nets(Path(sys.argv[1]), NETS, least_runs=least).items():
        print(f"{row}: {path.name}, {path.stat().st_size:,} bytes")
