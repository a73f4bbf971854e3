"""`inarow play`: a game in the terminal."""

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Annotated

import numpy as np
from cyclopts import Parameter
from rich.console import Console
from rich.live import Live
from rich.text import Text

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent
from inarow.cli.board_input import (
    KeyScreen,
    LeaveRequest,
    LineScreen,
    Screen,
    TakeBackRequest,
    lines_needed,
    single_keys,
)
from inarow.cli.completers import complete_agents
from inarow.cli.options import AgentString, Board, Json, Moves, Seed
from inarow.cli.output import print_json, stderr, stdout
from inarow.games import GameRecord, GameSpec, Position
from inarow.games.notation import side_name

PERSON = "human"
BEGINNER = "solver:level=2"
"""The default opponent of a person."""


def play(
    *,
    board: Board = "connect4",
    first: AgentString = PERSON,
    second: Annotated[AgentString | None, Parameter(completer=complete_agents)] = None,
    moves: Moves = "",
    json: Json = False,
    seed: Seed = 0,
) -> None:
    """Play a game in the terminal, by default against the computer.

    Move with the arrow keys and Enter, or type the number of the move; h shows a hint, u takes a move back, q quits.
    Where keys cannot be read one by one, moves are read one per line.

    Args:
        first: Agent string of the side that moves first.
        second: Agent string of the other side (default: solver:level=2 against a person, else human).

    Examples:
        inarow play                                    # you move first
        inarow play --second solver:level=5            # levels 1 (easy) to 10
        inarow play --first solver --second human      # the computer begins
        inarow play --board tictactoe --second human   # two people
    """
    console = stderr if json else stdout
    start = Position.parse(moves, GameSpec.parse(board))
    if second is None:
        second = BEGINNER if first == PERSON else PERSON
    streams = np.random.SeedSequence(seed).spawn(2)
    with _screen(console, start) as screen:
        agents = [
            make_agent(text, seed=stream, ask=screen) for text, stream in zip((first, second), streams, strict=True)
        ]
        console.print(f"{side_name(1, agents[0].name)} against {side_name(2, agents[1].name)}")
        if PERSON in (first, second):
            console.print(screen.welcome(start))
        session = Session(agents, start, screen)
        try:
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


@contextmanager
def _screen(console: Console, start: Position) -> Iterator[Screen]:
    """The board drawn in place on a terminal where it fits, else printed after every move."""
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    lines, columns = lines_needed(start)
    has_room = console.height >= lines and console.width >= columns
    if is_terminal and has_room and find_spec("termios") is not None:  # on Windows, moves are read by lines
        with single_keys(), Live(Text(), console=console, auto_refresh=False) as live:
            yield KeyScreen(live)
    else:
        yield LineScreen(console, sys.stdin)


def _ending(record: GameRecord) -> str:
    moves = f"{len(record.actions)} moves: {record.moves}"
    if record.termination == "unfinished":
        return f"left after {moves}"
    if record.winner is None:
        return f"a draw after {moves}"
    return f"{side_name(record.winner, (record.first, record.second)[record.winner - 1])} wins after {moves}"


@dataclass
class Session:
    """Plays from `position` with two agents, showing every position."""

    agents: Sequence[Agent]
    position: Position
    screen: Screen

    def run(self) -> GameRecord:
        """Plays until the game is over or a player leaves."""
        start = self.position.ply
        while not self.position.is_over:
            mover = self.agents[self.position.ply % 2]
            side = side_name(self.position.side_to_move, mover.name)
            self.screen.show(self.position, "" if mover.name == PERSON else f"{side} is thinking ...")
            try:
                self.position = self.position.play(mover.decide(self.position).action)
            except TakeBackRequest:  # to the last position in which the same agent was to move, if there is one
                earlier = [*self.position.line()][start:-1]
                own = [each for each in earlier if self.agents[each.ply % 2].name == mover.name]
                self.position = own[-1] if own else self.position
            except LeaveRequest:
                break
        self.screen.show(self.position)
        first, second = (agent.name for agent in self.agents)
        return GameRecord.of_position(self.position, first, second, opening=start)
