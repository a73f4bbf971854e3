"""The games of a run: all or none are added, and those after the last checkpoint are cut off."""

import csv
import os
import resource
from contextlib import contextmanager

import pytest

from inarow.errors import ConfigError
from inarow.learning.run_folder import GamesFile, PlayedGame

GAME = PlayedGame("3x3x3/free", 0, 1, "15283")


def lines_of(folder) -> list[str]:
    return (folder / "games.csv").read_text().splitlines()


def begun(folder) -> GamesFile:
    games = GamesFile(folder)
    games.begin()
    return games


def test_any_csv_reader_understands_moves_with_commas(tmp_path):
    begun(tmp_path).add([GAME, PlayedGame("7x7x5/free", 2, -1, "25,1,49")])
    assert list(csv.DictReader(lines_of(tmp_path)))[1] == {
        "board": "7x7x5/free",
        "opening": "2",
        "result": "-1",
        "moves": "25,1,49",
    }


@pytest.mark.parametrize("torn", ["", "3x3x3/fr"])
def test_games_after_the_checkpoint_are_cut_off(tmp_path, torn):
    games = begun(tmp_path)
    games.add([GAME] * 5)
    with (tmp_path / "games.csv").open("a") as file:
        file.write(torn)
    games.cut(5)
    assert lines_of(tmp_path)[1:] == ["3x3x3/free,0,1,15283"] * 5
    games.cut(2)
    assert len(lines_of(tmp_path)) == 3
    games.add([GAME])
    assert len(lines_of(tmp_path)) == 4
    games.cut(0)
    assert lines_of(tmp_path) == ["board,opening,result,moves"]


def test_a_file_without_its_games_is_refused(tmp_path):
    games = begun(tmp_path)
    games.add([GAME])
    with (tmp_path / "games.csv").open("a") as file:
        file.write("3x3x3/fr")
    for number in (2, 10):
        with pytest.raises(ConfigError, match="has fewer games than its checkpoint"):
            games.cut(number)
    (tmp_path / "games.csv").unlink()
    with pytest.raises(ConfigError, match="cannot be read"):
        games.cut(0)


def test_games_can_be_brought_to_the_disk(tmp_path, monkeypatch):
    games, synced = begun(tmp_path), []
    games.add([GAME])
    monkeypatch.setattr("os.fsync", lambda file: synced.append(os.fstat(file).st_size))
    games.sync()
    assert synced == [(tmp_path / "games.csv").stat().st_size]


@pytest.mark.parametrize("number", [1, 1000])
def test_games_for_which_the_disk_has_no_room_leave_no_torn_line(tmp_path, number):
    games = begun(tmp_path)
    games.add([GAME])
    with no_file_above((tmp_path / "games.csv").stat().st_size + 10), pytest.raises(OSError, match="too large"):
        games.add([GAME] * number)
    assert lines_of(tmp_path)[1:] == ["3x3x3/free,0,1,15283"]


@contextmanager
def no_file_above(size: int):
    """As on a full disk, a write goes as far as there is room, and the next one fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
