"""`inarow book`."""

import sys
from pathlib import Path

from cyclopts import App, Parameter

from inarow.cli.bench import load_peers
from inarow.cli.options import Board, Json, Memory, Seed, UnusedSeed
from inarow.cli.output import print_facts, print_json, progress_bar
from inarow.games import Position
from inarow.search.solver.book import Book
from inarow.search.solver.book_build import build_book, check_entry, verify_book
from inarow.storage.csv_text import write_csv_rows

book = App(name="book", help="Build, verify and export opening books.", default_parameter=Parameter(negative=()))


@book.command
def build(
    out: Path,
    *,
    board: Board = "connect4",
    plies: int,
    entries: int | None = None,
    deepen: tuple[int, ...] = (),
    workers: int = 1,
    memory: Memory = 64,
    json: Json = False,
    seed: UnusedSeed = 0,
) -> None:
    """Solve all positions of a ply and write a book of them.

    The book also has the positions of all earlier plies. After an interruption, the same command continues where it
    stopped.

    Args:
        out: The file to write.
        plies: Stones on the board in the last positions.
        entries: Keep at most this many: all before the last ply, and the most expensive of the last.
        deepen: Add the successors of this many of the most expensive positions of the last ply; given again, of those.
        workers: Worker processes.

    Examples:
        inarow book build book.npz --board 5x5x4 --plies 4
    """
    made = build_book(out, board, plies=plies, entries=entries, deepen=deepen, workers=workers, memory=memory << 20)
    _print_facts(out, made, json)


@book.command
def verify(
    file: Path,
    *,
    sample: int = 1000,
    plies: int = 0,
    peer: bool = False,
    memory: Memory = 256,
    json: Json = False,
    seed: Seed = 0,
) -> None:
    """Check a book's checksum and solve entries again.

    Args:
        file: The book.
        sample: Number of entries to draw.
        plies: Also check every entry with up to this many stones.
        peer: Also compare the checked entries with BitBully (6x7x4 only). Needs a clone of the repository.

    Examples:
        inarow book verify book.npz --sample 100
    """
    bitbully_scores = load_peers().bitbully_scores if peer else None
    made = Book.load(file)
    checked = verify_book(made, sample=sample, plies=plies, seed=seed, memory=memory << 20)
    facts = {"checked": len(checked)}
    if bitbully_scores is not None:
        for position, score in zip(checked, bitbully_scores(checked), strict=True):
            check_entry(made, position, score)
        facts["checked_by_bitbully"] = len(checked)
    _print_facts(file, made, json, **facts)


@book.command
def export(file: Path, *, csv: bool = False, json: Json = False, seed: UnusedSeed = 0) -> None:
    """Print the entries of a book as CSV.

    Each entry has its key, the moves of a game that leads there, its ply and its score.

    Args:
        file: The book.
        csv: Print CSV, which is also the default.

    Examples:
        inarow book export book.npz > book.csv
    """
    made = Book.load(file)
    rows = []
    with progress_bar("finding games") as progress:
        for key, score in zip(made.keys.tolist(), made.scores.tolist(), strict=True):
            position = Position.from_key(key, made.spec)
            rows.append({"key": key, "moves": position.moves, "ply": position.ply, "score": score})
            progress(len(rows), len(made))
    if json:
        print_json({"board": str(made.spec), "plies": made.plies, "entries": rows})
        return
    write_csv_rows(sys.stdout, [("key", "moves", "ply", "score"), *(row.values() for row in rows)])


def _print_facts(file: Path, made: Book, json: bool, **more: int) -> None:
    about = {"file": str(file), "board": str(made.spec), "plies": made.plies, "entries": len(made)}
    print_facts({**about, "bytes": file.stat().st_size, "checksum": made.checksum, **more}, json=json)
