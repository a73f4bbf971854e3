"""The UCI protocol: lines in, lines out; input is read during a search.

Unknown words are skipped; only `quit` and the end of the input end the engine. Errors are `info string` lines.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TextIO

from inarow.agents.agent import Agent, PreparedAgent
from inarow.engine.lines import MAX_LINE, TOO_LONG
from inarow.engine.moves import parse_position
from inarow.engine.search import Search, parse_go
from inarow.engine.setup import BOARD_FIELDS, Setup, agent_limits, build_agent, option_lines, with_option
from inarow.errors import FinishedGameError, one_line
from inarow.games import Position
from inarow.search.limits import Limits
from inarow.version import __version__

_STOP_SECONDS = 0.2  # time that a stopped search may take to end its thread

Command = Callable[[Sequence[str]], None]


class UciEngine:
    """Serves one client. Commands are handled in order."""

    def __init__(self, setup: Setup, output: TextIO) -> None:
        self._setup = setup
        self._output = output
        self._output_lock = threading.Lock()
        self._position: Position | None = None
        self._agent: Agent | None = None
        self._search: Search | None = None
        self._commands: dict[str, Command] = {
            "uci": self._introduce,
            "isready": self._be_ready,
            "setoption": self._set_option,
            "ucinewgame": self._new_game,
            "position": self._set_position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._stop,
        }

    def run(self, lines: Iterable[str]) -> None:
        """Handles commands until `quit` or the end of the input; at the end of the input a search with limits is
        finished.
        """
        try:
            for line in lines:
                if len(line) > MAX_LINE:
                    self._write(f"info string {TOO_LONG}")
                    continue
                words = line.split()
                if "quit" in words[:1]:
                    break
                self.handle(words)
            else:
                if self._search is not None and not self._search.is_infinite:
                    self._search.wait()
        finally:  # also after Ctrl-C: the thread of a search must end
            self._stop(())
            if self._search is not None:
                self._search.has_ended(_STOP_SECONDS)

    def handle(self, words: Sequence[str]) -> None:
        """Handles one line; words before a known command are skipped."""
        for place, word in enumerate(words):
            if word in self._commands:
                try:
                    self._commands[word](words[place + 1 :])
                except Exception as error:  # agents may be third-party code
                    self._write(f"info string {one_line(error)}")
                return

    @property
    def _is_searching(self) -> bool:
        return self._search is not None and not self._search.is_done

    def _write(self, line: str) -> None:
        with self._output_lock:
            self._output.write(line.encode(errors="replace").decode() + "\n")
            self._output.flush()

    def _introduce(self, words: Sequence[str]) -> None:
        self._write(f"id name inarow {__version__}")
        self._write("id author the inarow developers")
        for line in option_lines(self._setup):
            self._write(line)
        self._write("uciok")

    def _be_ready(self, words: Sequence[str]) -> None:
        try:
            if not self._is_searching and self._agent is None:
                self._agent = build_agent(self._setup)
                self._prepare(self._agent)
        finally:
            self._write("readyok")

    def _set_option(self, words: Sequence[str]) -> None:
        if self._is_searching:
            self._write("info string options cannot be set during a search")
            return
        name, value = _option(words)
        self._setup = with_option(self._setup, name, value)
        self._agent = None
        if self._position is not None and any(
            getattr(self._position.spec, field) != getattr(self._setup, field) for field in BOARD_FIELDS
        ):
            self._position = None

    def _new_game(self, words: Sequence[str]) -> None:
        self._position = None

    def _set_position(self, words: Sequence[str]) -> None:
        self._position = parse_position(words, self._setup.spec)

    def _go(self, words: Sequence[str]) -> None:
        if self._is_searching:
            self._write("info string a search is running")
            return
        try:
            self._search = self._make_search(words)
        except Exception as error:  # the client waits for an answer in any case
            self._write(f"info string {one_line(error)}")
            self._write("bestmove (none)")
        else:
            self._search.start()

    def _make_search(self, words: Sequence[str]) -> Search:
        position = self._position or Position.start(self._setup.spec)
        if position.is_over:
            raise FinishedGameError("the game is over")
        if self._search is not None and not self._search.has_ended(_STOP_SECONDS):
            self._agent = None  # it ignores `cancelled` and is still searching
        if self._agent is None:
            self._agent = build_agent(self._setup)
        limits = agent_limits(self._setup, parse_go(words, position.side_to_move))
        return Search(self._agent, position, limits, self._setup.lines, self._write)

    def _stop(self, words: Sequence[str]) -> None:
        if self._search is not None:
            self._search.stop()

    def _prepare(self, agent: Agent) -> None:
        """Loads data of the agent, without an effect on its decisions."""
        if isinstance(agent, PreparedAgent):
            agent.prepare(self._setup.spec)
        else:
            limits = Limits(nodes=1, simulations=1, depth=1)
            build_agent(self._setup).decide(Position.start(self._setup.spec), limits=limits)


def _option(words: Sequence[str]) -> tuple[str, str]:
    """`name N value V`; both may have several words."""
    place = words.index("value") if "value" in words else len(words)
    return " ".join(words[1:place]), " ".join(words[place + 1 :])
