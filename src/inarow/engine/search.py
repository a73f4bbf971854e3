"""The command `go`: its limits, a search in a thread that answers exactly once, and `info` lines of UCI.

Scores are for the side to move. `mate m` counts own moves to the end, negative when losing; `raw s` is the exact
score in Pons' scale; `cp` is a hundred times a value from -1 to 1.
"""

import math
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from inarow.agents.agent import Agent, Decision
from inarow.agents.simple import reflex_action
from inarow.engine.moves import format_engine_move
from inarow.errors import one_line
from inarow.games import Position
from inarow.search.limits import Limits
from inarow.search.solver.solution import plies_to_end

_MOVES_LEFT = 12  # the remaining time is divided by this number of own moves
_CLOCK_RESERVE = 0.05  # seconds of the remaining time reserved for the transmission of the answer
_SHORTEST, _LONGEST = 0.01, 3600.0  # bounds of the seconds of a search
_GRACE = 0.03  # seconds that a stopped search may take to end; the answer is due after 50 ms
_INFO_SECONDS = 0.1  # time between two groups of `info` lines

_NUMBER = re.compile(r"-?[0-9]{1,15}")

WriteLine = Callable[[str], None]


def parse_go(words: Sequence[str], side_to_move: int) -> Limits:
    """The limits of `go`; `infinite` means infinite seconds. Unknown words and malformed numbers are skipped."""
    depth, nodes = (_number(words, name, least=1) for name in ("depth", "nodes"))
    movetime = _number(words, "movetime")
    clock, increment = (_number(words, f"{'wb'[side_to_move - 1]}{name}") for name in ("time", "inc"))
    seconds = None if movetime is None else movetime / 1000
    if seconds is None and clock is not None:
        left = _number(words, "movestogo") or _MOVES_LEFT
        share = clock / 1000 / max(1, left) + 0.8 * (increment or 0) / 1000
        seconds = min(share, clock / 1000 - _CLOCK_RESERVE)
    if seconds is not None:
        seconds = min(max(_SHORTEST, seconds), _LONGEST)
    if "infinite" in words or "ponder" in words:
        seconds = math.inf
    return Limits(depth=depth, nodes=nodes, seconds=seconds)


def _number(words: Sequence[str], name: str, least: int = 0) -> int | None:
    """The number after a word, at least `least`: some clients send negative times."""
    if name not in words[:-1]:
        return None
    text = words[words.index(name) + 1]
    return max(least, int(text)) if _NUMBER.fullmatch(text) else None


class Search:
    """Searches a position that is not over, and writes `info` lines and one `bestmove`.

    An agent that does not stop in time is abandoned. Then the answer is its last reported move, or else a win, a block
    or the move nearest to the centre.
    """

    def __init__(self, agent: Agent, position: Position, limits: Limits, lines: int, write: WriteLine) -> None:
        """With infinite `limits.seconds` it answers only when it is stopped."""
        self._agent = agent
        self._position = position
        self._limits = limits
        self._lines = lines
        self._write = write
        self._clock = time.perf_counter()
        self._last_info = 0.0
        self._known = reflex_action(position)
        self._stop = threading.Event()
        self._answered = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._timer: threading.Timer | None = None
        if limits.seconds is not None and not self.is_infinite:
            self._timer = threading.Timer(limits.seconds, self.stop)
            self._timer.daemon = True

    def start(self) -> None:
        self._thread.start()
        if self._timer is not None:
            self._timer.start()

    @property
    def is_infinite(self) -> bool:
        """Whether it answers only when it is stopped."""
        return self._limits.seconds == math.inf

    @property
    def is_done(self) -> bool:
        with self._lock:  # when a client has read the answer, the search must be done
            return self._answered.is_set()

    def has_ended(self, seconds: float) -> bool:
        """Whether its thread ends within `seconds`."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def wait(self) -> None:
        """Waits for the answer."""
        self._answered.wait()

    def stop(self) -> None:
        """Makes the search answer now."""
        self._stop.set()
        if not self._answered.wait(_GRACE):
            self._answer(self._known)

    def _run(self) -> None:
        try:
            limits = replace(self._limits, cancelled=self._stop.is_set)
            decision = self._agent.decide(self._position, limits=limits, watch=self._watch)
            self._position.play(decision.action)  # raises if it is illegal
        except Exception as error:  # the engine has to answer even if the agent fails
            self._write(f"info string {one_line(error)}")
            self._answer(self._known)
            return
        if not self._answered.is_set():
            self._write_info(decision)
            if self.is_infinite:
                self._stop.wait()
            self._answer(decision.action)

    def _watch(self, decision: Decision) -> None:
        self._known = decision.action
        seconds = time.perf_counter() - self._clock
        if seconds - self._last_info >= _INFO_SECONDS and not self._answered.is_set():
            self._last_info = seconds
            self._write_info(decision)

    def _write_info(self, decision: Decision) -> None:
        for line in info_lines(self._position, decision, time.perf_counter() - self._clock, self._lines):
            self._write(line)

    def _answer(self, action: int) -> None:
        """Writes the move, unless one has been written."""
        with self._lock:
            if not self._answered.is_set():
                self._write(f"bestmove {format_engine_move(action, self._position.spec)}")
                self._answered.set()
        if self._timer is not None:
            self._timer.cancel()


def info_lines(position: Position, decision: Decision, seconds: float, lines: int) -> Iterator[str]:
    """The `info` lines of UCI: the best move first, then others up to the requested number, if known."""
    details: dict[str, Any] = decision.details or {}
    for number, action in enumerate(_ranked(position, decision, lines), start=1):
        words = ["info"]
        if decision.depth is not None:
            words.append(f"depth {decision.depth}")
        if lines > 1:
            words.append(f"multipv {number}")
        words += _score(position, decision, action)
        if decision.nodes is not None:
            words.append(f"nodes {decision.nodes} nps {round(decision.nodes / max(seconds, 1e-6))}")
        words.append(f"time {round(1000 * seconds)}")
        moves = [action, *(details.get("pv", ()) if action == decision.action else ())]
        words.append("pv " + " ".join(format_engine_move(move, position.spec) for move in moves))
        if "bounds" in details:
            words.append("string score from {} to {}".format(*details["bounds"]))
        yield " ".join(words)


def _ranked(position: Position, decision: Decision, lines: int) -> list[int]:
    scores = decision.scores
    comparable = decision.score is not None or decision.visits is not None
    if lines == 1 or scores is None or not comparable:
        return [decision.action]
    known = [(-score, action) for action in position.legal_actions if (score := scores[action]) is not None]
    return [decision.action, *(action for _, action in sorted(known) if action != decision.action)][:lines]


def _score(position: Position, decision: Decision, action: int) -> list[str]:
    value = decision.value
    if decision.score is not None:
        score = decision.score
        if action != decision.action and decision.scores is not None:
            score = int(decision.scores[action] or 0)
        if score == 0:
            return ["score cp 0 score raw 0"]
        return [f"score mate {_own_moves(plies_to_end(score, position), score > 0)} score raw {score}"]
    if action != decision.action and decision.scores is not None:
        value = decision.scores[action]
    elif decision.details and decision.details.get("ends_in") and value:
        return [f"score mate {_own_moves(decision.details['ends_in'], value > 0)}"]
    return [] if value is None else [f"score cp {round(100 * value)}"]


def _own_moves(plies: int, is_win: bool) -> int:
    return (plies + 1) // 2 if is_win else -(plies // 2)
