"""`inarow train` for deep Q-learning."""

from __future__ import annotations

from rich.table import Table

from inarow.agents.registry import make_agent
from inarow.cli.output import live_table, print_json, stdout
from inarow.cli.training import TrainingRequest, hint_to_resume, make_opponent, print_next_steps, sparkline
from inarow.games.position import Position
from inarow.learning.config import to_config
from inarow.learning.deep_q.config import DeepQConfig
from inarow.learning.deep_q.run import DeepQRun
from inarow.learning.deep_q.trainer import Trainer

_HEADINGS = ("episodes", "mean reward", "won", "drawn", "lost", "plies", "loss", "positions", "iterations")
_TEST_GAMES = 1000
"""At most; against a slow opponent they take as long as as many episodes."""


def train_deep_q(request: TrainingRequest) -> None:
    """Trains a net; see `train.py`."""
    if request.document is None:
        run = DeepQRun.resume(request.folder, make_opponent)
    else:
        config = to_config(request.document, DeepQConfig, request.source)
        # whatever is wrong with the opponent or the board is told before anything is trained
        make_agent(config.opponent).decide(Position.start(config.spec))
        run = DeepQRun.start(config, request.folder, make_opponent)
    trainer = run.trainer
    with live_table(f"training on {trainer.config.board}", lambda: _curve_table(trainer)) as progress:
        with hint_to_resume(run.folder):
            run.train(lambda trainer: progress(trainer.episodes, trainer.config.episodes))
        test = trainer.test(min(_TEST_GAMES, trainer.episodes))
    config = trainer.config
    facts = {
        "folder": str(run.folder),
        "net": str(run.net),
        "board": config.board,
        "side": config.side,
        "opponent": config.opponent,
        "episodes": trainer.episodes,
        "positions": len(trainer.explorer.table),
    }
    if request.json:
        print_json({**facts, "curve": trainer.curve, "test": test})
        return
    stdout.print(_curve_table(trainer))
    stdout.print("  ".join(f"{name} {value}" for name, value in facts.items()), highlight=False, soft_wrap=True)
    rates = ", ".join(f"{name} {getattr(test, name) / test.games:.1%}" for name in ("wins", "draws", "losses"))
    stdout.print(f"without exploration, {test.games:,} games: {rates}", highlight=False)
    agent, gravity = f"dqn:net={run.net}", config.spec.gravity
    print_next_steps(agent, config.board, run.folder, side=config.side, can_be_exported=gravity)


def _curve_table(trainer: Trainer) -> Table:
    table = Table(*_HEADINGS, box=None)
    if trainer.curve:
        last = trainer.curve[-1]
        table.add_row(
            f"{last.episode:,}",
            f"{last.reward:+.3f} {sparkline([point.reward for point in trainer.curve])}",
            *(f"{rate:.1%}" for rate in (last.wins, last.draws, last.losses)),
            f"{last.plies:.1f}",
            f"{last.loss:.4f}",
            f"{last.states:,}",
            "-" if last.iterations is None else f"{last.iterations:.3f}",
        )
    return table
