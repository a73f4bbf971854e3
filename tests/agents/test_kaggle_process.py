"""The process of a Kaggle file ends with the program that started it, whatever the file does, and not before."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the host is guarded where processes can be forked")

STUBBORN = """
import os, signal, subprocess, sys
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open({report!r}, "w") as file:  # a pipe: the file can write nowhere else
    file.write(f"{{os.getcwd()}}\\n")

def agent(observation):
    while True:
        pass
"""
ASK = """
import sys
from inarow import Position, make_agent
make_agent("kaggle:seconds=600,file=" + sys.argv[1], seed=1).decide(Position.parse("4"))
"""


def wait_for(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def is_running(process: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def processes_below(process: int) -> list[int]:
    """The running descendants of a process, children first."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent, *_ = path.read_text().rpartition(")")[2].split()
            if state != "Z":
                parents[int(path.parent.name)] = int(parent)
    found = [process]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


@pytest.fixture
def stubborn(tmp_path):
    """A program that asks a file which loops, ignores signals and has a child; their processes and the folder."""
    report, file = tmp_path / "report", tmp_path / "agent.py"
    os.mkfifo(report)
    file.write_text(STUBBORN.format(report=str(report)))
    with subprocess.Popen([sys.executable, "-c", ASK, str(file)], start_new_session=True) as program:
        try:
            folder = Path(report.read_text().strip())
            *_, host, child = (each for each in processes_below(program.pid) if runs_the_file(each, file))
            yield program, (host, child), folder
        finally:
            program.kill()


def runs_the_file(process: int, file: Path) -> bool:
    """Whether a process is the host of a file or was started by it; the guard has closed its input."""
    words = Path(f"/proc/{process}/cmdline").read_text()
    return "time.sleep(600)" in words or (str(file) in words and Path(f"/proc/{process}/fd/0").exists())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_file_that_ignores_signals_ends_with_the_program(stubborn, number):
    program, processes, folder = stubborn
    assert all(map(is_running, processes))
    assert folder.exists()
    program.send_signal(number)
    program.wait()
    assert wait_for(lambda: not any(map(is_running, processes)))
    assert wait_for(lambda: not folder.exists())


def test_a_file_does_not_receive_the_ctrl_c_of_the_terminal(stubborn):
    program, (host, child), _ = stubborn
    groups = {os.getpgid(process) for process in (host, child)}
    assert groups == {host}
    assert os.getsid(host) != os.getsid(program.pid)
