"""Playing with keys in a real (pseudo) terminal."""

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time

import pytest

LEFT, RIGHT, DOWN, ENTER, CTRL_D, BACKSPACE = "\x1b[D", "\x1b[C", "\x1b[B", "\r", "\x04", "\x7f"


class Terminal:
    """A process on a terminal: send keys, wait for text."""

    def __init__(self, *args: str, term: str = "xterm-256color") -> None:
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": term, "COLUMNS": "100", "LINES": "40"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "inarow", *args],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C is a signal
        )
        os.close(theirs)
        self._ours = ours
        self.seen = ""
        """What has come since the text that was last waited for."""
        self.said = ""
        """What has ever come."""

    def wait_for(self, text: str, seconds: float = 30) -> None:
        until = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < until, f"{text!r} never appeared in {self.seen[-2000:]!r}"
            if select.select([self._ours], [], [], 0.2)[0]:
                try:
                    new = os.read(self._ours, 65536).decode(errors="replace")  # which may end within a character
                except OSError:  # the other end is closed
                    pytest.fail(f"{text!r} never appeared in {self.seen[-2000:]!r}")
                self.seen += new
                self.said += new
        self.seen = self.seen.split(text, 1)[1]

    def send(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def close(self) -> int:
        code = self.process.wait(timeout=30)
        os.close(self._ours)
        return code


@pytest.fixture
def terminal():
    opened = []

    def start(*args: str, **options) -> Terminal:
        opened.append(Terminal(*args, **options))
        return opened[-1]

    yield start
    for one in opened:
        if one.process.poll() is None:
            one.process.kill()


def test_a_game_by_arrow_keys(terminal):
    """The cursor starts in the middle column; both sides are people."""
    screen = terminal("play", "--second", "human")
    for keys in (ENTER, LEFT + ENTER, ENTER, LEFT + ENTER, " ", LEFT + ENTER):
        screen.wait_for("to move")
        screen.send(keys)
    screen.wait_for("to move")
    screen.send(ENTER)
    screen.wait_for("wins after 7 moves: 4343434")
    assert screen.close() == 0


def test_numbers_take_back_and_a_wrong_move(terminal):
    screen = terminal("play", "--second", "winblock", "--moves", "444444")
    screen.wait_for("X to move")
    screen.send("4")
    screen.wait_for("column 4 is full")
    screen.send("1")
    screen.wait_for("X to move")
    screen.send("u")
    screen.wait_for("X to move")
    screen.send("q")
    screen.wait_for("left after 6 moves: 444444")
    assert screen.close() == 0


def test_cells_are_reached_by_arrows_and_ctrl_d_leaves(terminal):
    screen = terminal("play", "--second", "human", "--board", "tictactoe")
    screen.wait_for("X to move")
    screen.send(RIGHT + DOWN + ENTER)
    screen.wait_for("O to move")
    screen.send(CTRL_D)
    screen.wait_for("left after 1 moves: 9")
    assert screen.close() == 0


def test_large_boards_take_numbers_with_enter(terminal):
    screen = terminal("play", "--second", "human", "--board", "15x15x5/free")
    screen.wait_for("X to move")
    screen.send("11" + "9" + BACKSPACE + "3" + ENTER)
    screen.wait_for("O to move")
    screen.send("q")
    screen.wait_for("left after 1 moves: 113")
    assert screen.close() == 0


def test_a_game_against_the_computer_is_drawn_in_place(terminal):
    screen = terminal("play")
    screen.wait_for("X (human) against O (solver:level=2)")
    screen.wait_for("h: hint, u: undo, q: quit")
    screen.wait_for("X to move")
    screen.send("4")
    screen.wait_for("is thinking")
    screen.wait_for("X to move")
    screen.send("q")
    screen.wait_for("left after 2 moves: 4")
    assert screen.close() == 0
    assert screen.said.count("\x1b[1A") >= 16  # back over the eight lines of the board, for each new one


def test_a_dumb_terminal_reads_lines_and_forgives(terminal):
    screen = terminal("play", "--second", "human", term="dumb")
    screen.wait_for("X to move:")
    screen.send("9\n")
    screen.wait_for("is not a move")
    screen.wait_for("q: quit")
    screen.wait_for("X to move:")
    screen.send("4\n")
    screen.wait_for("O to move:")
    screen.send("quit\n")
    screen.wait_for("left after 1 moves: 4")
    assert screen.close() == 0


def test_ctrl_c_ends_without_a_traceback(terminal):
    screen = terminal("play")
    screen.wait_for("X to move")
    screen.send("\x03")
    screen.wait_for("interrupted")
    assert screen.close() == 130
    assert "Traceback" not in screen.seen


def test_ctrl_c_in_a_game_says_how_to_continue(terminal):
    screen = terminal("play", "--second", "human")
    screen.wait_for("X to move")
    screen.send("4")
    screen.wait_for("O to move")
    screen.send("\x03")
    screen.wait_for("continue with: inarow play --board connect4 --first human --second human --moves 4")
    screen.wait_for("interrupted")
    assert screen.close() == 130


LONG_WORK = {
    "solving": ("solve", "4", "--no-book"),
    "reviewing": ("analyse", "44", "--no-book"),
    "mcts:simulations=1000000": ("grade", "mcts:simulations=1000000"),
}


@pytest.mark.parametrize("title", LONG_WORK)
def test_ctrl_c_ends_long_work_without_a_traceback(title, terminal):
    screen = terminal(*LONG_WORK[title])
    screen.wait_for(title)
    screen.send("\x03")
    screen.wait_for("inarow: interrupted")
    assert screen.close() == 130
    assert "Traceback" not in screen.said


def test_ctrl_c_in_generated_code_has_the_same_exit_code(tmp_path):
    """As when the signal comes while a module makes its data classes."""
    lines = (
        "from inarow.cli import app",
        "app.app = lambda *args, **options: exec('raise KeyboardInterrupt')",
        "app.main()",
    )
    (tmp_path / "interrupted_command.py").write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "interrupted_command", "agents"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "inarow: interrupted\n")
