"""The Q-table against a dict, through growth, files and a full table."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow.errors import InvalidLimitError, TableError
from inarow.games.kernels import kernel
from inarow.games.spec import GameSpec
from inarow.learning.tabular.q_table import QTable, add_row, is_crowded, row_bytes

SPEC = GameSpec(4, 4, 4)


@kernel
def add_keys(wanted, table, rows):
    """Adds keys until the index is crowded; returns how many."""
    index, old, keys, state, _, _ = table
    for place in range(len(wanted)):
        if is_crowded(index, state):
            return place
        rows[place] = add_row(wanted[place], index, old, keys, state)
    return len(wanted)


def add(table: QTable, numbers) -> np.ndarray:
    wanted = np.array(numbers, np.uint64)
    rows = np.full(len(wanted), -2)
    done = 0
    while done < len(wanted):
        table.reserve()
        done += add_keys(wanted[done:], table.arrays, rows[done:])
    return rows


@settings(max_examples=12)
@given(st.lists(st.integers(0, 2**64 - 1), max_size=300), st.integers(0, 2**32))
def test_a_table_is_a_dict(numbers, seed):
    more = np.random.default_rng(seed).integers(0, 2**64, 6000, np.uint64)  # makes it grow
    table = QTable(SPEC)
    expected: dict[int, int] = {}
    for part in (numbers, more[:2500], numbers, more[2000:], more[:100]):
        for number, row in zip(part, add(table, part), strict=True):
            assert row == expected.setdefault(int(number), len(expected))
            assert len(table) <= len(expected) + len(part)
    assert len(table) == len(expected)
    assert table.find(np.array(list(expected), np.uint64)).tolist() == list(expected.values())
    strangers = np.array([number ^ 1 for number in list(expected)[:200] if number ^ 1 not in expected], np.uint64)
    assert (table.find(strangers) == -1).all()


@pytest.mark.compiled
def test_growing_continues_while_rows_come():
    """The old index is carried over in small steps, and found rows are right in between."""
    table = QTable(SPEC)
    numbers = np.arange(20_000, dtype=np.uint64) * np.uint64(0x9E37_79B9)
    between = 0
    for start in range(0, len(numbers), 50):
        add(table, numbers[start : start + 50])
        between += 0 < table.state.carried < len(table.old_index)
        assert table.find(numbers[: start + 50]).tolist() == list(range(start + 50))
    assert between > 20


def test_a_full_table_refuses_and_keeps_what_it_has():
    table = QTable(SPEC, memory=10 * row_bytes(SPEC))
    rows = add(table, range(15))
    assert rows.tolist() == [*range(10), *[-1] * 5]
    assert (len(table), table.refused) == (10, 5)
    with pytest.raises(InvalidLimitError, match="memory is 50 bytes; a row of a Q-table of 4x4x4 needs 72"):
        QTable(SPEC, memory=50)


@pytest.fixture
def saved(tmp_path):
    table = QTable(SPEC)
    rows = add(table, range(100, 5000, 3))
    table.values[rows] = np.random.default_rng(1).normal(size=(len(rows), 4))
    table.visits[rows, 2] = rows
    path = tmp_path / "table.npz"
    table.save(path, learner="test", seed=3)
    return table, path


def test_a_saved_table_comes_back(saved):
    table, path = saved
    again, about = QTable.load(path)
    assert about == {"learner": "test", "seed": 3}
    assert len(again) == len(table)
    keys = np.arange(5200, dtype=np.uint64)
    assert again.find(keys).tolist() == table.find(keys).tolist()
    assert np.array_equal(again.values[: len(table)], table.values[: len(table)])
    assert np.array_equal(again.visits[: len(table)], table.visits[: len(table)])
    larger, _ = QTable.load(path, memory=1 << 20)
    assert add(larger, [1])[0] == len(table)


def test_a_full_table_comes_back_full(tmp_path):
    memory, path = 10 * row_bytes(SPEC), tmp_path / "table.npz"
    table = QTable(SPEC, memory=memory)
    for _ in range(3):
        add(table, range(15))
        table.save(path)
        table, _ = QTable.load(path, memory=memory)
    assert (len(table), table.refused) == (10, 15)
    empty = QTable(SPEC)
    empty.save(path)
    assert len(QTable.load(path)[0]) == 0


def rewritten(path, **changes):
    with np.load(path) as arrays:
        kept = dict(arrays)
    header = json.loads(bytes(kept["header"]))
    for key, change in changes.items():
        if key in kept:
            kept[key] = change
        else:
            header[key] = change
    kept["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(path, **kept)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"version": 0}, "has format inarow-q-table 0, not inarow-q-table 1"),
        ({"format": "inarow-book"}, "has format inarow-book 1, not"),
        ({"values": np.zeros((1634, 4))}, "checksum is wrong"),
        ({"board": "5x5x4"}, "arrays of the wrong kind"),
        ({"board": "nonsense"}, "is not a Q-table"),
    ],
)
def test_a_foreign_table_is_refused(saved, changes, reason):
    _, path = saved
    rewritten(path, **changes)
    with pytest.raises(TableError, match=reason) as error:
        QTable.load(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and so on", b"keys,values\n1,2\n"])
def test_what_is_no_table_is_refused(tmp_path, content):
    path = tmp_path / "table.npz"
    path.write_bytes(content)
    with pytest.raises(TableError, match="is not a Q-table"):
        QTable.load(path)


def test_a_truncated_table_is_refused(saved):
    _, path = saved
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(TableError, match="is not a Q-table"):
        QTable.load(path)
