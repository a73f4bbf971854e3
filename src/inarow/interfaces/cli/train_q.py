"""`inarow train` for tabular Q-learning."""

from __future__ import annotations

import numpy as np
from rich.table import Table

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent, parse_agent
from inarow.interfaces.cli.output import live_table, print_json, stderr, stdout
from inarow.interfaces.cli.training import TrainingRequest
from inarow.learning.config import to_config
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.episode import OTHER
from inarow.learning.tabular.run import TrainingRun
from inarow.learning.tabular.trainer import CurvePoint, Trainer, compiled_opponent

_BARS = "▁▂▃▄▅▆▇█"
_CURVE_WIDTH = 60


def train_q(request: TrainingRequest) -> None:
    """Trains a table; see `train.py`."""
    if request.document is None:
        run = TrainingRun.resume(request.folder, _opponent)
    else:
        config = to_config(request.document, QConfig, request.source)
        _check_opponents(config)
        run = TrainingRun.start(config, request.folder, _opponent)
    trainer = run.trainer
    with live_table(f"training on {trainer.config.board}", lambda: _curve_table(trainer)) as progress:
        try:
            run.train(lambda trainer: progress(trainer.episodes, trainer.config.episodes))
        except KeyboardInterrupt:
            stderr.print(f"stopped; go on with: inarow train --resume {run.folder}", style="yellow", highlight=False)
            raise
    facts = {
        "folder": str(run.folder),
        "table": str(run.folder / "table.npz"),
        "board": trainer.config.board,
        "episodes": trainer.episodes,
        "positions": len(trainer.table),
        "refused": trainer.table.refused,
    }
    if request.json:
        print_json({**facts, "curve": trainer.curve})
        return
    stdout.print(_curve_table(trainer))
    stdout.print("  ".join(f"{name} {value}" for name, value in facts.items()), highlight=False)
    stdout.print(
        f"play it: inarow play --board {trainer.config.board} --second q:table={facts['table']}", highlight=False
    )


def _opponent(text: str, seed: np.random.SeedSequence) -> Agent:
    return make_agent(text, seed=seed)


def _check_opponents(config: QConfig) -> None:
    """Raises InvalidAgentError before anything is trained."""
    for phase in config.phases:
        if compiled_opponent(phase.opponent)[0] == OTHER:
            parse_agent(phase.opponent)


def _curve_table(trainer: Trainer) -> Table:
    table = Table("phase", "episodes", "mean reward", "won", "drawn", "lost", "epsilon", "positions", box=None)
    phases = {(point.phase, point.generation): point for point in trainer.curve}
    for (phase, generation), last in phases.items():
        points = [point.reward for point in trainer.curve if (point.phase, point.generation) == (phase, generation)]
        table.add_row(
            f"{phase + 1}.{generation + 1}",
            f"{last.episode:,}",
            f"{last.reward:+.3f} {_sparkline(points)}",
            *(f"{rate:.1%}" for rate in _rates(last)),
            f"{last.epsilon:.3f}",
            f"{last.rows:,}",
        )
    return table


def _rates(point: CurvePoint) -> tuple[float, float, float]:
    return point.wins, point.draws, point.losses


def _sparkline(values: list[float]) -> str:
    """The course of values in one line of at most `_CURVE_WIDTH` characters."""
    step = -(-len(values) // _CURVE_WIDTH)
    means = [sum(values[at : at + step]) / len(values[at : at + step]) for at in range(0, len(values), step)]
    low, high = min(means), max(means)
    scale = (len(_BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(_BARS[round((mean - low) * scale)] for mean in means)
