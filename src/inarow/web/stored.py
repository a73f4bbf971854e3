"""Requests about the results store. They run in search processes, since a store may be large."""

from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from inarow.arena.leaderboard import store_leaderboard
from inarow.arena.store import Store
from inarow.arena.tally import Tally
from inarow.games import GameRecord
from inarow.web.pool_worker import Reporter

_PAGE = 100


class StoreQuestion(msgspec.Struct, frozen=True):
    """A request about a results store."""

    path: str
    board: str = "6x7x4"
    match: int | None = None
    offset: int = 0


def boards(question: StoreQuestion, say: Reporter) -> list[dict[str, Any]]:
    """Boards with matches: `board, matches`."""
    if not Path(question.path).exists():
        return []
    with Store(Path(question.path), readonly=True) as store:
        counts = Counter(match.board for match in store.matches().values())
    return [{"board": board, "matches": matches} for board, matches in counts.most_common()]


def leaderboard(question: StoreQuestion, say: Reporter) -> list[list[dict[str, Any]]]:
    """The rated rows of each group of agents linked by games, strongest first; without decision times."""
    with Store(Path(question.path), readonly=True) as store:
        ranked = store_leaderboard(store, question.board).to_dict()
    return [group["table"] for group in ranked["groups"]]


def matches(question: StoreQuestion, say: Reporter) -> list[dict[str, Any]]:
    """The matches on a board, newest first: `id, a, b, games, wins, draws, losses`, results for a."""
    with Store(Path(question.path), readonly=True) as store:
        found = list(store.matches(board=question.board).items())[::-1][question.offset : question.offset + _PAGE]
        tallies = store.match_tallies(match_id for match_id, _ in found)
    return [
        {"id": match_id, "a": entry.a.name, "b": entry.b.name, **tallies.get(match_id, Tally()).total.to_dict()}
        for match_id, entry in found
    ]


def games(question: StoreQuestion, say: Reporter) -> list[GameRecord]:
    """A page of games of a match, without the details of their plies."""
    with Store(Path(question.path), readonly=True) as store:
        found = islice(store.games(match_id=question.match), question.offset, question.offset + _PAGE)
        return [replace(game, plies=()) for game in found]
