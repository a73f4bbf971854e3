"""Ratings: a number with an interval for each agent, from all games together.

Results follow Davidson's model of games with draws, with a first-move term, fitted by maximum a posteriori. Its
parameters [K] are natural logarithms: the strength of each agent, the advantage of the first move, the draw term.
With t = strength of the first + advantage - strength of the second, the results of a game have the weights

    first wins  e^t        draw  e^(t/2 + draw term)        second wins  1

The log-posterior is strictly concave, so it has one maximum for any results. Games are assumed to be independent.
Reported strengths are on the Elo scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inarow.arena.statistics import Z_95, FloatArray, Interval
from inarow.arena.tally import CrossTable
from inarow.errors import InvalidAgentError, InvalidResultsError, shown
from inarow.results import PlottedResult

_ELO = 400 / math.log(10)  # Elo points per unit of the natural logarithm
_PRIOR_VARIANCE = 4.0**2
"""Variance of the normal prior with mean 0 on every parameter: a standard deviation of 695 Elo. It keeps the ratings
of unbeaten agents finite; at 1,390 Elo from the mean its effect equals half a point won or lost."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The rating of an agent."""

    agent: str
    elo: float
    interval: Interval
    """95 % interval relative to the anchor. Finite even for an agent that never lost, but much wider on that side."""
    games: int  # number of games in which it took part


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings(PlottedResult):
    """The ratings of agents by their games."""

    table: tuple[Rating, ...]
    """Strongest first."""
    anchor: str | None
    """The agent whose rating is 0; None if their mean is."""
    advantage: float
    """The advantage of the first move, in Elo."""
    advantage_interval: Interval
    draw_rate_equal: float
    """The probability of a draw between equal agents."""
    superiority: tuple[tuple[float, ...], ...]
    """`los` of each agent against each other, in the order of the table."""

    def rows(self) -> list[dict[str, object]]:
        """A row for each agent, strongest first; `los` is against the next agent, None for the last."""
        rows: list[dict[str, object]] = []
        for place, rating in enumerate(self.table):
            low, high = rating.interval
            los = self.superiority[place][place + 1] if place + 1 < len(self.table) else None
            elo = {"elo": rating.elo, "elo_low": low, "elo_high": high}
            rows.append({"agent": rating.agent, **elo, "los": los, "games": rating.games})
        return rows

    def los(self, a: str, b: str) -> float:
        """Likelihood that a is stronger than b, by the normal approximation."""
        return self.superiority[self._place(a)][self._place(b)]

    def _place(self, agent: str) -> int:
        agents = [rating.agent for rating in self.table]
        if agent not in agents:
            raise InvalidAgentError(f"there is no rating of {shown(agent)}, only of {shown(', '.join(agents))}")
        return agents.index(agent)


def fit_ratings(results: CrossTable, *, anchor: str = "random") -> Ratings:
    """Rates every agent that played; if `anchor` did not play, the mean rating is 0.

    Games of an agent against itself affect only the first-move and draw terms. Raises
    InvalidResultsError if there are no games, or if some groups of agents are not linked by games.
    """
    agents = sorted(results.agents)
    if not agents:
        raise InvalidResultsError("there are no finished games; ratings need at least one")
    model = _model(agents, results)
    peak = find_peak(model)
    # The reported figures as linear combinations of the parameters: the rating of each agent, then the advantage.
    contrasts = np.eye(len(agents) + 1, len(agents) + 2)
    contrasts[:-1, :-2] -= [agent == anchor for agent in agents] if anchor in agents else 1 / len(agents)
    *elo, advantage = (_ELO * contrasts @ peak).tolist()
    *intervals, advantage_interval = (profile_interval(model, peak, contrast) for contrast in contrasts)
    order = sorted(range(len(agents)), key=lambda agent: -elo[agent])
    return Ratings(
        table=tuple(Rating(agents[i], elo[i], intervals[i], results.games_of(agents[i])) for i in order),
        anchor=anchor if anchor in agents else None,
        advantage=advantage,
        advantage_interval=advantage_interval,
        draw_rate_equal=1 / (1 + 2 * math.cosh(peak[-2] / 2) * math.exp(-peak[-1])),
        superiority=_superiority(model, peak, order),
    )


def _model(agents: Sequence[str], results: CrossTable) -> Davidson:
    """The games of `agents`; raises InvalidResultsError unless they link each to all others."""
    from scipy.sparse.csgraph import connected_components  # loads slowly

    counts = np.zeros((3, len(agents), len(agents)))
    for (first, second), games in results.results.items():
        counts[:, agents.index(first), agents.index(second)] += games.wins, games.draws, games.losses
    groups = connected_components(counts.sum(0), directed=False)[1]
    if groups.any():
        here, there = (
            shown(", ".join(agent for agent, group in zip(agents, groups, strict=True) if bool(group) is away))
            for away in (False, True)
        )
        raise InvalidResultsError(
            f"no games link {here} with {there}; play games between them, or rate the groups separately"
        )
    return Davidson(*counts)


