"""The training of the published AlphaZero, by the preset `gupta-shah-2022-short`.

Figures: `iterations`, `games`, `examples`, `steps`, `accepted` and `rejected` nets, `simulations` of a move. Curves by
core-seconds: `raw` and `searched`, the accuracy of the current net in percent; by iteration: `gate`, the wins of the
new net in percent of wins and losses, and `accepted`, the same of accepted nets only. Timing: `core`, all core-seconds.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from inarow.arena.training import start_run
from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.run_state import GateMatch, read_state
from inarow.learning.config import find_document
from inarow.learning.run_folder import read_config
from inarow.studies.comparison import PERCENT
from inarow.studies.experiment import Measured, Trial

PRESET = "gupta-shah-2022-short"
NET_FILE = "alphazero-as-published.onnx"


@dataclass(frozen=True, slots=True)
class Training:
    """A run of some iterations. Its net is written beside the results."""

    name: str = "training of alphazero-as-published"

    def run(self, trial: Trial) -> Measured:
        with tempfile.TemporaryDirectory(prefix="inarow-training-") as parent:
            folder = Path(parent) / "run"
            settings = [f"iterations={trial.size['iterations']}", f"seed={trial.seed}"]
            start_run(find_document(PRESET, settings), folder, source=PRESET).train()
            return measured_of(folder)


def measured_of(folder: Path) -> Measured:
    """The result of a trial from the folder of its run."""
    state, config = read_state(folder / "state.json"), read_config(folder, AlphaZeroConfig)
    accepted = [match for match in state.gate if match.is_accepted]
    figures = {
        "iterations": float(state.iterations),
        "games": float(state.games),
        "examples": float(state.examples),
        "steps": float(state.gate[-1].steps if state.gate else 0),
        "accepted": float(len(accepted)),
        "rejected": float(len(state.gate) - len(accepted)),
        "simulations": float(config.selfplay.simulations),
    }
    graded = [point for point in state.curve if point.raw_accuracy is not None and point.search_accuracy is not None]
    curves = {
        "raw": [(point.core_seconds, PERCENT * (point.raw_accuracy or 0.0)) for point in graded],
        "searched": [(point.core_seconds, PERCENT * (point.search_accuracy or 0.0)) for point in graded],
        "gate": [(float(match.iteration), _share(match)) for match in state.gate],
        "accepted": [(float(match.iteration), _share(match)) for match in accepted],
    }
    core = round(state.play_seconds + state.learn_seconds, 1)
    return Measured(figures, curves, {"core": core}, {NET_FILE: (folder / "net.onnx").read_bytes()})


def _share(match: GateMatch) -> float:
    """The wins of the new net in percent of wins and losses; half if all games are drawn."""
    decided = match.wins + match.losses
    return PERCENT * match.wins / decided if decided else PERCENT / 2
