"""Building and checking opening books. An interrupted build resumes where it stopped.

Worker processes solve all positions of the last ply; the scores of earlier positions follow from these, and the
successors of the most expensive positions may be added. Solved positions are appended to a journal beside the book,
one per line.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from inarow.errors import BookError, InvalidLimitError
from inarow.games import CONNECT_FOUR, Board, GameSpec, Position
from inarow.search.solver.book import Book, book_key, check_board
from inarow.search.solver.solution import action_scores
from inarow.search.solver.solver import Solver
from inarow.storage.journal import Journal, open_journal
from inarow.workers import Pool, Progress, Workers, open_pool

Level = dict[int, Position]  # the positions of one ply by their key in the book

_CHUNK = 16  # positions per task; neighbours share much of their search trees


@dataclass(frozen=True, slots=True)
class SolveTask:
    """Some positions of a board, for a solver with a table of `memory` bytes."""

    board: str
    memory: int
    moves: tuple[str, ...]


class Solved(NamedTuple):
    """A line of the journal."""

    moves: str
    score: int
    nodes: int


def build_book(
    path: Path | str,
    board: Board = CONNECT_FOUR,
    *,
    plies: int,
    entries: int | None = None,
    deepen: Sequence[int] = (),
    workers: Workers = 1,
    memory: int = 64 << 20,
    progress: bool | Progress = True,
) -> Book:
    """Solves every unfinished position of `plies` stones and writes the book to `path`, with a journal beside it.

    With `entries`, the book keeps at most that many: only the most expensive positions of the last ply, so it is
    complete for one ply less. With `deepen`, the successors of that number of the most expensive positions are solved
    and kept in addition; each further number does the same with the positions added before. After an interruption, the
    same call resumes the build.
    """
    from inarow.terminal import progress_bar

    path, spec = Path(path), GameSpec.parse(board)
    check_board(spec)
    if not 0 <= plies < spec.cells:
        raise InvalidLimitError(f"plies is {plies}; on {spec} it must be 0 to {spec.cells - 1}")
    if entries is not None and entries < 1:
        raise InvalidLimitError(f"entries is {entries}; it must be at least 1")
    if min(deepen, default=0) < 0:
        raise InvalidLimitError(f"deepen is {min(deepen)}; it must be at least 0")
    if path.is_dir():
        raise BookError(f"{path} is a folder; give the name of a file")
    levels = list(_levels(spec, plies))
    before = sum(map(len, levels[:-1]))
    if entries is not None and entries < before:
        raise InvalidLimitError(
            f"entries is {entries}; on {spec} there are {before} positions of fewer than {plies} stones"
        )
    with (
        open_pool(workers) as pool,
        progress_bar(f"book of {spec}", is_shown=progress) as advance,
        open_journal(path, f"book {spec} {plies}", BookError) as journal,
    ):
        solved = {}
        for moves, score, nodes in (line.split(" ") for line in journal.lines):
            solved[book_key(Position.parse(moves, spec))] = Solved(moves, int(score), int(nodes))
        solved |= _solve(levels[-1], solved, journal, spec, pool, memory, advance)
        beyond: Level = {}
        added = levels[-1]
        for count in deepen:
            costliest = sorted(added.items(), key=lambda item: -solved[item[0]].nodes)[:count]
            added = {book_key(after): after for _, position in costliest for after in _successors(position)}
            solved |= _solve(added, solved, journal, spec, pool, memory, advance)
            beyond |= added
        book = _assemble(spec, plies, levels, beyond, solved, entries)
        book.save(path)
    return book


def _solve(
    positions: Level,
    solved: Mapping[int, Solved],
    journal: Journal,
    spec: GameSpec,
    pool: Pool,
    memory: int,
    progress: Progress,
) -> dict[int, Solved]:
    """Solves the positions that are not in `solved`, and writes each result to the journal."""
    keys = {position.moves: key for key, position in positions.items() if key not in solved}
    found: dict[int, Solved] = {}
    moves = tuple(keys)
    tasks = [SolveTask(str(spec), memory, moves[at : at + _CHUNK]) for at in range(0, len(moves), _CHUNK)]
    for lines in pool.map(_solve_chunk, tasks):
        journal.add(" ".join(map(str, line)) for line in lines)
        found |= {keys[line.moves]: line for line in lines}
        progress(len(positions) - len(keys) + len(found), len(positions))
    return found


def _levels(spec: GameSpec, plies: int) -> Iterator[Level]:
    """The unfinished positions of 0 to `plies` stones, by their key in the book."""
    start = Position.start(spec)
    level = {book_key(start): start}
    yield level
    for _ in range(plies):
        following: Level = {}
        for position in level.values():
            for after in _successors(position):
                following.setdefault(book_key(after), after)
        level = following
        yield level


def _successors(position: Position) -> list[Position]:
    """The unfinished positions after one move."""
    after = [position.play(action) for action in position.legal_actions]
    return [each for each in after if not each.is_over]


@lru_cache(maxsize=1)
def _worker_solver(board: str, memory: int) -> Solver:
    """The solver of a worker process; its table is kept between tasks."""
    return Solver(GameSpec.parse(board), memory=memory)


def _solve_chunk(task: SolveTask) -> list[Solved]:
    solver = _worker_solver(task.board, task.memory)
    lines = []
    for moves in task.moves:
        solution = solver.solve(Position.parse(moves, solver.spec))
        lines.append(Solved(moves, solution.lower, solution.nodes))
    return lines


def _assemble(
    spec: GameSpec, plies: int, levels: list[Level], beyond: Level, solved: dict[int, Solved], entries: int | None
) -> Book:
    scores = {key: solved[key].score for key in levels[-1]}
    for level in reversed(levels[:-1]):
        scores |= {key: max(action_scores(each, scores, book_key).values()) for key, each in level.items()}
    if entries is not None and len(scores) > entries:
        cheapest_first = sorted(levels[-1], key=lambda key: solved[key].nodes)
        for key in cheapest_first[: len(scores) - entries]:
            del scores[key]
        plies -= 1
    scores |= {key: solved[key].score for key in beyond}
    keys = np.array(sorted(scores), np.uint64)
    return Book(spec, plies, keys, np.array([scores[int(key)] for key in keys], np.int8))


def verify_book(
    book: Book | Path | str,
    *,
    sample: int = 1000,
    plies: int = 0,
    seed: int = 0,
    memory: int = 256 << 20,
    progress: bool | Progress = True,
) -> list[Position]:
    """Solves all entries of up to `plies` stones and a random `sample` of the others; returns the positions solved,
    raises BookError for a wrong entry.
    """
    from inarow.terminal import progress_bar

    if sample < 0:
        raise InvalidLimitError(f"sample is {sample}; it must be at least 0")
    book = book if isinstance(book, Book) else Book.load(Path(book))
    solver = Solver(book.spec, memory=memory)
    stones = book.entry_plies()
    others = np.flatnonzero(stones > plies)
    drawn = np.random.default_rng(seed).choice(others, min(sample, len(others)), replace=False)
    numbers = [*np.flatnonzero(stones <= plies), *drawn]
    chosen = [Position.from_key(int(book.keys[number]), book.spec) for number in numbers]
    with progress_bar("solving again", is_shown=progress) as advance:
        for done, position in enumerate(chosen, start=1):
            check_entry(book, position, solver.solve(position).score)
            advance(done, len(chosen))
    return chosen


def check_entry(book: Book, position: Position, truth: int | None) -> None:
    """Raises BookError if the score of a position in the book is not `truth`."""
    if book.score(position) != truth:
        raise BookError(f"the book says {book.score(position)} after {position.moves!r}; it is {truth}")
