"""`inarow analyse`."""

import io
from pathlib import Path

from rich.table import Table

from inarow.arena.review import GameReview, review
from inarow.cli.options import Board, Json, UnusedSeed
from inarow.cli.output import command_line, new_file, print_json, print_table, stdout
from inarow.cli.solve import USUAL, SolverOptions
from inarow.errors import NotationError
from inarow.games import GameRecord, GameSpec, Position
from inarow.games.notation import MARKS, format_move
from inarow.games.pgn import from_pgn, split_games
from inarow.games.record import from_json_line
from inarow.report.data import ReplayGame
from inarow.report.page import analysis_page
from inarow.storage.inputs import looks_like_file, read_input
from inarow.version import __version__

_MAX_FILE = 1 << 20
_LONGEST_NAME = 255  # of a file, in characters


def analyse(
    game: str,
    *,
    board: Board = "connect4",
    number: int = 1,
    options: SolverOptions = USUAL,
    html: Path | None = None,
    json: Json = False,
    seed: UnusedSeed = 0,
) -> None:
    """Review every move of a game against perfect play.

    Labels: best keeps the score, good keeps win, draw or loss, a mistake lets it slip by one step, a blunder by two.

    Args:
        game: Move string, or a file of games: PGN-like or JSON Lines.
        number: Which game of the file.
        html: Also write a page to this file: the game to step through, its scores by ply, its best moves.

    Examples:
        inarow analyse 44444321
        inarow analyse games.pgn --number 2 --html review.html
    """
    limits = options.limits()
    record = _read_game(game, board, number)
    with new_file(html) as page:
        reviewed = review(record, solver=options.solver(record.spec), limits=limits)
        known = tuple(move for move in reviewed.moves if move.before is not None)
        page.write(analysis_page(ReplayGame(record, known), command=command_line(), version=__version__))
    print_json(reviewed.to_dict()) if json else _print_review(reviewed)


def _read_game(game: str, board: str, number: int) -> GameRecord:
    path = Path(game)
    if not looks_like_file(game) and (len(game) > _LONGEST_NAME or "\0" in game or not path.is_file()):
        return GameRecord.of_position(Position.parse(game, GameSpec.parse(board)), "first", "second")
    content = io.BytesIO(read_input(path, _MAX_FILE, NotationError))
    text = io.TextIOWrapper(content, encoding="utf-8", errors="replace").read()
    is_pgn = text.lstrip().startswith("[")
    games = split_games(text) if is_pgn else [line for line in text.split("\n") if line.strip()]
    if not 1 <= number <= len(games):
        raise NotationError(f"{path} has {len(games)} games; game {number} does not exist")
    return (from_pgn if is_pgn else from_json_line)(games[number - 1])


def _print_review(reviewed: GameReview) -> None:
    position, reviews = reviewed.record.position, reviewed.moves
    names = ("ply", "side", "move", "score", "best possible", "loss", "best moves", "label")
    table = Table(*names, box=None, pad_edge=False)
    for move in reviews:
        table.add_row(
            str(move.ply),
            MARKS[move.side],
            format_move(move.action, position.spec),
            *("?" if score is None else str(score) for score in (move.after, move.before, move.loss)),
            " ".join(format_move(action, position.spec) for action in move.best),
            move.label or "",
            style={"mistake": "yellow", "blunder": "red"}.get(move.label or ""),
        )
    print_table(table)
    for side in (1, 2):
        labels = [move.label for move in reviews if move.side == side]
        counts = ", ".join(f"{labels.count(label)} {label}" for label in ("best", "good", "mistake", "blunder"))
        stdout.print(f"{MARKS[side]}: {counts}")
