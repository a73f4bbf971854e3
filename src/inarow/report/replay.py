"""A game to step through: board, controls, moves and exact scores.

The texts and stones of every ply are created here; the script only shows and hides them.
"""

import json
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from inarow.arena.review import MoveReview
from inarow.games import GameSpec
from inarow.games.notation import MARKS, format_move, side_name
from inarow.report.board import draw_board
from inarow.report.data import ReplayGame
from inarow.report.markup import append, element, signed
from inarow.report.plots import WIDTH, Scale, draw_x_axis, legend, marker, new_plot
from inarow.report.tables import Table

_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, WIDTH - 10.0, 10.0, 130.0
_SHAPES = {"mistake": 3, "blunder": 2}  # markers of the graph; see `marker`
_BUTTONS = {"first": ("|<", "Start"), "previous": ("<", "Back"), "next": (">", "Forward"), "last": (">|", "End")}
_SIGNS = {"best": "", "good": "", "mistake": "?", "blunder": "??"}


def replay(game: ReplayGame, number: str = "") -> Element:
    """The game with its heading, which may begin with a number. Without the script it shows the last position."""
    record, position = game.record, game.record.position
    result = "unfinished" if record.termination == "unfinished" else record.result
    players = f"{side_name(1, record.first)} against {side_name(2, record.second)}"
    board = element("div", draw_board(position, f"Board: {players}"), _controls(position.ply), class_="diagram")
    append(board, element("p", _captions(game)[-1], class_="caption", aria_live="polite"))
    notes = element("div", class_="notes")
    if game.reviews and position.ply:
        append(notes, _evaluation_plot(game.reviews, position.ply))
        append(notes, legend((shape, f"point {label}", f"{label} {_SIGNS[label]}") for label, shape in _SHAPES.items()))
    append(notes, _moves(game))
    return element(
        "section",
        element("h3", f"{number}{players}: {result}"),
        element("div", board, notes, class_="game"),
        element("script", _script_data(game), type="application/json"),
        class_="replay",
        tabindex=0,
        aria_label=f"Game {number}{players}. Left and right arrow keys step through it.",
    )


def review_table(game: ReplayGame) -> Table:
    """A table of all reviewed moves: their scores, and the best moves."""
    spec, rows = game.record.spec, []
    for review in game.reviews:
        after, before = ("?" if score is None else signed(score) for score in (review.after, review.before))
        start = str(review.ply), MARKS[review.side], format_move(review.action, spec), review.label or ""
        rows.append((*start, after, _best(review, spec), before))
    headings = ("ply", "side", "move", "label", "score", "best moves", "best possible")
    return Table(headings, tuple(rows), words=("side", "best moves", "label"))


def _best(review: MoveReview, spec: GameSpec) -> str:
    return " ".join(format_move(action, spec) for action in review.best)


def _controls(plies: int) -> Element:
    buttons = [
        element("button", sign, type="button", data_go=name, aria_label=label, title=label)
        for name, (sign, label) in _BUTTONS.items()
    ]
    slider = element("input", type="range", min=0, max=plies, value=plies, aria_label="Ply")
    return element("div", *buttons[:2], slider, *buttons[2:], class_="controls")


def _moves(game: ReplayGame) -> Element:
    """The moves as buttons, with a sign for moves that lost score."""
    labels = {review.ply: review.label for review in game.reviews}
    moves = element("ol", class_="moves")
    for ply, (action, text) in enumerate(zip(game.record.actions, _move_texts(game), strict=True), start=1):
        label, side = labels.get(ply), "first" if ply % 2 else "second"
        name = format_move(action, game.record.spec) + _SIGNS.get(label or "", "")
        kind = " ".join(filter(None, (side, label, "opening" if ply <= game.record.opening else None)))
        button = element("button", name, type="button", data_ply=ply, class_=kind, aria_label=text)
        append(moves, element("li", button))
    return moves


