"""The engine under garbage: it never fails, holds little of it, and answers afterwards."""

import os
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

SOAK_SECONDS = float(os.environ.get("INAROW_ENGINE_SOAK", "20"))
"""Of garbage for each protocol."""
MEGABYTES = 64
"""That the engine may grow by."""
END = {"uci": (b"stop\nisready\n", b"readyok"), "gtp": (b"4711 name\n", b"=4711 inarow greedy")}
WORDS = {
    "uci": b"uci isready ucinewgame position startpos fen moves go infinite depth nodes movetime wtime stop ponderhit "
    b"setoption name value Rows Cols InARow Gravity MultiPV Level Seed true false 1 2 4 7 16 -1 99999999999999999999",
    "gtp": b"name version play genmove b w black undo showboard boardsize clear_board final_score known_command komi "
    b"list_commands time_left 1 2 4 7 16 -1 1000000000",
}


class Engine:
    """An engine whose output is read as it comes, and of which the end is kept."""

    def __init__(self, protocol):
        command = [sys.executable, "-m", "inarow", "engine", "--protocol", protocol, "--agent", "greedy"]
        self._process = subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1)
        self.output = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._process.kill()
        self._reader.join()
        self._process.__exit__(None, None, None)

    def _read(self):
        while part := self._process.stdout.read1(1 << 16):
            self.output = (self.output + part)[-(1 << 20) :]

    def send(self, data):
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def peak(self):
        """Megabytes."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) >> 10

    def wait_for(self, text):
        deadline = time.monotonic() + 120
        while text not in self.output:
            assert self._process.poll() is None or text in self.output, self._process.stderr.read()
            assert time.monotonic() < deadline, self.output[-1000:]
            time.sleep(0.01)

    def quit(self):
        self.send(b"quit\n")
        code = self._process.wait(60)
        self._reader.join()
        return code, self._process.stderr.read()


def garbage(protocol, chance):
    """One line, or a part of one, or many."""
    words = WORDS[protocol].split()
    kind = chance.randrange(8)
    if kind == 0:
        return chance.randbytes(chance.randrange(200))
    if kind == 1:
        return chance.choice((b"x", b"\0", b"1 ", b"\xff\xfe")) * chance.randrange(200_000) + b"\n"
    if kind == 2:
        return (b"go\n" if protocol == "uci" else b"genmove b\n") * chance.randrange(200)
    line = b" ".join(chance.choices(words, k=chance.randrange(12)))
    return line[: chance.randrange(len(line) + 1)] if kind == 3 else line + b"\n"


@pytest.fixture
def engine(protocol):
    with Engine(protocol) as engine:
        engine.send(b"isready\n" if protocol == "uci" else b"1 name\n")
        engine.wait_for(b"readyok" if protocol == "uci" else b"=1 ")
        yield engine


@pytest.mark.parametrize("protocol", END)
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_line_of_any_length_is_refused_in_one_line_and_takes_no_memory(protocol, engine):
    before, engine.output = engine.peak(), b""
    for _ in range(256):
        engine.send(b"4" * (1 << 20))
    last, answer = END[protocol]
    engine.send(b"\n" + last)
    engine.wait_for(answer)
    assert engine.peak() - before < MEGABYTES
    assert engine.output.count(b"the line has more than 65536 characters and is skipped") == 1
    assert engine.quit() == (0, b"")


@pytest.mark.parametrize(
    ("protocol", "seconds"),
    [(protocol, 2.0) for protocol in END]
    + [pytest.param(protocol, SOAK_SECONDS, marks=pytest.mark.soak) for protocol in END],
)
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_garbage_of_all_kinds_does_no_harm(protocol, seconds, engine):
    chance, end = random.Random(f"{protocol} {seconds}"), time.monotonic() + seconds
    before = engine.peak()
    while time.monotonic() < end:
        engine.send(garbage(protocol, chance))
    last, answer = END[protocol]
    engine.output = b""
    engine.send(b"\n" + last)
    engine.wait_for(answer)
    assert engine.peak() - before < MEGABYTES
    assert engine.quit() == (0, b"")
