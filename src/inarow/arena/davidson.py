"""Davidson's model of games with draws, and a first-move term: likelihood, peak and profile.

The parameters [K] are natural logarithms: the strength of each agent, the advantage of the first
move, the draw term. With t = strength of the first + advantage - strength of the second, the
results of a game are as likely as their weights:

    first wins  e^t        draw  e^(t/2 + draw term)        second wins  1

The log-posterior is strictly concave, so it has one peak, whatever the results.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import newton

from inarow.arena.statistics import Z_95, Interval

FloatArray = npt.NDArray[np.float64]

_PRIOR_VARIANCE = 4.0**2
"""Of the normal prior around 0 on every parameter: a standard deviation of 695 Elo. It keeps unbeaten
agents finite, and pulls a strength 1,390 Elo off the mean as hard as half a point won or lost."""


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
        """Up to a constant."""
        win, draw, loss = self._log_chances(parameters)
        likelihood = np.sum(self.wins * win + self.draws * draw + self.losses * loss)
        return float(likelihood - parameters @ parameters / (2 * _PRIOR_VARIANCE))

    def gradient(self, parameters: FloatArray) -> FloatArray:
        """Of the log-posterior [K]."""
        win, draw, _ = np.exp(self._log_chances(parameters))
        points = self.wins + self.draws / 2 - self.games * (win + draw / 2)
        drawn = self.draws - self.games * draw
        return np.append(_by_term(points), drawn.sum()) - parameters / _PRIOR_VARIANCE

    def information(self, parameters: FloatArray) -> FloatArray:
        """Minus the Hessian of the log-posterior [K, K]: positive definite."""
        win, draw, loss = np.exp(self._log_chances(parameters))
        variance = self.games * (win * loss + draw * (win + loss) / 4)  # of the points
        information = np.eye(len(parameters)) / _PRIOR_VARIANCE
        information[:-2, :-2] += np.diag(variance.sum(0) + variance.sum(1)) - variance - variance.T
        information[-2, :-2] = information[:-2, -2] = _by_term(variance)[:-1]
        information[-2, -2] += variance.sum()
        information[-1, :-1] = information[:-1, -1] = _by_term(self.games * draw * (loss - win) / 2)
        information[-1, -1] += np.sum(self.games * draw * (1 - draw))
        return information

    def _log_chances(self, parameters: FloatArray) -> FloatArray:
        """Of win, draw and loss [3, n, n]."""
        strengths, advantage, draw_term = parameters[:-2], parameters[-2], parameters[-1]
        t = strengths[:, None] - strengths + advantage
        weights = np.stack([t, t / 2 + draw_term, np.zeros_like(t)])
        total: FloatArray = np.logaddexp.reduce(weights)
        return weights - total


def _by_term(pairs: FloatArray) -> FloatArray:
    """Derivatives by t of each pair [n, n], summed to those by each strength and by the advantage [n + 1]."""
    return np.append(pairs.sum(1) - pairs.sum(0), pairs.sum())


def find_peak(model: Davidson) -> FloatArray:
    """The parameters [K] of the largest posterior."""
    return _climb(model, np.zeros(len(model.wins) + 2))


def profile_interval(model: Davidson, peak: FloatArray, contrast: FloatArray) -> Interval:
    """A 95 % interval of `contrast @ parameters` by the likelihood ratio: the values at which the
    best parameters are not much less likely than the peak. Unlike one from the curvature at the
    peak, it is lopsided where the games are, as for an agent that never lost.
    """
    along = np.linalg.solve(model.information(peak), contrast)
    deviation = math.sqrt(contrast @ along)
    highest = model.log_posterior(peak)

    def end(side: int) -> float:
        def excess(distance: float) -> float:
            best = _climb(model, peak + side * distance / deviation * along, held=contrast)
            return math.sqrt(max(0.0, 2 * (highest - model.log_posterior(best)))) - Z_95

        return float(contrast @ peak) + side * deviation * float(newton(excess, 0.0, x1=Z_95, tol=1e-3))

    return end(-1), end(1)


def _climb(model: Davidson, parameters: FloatArray, held: FloatArray | None = None) -> FloatArray:
    """The peak, by Newton's method; among the parameters with the same `held @ parameters` if given.

    Over a step that moves no log-weight of a result by more than `reach` against another, curvature
    changes by a factor of at most e^reach. Steps are therefore cut to log(1 + reach) / reach of
    their length: then none passes the top of its line, from wherever the climb starts.
    """
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
