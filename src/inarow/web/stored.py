"""Questions about the results store. They run in search processes: a store may be large."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from inarow.arena.leaderboard import chosen_grades, rate_store
from inarow.arena.store import Store
from inarow.games.record import GameRecord
from inarow.web.pool_worker import Reporter

_PAGE = 100


class StoreQuestion(msgspec.Struct, frozen=True):
    """What about which store."""

    path: str
    board: str | None = None
    match: int | None = None
    offset: int = 0


def boards(question: StoreQuestion, say: Reporter) -> list[dict[str, Any]]:
    """Boards with matches: `board, matches`."""
    if not Path(question.path).exists():
        return []
    with Store.open(Path(question.path), readonly=True) as store:
        counts = Counter(match.board for match in store.matches().values())
    return [{"board": board, "matches": matches} for board, matches in counts.most_common()]


def leaderboard(question: StoreQuestion, say: Reporter) -> list[list[dict[str, Any]]]:
    """For each group of agents that games link, its ratings, strongest first."""
    assert question.board is not None
    with Store.open(Path(question.path), readonly=True) as store:
        grades = {agent.name: entry.grade for agent, entry in chosen_grades(store.grades(question.board)).items()}
        groups = rate_store(store, question.board)
    return [
        [
            {
                "agent": rating.agent,
                "elo": rating.elo,
                "interval": rating.interval,
                "games": rating.games,
                "outcome_accuracy": grades.get(rating.agent, {}).get("outcome_accuracy"),
            }
            for rating in group.table
        ]
        for group in groups
    ]


def matches(question: StoreQuestion, say: Reporter) -> list[dict[str, Any]]:
    """The matches of a board, newest first: `id, a, b, games, wins, draws, losses` from a's view."""
    assert question.board is not None
    with Store.open(Path(question.path), readonly=True) as store:
        found = list(store.matches(board=question.board).items())[::-1][question.offset : question.offset + _PAGE]
        results = store.match_results(question.board)
    rows = []
    for match_id, entry in found:
        wins, draws, losses = results.get(match_id, (0, 0, 0))
        row = {"id": match_id, "a": entry.a.name, "b": entry.b.name, "games": wins + draws + losses}
        rows.append({**row, "wins": wins, "draws": draws, "losses": losses})
    return rows


def games(question: StoreQuestion, say: Reporter) -> list[GameRecord]:
    """Some games of a match, without what was known about each ply."""
    with Store.open(Path(question.path), readonly=True) as store:
        found = islice(store.games(match_id=question.match), question.offset, question.offset + _PAGE)
        return [replace(game, plies=()) for game in found]
