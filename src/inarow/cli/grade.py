"""`inarow grade`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from inarow.agents.registry import make_agent
from inarow.arena.grading import Accuracy, Grade
from inarow.arena.grading import grade as grade_agent
from inarow.arena.store import Store
from inarow.arena.store_rows import AgentIdentity
from inarow.arena.suite import find_suite
from inarow.cli.options import Board, Json, Ray, Seed, WorkerCount, find_workers
from inarow.cli.output import number_table, print_json, progress_bar, stdout
from inarow.games.spec import GameSpec

_RATES = {"outcome_accuracy": "outcome", "critical_accuracy": "critical", "optimal_accuracy": "optimal"}


def grade(
    agent: str,
    *,
    board: Board = "connect4",
    suite: str | None = None,
    workers: WorkerCount = None,
    ray: Ray = None,
    store: Annotated[Path | None, Parameter(help="Also keep the grade in this results store.")] = None,
    json: Json = False,
    seed: Seed = 0,
) -> None:
    """Grade an agent's decisions against perfect play.

    Outcome accuracy: the move keeps win, draw or loss; critical accuracy: the same where some move does not;
    optimal accuracy: the move has the best score; regret: the score that the move gives away.

    Args:
        agent: Agent string, e.g. mcts:simulations=5000
        suite: standard (ships with the package), exhaustive (all positions of a small board), or a file.
    """
    crew = find_workers(workers, ray)
    name = make_agent(agent).name
    with progress_bar("finding the positions"):
        positions = find_suite(suite, GameSpec.parse(board))
    if store is not None:
        Store.open(store).close()  # a bad path costs no work
    with progress_bar(name) as progress:
        made = grade_agent(name, suite=positions, seed=seed, workers=crew, progress=progress)
    if store is not None:
        with Store.open(store) as results:
            results.add_grade(AgentIdentity.parse(name), made.board, made.suite, msgspec.to_builtins(made))
    print_json(made) if json else _print_grade(made)


def _print_grade(made: Grade) -> None:
    title = (
        f"{made.agent} on {made.board}, suite {made.suite}: {made.positions:,} positions, {made.critical:,} critical"
    )
    stdout.print(title, style="bold", soft_wrap=True)
    for name, label in _RATES.items():
        stdout.print(f"{label:9}{_percent(getattr(made, name))}{_interval(made, name, '.1%')}")
    stdout.print(f"{'regret':9}{_regret(made)}{_interval(made, 'mean_regret', '.3f')}")
    if made.faults:
        stdout.print(f"{made.faults} faults, the first: {made.fault}", style="red")
    table = number_table("", "positions", "critical", *_RATES.values(), "regret")
    for side, row in made.by_side.items():
        table.add_row(side, *_cells(row))
    for row in made.by_ply:
        table.add_row(f"ply {row.ply}", *_cells(row))
    stdout.print(table)


def _cells(row: Accuracy) -> list[str]:
    rates = [_percent(getattr(row, name)) for name in _RATES]
    return [f"{row.positions:,}", f"{row.critical:,}", *rates, _regret(row)]


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.1%}"


def _regret(row: Accuracy) -> str:
    return "-" if row.mean_regret is None else f"{row.mean_regret:.3f}"


def _interval(row: Accuracy, name: str, form: str) -> str:
    interval = row.intervals[name]
    return "" if interval is None else f"  (95 %: {interval[0]:{form}} to {interval[1]:{form}})"