def _captions(game: ReplayGame) -> list[str]:
    """The caption of the position after each ply, from 0."""
    record, texts = game.record, ["The empty board", *_move_texts(game)]
    ends = [f"{MARKS[1 + ply % 2]} to move" for ply in range(len(texts))]
    if record.termination != "unfinished":
        ends[-1] = "Draw" if record.winner is None else f"{MARKS[record.winner]} wins"
        ends[-1] += "" if record.termination == "normal" else f" ({record.termination})"
    return [f"{text}. {end}." for text, end in zip(texts, ends, strict=True)]


def _move_texts(game: ReplayGame) -> list[str]:
    """The text about each move."""
    spec, reviews, texts = game.record.spec, {review.ply: review for review in game.reviews}, []
    for ply, action in enumerate(game.record.actions, start=1):
        text = f"Move {ply}: {MARKS[2 - ply % 2]} plays {format_move(action, spec)}"
        if ply <= game.record.opening:
            text += " (opening)"
        review = reviews.get(ply)
        if review is not None and review.label is not None:
            better = f"; best was {_best(review, spec)}" if review.best and review.label != "best" else ""
            text += f" ({review.label}{better})"
        texts.append(text)
    return texts


def _script_data(game: ReplayGame) -> str:
    """JSON for the script, safe inside its element: by ply the captions, and the score of every action."""
    reviews = {review.ply - 1: review for review in game.reviews}
    plies = range(len(game.record.actions) + 1)
    scores = {ply: ["" if score is None else signed(score) for score in r.scores] for ply, r in reviews.items()}
    faults = [review.ply - 1 for review in game.reviews if review.label in _SHAPES]
    document = {
        "captions": _captions(game),
        "scores": [scores.get(ply, []) for ply in plies],
        "best": [reviews[ply].best if ply in reviews else () for ply in plies],
        "start": faults[-1] if faults else plies[-1],  # the last mistake, or the end
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _evaluation_plot(reviews: Sequence[MoveReview], plies: int) -> Element:
    """Scores for the first side after each of `plies` moves. The script handles cursor and clicks; it computes the x of
    a ply from `data-left` and `data-step`.
    """
    scores: dict[int, int] = {}
    for review in reviews:
        for ply, score in ((review.ply - 1, review.before), (review.ply, review.after)):
            if score is not None:
                scores[ply] = score if review.side == 1 else -score
    reach = max(map(abs, scores.values()), default=0) or 1
    x_scale, y_scale = Scale(0, plies, _LEFT, _RIGHT, least_step=1), Scale(-reach, reach, _BOTTOM, _TOP)
    plot = new_plot(_BOTTOM + 22, "Score of the first side by ply")
    for name, value in (("class", "plot evaluation"), ("data-left", _LEFT), ("data-step", (_RIGHT - _LEFT) / plies)):
        plot.set(name, str(value))
    draw_x_axis(plot, x_scale, _TOP, _BOTTOM, lambda tick: f"{tick:g}")
    names = {y_scale(reach): f"{MARKS[1]} wins", y_scale(0): "draw", y_scale(-reach): f"{MARKS[2]} wins"}
    append(plot, *(element("text", name, class_="tick end", x=_LEFT - 6, y=y + 4) for y, name in names.items()))
    append(plot, element("line", class_="zero", x1=_LEFT, x2=_RIGHT, y1=y_scale(0), y2=y_scale(0)))
    places = {ply: (x_scale(ply), y_scale(score)) for ply, score in scores.items()}
    steps = ((f"{'L' if ply - 1 in places else 'M'}", *place) for ply, place in sorted(places.items()))
    append(plot, element("path", class_="curve", d=" ".join(f"{step}{x:.1f} {y:.1f}" for step, x, y in steps)))
    for review in reviews:
        if review.label in _SHAPES:
            title = f"move {review.ply}: {review.label}, {signed(scores[review.ply])} for {MARKS[1]}"
            append(plot, marker(_SHAPES[review.label], *places[review.ply], title, f"point {review.label}"))
    append(plot, element("line", class_="cursor", x1=_RIGHT, x2=_RIGHT, y1=_TOP, y2=_BOTTOM))
    return plot
