import os
import sqlite3
import sys
from pathlib import Path

import pytest

from inarow.arena import store_schema
from inarow.arena.store import Store
from inarow.arena.store_schema import APPLICATION_ID, MIGRATIONS, default_store_path
from inarow.errors import StoreError
from tests.arena.store_processes import game, integrity, match, numbered


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lab.sqlite"


@pytest.fixture
def written(path):
    """The path of a store with a thousand games, closed."""
    with Store(path) as store:
        store.add_games(store.add_match(match("one")), numbered(0, 1000))
    return path


def refusal(path: Path, *, readonly: bool) -> str:
    with pytest.raises(StoreError) as error:
        Store(path, readonly=readonly)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)
    return str(error.value)


def pragma(path: Path, name: str):
    connection = sqlite3.connect(path)
    value = connection.execute(f"PRAGMA {name}").fetchone()[0]
    connection.close()
    return value


def test_a_new_store_is_a_database_of_ours_in_wal_mode(tmp_path):
    path = tmp_path / "not" / "yet" / "there %3f?#.sqlite"
    Store(path).close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert pragma(path, "journal_mode") == "wal"
    assert pragma(path, "application_id") == APPLICATION_ID
    assert pragma(path, "user_version") == len(MIGRATIONS)


def test_an_empty_file_becomes_a_store(path):
    path.touch()
    assert "is empty" in refusal(path, readonly=True)
    with Store(path) as store:
        assert store.matches() == {}


def test_reading_makes_nothing(path):
    assert "there is no results store at" in refusal(path, readonly=True)
    assert not path.exists()


def test_a_reader_cannot_write(written):
    with Store(written, readonly=True) as store:
        with pytest.raises(StoreError, match="readonly"):
            store.add_match(match("two"))
        assert len(list(store.games())) == 1000


