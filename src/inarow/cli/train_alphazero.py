"""`inarow train` for AlphaZero."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.table import Table

from inarow.arena.grading_curve import curve_grader
from inarow.cli.output import live_table, print_json, print_table, stderr, stdout
from inarow.cli.training import TrainingRequest, hint_to_resume, print_next_steps
from inarow.errors import ClusterError, ConfigError, InarowError, MissingExtraError, TaskError, shown
from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.config import to_config
from inarow.workers import Cluster, check_workers

if TYPE_CHECKING:
    from inarow.learning.alphazero.run import AlphaZeroRun
    from inarow.learning.alphazero.run_state import CurvePoint

_COLUMNS = ("seconds", "core s", "nets", "games", "games/s", "examples", "steps", "policy", "value", "raw", "searched")
_SHOWN_POINTS = 12
_PROGRESS_PARTS = 1000
_FIRST_WORD_SECONDS = 20.0


def train_alphazero(request: TrainingRequest) -> None:
    """Trains a net; see `train.py`."""
    run = _open(request)
    cluster = None if request.ray is None else Cluster(request.ray)
    players = f"{run.config.workers} processes" if cluster is None else f"{run.config.workers} CPUs of a Ray cluster"
    _tell(f"training on {_boards(run.config)} with {players} into {run.folder.path}")
    with live_table("training", lambda: _curve_table(run)) as progress:
        tell_lines = _line_teller(run)

        def watch(run: AlphaZeroRun) -> None:
            progress(round(_PROGRESS_PARTS * run.progress), _PROGRESS_PARTS)
            if not stderr.is_terminal:
                tell_lines()

        try:
            with hint_to_resume(run.folder.path):
                run.train(watch, curve_grader(run.config.specs), cluster=cluster)
        except ClusterError as error:
            again = f"inarow train --resume {run.folder.path} --ray ADDRESS"
            raise ClusterError(f"{error}; the run has begun, go on with: {again}") from None
        except TaskError as error:
            again = f"inarow train --resume {run.folder.path}"
            raise InarowError(f"{error}; what was learnt is saved, go on with: {again}") from error
    _report(run, request)


def _line_teller(run: AlphaZeroRun) -> Callable[[], None]:
    """For a log instead of a terminal: tells every new point of the curve, and soon after the start how long
    it will take.
    """
    told, soon = len(run.state.curve), run.state.seconds + _FIRST_WORD_SECONDS

    def tell() -> None:
        nonlocal told, soon
        for point in run.state.curve[told:]:
            _tell("  ".join(f"{name} {text}" for name, text in zip(_COLUMNS, _cells(point), strict=True)))
        told = len(run.state.curve)
        if run.state.seconds >= soon and run.seconds_left is not None:
            _tell(_now(run))
            soon = math.inf

    return tell


def _open(request: TrainingRequest) -> AlphaZeroRun:
    try:
        from inarow.learning.alphazero.run import AlphaZeroRun
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "onnx"):
            raise
        raise MissingExtraError(error.name, "train") from None
    if request.document is not None:
        config = to_config(request.document, AlphaZeroConfig, request.source)
        check_workers(config.workers if request.ray is None else Cluster(request.ray, config.workers))
        return AlphaZeroRun.start(config, request.folder)
    minutes, iterations, settings = 0.0, 0, []
    for setting in request.settings:
        if not setting.startswith(("minutes", "iterations")):
            settings.append(setting)
            continue
        more = re.fullmatch(r"(minutes|iterations)=\+(\d+(?:\.\d+)?)", setting)
        if more is None or (more[1] == "iterations" and not more[2].isdigit()):
            raise ConfigError(f"setting {shown(setting)} does not extend a run; write iterations=+20 or minutes=+20")
        if more[1] == "minutes":
            minutes += float(more[2])
        else:
            iterations += int(more[2])
    try:
        return AlphaZeroRun.resume(request.folder, minutes=minutes, iterations=iterations, settings=settings)
    except InarowError:  # which says where
        raise
    except ValueError as error:  # a config that cannot be extended so
        raise ConfigError(f"{request.source}: {error}") from None


def _report(run: AlphaZeroRun, request: TrainingRequest) -> None:
    state = run.state
    facts = {
        "folder": str(run.folder.path),
        "net": str(run.folder.net),
        "board": _boards(run.config),
        "iterations": state.iterations,
        "games": state.games,
        "examples": state.examples,
        "steps": run.learner.steps,
        "simulations": state.simulations,
        "evaluations": state.evaluations,
        "seconds": round(state.seconds, 1),
        "play_core_seconds": round(state.play_seconds, 1),
        "learn_core_seconds": round(state.learn_seconds, 1),
        "bytes": run.memory,
    }
    if request.json:
        print_json({**facts, "curve": state.curve})
        return
    print_table(_curve_table(run))
    stdout.print("  ".join(f"{name} {value}" for name, value in facts.items()), highlight=False, soft_wrap=True)
    spec = run.config.specs[0]
    print_next_steps(f"alphazero:net={run.folder.net}", str(spec), run.folder.path, can_be_exported=spec.gravity)


def _boards(config: AlphaZeroConfig) -> str:
    return config.board or f"{len(config.specs)} boards"


def _curve_table(run: AlphaZeroRun) -> Table:
    table = Table(*_COLUMNS, box=None, pad_edge=False, caption=_now(run))
    for column in table.columns:
        column.justify = "right"
    for point in run.state.curve[-_SHOWN_POINTS:]:
        table.add_row(*_cells(point))
    return table


def _now(run: AlphaZeroRun) -> str:
    """The state of this moment in a line: what plays, what learns, what it takes."""
    state = run.state
    megabytes = "  ".join(f"{name} {size / 1e6:.0f} MB" for name, size in run.memory.items() if size)
    loss = run.losses[-1] if run.losses else None
    losses = f"  loss {loss.policy:.3f} + {loss.value:.3f}" if loss is not None else ""
    left = run.seconds_left
    remaining = f"{left / 60:.1f} min left  " if left is not None else ""
    return (
        f"{remaining}{state.games:,} games, {state.games / max(1e-9, state.seconds):.1f}/s{losses}  "
        f"cores: play {state.play_seconds:.0f} s, learn {state.learn_seconds:.0f} s  {megabytes}"
    )


def _cells(point: CurvePoint) -> list[str]:
    return [
        f"{point.seconds:.0f}",
        f"{point.core_seconds:.0f}",
        f"{point.iteration:,}",
        f"{point.games:,}",
        f"{point.games_per_second:.1f}",
        f"{point.examples:,}",
        f"{point.steps:,}",
        *(f"{loss:.3f}" if loss is not None else "-" for loss in (point.policy_loss, point.value_loss)),
        *(f"{rate:.1%}" if rate is not None else "-" for rate in (point.raw_accuracy, point.search_accuracy)),
    ]


def _tell(line: str) -> None:
    stderr.print(line, highlight=False, soft_wrap=True)
