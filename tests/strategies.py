"""What hypothesis draws: specs of every size, and positions of random games on them."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from inarow.games.position import Position
from inarow.games.spec import GameSpec


@st.composite
def specs(draw: st.DrawFn, max_side: int = 16) -> GameSpec:
    rows = draw(st.integers(1, max_side))
    columns = draw(st.integers(1 if rows > 1 else 2, max_side))
    inarow = draw(st.integers(2, max(rows, columns)))
    return GameSpec(rows, columns, inarow, gravity=draw(st.booleans()))


@st.composite
def positions(draw: st.DrawFn, spec: GameSpec | None = None, max_side: int = 16) -> Position:
    """A position of a random game, of any length up to its end."""
    spec = draw(specs(max_side)) if spec is None else spec
    plies = draw(st.integers(0, spec.cells))
    choice = random.Random(draw(st.integers(0, 2**32)))
    position = Position.start(spec)
    while position.ply < plies and not position.is_over:
        position = position.play(choice.choice(position.legal_actions))
    return position
