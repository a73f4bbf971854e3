"""How exploration fades with the number of the episode, which counts from 1."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from msgspec import Meta

from inarow.learning.config import ConfigPart


def random_share(episodes: np.ndarray) -> np.ndarray:
    """The epsilon of epsilon-greedy: 1 / ln(episode + 1), at most 1."""
    return np.minimum(1.0, 1.0 / np.log(np.asarray(episodes, np.float64) + 1.0))


class Temperature(ConfigPart, frozen=True, kw_only=True):
    """T = floor + span / (1 + exp(rate * episode / delta)): falls from floor + span / 2 to floor."""

    delta: Annotated[float, Meta(gt=0, description="stretches the fall over more episodes")] = 97.0
    rate: Annotated[float, Meta(gt=0, description="how fast it falls")] = 0.35
    floor: Annotated[float, Meta(gt=0, description="what it falls to")] = 0.2
    span: Annotated[float, Meta(ge=0, description="twice what it falls by")] = 19.8

    def at(self, episodes: np.ndarray) -> np.ndarray:
        """T for each episode, float64 of the same shape."""
        exponent = np.minimum(self.rate * np.asarray(episodes, np.float64) / self.delta, math.log(1e300))
        return self.floor + self.span / (1.0 + np.exp(exponent))
