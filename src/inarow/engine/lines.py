"""Lines of bounded length, so that a client cannot exhaust the memory of the engine."""

from collections.abc import Iterator
from typing import TextIO

MAX_LINE = 1 << 16  # Characters. The longest command, a game on the largest board, has about a thousand.
TOO_LONG = f"the line has more than {MAX_LINE} characters and is skipped"


def read_lines(stream: TextIO) -> Iterator[str]:
    """The lines of a stream. One that is too long is cut off after `MAX_LINE` + 1 characters."""
    while line := stream.readline(MAX_LINE + 1):
        yield line
        while len(line) > MAX_LINE and not line.endswith("\n"):
            line = stream.readline(MAX_LINE + 1)
