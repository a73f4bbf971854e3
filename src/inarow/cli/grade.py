"""`inarow grade`, and `inarow suite` for the positions to grade agents on."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from inarow.arena.grading import Accuracy, Grade
from inarow.arena.grading import grade as grade_agent
from inarow.arena.store import opened
from inarow.arena.store_schema import AgentIdentity
from inarow.arena.suite_build import build_suite
from inarow.cli.completers import complete_suites
from inarow.cli.options import AgentString, Board, Json, Memory, Ray, Seed, WorkerCount, find_workers
from inarow.cli.output import number_table, print_facts, print_json, print_table, stdout

_FIGURES = {
    "outcome_accuracy": ("outcome", ".1%"),
    "critical_accuracy": ("critical", ".1%"),
    "optimal_accuracy": ("optimal", ".1%"),
    "mean_regret": ("regret", ".3f"),
}
"""Fields of a grade, with their label and format."""

suite = App(name="suite", help="Make positions to grade agents on.", default_parameter=Parameter(negative=()))


def grade(
    agent: AgentString,
    *,
    board: Board = "connect4",
    suite: Annotated[str | None, Parameter(completer=complete_suites)] = None,
    workers: WorkerCount = None,
    ray: Ray = None,
    store: Annotated[Path | None, Parameter(help="Also keep the grade in this results store.")] = None,
    json: Json = False,
    seed: Seed = 0,
) -> None:
    """Grade an agent against perfect play.

    Outcome accuracy: the move keeps win, draw or loss; critical accuracy: the same where some move does not;
    optimal accuracy: the move has the best score; regret: the score that the move gives away.

    Args:
        agent: Agent string, e.g. mcts:simulations=5000
        suite: standard (ships with the package), exhaustive (all positions of a small board), or a file.

    Examples:
        inarow grade mcts:simulations=1000 --workers 2
        inarow grade minimax --board tictactoe         # all of its positions
    """
    with opened(store) as results:  # a bad path costs no work
        made = grade_agent(agent, board, suite=suite, seed=seed, workers=find_workers(workers, ray))
        if results is not None:
            results.add_grade(AgentIdentity.parse(made.agent), made.board, made.suite, made.to_dict())
    print_json(made) if json else _print_grade(made)


@suite.command
def build(
    out: Path,
    *,
    board: Board = "connect4",
    positions: int = 5040,
    workers: int = 1,
    memory: Memory = 128,
    json: Json = False,
    seed: Seed = 0,
) -> None:
    """Draw positions of every ply and score every move.

    Half of the positions come from random play, half from strong play. After an interruption, the same command
    continues where it stopped.

    Args:
        out: The file to write.
        positions: Number of positions.
        workers: Worker processes. Does not affect the suite.

    Examples:
        inarow suite build small.npz --board 5x5x4 --positions 500
    """
    made = build_suite(out, board, positions=positions, seed=seed, workers=workers, memory=memory << 20)
    about = {"file": str(out), "board": str(made.spec), "positions": len(made)}
    print_facts({**about, "bytes": out.stat().st_size, "checksum": made.checksum}, json=json)


def _print_grade(made: Grade) -> None:
    about = f"{made.agent} on {made.board}, suite {made.suite}"
    stdout.print(f"{about}: {made.positions:,} positions, {made.critical:,} critical", style="bold", soft_wrap=True)
    for name, (label, form) in _FIGURES.items():
        interval = made.intervals[name]
        bounds = "" if interval is None else f"  (95 %: {interval[0]:{form}} to {interval[1]:{form}})"
        stdout.print(f"{label:9}{_number(getattr(made, name), form)}{bounds}")
    if made.faults:
        stdout.print(f"{made.faults} faults, the first: {made.fault}", style="red")
    table = number_table("", "positions", "critical", *(label for label, _ in _FIGURES.values()))
    parts: dict[str, Accuracy] = {**made.by_side, **{f"ply {row.ply}": row for row in made.by_ply}}
    for title, row in parts.items():
        figures = (_number(getattr(row, name), form) for name, (_, form) in _FIGURES.items())
        table.add_row(title, f"{row.positions:,}", f"{row.critical:,}", *figures)
    print_table(table)


def _number(number: float | None, form: str) -> str:
    return "-" if number is None else format(number, form)
