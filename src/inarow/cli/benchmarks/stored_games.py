"""Games of the arena as work to measure."""

from __future__ import annotations

import tempfile
from itertools import count
from pathlib import Path

from inarow.arena.resume import play_into_store
from inarow.arena.schedule import plan_match
from inarow.arena.store import Store
from inarow.cli.benchmarks.peers import Work
from inarow.games.position import Position

_GAMES = 500


def stored_games(start: Position) -> Work:
    """A match of `random` against `winblock` into a store of its own, each time another one."""
    seeds = count()

    def work() -> int:
        plan = plan_match("random", "winblock", start.spec, games=_GAMES, seed=next(seeds))
        with (
            tempfile.TemporaryDirectory(prefix="inarow-bench-") as folder,
            Store.open(Path(folder) / "lab.sqlite") as store,
        ):
            return sum(len(records) for _, records in play_into_store([plan], store))

    return work
