"""Compiles every kernel of this package, for one-word and wide boards, by calling it once."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from inarow.games.perft import count_positions, count_sequences
from inarow.games.playout import random_playouts
from inarow.games.position import Position


def warm_up_steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """The names and functions to run."""
    start = Position.start()
    for kind, wide in (("word", False), ("wide", True)):
        yield f"playouts ({kind})", partial(random_playouts, start, 1, np.random.default_rng(0), wide=wide)
        yield f"sequences ({kind})", partial(count_sequences, start, 2, wide=wide)
        yield f"positions ({kind})", partial(count_positions, start, 2, wide=wide)
