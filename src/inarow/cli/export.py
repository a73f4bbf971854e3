"""`inarow export`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from inarow.adapters.kaggle_export.export import export_kaggle
from inarow.cli.options import Board, Json, Seed
from inarow.cli.output import print_json, spinner, stdout
from inarow.games.spec import GameSpec

export = App(name="export", help="Make files that play elsewhere.", default_parameter=Parameter(negative=()))


@export.command
def kaggle(
    agent: str,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    board: Board = "connect4",
    json: Json = False,
    seed: Seed = 0,
) -> None:
    """Write a Kaggle ConnectX submission: one Python file that needs only the standard library and NumPy.

    Before it is written it plays two games by Kaggle's loading rules, in an empty folder, without inarow.

    Args:
        agent: Agent string.
        out: The file; a name that ends with .tar.gz makes an archive with a main.py.
    """
    with spinner(f"exporting {agent}"):
        rehearsal = export_kaggle(agent, out, GameSpec.parse(board))
    size = out.stat().st_size
    if json:
        print_json({"agent": agent, "file": str(out), "bytes": size, **asdict(rehearsal)})
        return
    overage = f", {rehearsal.overage:.3f} s of Kaggle's 60 s for a game" if rehearsal.overage else ""
    stdout.print(
        f"{out}: {size:,} bytes; played {rehearsal.games} games as on Kaggle, slowest of {rehearsal.moves} moves "
        f"{rehearsal.slowest:.3f} s{overage}",
        highlight=False,
        soft_wrap=True,
    )
