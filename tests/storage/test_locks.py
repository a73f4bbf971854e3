import multiprocessing
import os
from pathlib import Path

import pytest

from inarow.errors import StoreError
from inarow.storage.atomic import atomic_write
from inarow.storage.locks import exclusive_folder, exclusive_lock

REFUSAL = StoreError("another process has it")


def hold(path, pipe):
    with exclusive_lock(path, REFUSAL):
        pipe.send("held")
        pipe.recv()


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_lock_ends_with_its_process(tmp_path, is_folder):
    path = tmp_path if is_folder else tmp_path / "file"
    if not is_folder:
        path.touch()
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=hold, args=(path, theirs))
    process.start()
    assert ours.recv() == "held"
    with pytest.raises(StoreError, match="another process"), exclusive_lock(path, REFUSAL):
        pass
    process.kill()
    process.join()
    with exclusive_lock(path, REFUSAL), pytest.raises(StoreError), exclusive_lock(path, REFUSAL):
        pass
    with exclusive_lock(path, REFUSAL):
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