def test_a_link_is_followed(written, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(written)
    with Store(link) as store, Store(written, readonly=True) as reader:
        store.add_games(1, numbered(1000, 1001))
        assert len(reader.finished_numbers(1)) == 1001


def test_a_closed_store_says_so(path):
    store = Store(path)
    store.close()
    with pytest.raises(StoreError, match="closed database"):
        store.matches()


@pytest.mark.parametrize("readonly", [True, False])
@pytest.mark.parametrize("kept", [1, 15, 99, 100, 512, 4095, 4096, 4097, 8192, 0.5, -8192, -4097, -4096, -4095, -1])
def test_a_cut_file_is_refused(written, kept, readonly):
    whole = written.read_bytes()
    rest = whole[: int(len(whole) * kept) if isinstance(kept, float) else kept]
    written.write_bytes(rest)
    refusal(written, readonly=readonly)
    assert written.read_bytes() == rest


@pytest.mark.parametrize("readonly", [True, False])
@pytest.mark.parametrize("content", [b"x", b"a text\n", b"a longer text\n" * 1000, b"SQLite format 3\0", bytes(5000)])
def test_a_file_that_is_no_database_is_refused(path, content, readonly):
    path.write_bytes(content)
    refusal(path, readonly=readonly)
    assert path.read_bytes() == content


@pytest.mark.parametrize("readonly", [True, False])
@pytest.mark.parametrize(
    "statements", [["CREATE TABLE games (id)"], ["PRAGMA application_id = 7"], ["PRAGMA user_version = 1", "VACUUM"]]
)
def test_a_database_of_another_program_is_refused(path, statements, readonly):
    foreign = sqlite3.connect(path)
    for statement in statements:
        foreign.execute(statement)
    foreign.close()
    content = path.read_bytes()
    assert "another program" in refusal(path, readonly=readonly)
    assert path.read_bytes() == content


def test_what_is_no_file_is_refused(tmp_path, written):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (tmp_path, pipe, Path(os.devnull)):
        assert "is not a file" in refusal(path, readonly=True)
        assert "is not a file" in refusal(path, readonly=False)
    refusal(written / "inside", readonly=False)


def test_damage_within_is_reported_when_it_is_met(written):
    content = bytearray(written.read_bytes())
    content[5 * 4096 :] = b"\xa5" * (len(content) - 5 * 4096)
    written.write_bytes(content)
    with pytest.raises(StoreError, match="malformed"), Store(written) as store:
        list(store.games())


def test_migrations_are_applied_in_order_and_once(written, monkeypatch):
    later = (
        ("ALTER TABLE runs ADD COLUMN note TEXT", "UPDATE games SET fault = 'two'"),
        ("CREATE INDEX runs_by_note ON runs (note)", "UPDATE games SET fault = fault || ', three'"),
    )
    for migrations in ((*MIGRATIONS, later[0]), (*MIGRATIONS, *later)):
        monkeypatch.setattr(store_schema, "MIGRATIONS", migrations)
        assert "has an old schema; open it for writing once" in refusal(written, readonly=True)
        for _ in range(2):
            with Store(written) as store:
                assert store.add_match(match("one")) == 1
        assert pragma(written, "user_version") == len(migrations)
    with Store(written, readonly=True) as store:
        assert {record.fault for record in store.games()} == {"two, three"}
    assert integrity(written) == []


def test_a_migration_that_fails_changes_nothing(written, monkeypatch):
    monkeypatch.setattr(store_schema, "MIGRATIONS", (*MIGRATIONS, ("DROP TABLE grades", "DROP TABLE absent")))
    assert "no such table: absent" in refusal(written, readonly=False)
    monkeypatch.undo()
    with Store(written) as store:
        assert store.grades("tictactoe") == []
        assert list(store.games()) == [game(number) for number in range(1000)]


@pytest.mark.parametrize("readonly", [True, False])
def test_a_store_of_a_later_version_is_refused(written, monkeypatch, readonly):
    monkeypatch.setattr(store_schema, "MIGRATIONS", (*MIGRATIONS, ("CREATE TABLE later (id)",)))
    Store(written).close()
    monkeypatch.undo()
    assert "has schema version 2; this version of inarow reads up to 1" in refusal(written, readonly=readonly)


def no_home():
    raise RuntimeError("Could not determine home directory.")


def test_the_default_store_is_in_the_users_data_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_store_path() == tmp_path / "inarow" / "lab.sqlite"
    with monkeypatch.context() as homeless:
        homeless.setattr(Path, "home", no_home)
        assert default_store_path() == tmp_path / "inarow" / "lab.sqlite"
        homeless.delenv("XDG_DATA_HOME")
        with pytest.raises(StoreError, match="cannot determine the home directory"):
            default_store_path()
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    if sys.platform == "linux":
        assert default_store_path() == tmp_path / ".local" / "share" / "inarow" / "lab.sqlite"


@pytest.mark.parametrize("readonly", [True, False])
def test_a_store_with_two_names_is_refused(written, readonly):
    os.link(written, written.with_name("other.sqlite"))
    assert "has other names" in refusal(written, readonly=readonly)
    assert "has other names" in refusal(written.with_name("other.sqlite"), readonly=readonly)
    written.with_name("other.sqlite").unlink()
    Store(written, readonly=readonly).close()


def test_a_store_that_gets_a_second_name_takes_no_more_games(written):
    with Store(written) as store:
        match_id = store.add_match(match("two"))
        os.link(written, written.with_name("other.sqlite"))
        with pytest.raises(StoreError, match="has other names"):
            store.add_games(match_id, numbered(0, 10))
        assert len(list(store.games(match_id=match_id))) == 0


def execute(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.close()


SWALLOW = "CREATE TRIGGER swallow AFTER INSERT ON games BEGIN DELETE FROM games WHERE id = new.id; END"


@pytest.mark.parametrize("statement", [SWALLOW, "CREATE VIEW everything AS SELECT * FROM games"])
@pytest.mark.parametrize("readonly", [True, False])
def test_a_store_with_triggers_or_views_is_refused(written, statement, readonly):
    execute(written, statement)
    assert "has triggers or views" in refusal(written, readonly=readonly)


def test_games_that_the_database_does_not_keep_are_reported(written):
    with Store(written) as store:
        match_id = store.add_match(match("two"))
        execute(written, SWALLOW)
        with pytest.raises(StoreError, match="kept 0 of 10 games"):
            store.add_games(match_id, numbered(0, 10))
