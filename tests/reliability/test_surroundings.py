"""No writable working folder, no temporary folder, no home: a command works, or says in one line why not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.reliability.test_disks import WITHOUT_ROOTS_RIGHTS

COMMANDS = {
    "play": ["play", "--first", "random", "--second", "random", "--board", "tictactoe"],
    "solve": ["solve", "4453"],
    "match": ["match", "random", "greedy", "--games", "4", "--board", "tictactoe"],
    "match of a file": ["match", "kaggle:file=FILE", "random", "--games", "2"],
    "grade": ["grade", "random", "--board", "tictactoe"],
    "analyse": ["analyse", "4453"],
    "train": ["train", "tictactoe-q", "--set", "phases.0.episodes=50"],
    "export": ["export", "kaggle", "winblock", "-o", "sub.py"],
    "report": ["report"],
}
QUICK = {"export", "solve"}
NO_TEMPORARY = 'mount -t tmpfs -o ro none /tmp && mount -t tmpfs -o ro none /var/tmp && exec "$@"'

commands = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.soak) for name in COMMANDS]
)


def run(name: str, folder: Path, *before: str, **changes: str | None) -> subprocess.CompletedProcess[str]:
    """A command in a folder; `changes` of the environment may be None for what is not in it."""
    file = folder.parent / "agent.py"
    file.write_text("def agent(observation, configuration):\n    return 3\n")
    environment = {**os.environ, "XDG_DATA_HOME": str(folder.parent), **changes}
    words = [word.replace("FILE", str(file)) for word in COMMANDS[name]]
    return subprocess.run(
        [*before, sys.executable, "-m", "inarow", *words],
        cwd=folder,
        env={name: value for name, value in environment.items() if value is not None},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def check(done: subprocess.CompletedProcess[str], reason: str) -> None:
    """It worked, or it says why not."""
    assert "crash" not in done.stdout
    if done.returncode:
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert reason in done.stderr
        assert "draft" not in done.stderr
    else:
        assert done.stderr == ""


@commands
def test_a_working_folder_that_cannot_be_written(name, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir(mode=0o555)
    done = run(name, folder, *WITHOUT_ROOTS_RIGHTS)
    check(done, "there is no results store" if name == "report" and "store" in done.stderr else "Permission denied: '")
    assert list(folder.iterdir()) == []


@commands
def test_a_temporary_folder_that_is_missing(name, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    check(run(name, folder, TMPDIR="/nowhere"), "there is no results store")


@pytest.mark.soak
@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("train", "report")])
def test_no_temporary_folder_at_all(name):
    """With read-only file systems in place of the usual ones, and a working folder that cannot be written either."""
    if any(Path(sys.prefix).is_relative_to(place) for place in ("/tmp", "/var/tmp")):
        pytest.skip("this Python is in the temporary folder")
    folder = Path.cwd() / f".no-temporary-{os.getpid()}" / "work"
    folder.mkdir(mode=0o555, parents=True)
    try:
        done = run(name, folder, *WITHOUT_ROOTS_RIGHTS, "unshare", "-m", "sh", "-c", NO_TEMPORARY, "sh")
        if "unshare" in done.stderr or "mount" in done.stderr:
            pytest.skip("this machine does not let us mount")
        check(done, "No usable temporary directory found")
    finally:
        subprocess.run(["rm", "-rf", str(folder.parent)], check=True)


@pytest.mark.soak
@pytest.mark.parametrize("name", COMMANDS)
def test_no_home(name, tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    check(run(name, folder, HOME=None), "there is no results store")
