"""Ratings: one number with an interval for each of many agents, from all their games at once.

Results follow Davidson's model with a first-move term, fitted by maximum posterior: with strengths
on the Elo scale, P(first wins) : P(draw) : P(second wins) is

    10^((first + advantage) / 400)  :  nu * sqrt(product of both)  :  10^(second / 400)

Games count as independent of each other.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtr

from inarow.arena.davidson import Davidson, FloatArray, find_peak, profile_interval
from inarow.arena.statistics import Interval
from inarow.errors import InvalidAgentError, InvalidResultsError, shown
from inarow.games.record import GameRecord

_ELO = 400 / math.log(10)
"""Elo points in one natural logarithm."""


@dataclass(frozen=True, slots=True)
class Results:
    """Games of one ordered pair of agents, counted for the side that moved first."""

    first: str
    second: str
    wins: int
    draws: int
    losses: int

    def __post_init__(self) -> None:
        if min(self.wins, self.draws, self.losses) < 0:
            raise InvalidResultsError(
                f"{self.wins} wins, {self.draws} draws, {self.losses} losses: none can be negative"
            )

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses


@dataclass(frozen=True, slots=True)
class Rating:
    """How strong an agent is."""

    agent: str
    elo: float
    interval: Interval
    """Of 95 %, against the anchor. Finite even for an agent that never lost; far longer on the open side then."""
    games: int
    """In which it took part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """What games say about the strengths of agents."""

    table: tuple[Rating, ...]
    """Strongest first."""
    anchor: str | None
    """The agent whose rating is 0; None if their mean is."""
    advantage: float
    """What the first move is worth, in Elo."""
    advantage_interval: Interval
    draw_rate_equal: float
    """How often equal agents draw."""
    superiority: tuple[tuple[float, ...], ...]
    """`los` of each agent against each, in the order of the table."""

    def los(self, a: str, b: str) -> float:
        """Likelihood that a is stronger than b, by the normal approximation."""
        return self.superiority[self._place(a)][self._place(b)]

    def _place(self, agent: str) -> int:
        agents = [rating.agent for rating in self.table]
        if agent not in agents:
            raise InvalidAgentError(f"there is no rating of {shown(agent)}, only of {shown(', '.join(agents))}")
        return agents.index(agent)


def count_results(records: Iterable[GameRecord]) -> list[Results]:
    """The finished games, one entry for each ordered pair that met."""
    winners: dict[tuple[str, str], Counter[int | None]] = defaultdict(Counter)
    for record in records:
        if record.termination != "unfinished":
            winners[record.first, record.second][record.winner] += 1
    return [Results(*pair, wins=won[1], draws=won[None], losses=won[2]) for pair, won in winners.items()]


def linked_groups(results: Iterable[Results]) -> list[list[Results]]:
    """The results apart for groups of agents that no games link; the one with the most games first."""
    groups: list[tuple[set[str], list[Results]]] = []
    for result in results:
        agents, members = {result.first, result.second}, [result]
        apart = []
        for group in groups:
            if group[0] & agents:
                agents |= group[0]
                members = group[1] + members
            else:
                apart.append(group)
        groups = [*apart, (agents, members)]
    return sorted((members for _, members in groups), key=lambda group: -sum(result.games for result in group))


def fit_ratings(results: Iterable[Results], *, anchor: str = "random") -> Ratings:
    """Rates every agent that played; without `anchor` among them, the mean rating is 0.

    Games of an agent against itself tell about the first move and draws only. Raises
    InvalidResultsError if there are no games, or groups of agents that no games link.
    """
    played = [result for result in results if result.games]
    agents = sorted({agent for result in played for agent in (result.first, result.second)})
    if not agents:
        raise InvalidResultsError("there are no finished games; ratings need at least one")
    model = _model(agents, played)
    peak = find_peak(model)
    contrasts = _contrasts(agents, anchor)
    *elo, advantage = (_ELO * contrasts @ peak).tolist()
    *intervals, advantage_interval = (_elo_interval(model, peak, contrast) for contrast in contrasts)
    order = sorted(range(len(agents)), key=lambda agent: -elo[agent])
    return Ratings(
        table=tuple(Rating(agents[i], elo[i], intervals[i], _games_of(agents[i], played)) for i in order),
        anchor=anchor if anchor in agents else None,
        advantage=advantage,
        advantage_interval=advantage_interval,
        draw_rate_equal=1 / (1 + 2 * math.cosh(peak[-2] / 2) * math.exp(-peak[-1])),
        superiority=_superiority(model, peak, order),
    )


def _model(agents: Sequence[str], results: Iterable[Results]) -> Davidson:
    """The games of `agents`; raises InvalidResultsError unless they link each to all others."""
    counts = np.zeros((3, len(agents), len(agents)))
    for result in results:
        first, second = agents.index(result.first), agents.index(result.second)
        counts[:, first, second] += result.wins, result.draws, result.losses
    groups = connected_components(counts.sum(0), directed=False)[1]
    if groups.any():
        here, there = (
            shown(", ".join(agent for agent, group in zip(agents, groups, strict=True) if bool(group) is away))
            for away in (False, True)
        )
        raise InvalidResultsError(f"no games link {here} with {there}; let some of them meet, or rate them apart")
    return Davidson(*counts)


def _contrasts(agents: Sequence[str], anchor: str) -> FloatArray:
    """What is reported, as combinations of the parameters: the rating of each agent, then the advantage."""
    size = len(agents)
    contrasts = np.eye(size + 1, size + 2)
    contrasts[:size, :size] -= [agent == anchor for agent in agents] if anchor in agents else 1 / size
    return contrasts


def _elo_interval(model: Davidson, peak: FloatArray, contrast: FloatArray) -> Interval:
    if not contrast.any():  # the anchor against itself
        return 0.0, 0.0
    low, high = profile_interval(model, peak, contrast)
    return _ELO * low, _ELO * high


def _games_of(agent: str, results: Iterable[Results]) -> int:
    return sum(result.games for result in results if agent in (result.first, result.second))


def _superiority(model: Davidson, peak: FloatArray, order: Sequence[int]) -> tuple[tuple[float, ...], ...]:
    covariance = np.linalg.inv(model.information(peak))[np.ix_(order, order)]
    variances = np.diag(covariance)
    spread = variances[:, None] + variances - 2 * covariance
    np.fill_diagonal(spread, 1)  # an agent against itself: 0 / 1
    strengths = peak[order]
    return tuple(map(tuple, ndtr((strengths[:, None] - strengths) / np.sqrt(spread)).tolist()))
