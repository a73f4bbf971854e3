import json
import random

import numpy as np
import pytest

from inarow.errors import BookError, InvalidLimitError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.search.solver import book_build
from inarow.search.solver.api import BookWarning, analyse, shipped_book, solve
from inarow.search.solver.book import Book, book_key
from inarow.search.solver.book_build import build_book, verify_book
from inarow.search.solver.solver import Solver

pytestmark = pytest.mark.compiled
SPEC = GameSpec.parse("5x5x4")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("books") / "book.npz"
    return path, build_book(path, SPEC, plies=4, memory=1 << 22)


def test_a_book_has_every_position_up_to_its_ply(made):
    path, book = made
    choice = random.Random(1)
    solver = Solver(SPEC, memory=1 << 24)
    for _ in range(60):
        position = Position.start(SPEC)
        while position.ply < choice.randint(0, 4):
            position = position.play(choice.choice(position.legal_actions))
        assert book.score(position) == book.score(position.mirror()) == solver.solve(position).score
    deeper = Position.parse("12345", SPEC)
    assert book.score(deeper) is None
    assert len(verify_book(book, sample=50, plies=3, seed=1)) > 50
    assert not path.with_name("book.npz.journal").exists()


def test_a_book_is_read_back_as_it_was_written(made):
    path, book = made
    back = Book.load(path)
    assert (back.spec, back.plies, back.checksum) == (SPEC, 4, book.checksum)
    assert (back.keys == book.keys).all()
    assert (back.scores == book.scores).all()


def test_a_solver_uses_its_book(made):
    _, book = made
    position = Position.parse("1234", SPEC)
    with_book = Solver(SPEC, memory=1 << 20, book=book).solve(position)
    assert with_book.nodes == 0
    assert with_book.score == Solver(SPEC, memory=1 << 20).solve(position).score
    assert solve(position, book=book).nodes == 0
    assert solve(position, book=None).nodes > 0
    with pytest.raises(BookError, match="is for 5x5x4, not for 6x7x4"):
        Solver(CONNECT_FOUR, book=book)


def test_a_killed_build_continues_where_it_was(made, tmp_path, monkeypatch):
    _, book = made
    path = tmp_path / "book.npz"

    class KilledError(Exception):
        pass

    def kill(done, total):
        if done > total // 2:
            raise KilledError

    with pytest.raises(KilledError):
        build_book(path, SPEC, plies=4, memory=1 << 22, progress=kill)
    assert not path.exists()
    journal = path.with_name("book.npz.journal")
    before = journal.read_text()
    journal.write_text(before + "00000000 12")  # a line that was cut off
    solved_again = []
    solve_chunk = book_build._solve_chunk
    monkeypatch.setattr(book_build, "_solve_chunk", lambda task: solved_again.extend(task.moves) or solve_chunk(task))
    again = build_book(path, SPEC, plies=4, memory=1 << 22)
    assert again.checksum == book.checksum
    assert not set(solved_again) & {line.split()[1] for line in before.splitlines()[1:]}


def test_the_most_expensive_positions_are_kept_first(made, tmp_path):
    _, book = made
    small = build_book(tmp_path / "small.npz", SPEC, plies=4, memory=1 << 22, entries=150)
    assert len(small) == 150 < len(book)
    assert small.plies == 3
    assert set(small.keys.tolist()) < set(book.keys.tolist())


def test_positions_before_the_last_ply_must_fit(made, tmp_path):
    before = int((made[1].entry_plies() < 4).sum())
    path = tmp_path / "small.npz"
    for entries in (1, before - 1):
        message = f"entries is {entries}; on 5x5x4 there are {before} positions of fewer than 4 stones"
        with pytest.raises(InvalidLimitError, match=message):
            build_book(path, SPEC, plies=4, memory=1 << 22, entries=entries)
    assert list(tmp_path.iterdir()) == []
    assert len(build_book(path, SPEC, plies=4, memory=1 << 22, entries=before)) == before


def test_keys_lead_back_to_positions(made):
    _, book = made
    for key in book.keys[::7].tolist():
        assert book_key(Position.from_key(key, SPEC)) == key


