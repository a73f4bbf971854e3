import fcntl
import multiprocessing
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from inarow.arena import sweep
from inarow.errors import ConfigError, StoreError
from inarow.storage import atomic
from inarow.storage.atomic import atomic_write
from inarow.storage.locks import LOCK_FILE, exclusive_folder, exclusive_lock
from tests.storage.windows import Msvcrt, pretend_windows

REFUSAL = StoreError("another process has it")


@pytest.fixture(params=["here", "windows"])
def system(request, monkeypatch):
    if request.param == "windows":
        pretend_windows(monkeypatch.setattr, monkeypatch.setitem)
    return request.param


def hold(path, pipe, system):
    if system == "windows":
        pretend_windows()
    with exclusive_lock(path, REFUSAL):
        pipe.send("held")
        pipe.recv()


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_lock_ends_with_its_process(tmp_path, is_folder, system):
    path = tmp_path if is_folder else tmp_path / "file"
    if not is_folder:
        path.touch()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=hold, args=(path, theirs, system))
    process.start()
    assert ours.recv() == "held"
    with pytest.raises(StoreError, match="another process"), exclusive_lock(path, REFUSAL):
        pass
    process.kill()
    process.join()
    with exclusive_lock(path, REFUSAL), pytest.raises(StoreError), exclusive_lock(path, REFUSAL):
        pass
    with exclusive_lock(path, REFUSAL):
        inside = [tmp_path / LOCK_FILE] if system == "windows" else []
        assert list(tmp_path.iterdir()) == (inside if is_folder else [path])
    assert list(tmp_path.iterdir()) == ([] if is_folder else [path])


def test_a_file_that_its_owner_replaced_is_rejected(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.touch()
    elsewhere = tmp_path / "old"
    elsewhere.touch()
    open_file = os.open
    monkeypatch.setattr("os.open", lambda path, flags: open_file(elsewhere, flags))
    with pytest.raises(StoreError), exclusive_lock(path, REFUSAL):
        pass


def test_a_drive_without_locks_lets_everybody_in(tmp_path, monkeypatch):
    def fails(*arguments):
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(fcntl, "flock", fails)
    with exclusive_lock(tmp_path, REFUSAL), exclusive_lock(tmp_path, REFUSAL):
        pass
    pretend_windows(monkeypatch.setattr, monkeypatch.setitem)
    monkeypatch.setattr(Msvcrt, "locking", fails)
    with exclusive_lock(tmp_path, REFUSAL), exclusive_lock(tmp_path, REFUSAL):
        pass


def test_on_windows_a_sweep_takes_its_lock_for_no_content(tmp_path, monkeypatch):
    pretend_windows(monkeypatch.setattr, monkeypatch.setitem)
    plan = sweep.plan_sweep("docs/howto/sweep.toml", trials=1)
    with exclusive_folder(tmp_path, REFUSAL):
        assert (tmp_path / LOCK_FILE).exists()
        sweep._claim(tmp_path, plan)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(ConfigError, match="not empty"):
        sweep._claim(tmp_path / "other", plan)


def test_on_windows_an_open_file_is_replaced_when_it_is_closed(tmp_path, monkeypatch):
    path, replace, tries = tmp_path / "file", Path.replace, []

    def refused_twice(draft, target):
        tries.append(target)
        if len(tries) < 3:
            raise PermissionError(13, "Access is denied")
        return replace(draft, target)

    monkeypatch.setattr(Path, "replace", refused_twice)
    monkeypatch.setattr(atomic, "_PAUSE", 0)
    with pytest.raises(PermissionError), atomic_write(path) as file:
        file.write(b"not on this system")
    assert (len(tries), list(tmp_path.iterdir())) == (1, [])
    monkeypatch.setattr(atomic, "sys", SimpleNamespace(platform="win32"))
    with atomic_write(path) as file:
        file.write(b"content")
    assert (len(tries), path.read_bytes()) == (3, b"content")


UNUSED_PID = 9_999_999
"""Above the largest process id of any system."""


def test_drafts_of_killed_processes_are_removed(tmp_path):
    (tmp_path / f".table.npz.{UNUSED_PID}.inarow-draft").touch()
    (tmp_path / f".table.npz.{'9' * 30}.inarow-draft").touch()
    with exclusive_folder(tmp_path, REFUSAL):
        assert not list(tmp_path.iterdir())


def test_other_files_stay(tmp_path):
    others = {"table.npz", ".hidden", ".zcompdump-host-5.9", f".table.npz.{UNUSED_PID}", ".notes.inarow-draft"}
    for name in others:
        (tmp_path / name).touch()
    with exclusive_folder(tmp_path, REFUSAL):
        assert {path.name for path in tmp_path.iterdir()} == others


def test_drafts_of_living_processes_stay(tmp_path):
    (tmp_path / ".table.npz.1.inarow-draft").touch()  # of the first process of all, which may be another process's
    with atomic_write(tmp_path / "games.pgn") as file:
        file.write(b"a game")
        with exclusive_folder(tmp_path, REFUSAL):
            pass
    assert {path.name for path in tmp_path.iterdir()} == {"games.pgn", ".table.npz.1.inarow-draft"}
    assert (tmp_path / "games.pgn").read_bytes() == b"a game"


def test_a_missing_file_cannot_be_locked(tmp_path):
    with pytest.raises(FileNotFoundError), exclusive_lock(Path(tmp_path / "nothing"), REFUSAL):
        pass
