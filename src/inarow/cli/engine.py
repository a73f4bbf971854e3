"""`inarow engine`."""

from __future__ import annotations

import os
import sys
from typing import Literal

from inarow.agents.registry import parse_agent
from inarow.cli.options import Board, Seed
from inarow.cli.solving import make_solver
from inarow.engine.moves import Notation
from inarow.games.spec import GameSpec

_LINES_MEMORY = 256


def engine(
    *,
    agent: str = "solver",
    protocol: Literal["uci", "gtp", "lines"] = "uci",
    board: Board = "connect4",
    notation: Notation = "columns",
    seed: Seed = 0,
) -> None:
    """Play for another program over stdin and stdout.

    Args:
        agent: Agent string; with uci also the option Agent.
        protocol: uci, the shape of chess engines; gtp, the Go Text Protocol; lines, a move string a
            line in and its score out, as Pons' solver does.
        notation: With gtp, how moves are answered: columns from 1, or as OpenSpiel names them.
    """
    spec = GameSpec.parse(board)
    parse_agent(agent)
    if protocol == "uci":
        _run_uci(spec, agent, seed)
    elif protocol == "gtp":
        from inarow.engine.gtp import GtpServer

        GtpServer(spec, agent, seed=seed, notation=notation, output=sys.stdout).run(sys.stdin)
    else:
        from inarow.engine.lines import solve_lines

        solver = make_solver(spec, book=None, no_book=False, memory=_LINES_MEMORY, threads=1)
        sys.exit(solve_lines(sys.stdin, spec, solver, scores=False, weak=False, limits=None))


def _run_uci(spec: GameSpec, agent: str, seed: int) -> None:
    from inarow.engine.setup import Setup
    from inarow.engine.uci import UciEngine

    UciEngine(Setup.on(spec, agent, seed), sys.stdout).run(sys.stdin)
    sys.stdout.flush()
    os._exit(0)  # an agent that cannot be interrupted may still be at work, and nobody waits for it