def _arrays(book, **changes):
    header = {
        "format": "inarow-book",
        "version": 1,
        "board": "5x5x4",
        "plies": 4,
        "entries": len(book),
        "checksum": book.checksum,
    } | changes.pop("header", {})
    arrays = {"keys": book.keys, "scores": book.scores} | changes
    return arrays | {"header": np.frombuffer(json.dumps(header).encode(), np.uint8)}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"header": {"format": "other"}}, "has format other"),
        ({"header": {"version": 2}}, "has format inarow-book 2"),
        ({"header": {"board": "9x9x9"}}, "there are no books for 9x9x9"),
        ({"header": {"board": "5x5x4/free"}}, "there are no books for 5x5x4/free"),
        ({"header": {"board": 5}}, "is not a book"),
        ({"header": {"plies": "many"}}, "is not a book"),
        ({"header": {"checksum": "0"}}, "is damaged"),
        ({"scores": "flip"}, "is damaged"),
        ({"keys": "float"}, "wrong kind"),
        ({"scores": "short"}, "wrong kind"),
    ],
)
def test_a_book_that_is_not_sound_is_refused(made, tmp_path, change, reason):
    _, book = made
    replaced = {"flip": -1 - book.scores, "float": book.keys.astype(float), "short": book.scores[:-1]}
    change = {name: replaced[value] if isinstance(value, str) else value for name, value in change.items()}
    path = tmp_path / "bad.npz"
    np.savez_compressed(path, **_arrays(book, **change))
    with pytest.raises(BookError, match=reason) as error:
        Book.load(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [b"", b"garbage", b"PK\x03\x04", "truncated", "pickle"])
def test_a_file_that_is_no_book_is_refused(made, tmp_path, content):
    good, _ = made
    path = tmp_path / "bad.npz"
    if content == "truncated":
        path.write_bytes(good.read_bytes()[:-100])
    elif content == "pickle":
        np.savez(path, keys=np.array([{}], object), scores=np.zeros(1), header=np.zeros(1))
    else:
        path.write_bytes(content)
    with pytest.raises(BookError, match="is not a book"):
        Book.load(path)


def test_a_wrong_entry_is_found(made):
    _, book = made
    scores = book.scores.copy()
    scores[0] += 1
    wrong = Book(SPEC, 4, book.keys, scores)
    with pytest.raises(BookError, match="the book says"):
        verify_book(wrong, sample=0, plies=4, seed=0)


def test_a_senseless_ply_is_refused(tmp_path):
    with pytest.raises(InvalidLimitError, match="plies is 25"):
        build_book(tmp_path / "book.npz", SPEC, plies=25, memory=1 << 22)


def test_the_shipped_book_agrees_with_bitbully():
    """2,000 entries, drawn anew each time; `book verify --peer` does more."""
    bitbully = pytest.importorskip("bitbully")
    oracle = bitbully.BitBully()
    book = shipped_book(CONNECT_FOUR)
    assert book.plies == 9
    assert book.score(Position.start()) == 1
    for number in np.random.default_rng().choice(len(book), 2000, replace=False):
        position, score = Position.from_key(int(book.keys[number]), CONNECT_FOUR), book.scores[number]
        assert oracle.mtdf(bitbully.Board(list(position.actions))) == score, position


def test_the_first_moves_of_connect_four_have_their_published_scores():
    assert analyse(Position.start()).scores == (-2, -1, 0, 1, 0, -1, -2)


def test_a_broken_shipped_book_costs_one_warning(tmp_path, monkeypatch):
    folder = tmp_path / "books"
    folder.mkdir()
    (folder / "6x7x4.npz").write_bytes(b"not a book")
    monkeypatch.setattr("inarow.search.solver.api.files", lambda package: tmp_path)
    shipped_book.cache_clear()
    with pytest.warns(BookWarning, match="continuing without a book"):
        assert shipped_book(CONNECT_FOUR) is None
    shipped_book.cache_clear()


def test_a_book_of_the_empty_board_alone(tmp_path):
    path = tmp_path / "book.npz"
    book = build_book(path, GameSpec.parse("4x4x4"), plies=0, memory=1 << 22)
    assert len(book) == 1
    assert book.score(Position.start(GameSpec.parse("4x4x4"))) == 0


@pytest.mark.parametrize("board", ["6x6x4", "5x7x4"])
def test_other_shipped_books_are_sound(board):
    book = shipped_book(GameSpec.parse(board))
    assert len(verify_book(book, sample=20, plies=0, seed=3)) == 21


def test_what_follows_the_most_expensive_positions_can_be_kept(tmp_path):
    spec = GameSpec.parse("4x5x4")
    plain = build_book(tmp_path / "plain.npz", spec, plies=4, memory=1 << 22)
    deeper = build_book(tmp_path / "deeper.npz", spec, plies=4, memory=1 << 22, deepen=(3, 2))
    assert plain.plies == deeper.plies == 4
    known = dict(zip(plain.keys.tolist(), plain.scores.tolist(), strict=True))
    more = dict(zip(deeper.keys.tolist(), deeper.scores.tolist(), strict=True))
    assert known.items() < more.items()
    extra = [Position.from_key(key, spec) for key in more.keys() - known.keys()]
    assert {position.ply for position in extra} == {5, 6}
    assert len(extra) <= 3 * 5 + 2 * 5
    solver = Solver(spec, memory=1 << 22)
    assert all(solver.solve(position).score == deeper.score(position) for position in extra)
