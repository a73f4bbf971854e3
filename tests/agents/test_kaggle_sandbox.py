"""Nothing that a hostile Kaggle file does leaves its process: the match continues, the fault is the file's, and nothing
outside changes.
"""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from inarow import Position, make_agent, play_game
from inarow.agents import kaggle_host, kaggle_sandbox
from tests.agents.test_kaggle_process import processes_below, wait_for

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="namespaces are of Linux")

HOSTILE = """
import os, shutil, signal, socket, subprocess, sys, time

def agent(observation):
    {deed}
    return 3
"""
FIRST_FREE = "\ndef agent(observation):\n    return observation.board[:7].index(0)\n"


@pytest.fixture
def file(tmp_path):
    def write(deed: str) -> str:
        path = tmp_path / "agent.py"
        path.write_text(HOSTILE.format(deed=deed))
        return f"kaggle:file={path}"

    return write


@pytest.fixture(scope="module")
def isolated(tmp_path_factory):
    """Skips where the system refuses namespaces."""
    path = tmp_path_factory.mktemp("harmless") / "agent.py"
    path.write_text(FIRST_FREE)
    decision = make_agent(f"kaggle:file={path}").decide(Position.parse("4"))
    if not decision.details["isolated"]:
        pytest.skip("this system refuses namespaces")


def faulty_game(agent: str) -> str:
    """The fault of an agent that loses its first game by it, after which another continues."""
    record = play_game(make_agent(agent), make_agent("random", seed=1))
    assert (record.termination, record.winner, record.moves) == ("crash", 2, "")
    assert play_game(make_agent("random", seed=2), make_agent("random", seed=1)).termination == "normal"
    return record.fault


def test_a_file_cannot_kill_its_parent(file, isolated):
    """Its parent has no number in its namespace, and 0 is a group of its own: file, guard and program live on."""
    agent = make_agent(file("os.kill(os.getppid(), signal.SIGKILL)"))
    before = set(processes_below(os.getpid()))
    assert agent.decide(Position.parse("4")).action == 3
    running = set(processes_below(os.getpid()))
    assert agent.decide(Position.parse("441")).action == 3
    assert len(running - before) == 2  # the guard and the host
    assert set(processes_below(os.getpid())) == running


def test_a_file_finds_no_process_to_kill(file, isolated):
    with subprocess.Popen(["sleep", "600"]) as victim:
        fault = faulty_game(file(f"os.kill({victim.pid}, signal.SIGKILL)"))
        assert victim.poll() is None
        victim.kill()
    assert fault.startswith("ProcessLookupError")


