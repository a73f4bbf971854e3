"""A client of the engine: a process, lines to it and from it."""

import signal
import subprocess
import sys
from collections.abc import Sequence


class EngineProcess:
    def __init__(self, *args: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "inarow", "engine", *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="surrogateescape",
            bufsize=1,
        )

    def __enter__(self) -> "EngineProcess":
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.communicate()

    def send(self, line: str) -> None:
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def read_until(self, start: str) -> list[str]:
        """The lines up to the first that starts so."""
        lines = []
        while not lines or not lines[-1].startswith(start):
            line = self._process.stdout.readline()
            assert line, f"the engine ended: {lines} {self._process.stderr.read()}"
            lines.append(line.rstrip("\n"))
        return lines

    def best_move(self, moves: Sequence[int], go: str = "go") -> str:
        """The answer after moves, from 1."""
        self.send(" ".join(["position startpos moves", *(str(move) for move in moves)]))
        self.send(go)
        return self.read_until("bestmove")[-1].removeprefix("bestmove ")

    def interrupt(self) -> tuple[int, str]:
        """Ctrl-C: the exit code, and what it says on stderr."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(60), self._process.stderr.read()

    def quit(self) -> int:
        self.send("quit")
        return self._process.wait(20)
