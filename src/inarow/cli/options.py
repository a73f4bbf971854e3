"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from inarow.workers import Cluster, Workers, check_workers

Board = Annotated[str, Parameter(help="Board: ROWSxCOLUMNSxINAROW, with /free for no gravity, connect4 or tictactoe.")]


def _check_seed(kind: object, seed: int) -> None:
    if not 0 <= seed < 2**63:
        raise ValueError(f"seed is {seed}; it must be 0 to 2^63 - 1")


Seed = Annotated[int, Parameter(help="Root of all chance: the same seed gives the same result.", validator=_check_seed)]
Json = Annotated[bool, Parameter(help="Print one JSON document and nothing else.")]
Memory = Annotated[int, Parameter(help="Megabytes for the solver's table.")]
Threads = Annotated[int, Parameter(help="Threads of the solver; the scores are the same for any number.")]
WorkerCount = Annotated[
    int | None,
    Parameter(
        help="Processes that work, 1 if not given, or with --ray tasks at once; the result is the same for any number."
    ),
]
Ray = Annotated[
    str | None,
    Parameter(help="Work on a Ray cluster: HOST:PORT, auto for that of this machine, or local for a new one."),
]
Moves = Annotated[str, Parameter(help="Start from the position after this move string.")]


def find_workers(workers: int | None, ray: str | None) -> Workers:
    """Who works, as the two options say; raises InvalidLimitError."""
    found: Workers = (1 if workers is None else workers) if ray is None else Cluster(ray, workers)
    check_workers(found)
    return found
