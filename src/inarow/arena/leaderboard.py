"""Ratings of everything that a store knows about a board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from inarow.arena.exhaustive import EXHAUSTIVE
from inarow.arena.known_suites import STANDARD
from inarow.arena.ratings import Ratings, Results, fit_ratings, linked_groups
from inarow.arena.store import Store
from inarow.arena.store_entries import AgentIdentity, GradeEntry

_USUAL_SUITES = (STANDARD, EXHAUSTIVE)
"""A board has one or the other."""


def rate_store(store: Store, board: str) -> list[Ratings]:
    """The ratings of all finished games on a board that count, apart for groups of agents that never
    met; the group with the most games first.
    """
    pairs = store.results(board)
    names = numbered_names(agent for pair in pairs for agent in (pair.first, pair.second))
    results = [Results(names[pair.first], names[pair.second], pair.wins, pair.draws, pair.losses) for pair in pairs]
    return [fit_ratings(group) for group in linked_groups(results)]


def numbered_names(agents: Iterable[AgentIdentity]) -> dict[AgentIdentity, str]:
    """A name for each agent; those that share one, since a default or a net has changed, are numbered."""
    seen: Counter[str] = Counter()
    names = {}
    for agent in dict.fromkeys(agents):
        seen[agent.name] += 1
        names[agent] = agent.name if seen[agent.name] == 1 else f"{agent.name} ({seen[agent.name]})"
    return names


def chosen_grades(grades: Iterable[GradeEntry]) -> dict[AgentIdentity, GradeEntry]:
    """Of grades, oldest first, the one by which each agent is compared with others: the newest on the usual
    suite of the board, of an agent without such a one the newest.
    """
    chosen: dict[AgentIdentity, GradeEntry] = {}
    for entry in grades:
        known = chosen.get(entry.agent)
        if known is None or entry.suite in _USUAL_SUITES or known.suite not in _USUAL_SUITES:
            chosen[entry.agent] = entry
    return chosen
