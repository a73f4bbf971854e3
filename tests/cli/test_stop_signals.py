"""Ctrl-C, SIGTERM of a batch scheduler and SIGHUP of a closed terminal end a command alike: what is done is saved, and
the exit code names the signal. The signals reach the whole process group, as a terminal and a scheduler send them.
"""

import fcntl
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path

import pytest

from inarow.arena.store import Store
from tests.marks import MarkingAgent

STOPPED = {signal.SIGINT: "inarow: interrupted", signal.SIGTERM: "inarow: terminated"}


def command(*args: str) -> list[str]:
    return [sys.executable, "-m", "inarow", *args]


def wait_until(condition, process: subprocess.Popen, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() < end
        time.sleep(0.02)


class Training:
    """A long training run against a file that leaves a mark when it is asked for a move."""

    def __init__(self, folder: Path) -> None:
        self.run, self._opponent = folder / "run", MarkingAgent(folder, columns=4)
        settings = ("episodes=600000", "lockstep=1", "batch=1", f"opponent={self._opponent.string}")
        changes = [word for setting in settings for word in ("--set", setting)]
        self.command = command("train", "4x4x4-dqn", "--out", str(self.run), *changes, "--allow-agent-files")

    def is_under_way(self) -> bool:
        return self._opponent.marks() > 50  # moves, so that games have ended

    def assert_resumable(self) -> None:
        """The run continues from its checkpoint until it is stopped again."""
        assert (self.run / "checkpoint.safetensors").exists()
        self._opponent.forget()
        words = command("train", "--resume", str(self.run), "--allow-agent-files")
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
            try:
                wait_until(self.is_under_way, process)
                process.send_signal(signal.SIGINT)
                said = process.communicate(timeout=60)[1]
            finally:
                process.kill()
        assert (process.returncode, said.splitlines()[-1]) == (130, "inarow: interrupted")


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.soak)])
def test_a_match_keeps_its_games(tmp_path, number):
    store = tmp_path / "lab.sqlite"
    words = f"match winblock winblock --games 40000 --workers 2 --store {store} --json"

    def games() -> int:
        with Store(store, readonly=True) as results:
            return sum(1 for _ in results.games())

    with subprocess.Popen(
        command(*words.split()), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            wait_until(lambda: store.exists() and store.stat().st_size > 100_000, process)
            os.killpg(process.pid, number)
            _, said = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 128 + number
    assert said.splitlines()[-1] == "inarow: terminated"
    assert "Traceback" not in said
    assert 0 < games() < 40_000


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.soak)])
def test_a_training_run_against_a_file_writes_its_checkpoint(tmp_path, number):
    """The process of the file is not in the group that gets the signal."""
    training = Training(tmp_path)
    with subprocess.Popen(training.command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            wait_until(training.is_under_way, process)
            os.killpg(process.pid, number)
            said = process.communicate(timeout=60)[1]
        finally:
            process.kill()
    assert process.returncode == 128 + number
    assert said.splitlines()[-1] == STOPPED[number]
    assert f"resume with: inarow train --resume {training.run} --allow-agent-files" in said
    training.assert_resumable()


def test_a_training_run_survives_the_loss_of_its_terminal(tmp_path):
    training = Training(tmp_path)
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        training.command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    ) as process:
        try:
            os.close(theirs)
            os.set_blocking(ours, False)

            def is_under_way() -> bool:
                with suppress(BlockingIOError):
                    os.read(ours, 1 << 16)  # else the terminal fills up
                return training.is_under_way()

            wait_until(is_under_way, process)
            os.close(ours)  # the terminal is closed
            assert process.wait(timeout=60) == 128 + signal.SIGHUP
        finally:
            process.kill()
    assert (training.run / "checkpoint.safetensors").exists()
