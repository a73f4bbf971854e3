"""`inarow suite`."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App, Parameter

from inarow.arena.suite_build import build_suite
from inarow.cli.options import Board, Json, Memory, Seed
from inarow.cli.output import print_json, progress_bar, stdout
from inarow.games.spec import GameSpec
from inarow.workers import open_pool

suite = App(name="suite", help="Make positions to grade agents on.", default_parameter=Parameter(negative=()))


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
    """Draw positions of every ply, half from random and half from strong play, and score every move.

    Killed or interrupted, the same command goes on where it was.

    Args:
        out: The file to write.
        positions: How many.
        workers: Processes that score; the suite is the same for any number.
    """
    with open_pool(workers) as pool, progress_bar(f"suite of {board}") as progress:
        made = build_suite(
            GameSpec.parse(board), out, pool, positions=positions, seed=seed, memory=memory << 20, progress=progress
        )
    facts = {
        "file": str(out),
        "board": str(made.spec),
        "positions": len(made),
        "bytes": out.stat().st_size,
        "checksum": made.checksum,
    }
    if json:
        print_json(facts)
    else:
        stdout.print("  ".join(f"{name} {value}" for name, value in facts.items()), highlight=False)
