"""The config of exploration, and its schedules by episode, counted from 1."""

import math
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta

from inarow.games.kernels import new_record
from inarow.learning.config import ConfigPart
from inarow.learning.exploration.selection import AMPLIFICATIONS, RULES, Selection

Rule = Literal["epsilon-greedy", "classical", "quantum"]  # built-in rules; `rules.py` registers others
Amplification = Literal["ceil-inclusive", "ceil-exclusive", "floor", "optimal"]
FlagRule = Literal["value", "reward"]
BackEnd = Literal["closed-form", "aer"]


def random_share(episodes: np.ndarray) -> np.ndarray:
    """The epsilon of epsilon-greedy: 1 / ln(episode + 1), at most 1."""
    return np.minimum(1.0, 1.0 / np.log(np.asarray(episodes, np.float64) + 1.0))


class Temperature(ConfigPart, frozen=True, kw_only=True):
    """T = floor + span / (1 + exp(rate * episode / delta)), which falls from floor + span / 2 to floor."""

    delta: Annotated[float, Meta(gt=0, description="episodes over which it decreases; larger is slower")] = 97.0
    rate: Annotated[float, Meta(gt=0, description="speed of the decrease")] = 0.35
    floor: Annotated[float, Meta(gt=0, description="final temperature")] = 0.2
    span: Annotated[float, Meta(ge=0, description="twice the total decrease")] = 19.8

    def at(self, episodes: np.ndarray) -> np.ndarray:
        """T for each episode, float64 of the same shape."""
        exponent = np.minimum(self.rate * np.asarray(episodes, np.float64) / self.delta, math.log(1e300))
        return self.floor + self.span / (1.0 + np.exp(exponent))


class Policy(ConfigPart, frozen=True, kw_only=True):
    """Settings of the choice of actions (see docs/explanation/exploration.md)."""

    rule: Annotated[
        str,
        Meta(
            description="epsilon-greedy, classical or quantum (draws until an action is flagged), or a registered rule",
            examples=list(RULES),
        ),
    ] = "quantum"
    rounds: Annotated[
        int, Meta(ge=1, le=10**6, description="maximum number of draws; the last action drawn is taken, flagged or not")
    ] = 5
    amplification: Annotated[
        Amplification,
        Meta(
            description="m of a quantum draw, with x = 1 / sqrt(flagged mass): uniform on 0..ceil(x) (santos-2025), "
            "0..ceil(x) - 1 or 0..floor(x), or the best single m"
        ),
    ] = "ceil-inclusive"
    presamples: Annotated[
        int, Meta(ge=0, le=100, description="plain draws before the first quantum draw, in addition to `rounds`")
    ] = 0
    column_oracle: Annotated[
        bool,
        Meta(description="the fault of santos-2025: the oracle takes column numbers for places among legal actions"),
    ] = False
    flags: Annotated[
        FlagRule,
        Meta(
            description="an action loses its flag if its value is negative (santos-2025), or if its reward is not "
            "positive (Paparo et al. 2014)"
        ),
    ] = "value"
    backend: Annotated[
        BackEnd,
        Meta(description="how quantum draws are made; aer simulates each as a circuit (slow, extra quantum)"),
    ] = "closed-form"
    temperature: Temperature = Temperature()

    def selection(self) -> Selection:
        """The settings for kernels; only for built-in rules."""
        record = new_record(Selection)
        record.rule = RULES.index(self.rule)
        record.rounds, record.presamples = self.rounds, self.presamples
        record.amplification = AMPLIFICATIONS.index(self.amplification)
        record.column_oracle = self.column_oracle
        record.by_reward = self.flags == "reward"
        return record
