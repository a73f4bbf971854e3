"""`inarow engine`."""

import os
import sys
from typing import Literal

from inarow.agents.registry import parse_agent
from inarow.engine.gtp import GtpServer
from inarow.engine.lines import read_lines
from inarow.engine.moves import Notation
from inarow.engine.setup import Setup
from inarow.engine.uci import UciEngine
from inarow.games import GameSpec
from inarow.search.solver.api import solve_lines, solver_for

_LINES_MEMORY = 256 << 20


def engine(
    *,
    agent: str = "solver",
    protocol: Literal["uci", "gtp", "lines"] = "uci",
    board: str = "connect4",
    notation: Notation = "columns",
    seed: int = 0,
) -> None:
    """Speak an engine protocol over stdin and stdout.

    Args:
        agent: Agent string; with uci it can be changed by the option Agent.
        protocol: uci, like chess engines; gtp, the Go Text Protocol; lines, one move string per line in and its score
            out, like Pons' solver.
        board: Board: ROWSxCOLUMNSxINAROW, with /free for no gravity, connect4 or tictactoe.
        notation: With gtp, the notation of moves in replies: columns from 1, or action strings of OpenSpiel.
        seed: Random seed.

    Examples:
        inarow engine --agent solver:level=5
        inarow engine --protocol gtp --board 9x9x5/free --agent mcts
        inarow engine --protocol lines < positions.txt
    """
    spec = GameSpec.parse(board)
    parse_agent(agent)
    lines = read_lines(sys.stdin)
    if protocol == "uci":
        UciEngine(Setup.on(spec, agent, seed), sys.stdout).run(lines)
        sys.stdout.flush()
        os._exit(0)  # an agent that cannot be interrupted may still be running
    if protocol == "gtp":
        GtpServer(spec, agent, seed=seed, notation=notation, output=sys.stdout).run(lines)
        return
    code = 0
    for answer, problem in solve_lines(lines, spec, solver_for(spec, "shipped", _LINES_MEMORY, 1)):
        if problem:
            print(f"inarow: {problem}", file=sys.stderr)
            code = 1
        print(answer, flush=True)
    sys.exit(code)
