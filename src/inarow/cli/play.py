"""`inarow play`."""

from __future__ import annotations

import shlex
import sys
from contextlib import nullcontext

import numpy as np

from inarow.agents.registry import make_agent
from inarow.cli.keyboard import single_keys
from inarow.cli.options import Board, Json, Moves, Seed
from inarow.cli.output import print_json, stderr, stdout
from inarow.cli.terminal_game import KeyAsker, LineAsker, Session, draw_position, is_interactive
from inarow.games.notation import format_move, side_name
from inarow.games.position import Position
from inarow.games.record import GameRecord
from inarow.games.spec import GameSpec
from inarow.search.limits import Limits
from inarow.search.solver.api import analyse

_HINT_SECONDS = 5


def play(
    *,
    board: Board = "connect4",
    first: str = "human",
    second: str = "human",
    moves: Moves = "",
    json: Json = False,
    seed: Seed = 0,
) -> None:
    """Play a game in the terminal: arrow keys or numbers, h hints, u takes back, q leaves.

    Where keys cannot be read one by one, moves are read one per line.

    Args:
        first: Agent string of the side that moves first.
        second: Agent string of the other side.
    """
    console = stderr if json else stdout
    start = Position.parse(moves, GameSpec.parse(board))
    by_keys = is_interactive()
    ask = KeyAsker(console, _hint) if by_keys else LineAsker(console, sys.stdin, _hint)
    streams = np.random.SeedSequence(seed).spawn(2)
    agents = [make_agent(text, seed=stream, ask=ask) for text, stream in zip((first, second), streams, strict=True)]
    console.print(f"{side_name(1, agents[0].name)} against {side_name(2, agents[1].name)}")
    session = Session(agents[0], agents[1], start, lambda position: console.print(draw_position(position)))
    try:
        with single_keys() if by_keys else nullcontext():
            record = session.run()
    except KeyboardInterrupt:
        if played := session.position.moves:
            options = {"--board": board, "--first": first, "--second": second, "--moves": played}
            command = shlex.join(["inarow", "play", *(word for option in options.items() for word in option)])
            stderr.print(f"continue with: {command}", style="yellow", markup=False, soft_wrap=True)
        raise
    console.print(_ending(record), style="bold")
    if json:
        print_json(record)


def _hint(position: Position) -> str:
    """What the solver says within a few seconds."""
    analysis = analyse(position, only_best=True, limits=Limits(seconds=_HINT_SECONDS))
    if not analysis.best:
        return f"no hint: not solved within {_HINT_SECONDS} s"
    best = " ".join(format_move(action, position.spec) for action in analysis.best)
    return f"best: {best} (score {analysis.score}, {analysis.plies} plies to the end)"


def _ending(record: GameRecord) -> str:
    moves = f"{len(record.actions)} moves: {record.moves}"
    if record.termination == "unfinished":
        return f"left after {moves}"
    if record.winner is None:
        return f"a draw after {moves}"
    return f"{side_name(record.winner, (record.first, record.second)[record.winner - 1])} wins after {moves}"