@pytest.mark.parametrize(
    "deed",
    [
        "open({path!r}, 'w').write('spoilt')",
        "os.remove({path!r})",
        "os.rename({path!r}, 'mine')",
        "os.chmod({path!r}, 0)",
        "os.mkdir({path!r} + '2')",
        "open('/proc/sys/kernel/core_pattern', 'w')",
        "subprocess.run(['rm', {path!r}], check=True)",
    ],
)
def test_a_file_changes_nothing_outside_its_folder(tmp_path, file, isolated, deed):
    kept = tmp_path / "kept.txt"
    kept.write_text("as it was")
    agent, mode = file(deed.format(path=str(kept))), kept.stat().st_mode
    fault = faulty_game(agent)
    assert "Read-only file system" in fault or "cross-device" in fault or fault.startswith("CalledProcessError")
    assert (kept.read_text(), kept.stat().st_mode) == ("as it was", mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["agent.py", "kept.txt"]


def test_a_file_writes_in_its_own_folder_and_to_null(file, isolated):
    deed = "open('own', 'w').write('x'); open(os.devnull, 'w').write('x'); import tempfile; tempfile.TemporaryFile()"
    assert make_agent(file(deed)).decide(Position.parse("4")).action == 3


def test_a_file_regains_no_rights(tmp_path, file, isolated):
    """Neither a remount nor a device brings back what was taken."""
    deed = "subprocess.run(['mount', '-o', 'remount,bind,rw', '/'], check=True)"
    assert faulty_game(file(deed)).startswith(("CalledProcessError", "FileNotFoundError"))
    device = next((str(path) for path in ("/dev/tty", "/dev/ptmx") if os.path.exists(path)), None)
    if device:
        assert "Permission denied" in faulty_game(file(f"open({device!r}, 'wb')"))


def test_a_file_opens_no_connection(file, isolated):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        fault = faulty_game(file(f"socket.create_connection(('127.0.0.1', {server.getsockname()[1]}), timeout=2)"))
        assert "unreachable" in fault
        with pytest.raises(BlockingIOError):  # nobody has knocked
            server.accept()


def test_a_file_allocates_no_more_memory_than_the_limit(file):
    assert faulty_game(file("bytearray(100 << 30)")).startswith("MemoryError")


def test_a_file_forks_no_more_processes_than_the_limit(file, isolated):
    deed = f"for _ in range({kaggle_sandbox.PROCESSES}):\n        os.fork() or time.sleep(600)"
    before = set(processes_below(os.getpid()))
    assert faulty_game(file(deed)).startswith("BlockingIOError")
    assert wait_for(lambda: set(processes_below(os.getpid())) <= before)


def test_an_endless_file_ends_at_the_limit(file):
    deed = "endless = open('endless', 'wb')\n    while True:\n        endless.write(bytes(1 << 24))"
    assert "File too large" in faulty_game(file(deed))


def test_a_file_opens_no_more_files_than_the_limit(file):
    fault = faulty_game(file(f"kept = [open(os.devnull) for _ in range({kaggle_sandbox.OPEN_FILES})]"))
    assert "Too many open files" in fault


def test_a_flood_of_replies_is_a_fault(file):
    """The pipe to the program is one of the first few descriptors."""
    deed = "flood = b'1' * (1 << 20)\n    for pipe in (3, 4, 5, 6):\n        try:\n            "
    deed += "while True:\n                os.write(pipe, flood)\n        except OSError:\n            pass"
    assert "ended" in faulty_game(file(deed))


@pytest.mark.parametrize("reply", ["[]", "7", "{}", '{"seconds": "x", "action": 1, "kind": "int"}'])
def test_a_forged_reply_is_a_fault(file, reply):
    line = f"{reply}\n".encode()
    deed = f"[os.write(pipe, {line!r}) for pipe in (3, 4, 5, 6) if os.path.exists(f'/dev/fd/{{pipe}}')]"
    assert "ended" in faulty_game(file(deed))


@pytest.fixture
def change_sandbox(monkeypatch, tmp_path):
    """Replaces a part of the sandbox's source."""

    def change(old: str, new: str) -> None:
        for module in (kaggle_host, kaggle_sandbox):
            source = Path(module.__file__)
            (tmp_path / source.name).write_text(source.read_text().replace(old, new))
        monkeypatch.setattr(kaggle_host, "__file__", str(tmp_path / "kaggle_host.py"))

    return change


def test_without_namespaces_limits_and_guard_remain(file, change_sandbox):
    """As in most containers, where the system refuses them."""
    change_sandbox("_checked(_libc.unshare(_NEW_USER | others))", "raise PermissionError")
    assert make_agent(file("pass")).decide(Position.parse("4")).details["isolated"] is False
    assert faulty_game(file("bytearray(100 << 30)")).startswith("MemoryError")
    before = set(processes_below(os.getpid()))
    assert "ended" in faulty_game(file("subprocess.Popen(['sleep', '600']); os.kill(os.getpid(), signal.SIGKILL)"))
    assert wait_for(lambda: set(processes_below(os.getpid())) <= before)


def test_a_system_that_cannot_protect_files_still_ends_the_file(file, change_sandbox, isolated):
    """As Linux before 5.12. The file has a thread that continues when its questions end."""
    change_sandbox("_RECURSIVE = 442, -100", "_RECURSIVE = 99999, -100")
    before = set(processes_below(os.getpid()))
    agent = make_agent(file("import threading; threading.Thread(target=time.sleep, args=(600,)).start()"))
    assert agent.decide(Position.parse("4")).details["isolated"] is False
    assert set(processes_below(os.getpid())) > before
    del agent
    assert wait_for(lambda: set(processes_below(os.getpid())) <= before)