def _superiority(model: Davidson, peak: FloatArray, order: Sequence[int]) -> tuple[tuple[float, ...], ...]:
    from scipy.special import ndtr

    covariance = np.linalg.inv(model.information(peak))[np.ix_(order, order)]
    variances = np.diag(covariance)
    spread = variances[:, None] + variances - 2 * covariance
    np.fill_diagonal(spread, 1)  # an agent against itself: 0 / 1
    strengths = peak[order]
    return tuple(map(tuple, ndtr((strengths[:, None] - strengths) / np.sqrt(spread)).tolist()))


# --- Davidson's model ---


@dataclass(frozen=True, slots=True)
class Davidson:
    """Games of n agents: K = n + 2. Rows are the agents that moved first, columns their opponents."""

    wins: FloatArray  # [n, n], of the row
    draws: FloatArray  # [n, n]
    losses: FloatArray  # [n, n]

    @property
    def games(self) -> FloatArray:
        return self.wins + self.draws + self.losses

    def log_posterior(self, parameters: FloatArray) -> float:
        """The log-posterior, up to a constant."""
        win, draw, loss = self._log_chances(parameters)
        likelihood = np.sum(self.wins * win + self.draws * draw + self.losses * loss)
        return float(likelihood - parameters @ parameters / (2 * _PRIOR_VARIANCE))

    def gradient(self, parameters: FloatArray) -> FloatArray:
        """The gradient of the log-posterior [K]."""
        win, draw, _ = np.exp(self._log_chances(parameters))
        points = self.wins + self.draws / 2 - self.games * (win + draw / 2)
        drawn = self.draws - self.games * draw
        return np.append(_by_term(points), drawn.sum()) - parameters / _PRIOR_VARIANCE

    def information(self, parameters: FloatArray) -> FloatArray:
        """Minus the Hessian of the log-posterior [K, K]: positive definite."""
        win, draw, loss = np.exp(self._log_chances(parameters))
        variance = self.games * (win * loss + draw * (win + loss) / 4)  # variance of the points
        information = np.eye(len(parameters)) / _PRIOR_VARIANCE
        information[:-2, :-2] += np.diag(variance.sum(0) + variance.sum(1)) - variance - variance.T
        information[-2, :-2] = information[:-2, -2] = _by_term(variance)[:-1]
        information[-2, -2] += variance.sum()
        information[-1, :-1] = information[:-1, -1] = _by_term(self.games * draw * (loss - win) / 2)
        information[-1, -1] += np.sum(self.games * draw * (1 - draw))
        return information

    def _log_chances(self, parameters: FloatArray) -> FloatArray:
        """The log-probabilities of win, draw and loss [3, n, n]."""
        strengths, advantage, draw_term = parameters[:-2], parameters[-2], parameters[-1]
        t = strengths[:, None] - strengths + advantage
        weights = np.stack([t, t / 2 + draw_term, np.zeros_like(t)])
        total: FloatArray = np.logaddexp.reduce(weights)
        return weights - total


def _by_term(pairs: FloatArray) -> FloatArray:
    """Sums derivatives with respect to t of each pair, [n, n], to those with respect to strengths and advantage, [n +
    1].
    """
    return np.append(pairs.sum(1) - pairs.sum(0), pairs.sum())


def profile_interval(model: Davidson, peak: FloatArray, contrast: FloatArray) -> Interval:
    """A 95 % interval of `contrast @ parameters`, in Elo, by the likelihood ratio: the values for which the best
    parameters are not much less likely than the maximum. Unlike an interval from the curvature at the maximum, it is
    asymmetric if the results are, for example for an agent that never lost.
    """
    from scipy.optimize import newton

    if not contrast.any():  # the anchor relative to itself
        return 0.0, 0.0
    along = np.linalg.solve(model.information(peak), contrast)
    deviation = math.sqrt(contrast @ along)
    highest = model.log_posterior(peak)

    def end(side: int) -> float:
        def excess(distance: float) -> float:
            best = find_peak(model, peak + side * distance / deviation * along, held=contrast)
            return math.sqrt(max(0.0, 2 * (highest - model.log_posterior(best)))) - Z_95

        distance = float(newton(excess, 0.0, x1=Z_95, tol=1e-3))
        return _ELO * (float(contrast @ peak) + side * deviation * distance)

    return end(-1), end(1)


def find_peak(model: Davidson, start: FloatArray | None = None, *, held: FloatArray | None = None) -> FloatArray:
    """The parameters [K] of the largest posterior, by Newton's method from `start` or from zero; if `held` is given,
    among those with the same `held @ parameters`.

    Over a step that changes the difference of two log-weights by at most `reach`, the curvature changes by a factor
    of at most e^reach. Steps are therefore shortened to log(1 + reach) / reach of their length: then no step passes
    the maximum of its line, from any start.
    """
    parameters = np.zeros(len(model.wins) + 2) if start is None else start
    gain = math.inf
    while gain > 1e-8:
        gradient, information = model.gradient(parameters), model.information(parameters)
        step = np.linalg.solve(information, gradient)
        if held is not None:
            along = np.linalg.solve(information, held)
            step -= along * (held @ step) / (held @ along)
        gain = float(gradient @ step)
        reach = 4 * float(np.abs(step).max())  # two strengths, the advantage, the draw term
        parameters = parameters + step * (math.log1p(reach) / reach if reach else 1)
    return parameters
