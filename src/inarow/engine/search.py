"""One `go`: a search in a thread of its own that answers once, whatever happens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from inarow.agents.agent import Decision
from inarow.agents.perfect import nearest_to_centre
from inarow.engine.info import info_lines
from inarow.engine.moves import format_engine_move
from inarow.engine.requests import GoLimits
from inarow.engine.thinker import Thinker
from inarow.errors import one_line
from inarow.games.position import Position

_GRACE = 0.03
"""Seconds that a stopped search may take to end by itself; the answer is due after 50 ms."""
_TELL_EVERY = 0.1

Say = Callable[[str], None]


class Search:
    """Thinks about a position that is not over, and says `info` lines and one `bestmove`.

    A search that does not end soon when it is stopped is left alone. The answer is then the last move
    it told of, else a win, a block, or the move nearest to the centre.
    """

    def __init__(self, thinker: Thinker, position: Position, limits: GoLimits, lines: int, say: Say) -> None:
        self._thinker = thinker
        self._position = position
        self._limits = limits
        self._lines = lines
        self._say = say
        self._clock = time.perf_counter()
        self._told = 0.0
        self._known = _quick_move(position)
        self._stop = threading.Event()
        self._answered = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()
        if self._limits.seconds is not None:
            timer = threading.Timer(self._limits.seconds, self.stop)
            timer.daemon = True
            timer.start()

    @property
    def is_infinite(self) -> bool:
        """Whether it answers only when told to stop."""
        return self._limits.infinite

    @property
    def is_done(self) -> bool:
        with self._lock:  # whoever has read the answer must find it given
            return self._answered.is_set()

    def has_ended(self, patience: float) -> bool:
        """Whether its thread is done with the thinker, or is within so many seconds."""
        self._thread.join(patience)
        return not self._thread.is_alive()

    def wait(self) -> None:
        """Until the answer is given."""
        self._answered.wait()

    def stop(self) -> None:
        """Makes it answer now."""
        self._stop.set()
        if not self._answered.wait(_GRACE):
            self._answer(self._known)

    def _run(self) -> None:
        try:
            decision = self._thinker.think(self._position, self._limits, self._stop.is_set, self._tell)
            self._position.play(decision.action)
        except Exception as error:  # whatever an agent does wrong, the engine has to answer
            self._say(f"info string {one_line(error)}")
            self._answer(self._known)
            return
        if not self._answered.is_set():
            self._tell_all(decision)
            if self._limits.infinite:
                self._stop.wait()
            self._answer(decision.action)

    def _tell(self, decision: Decision) -> None:
        self._known = decision.action
        seconds = time.perf_counter() - self._clock
        if seconds - self._told >= _TELL_EVERY and not self._answered.is_set():
            self._told = seconds
            self._tell_all(decision)

    def _tell_all(self, decision: Decision) -> None:
        for line in info_lines(self._position, decision, time.perf_counter() - self._clock, self._lines):
            self._say(line)

    def _answer(self, action: int) -> None:
        """Says the move, unless that was done."""
        with self._lock:
            if not self._answered.is_set():
                self._say(f"bestmove {format_engine_move(action, self._position.spec)}")
                self._answered.set()


def _quick_move(position: Position) -> int:
    urgent = position.winning_actions() or position.winning_actions(of_opponent=True)
    return urgent[0] if urgent else nearest_to_centre(position, position.legal_actions)
