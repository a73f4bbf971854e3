"""A match: two agents, many openings, each played twice with sides swapped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.arena.openings import random_openings
from inarow.arena.summary import MatchSummary, summarise
from inarow.errors import InvalidLimitError
from inarow.games.position import Position
from inarow.games.record import GameRecord
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.workers import check_workers, open_pool

MAX_GAMES = 1_000_000
_PAIRS_PER_TASK = 8


@dataclass(frozen=True, slots=True)
class Match:
    """What was played, and what it says."""

    summary: MatchSummary
    records: tuple[GameRecord, ...]
    """In pairs: a moves first in the even ones, b in the odd ones."""


@dataclass(frozen=True, slots=True)
class _Task:
    a: str
    b: str
    board: str
    openings: tuple[str, ...]
    first_pair: int
    seed: int


def play_match(
    a: str,
    b: str,
    spec: GameSpec = CONNECT_FOUR,
    *,
    games: int = 100,
    seed: int = 0,
    workers: int = 1,
    opening_plies: int | None = None,
) -> Match:
    """Plays `games` (an even number) between two agent strings and sums them up.

    The games follow from the arguments alone, however many workers play them: every game has its
    own random streams, and agents are made anew for it.
    """
    records = list(match_games(a, b, spec, games=games, seed=seed, workers=workers, opening_plies=opening_plies))
    return Match(summarise(records), tuple(records))


def match_games(
    a: str,
    b: str,
    spec: GameSpec = CONNECT_FOUR,
    *,
    games: int,
    seed: int,
    workers: int = 1,
    opening_plies: int | None = None,
) -> Iterator[GameRecord]:
    """The games of `play_match`, one by one, in order. Arguments are checked at once."""
    if not 2 <= games <= MAX_GAMES or games % 2:
        raise InvalidLimitError(f"games is {games}; it must be even, 2 to {MAX_GAMES}: each opening is played twice")
    if not 0 <= seed < 2**63:
        raise InvalidLimitError(f"seed is {seed}; it must be 0 to 2^63 - 1")
    check_workers(workers)
    names = make_agent(a).name, make_agent(b).name
    openings = random_openings(spec, games // 2, seed=seed, plies=opening_plies)
    return _played(_tasks(*names, str(spec), openings, seed), workers)


def _played(tasks: Sequence[_Task], workers: int) -> Iterator[GameRecord]:
    with open_pool(min(workers, len(tasks))) as pool:
        for records in pool.map(_play_pairs, tasks):
            yield from records


def _tasks(a: str, b: str, board: str, openings: Sequence[Position], seed: int) -> list[_Task]:
    return [
        _Task(a, b, board, tuple(opening.moves for opening in openings[first : first + _PAIRS_PER_TASK]), first, seed)
        for first in range(0, len(openings), _PAIRS_PER_TASK)
    ]


def _play_pairs(task: _Task) -> list[GameRecord]:
    spec = GameSpec.parse(task.board)
    records = []
    for pair, moves in enumerate(task.openings, start=task.first_pair):
        opening = Position.parse(moves, spec)
        for game, players in enumerate(((task.a, task.b), (task.b, task.a))):
            streams = np.random.SeedSequence(task.seed, spawn_key=(pair, game)).spawn(2)
            first, second = (make_agent(text, seed=stream) for text, stream in zip(players, streams, strict=True))
            tags = {"Round": f"{pair + 1}.{game + 1}"}
            records.append(play_game(first, second, opening=opening, seed=task.seed, tags=tags))
    return records
