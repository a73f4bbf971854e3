"""Lines of bounded length: whatever a client sends, the engine holds little of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from inarow.errors import NotationError

_MAX_LINE = 1 << 16
"""Characters. The longest command, a game on the largest board, has about a thousand."""


def read_lines(stream: TextIO) -> Iterator[str]:
    """The lines of a stream. Of one that is too long only the beginning is kept, which `words_of` refuses."""
    while line := stream.readline(_MAX_LINE + 1):
        yield line
        while len(line) > _MAX_LINE and not line.endswith("\n"):
            line = stream.readline(_MAX_LINE + 1)


def words_of(line: str) -> list[str]:
    """The words of a line; raises NotationError if it is too long."""
    if len(line) > _MAX_LINE:
        raise NotationError(f"the line has more than {_MAX_LINE} characters and is skipped")
    return line.split()
