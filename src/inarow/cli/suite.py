"""`inarow suite`."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App, Parameter

from inarow.arena.suite_build import build_suite
from inarow.cli.options import Board, Json, Memory, Seed
from inarow.cli.output import print_facts, progress_bar
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

    After an interruption, the same command continues where it stopped.

    Args:
        out: The file to write.
        positions: Number of positions.
        workers: Worker processes. Does not affect the suite.
    """
    with open_pool(workers) as pool, progress_bar(f"suite of {board}") as progress:
        made = build_suite(
            GameSpec.parse(board), out, pool, positions=positions, seed=seed, memory=memory << 20, progress=progress
        )
    facts: dict[str, object] = {
        "file": str(out),
        "board": str(made.spec),
        "positions": len(made),
        "bytes": out.stat().st_size,
        "checksum": made.checksum,
    }
    print_facts(facts, json=json)
