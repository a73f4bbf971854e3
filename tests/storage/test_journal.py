"""What a journal keeps when it is cut, damaged or shared."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow.errors import BookError
from inarow.storage.journal import open_journal

LINES = ["1234 -2 711", "12 5 3", " 0 77"]


class KilledError(Exception):
    pass


def write(result, lines, title="a work"):
    """As a process that is killed after it has written them."""
    with suppress(KilledError), open_journal(result, title, BookError) as journal:
        journal.add(lines)
        raise KilledError


def read(result, title="a work"):
    found = []
    with suppress(KilledError), open_journal(result, title, BookError) as journal:
        found += journal.lines
        raise KilledError
    return found


def test_a_journal_is_resumed_and_removed_at_the_end(tmp_path):
    result = tmp_path / "book.npz"
    write(result, LINES[:1])
    write(result, LINES[1:])
    with open_journal(result, "a work", BookError) as journal:
        assert journal.lines == LINES
        (tmp_path / ".book.npz.9999999.inarow-draft").touch()  # left by an earlier kill
    assert read(result) == []
    assert [file.name for file in tmp_path.iterdir()] == ["book.npz.journal"]


@pytest.mark.parametrize("kept", range(0, 64, 3))
def test_a_journal_cut_anywhere_keeps_its_complete_lines(tmp_path, kept):
    result, path = tmp_path / "book.npz", tmp_path / "book.npz.journal"
    write(result, LINES)
    content = path.read_bytes()[:kept]
    path.write_bytes(content)
    whole = max(0, content.count(b"\n") - 1)
    assert read(result) == LINES[:whole]
    write(result, ["more"])
    assert read(result) == [*LINES[:whole], "more"]


@given(st.data())
def test_a_journal_changed_anywhere_is_rejected_or_loses_its_last_line(tmp_path_factory, data):
    result = tmp_path_factory.mktemp("journal") / "book.npz"
    path = result.with_name("book.npz.journal")
    write(result, LINES)
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    if content.endswith(b"\n"):
        with pytest.raises(BookError, match="is damaged; remove it to start over"):
            read(result)
        assert path.read_bytes() == bytes(content)
    else:
        assert read(result) == LINES[:2]


@pytest.mark.parametrize("content", [b"hello\n", b"hello", b"\n", b"\xff\xfe\n", b"00000000 a work\n"])
def test_a_foreign_file_is_rejected_and_left_alone(tmp_path, content):
    path = tmp_path / "book.npz.journal"
    path.write_bytes(content)
    with pytest.raises(BookError, match="is damaged"):
        read(tmp_path / "book.npz")
    assert path.read_bytes() == content


def test_a_journal_of_other_work_is_rejected(tmp_path):
    write(tmp_path / "book.npz", LINES)
    with pytest.raises(
        BookError, match=r"belongs to another computation .*'a work', not another.*; remove it to start over"
    ):
        read(tmp_path / "book.npz", title="another")
    assert read(tmp_path / "book.npz") == LINES


def test_two_processes_cannot_share_a_journal(tmp_path):
    result = tmp_path / "book.npz"
    refused = pytest.raises(BookError, match=r"book\.npz is being written by another process")
    with open_journal(result, "a work", BookError), refused:
        read(result)
    assert read(tmp_path / "book.npz") == []
