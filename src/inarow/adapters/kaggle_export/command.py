"""`inarow export kaggle`."""

from __future__ import annotations

import json as json_format
import sys
from dataclasses import asdict
from pathlib import Path

from inarow.adapters.kaggle_export.export import export_kaggle
from inarow.games.spec import GameSpec


def kaggle(agent: str, *, out: Path, board: str = "connect4", json: bool = False, seed: int = 0) -> None:
    """Write a Kaggle ConnectX submission: one Python file that needs only the standard library and NumPy.

    Before it is written it plays two games by Kaggle's loading rules, in an empty folder, without inarow.

    Args:
        agent: Agent string.
        out: The file; a name that ends with .tar.gz makes an archive with a main.py.
        board: Board: ROWSxCOLUMNSxINAROW, with /free for no gravity, connect4 or tictactoe.
        json: Print one JSON document and nothing else.
        seed: Accepted for uniformity; this command is deterministic.
    """
    spec = GameSpec.parse(board)
    if sys.stderr.isatty():
        print(f"exporting {agent} ...", file=sys.stderr)
    rehearsal = export_kaggle(agent, out, spec)
    size = out.stat().st_size
    if json:
        document = {"agent": agent, "file": str(out), "bytes": size, **asdict(rehearsal)}
        print(json_format.dumps(document, indent=2))
        return
    overage = f", {rehearsal.overage:.3f} s of Kaggle's 60 s for a game" if rehearsal.overage else ""
    print(
        f"{out}: {size:,} bytes; played {rehearsal.games} games as on Kaggle, slowest of {rehearsal.moves} moves "
        f"{rehearsal.slowest:.3f} s{overage}"
    )
