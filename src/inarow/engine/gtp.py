"""The Go Text Protocol, as used for other board games: a reply with `=` or `?` for every command.

`b`, `black` and `x` are the first side, `w`, `white` and `o` the second; they alternate.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TextIO

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent
from inarow.engine.lines import MAX_LINE, TOO_LONG
from inarow.engine.moves import Notation, format_engine_move, format_openspiel_move, parse_engine_move
from inarow.errors import IllegalMoveError, NotationError, one_line, shown
from inarow.games import GameSpec, Position
from inarow.version import __version__

_SIDES = {"b": 1, "black": 1, "x": 1, "w": 2, "white": 2, "o": 2}
_NUMBER = re.compile(r"[0-9]{1,9}")

Command = Callable[..., str]  # takes the words after the name of the command


class GtpServer:
    """Plays with one agent for one client."""

    def __init__(self, spec: GameSpec, agent: str, *, seed: int, notation: Notation, output: TextIO) -> None:
        self._agent: Agent = make_agent(agent, seed=seed)
        self._notation = notation
        self._position = Position.start(spec)
        self._output = output
        self._commands: dict[str, Command] = {
            "protocol_version": lambda *words: "2",
            "name": lambda *words: f"inarow {self._agent.name}",
            "version": lambda *words: __version__,
            "known_command": lambda name="", *words: str(name in self._commands).lower(),
            "list_commands": lambda *words: "\n".join(self._commands),
            "boardsize": self._set_board,
            "clear_board": lambda *words: self._start(self._position.spec),
            "komi": lambda *words: "",
            "time_settings": lambda *words: "",
            "time_left": lambda *words: "",
            "play": self._play,
            "genmove": self._decide,
            "undo": self._undo,
            "showboard": lambda *words: f"\n{self._position}",
            "final_score": self._score,
            "quit": lambda *words: "",
        }

    def run(self, lines: Iterable[str]) -> None:
        """Handles commands until `quit` or the end of the input."""
        for line in lines:
            if len(line) > MAX_LINE:
                self._write(f"? {TOO_LONG}")
                continue
            words = line.partition("#")[0].split()
            if not words:
                continue
            number = words.pop(0) if _NUMBER.fullmatch(words[0]) else ""
            self._reply(number, words)
            if words[:1] == ["quit"]:
                return

    def _reply(self, number: str, words: Sequence[str]) -> None:
        try:
            if not words or words[0] not in self._commands:
                raise NotationError("unknown command")
            sign, text = "=", self._commands[words[0]](*words[1:])
        except Exception as error:  # the failure of an agent is reported by a reply
            sign, text = "?", one_line(error)
        self._write(f"{sign}{number} {text}".rstrip())

    def _write(self, reply: str) -> None:
        self._output.write(reply.encode(errors="replace").decode() + "\n\n")
        self._output.flush()

    def _start(self, spec: GameSpec) -> str:
        self._position = Position.start(spec)
        return ""

    def _set_board(self, *words: str) -> str:
        """`boardsize N`, `ROWS COLUMNS` or `ROWS COLUMNS INAROW`; an empty board, gravity as it was."""
        if not 1 <= len(words) <= 3 or not all(_NUMBER.fullmatch(word) for word in words):
            raise NotationError("boardsize needs N, ROWS COLUMNS or ROWS COLUMNS INAROW")
        numbers = [int(word) for word in words]
        rows, columns = numbers[0], numbers[1 if len(numbers) > 1 else 0]
        spec = self._position.spec
        inarow = numbers[2] if len(numbers) == 3 else spec.inarow
        return self._start(GameSpec(rows, columns, inarow, spec.gravity))

    def _play(self, side: str = "", move: str = "", *words: str) -> str:
        self._check_side(side)
        action = parse_engine_move(move.lower(), self._position.spec)
        try:
            self._position = self._position.play(action)
        except IllegalMoveError as error:
            raise IllegalMoveError(f"illegal move: {error}") from None
        return ""

    def _decide(self, side: str = "", *words: str) -> str:
        self._check_side(side)
        position = self._position
        if position.is_over:
            raise IllegalMoveError("the game is over")
        action = self._agent.decide(position).action
        self._position = position.play(action)
        if self._notation == "openspiel":
            return format_openspiel_move(action, position)
        return format_engine_move(action, position.spec)

    def _check_side(self, name: str) -> None:
        side = _SIDES.get(name.lower())
        if side is None:
            raise NotationError(f"there is no colour {shown(name)}; colours are b and w")
        if side != self._position.side_to_move and not self._position.is_over:
            raise IllegalMoveError("illegal move: it is the other side's turn")

    def _undo(self, *words: str) -> str:
        if not self._position.actions:
            raise IllegalMoveError("cannot undo")
        self._position = Position.from_actions(self._position.actions[:-1], self._position.spec)
        return ""

    def _score(self, *words: str) -> str:
        if not self._position.is_over:
            raise NotationError("cannot score: the game is not over")
        return {1: "B+1", 2: "W+1", None: "0"}[self._position.winner]
