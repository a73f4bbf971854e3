"""Single keys from a POSIX terminal.

The terminal is switched once for a whole game, not key by key, so that keys typed while the opponent
thinks are neither lost nor echoed into the board. Elsewhere moves are read by lines.
"""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager

try:
    import termios
    import tty
except ImportError:  # Windows
    HAS_KEYS = False
else:
    HAS_KEYS = True

LEFT, RIGHT, UP, DOWN, ENTER, BACKSPACE, LEAVE = "left", "right", "up", "down", "enter", "backspace", "leave"

_ARROWS = {"A": UP, "B": DOWN, "C": RIGHT, "D": LEFT}
_NAMED = {"\r": ENTER, "\n": ENTER, " ": ENTER, "\x7f": BACKSPACE, "\b": BACKSPACE, "\x04": LEAVE, "": LEAVE}
_ESCAPE = "\x1b"
_ESCAPE_SECONDS = 0.05
"""How long the rest of an arrow key may take; a lone Escape has none."""


@contextmanager
def single_keys() -> Iterator[None]:
    """Within a `with` block, keys arrive one by one and unechoed. Ctrl-C stays a signal."""
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def read_key() -> str:
    """The next key: one of the names above, or the character. The end of the input is LEAVE."""
    character = _read_character()
    if character != _ESCAPE:
        return _NAMED.get(character, character)
    if _more_comes() and _read_character() in ("[", "O") and _more_comes():
        return _ARROWS.get(_read_character(), _ESCAPE)
    return _ESCAPE


def _read_character() -> str:
    # Not through Python's buffer, which would hide from `select` what it has read already.
    return os.read(sys.stdin.fileno(), 1).decode("latin-1")


def _more_comes() -> bool:
    return bool(select.select([sys.stdin], [], [], _ESCAPE_SECONDS)[0])
