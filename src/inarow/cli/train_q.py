"""`inarow train` for tabular Q-learning."""

from __future__ import annotations

from rich.table import Table

from inarow.agents.registry import parse_agent
from inarow.cli.output import live_table, print_json, stdout
from inarow.cli.training import TrainingRequest, hint_to_resume, make_opponent, print_next_steps, sparkline
from inarow.learning.config import to_config
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.episode import OTHER
from inarow.learning.tabular.run import TrainingRun
from inarow.learning.tabular.trainer import CurvePoint, Trainer, compiled_opponent


def train_q(request: TrainingRequest) -> None:
    """Trains a table; see `train.py`."""
    if request.document is None:
        run = TrainingRun.resume(request.folder, make_opponent)
    else:
        config = to_config(request.document, QConfig, request.source)
        _check_opponents(config)
        run = TrainingRun.start(config, request.folder, make_opponent)
    trainer = run.trainer
    title = f"training on {trainer.config.board}"
    with live_table(title, lambda: _curve_table(trainer)) as progress, hint_to_resume(run.folder):
        run.train(lambda trainer: progress(trainer.episodes, trainer.config.episodes))
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
    stdout.print("  ".join(f"{name} {value}" for name, value in facts.items()), highlight=False, soft_wrap=True)
    spec = trainer.config.spec
    print_next_steps(
        f"q:table={facts['table']}",
        trainer.config.board,
        run.folder,
        can_be_exported=spec.gravity and spec.fits_word,  # keys of other boards are no positions
    )


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
            f"{last.reward:+.3f} {sparkline(points)}",
            *(f"{rate:.1%}" for rate in _rates(last)),
            f"{last.epsilon:.3f}",
            f"{last.rows:,}",
        )
    return table


def _rates(point: CurvePoint) -> tuple[float, float, float]:
    return point.wins, point.draws, point.losses
