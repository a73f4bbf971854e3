"""`inarow export verify`: whether a perfect file errs in any position that it can meet."""

import ast
import hashlib
import json as json_format
import sys
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from inarow.adapters.kaggle_export.export import source_of
from inarow.adapters.kaggle_export.exporters import perfect_parts
from inarow.adapters.kaggle_export.player.q_table import unpacked
from inarow.adapters.kaggle_export.reachable import Answer, Enumeration, PlyCount, Report, Root, enumerate_positions
from inarow.agents.confined import working_folder
from inarow.agents.kaggle import KaggleProcess, unpacked_main
from inarow.errors import KaggleFileError
from inarow.games import CONNECT_FOUR, Position
from inarow.search.solver.api import solver_for
from inarow.storage.inputs import read_input

_MAX_BYTES = 2 << 20
_SECONDS, _PATIENCE = 2.0, 3600.0  # Kaggle's time for a move, and more overage than Kaggle's
_ASKED = 20  # positions of a root in which the file itself is asked


@dataclass
class Verification:
    """What was checked; a file with an error raises KaggleFileError instead."""

    sha256: str
    bytes: int
    stored: int
    """Moves in the table; all were checked with the solver."""
    roots: list[Enumeration] = field(default_factory=list)
    sampled: int = 0
    """Random searches whose outcome and move were checked with the solver, too."""
    asked: int = 0
    """Positions in which the file itself was asked, those with the longest searches among them."""
    slowest: float = 0.0
    """Seconds of the slowest of these answers."""

    @property
    def positions(self) -> int:
        return sum(count.positions for root in self.roots for count in root.plies)


def verify(file: Path, *, out: Path | None = None, json: bool = False, seed: int = 0) -> None:
    """Prove that a perfect Kaggle file never errs.

    Follows every reply of an opponent to the moves of a file that `inarow export kaggle solver` wrote, on both sides,
    to the end of every game: its search decides each position exactly, or its table has a move that keeps the outcome.

    Args:
        file: The file, or archive.
        out: Also write the result, as JSON.
        json: Print one JSON document and nothing else.
        seed: Random seed of the sample of searches that the solver checks, too.

    Examples:
        inarow export verify submission.py --out verified.json
    """

    def report(root: str, count: PlyCount) -> None:
        if sys.stderr.isatty():
            print(f"{root}: ply {count.ply}, {count.positions:,} positions", file=sys.stderr)

    found = verify_file(file, report, seed=seed)
    text = json_format.dumps(_summary(found), indent=2) + "\n"
    if out is not None:
        out.write_text(text, encoding="utf-8")
    if json:
        print(text, end="")
        return
    for root in found.roots:
        ends = f"{root.wins:,} wins, {root.draws:,} draws, {root.losses:,} losses"
        positions = sum(count.positions for count in root.plies)
        print(f"{root.root}: {positions:,} positions, longest game {root.longest} stones; ends: {ends}")
    print(
        f"{file} never errs: {found.positions:,} positions, {found.stored:,} stored moves, {found.bytes:,} bytes, "
        f"slowest of {found.asked} answers {found.slowest:.2f} s"
    )


def _summary(found: Verification) -> dict[str, object]:
    """A verification without its lists of single answers."""
    roots = [{key: value for key, value in asdict(root).items() if key != "sample"} for root in found.roots]
    for root in roots:
        root["plies"] = [PlyCount(*count)._asdict() for count in root["plies"]]
        root["hardest"] = Answer(*root["hardest"][0])._asdict() if root["hardest"] else None
    return asdict(found) | {"positions": found.positions, "roots": roots}


def verify_file(
    file: Path | str, report: Report = lambda root, count: None, *, roots: Sequence[Root] = (), seed: int = 0
) -> Verification:
    """Checks a file as `inarow export verify` does, by default from all roots; raises KaggleFileError if it errs or is
    not a perfect file of this version.
    """
    file = Path(file)
    content = read_input(file, _MAX_BYTES, KaggleFileError)
    moves = moves_of(_source(file, content))
    found = Verification(hashlib.sha256(content).hexdigest(), len(content), len(moves))
    for key, column in moves.items():
        _check_move(Position.from_key(key), column, None)

    def column_for(key: int) -> int:
        if key not in moves:
            raise KaggleFileError(f"{file.name} neither decides this position nor knows a move:\n{_shown(key)}")
        return moves[key]

    for root in roots or Root.all():
        met = enumerate_positions(root, column_for, report, seed=seed)
        for answer in met.sample:
            _check_move(Position.from_key(answer.key), answer.column, answer.outcome)
        found.roots.append(met)
        found.sampled += len(met.sample)
    stored = [Answer(key, column, 0, 0) for key, column in list(moves.items())[:: max(1, len(moves) // _ASKED)]]
    _ask(file, [*stored, *(answer for root in found.roots for answer in root.hardest[:_ASKED])], found)
    return found


def moves_of(source: str) -> dict[int, int]:
    """The stored moves of a perfect file; raises KaggleFileError if it is not one, code and all."""
    try:
        last: Any = ast.parse(source).body[-1]
        texts = {word.arg: ast.literal_eval(word.value) for word in last.value.args[0].keywords}
        moves = dict(zip(unpacked(texts["keys"]), unpacked(texts["columns"]), strict=True))
        is_ours = source_of("solver", perfect_parts(moves)) == source
    except (SyntaxError, ValueError, TypeError, KeyError, IndexError, AttributeError, zlib.error, RecursionError):
        is_ours, moves = False, {}
    if not is_ours:
        raise KaggleFileError("not a file of `inarow export kaggle solver` of this version of inarow")
    return moves


def _source(file: Path, content: bytes) -> str:
    try:
        if not file.name.endswith(".tar.gz"):
            return content.decode()
        folder = working_folder()
        try:
            return read_input(unpacked_main(file, folder), _MAX_BYTES, KaggleFileError).decode()
        finally:
            folder.cleanup()
    except UnicodeDecodeError:
        raise KaggleFileError(f"{file.name} is not UTF-8 text") from None


def _check_move(position: Position, column: int, outcome: int | None) -> None:
    """Asks the solver whether a move keeps the outcome of a position, and whether that is `outcome`."""
    solver = solver_for(CONNECT_FOUR)
    value = solver.solve(position, weak=True).outcome
    is_legal = column in position.legal_actions
    after = position.play(column) if is_legal else position
    if not is_legal:
        kept = None
    elif after.is_over:
        kept = 0 if after.winner is None else 1
    else:
        reached = solver.solve(after, weak=True).outcome
        kept = None if reached is None else -reached
    if kept != value or outcome not in (None, value):
        raise KaggleFileError(f"column {column + 1} does not keep the outcome of this position:\n{position}")


def _shown(key: int) -> str:
    return str(Position.from_key(key))


def _ask(file: Path, answers: Sequence[Answer], found: Verification) -> None:
    """Asks the file itself, as Kaggle would, and compares its answers."""
    process = KaggleProcess(file, _SECONDS, _PATIENCE, bare=True)
    try:
        for answer in answers:
            reply = process.ask(Position.from_key(answer.key))
            if reply.column() != answer.column:
                raise KaggleFileError(f"{file.name} plays another move than its search:\n{_shown(answer.key)}")
            found.asked += 1
            if found.asked > 1:  # the first answer includes loading
                found.slowest = max(found.slowest, reply.seconds)
    finally:
        process.close()
