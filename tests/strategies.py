"""What hypothesis draws: specs of every size, positions of random games on them, and records of such games."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from inarow.games.position import Position
from inarow.games.record import TAGS, GameRecord, Ply
from inarow.games.spec import GameSpec


@st.composite
def specs(draw: st.DrawFn, max_side: int = 16, max_inarow: int = 16) -> GameSpec:
    rows = draw(st.integers(1, max_side))
    columns = draw(st.integers(1 if rows > 1 else 2, max_side))
    inarow = draw(st.integers(2, min(max_inarow, max(rows, columns))))
    return GameSpec(rows, columns, inarow, gravity=draw(st.booleans()))


def _played(draw: st.DrawFn, spec: GameSpec, earliest: int) -> list[Position]:
    """The positions of a random game, from the start to any ply from `earliest` on, or to its end."""
    plies = draw(st.integers(earliest, spec.cells))
    choice = random.Random(draw(st.integers(0, 2**32)))
    game = [Position.start(spec)]
    while game[-1].ply < plies and not game[-1].is_over:
        game.append(game[-1].play(choice.choice(game[-1].legal_actions)))
    return game


@st.composite
def positions(draw: st.DrawFn, spec: GameSpec | None = None, max_side: int = 16) -> Position:
    """A position of a random game, of any length up to its end."""
    return _played(draw, draw(specs(max_side)) if spec is None else spec, 0)[-1]


@st.composite
def ongoing_positions(
    draw: st.DrawFn, spec: GameSpec | None = None, max_side: int = 16, max_left: int = 256, max_inarow: int = 16
) -> Position:
    """A position that is not over; with `max_left` as late in a random game as it gives it."""
    spec = draw(specs(max_side, max_inarow)) if spec is None else spec
    game = _played(draw, spec, max(0, spec.cells - max_left))
    return game[-2] if game[-1].is_over else game[-1]


finite = st.floats(-1, 1, allow_subnormal=False)
texts = st.text(st.characters(codec="utf-8"), max_size=20)
plies = st.builds(
    Ply,
    score=st.none() | st.integers(-200, 200),
    value=st.none() | finite,
    depth=st.none() | st.integers(0, 256),
    nodes=st.none() | st.integers(0, 10**15),
    seconds=st.none() | st.floats(0, 1e6, allow_subnormal=False),
)


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    """A record that holds together. Its plies have no `details`, which PGN does not keep."""
    position = draw(positions(max_side=9))
    opening = draw(st.integers(0, position.ply))
    decided = position.ply - opening
    winner, termination, fault = position.winner, "normal", None
    if not position.is_over:
        termination = draw(st.sampled_from(["illegal move", "crash", "time-out", "unfinished"]))
        winner = None if termination == "unfinished" else draw(st.sampled_from([1, 2]))
        fault = draw(st.none() | texts)
    return GameRecord(
        board=str(position.spec),
        first=draw(texts),
        second=draw(texts),
        moves=position.moves,
        winner=winner,
        termination=termination,
        opening=opening,
        plies=tuple(draw(st.lists(plies, min_size=decided, max_size=decided)))
        if decided and draw(st.booleans())
        else (),
        seed=draw(st.none() | st.integers(0, 2**63)),
        fault=fault,
        tags=draw(st.dictionaries(st.sampled_from(TAGS), texts.filter(lambda text: "?" not in text), max_size=3)),
    ).check()
