"""A pipe through which an agent file leaves marks: its process can write to no file outside its own folder."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

AGENT = """
def agent(observation):
    with open({pipe!r}, "w") as file:
        file.write("x")
    return observation.board[:{columns}].index(0)
"""


class MarkingAgent:
    """A Kaggle file that plays the first free column and leaves a mark at each move."""

    def __init__(self, folder: Path, columns: int) -> None:
        pipe, self.file = folder / "marks", folder / "agent.py"
        os.mkfifo(pipe)
        self._pipe, self._marks = os.open(pipe, os.O_RDWR | os.O_NONBLOCK), 0
        self.file.write_text(AGENT.format(pipe=str(pipe), columns=columns))
        self.string = f"kaggle:file={self.file}"

    def __del__(self) -> None:
        os.close(self._pipe)

    def marks(self) -> int:
        """Those since the last `forget`."""
        with suppress(BlockingIOError):
            while read := os.read(self._pipe, 1 << 16):
                self._marks += len(read)
        return self._marks

    def forget(self) -> None:
        self.marks()
        self._marks = 0
