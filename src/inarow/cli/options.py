"""Options that several commands share."""

from typing import Annotated

from cyclopts import Parameter

from inarow.cli.completers import complete_agents, complete_boards
from inarow.workers import Cluster, Workers, check_workers


def _check_seed(kind: object, seed: int) -> None:
    if not 0 <= seed < 2**63:
        raise ValueError(f"seed is {seed}; it must be 0 to 2^63 - 1")


SEED, OUT = Parameter(validator=_check_seed), Parameter(name=("--out", "-o"))
"""What `seed` and `out` mean in every command, whatever their help says."""
UNUSED = "Accepted for uniformity"
"""How the description of a seed begins where nothing is random: every command takes one."""
HIDDEN = Parameter(validator=_check_seed, show=False)
"""What such a seed means."""

Board = Annotated[
    str,
    Parameter(
        help="Board: ROWSxCOLUMNSxINAROW, with /free for no gravity, connect4 or tictactoe.", completer=complete_boards
    ),
]
AgentString = Annotated[str, Parameter(completer=complete_agents)]
Seed = Annotated[int, SEED, Parameter(help="Random seed.")]
UnusedSeed = Annotated[int, HIDDEN, Parameter(help=f"{UNUSED}; this command is deterministic.")]
Json = Annotated[bool, Parameter(help="Print one JSON document and nothing else.")]
Memory = Annotated[int, Parameter(help="Megabytes for the solver's table.")]
Threads = Annotated[int, Parameter(help="Threads of the solver. Does not affect scores.")]
WorkerCount = Annotated[
    int | None, Parameter(help="Worker processes (default 1), or concurrent tasks with --ray. Does not affect results.")
]
Ray = Annotated[
    str | None,
    Parameter(help="Run on a Ray cluster: HOST:PORT, auto for the one on this machine, or local to start one."),
]
Moves = Annotated[str, Parameter(help="Start from the position after this move string.")]


def find_workers(workers: int | None, ray: str | None) -> Workers:
    """The workers that the two options describe; raises InvalidLimitError."""
    found: Workers = (1 if workers is None else workers) if ray is None else Cluster(ray, workers)
    check_workers(found)
    return found
