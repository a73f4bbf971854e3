"""`inarow train`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
from cyclopts import Parameter
from rich.table import Table

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent, parse_agent
from inarow.errors import ConfigError
from inarow.interfaces.cli.options import Json
from inarow.interfaces.cli.output import live_table, print_json, stderr, stdout
from inarow.learning.config import QConfig, find_config
from inarow.learning.episode import OTHER
from inarow.learning.run import TrainingRun
from inarow.learning.trainer import CurvePoint, Trainer, compiled_opponent

_BARS = "▁▂▃▄▅▆▇█"
_CURVE_WIDTH = 60


def train(
    preset: str | None = None,
    *,
    out: Path | None = None,
    resume: Path | None = None,
    settings: Annotated[tuple[str, ...], Parameter(name="--set")] = (),
    json: Json = False,
    seed: int | None = None,
) -> None:
    """Train an agent, and keep table, curve and checkpoints in a folder.

    Args:
        preset: Name of a preset, or a TOML file.
        out: Folder of the run; runs/PRESET if not given.
        resume: Go on with the run in this folder instead of starting one.
        settings: Change a value of the config, e.g. --set alpha=0.2 --set phases.0.episodes=1000.
        seed: Root of all chance: the same seed gives the same table. The config's own if not given.
    """
    if (preset is None) == (resume is None):
        raise ConfigError("train needs a preset or a TOML file, or --resume with the folder of a run")
    if preset is None:
        assert resume is not None
        if settings or out is not None or seed is not None:
            raise ConfigError("a run that goes on keeps its config and its folder: no --set, --out or --seed")
        run = TrainingRun.resume(resume, _opponent)
    else:
        changes = settings if seed is None else (*settings, f"seed={seed}")
        config = find_config(preset, changes)
        _check_opponents(config)
        run = TrainingRun.start(config, out or Path("runs") / Path(preset).stem, _opponent)
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
    if json:
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
