"""`inarow bench`."""

from __future__ import annotations

from rich.table import Table

from inarow.cli.benchmarks import run_benchmarks
from inarow.cli.options import Json, UnusedSeed
from inarow.cli.output import print_json, progress_bar, stdout


def bench(*, peers: bool = False, only: str | None = None, json: Json = False, seed: UnusedSeed = 0) -> None:
    """Measure this machine; with --peers, installed peers on the same work in the same run.

    Args:
        peers: Also measure the installed peers: OpenSpiel, BitBully, Aer, C. Needs a clone of the repository.
        only: Only the rows of this name.
    """
    with progress_bar("measuring") as progress:
        rows = list(run_benchmarks(peers=peers, only=only, progress=progress))
    if json:
        print_json(rows)
        return
    table = Table("name", "board", "value", "unit", "peer", "peer value", "ratio", box=None, pad_edge=False)
    for row in rows:
        other = (row.peer, f"{row.peer_value:,.0f}", f"{row.ratio:.2f}") if row.peer else ("", "", "")
        table.add_row(row.name, row.board, f"{row.value:,.0f}", row.unit, *other)
    stdout.print(table)
