"""`inarow analyse`."""

import io
from pathlib import Path

from rich.table import Table

from inarow.arena.review import MoveReview, review_game
from inarow.cli.options import Board, Json, UnusedSeed
from inarow.cli.output import command_line, new_file, print_json, progress_bar, stdout
from inarow.cli.solve import USUAL, SolverOptions
from inarow.errors import NotationError
from inarow.games import GameRecord, GameSpec, Position
from inarow.games.notation import MARKS, format_move
from inarow.games.pgn import from_pgn, split_games
from inarow.games.record import from_json_line
from inarow.report.data import ReplayGame
from inarow.report.page import analysis_page
from inarow.storage.inputs import read_input
from inarow.version import __version__

_MAX_FILE = 1 << 20


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
    """
    limits = options.limits()
    record = _read_game(game, board, number)
    position = record.position
    solver = options.solver(position.spec)
    reviews: list[MoveReview] = []
    with new_file(html) as page, progress_bar("reviewing") as progress:
        for review in review_game(position, lambda current: solver.analyse(current, limits=limits)):
            reviews.append(review)
            progress(len(reviews), position.ply)
        known = tuple(review for review in reviews if review.before is not None)
        page.write(analysis_page(ReplayGame(record, known), command=command_line(), version=__version__))
    if json:
        plies = [
            {
                "ply": review.ply,
                "side": review.side,
                "move": review.action + 1,
                "best": [action + 1 for action in review.best],
                **{name: getattr(review, name) for name in ("before", "after", "loss", "label")},
            }
            for review in reviews
        ]
        print_json({"board": str(position.spec), "moves": position.moves, "winner": position.winner, "plies": plies})
    else:
        _print_reviews(position, reviews)


def _read_game(game: str, board: str, number: int) -> GameRecord:
    path = Path(game)
    if len(game) > 255 or "\0" in game or not path.exists() or path.is_dir():
        return GameRecord.of_position(Position.parse(game, GameSpec.parse(board)), "first", "second")
    content = io.BytesIO(read_input(path, _MAX_FILE, NotationError))
    text = io.TextIOWrapper(content, encoding="utf-8", errors="replace").read()
    is_pgn = text.lstrip().startswith("[")
    games = split_games(text) if is_pgn else [line for line in text.split("\n") if line.strip()]
    if not 1 <= number <= len(games):
        raise NotationError(f"{path} has {len(games)} games; game {number} does not exist")
    return (from_pgn if is_pgn else from_json_line)(games[number - 1])


def _print_reviews(position: Position, reviews: list[MoveReview]) -> None:
    names = ("ply", "side", "move", "score", "best possible", "loss", "best moves", "label")
    table = Table(*names, box=None, pad_edge=False)
    for review in reviews:
        table.add_row(
            str(review.ply),
            MARKS[review.side],
            format_move(review.action, position.spec),
            *("?" if score is None else str(score) for score in (review.after, review.before, review.loss)),
            " ".join(format_move(action, position.spec) for action in review.best),
            review.label or "",
            style={"mistake": "yellow", "blunder": "red"}.get(review.label or ""),
        )
    stdout.print(table)
    for side in (1, 2):
        labels = [review.label for review in reviews if review.side == side]
        counts = ", ".join(f"{labels.count(label)} {label}" for label in ("best", "good", "mistake", "blunder"))
        stdout.print(f"{MARKS[side]}: {counts}")
