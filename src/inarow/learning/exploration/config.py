"""What an exploring learner is told."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta

from inarow.learning.config import ConfigPart
from inarow.learning.exploration.schedules import Temperature
from inarow.learning.exploration.selection import AMPLIFICATIONS, RULES, SELECTION

Rule = Literal["epsilon-greedy", "classical", "quantum"]
Amplification = Literal["ceil-inclusive", "ceil-exclusive", "floor", "optimal"]


class Policy(ConfigPart, frozen=True, kw_only=True):
    """How a learner chooses its actions (see docs/exploration.md)."""

    rule: Annotated[
        Rule, Meta(description="random now and then, or a draw until a flagged action comes, plain or amplified")
    ] = "quantum"
    rounds: Annotated[int, Meta(ge=1, le=10**6, description="draws before the last one is taken, flagged or not")] = 5
    amplification: Annotated[
        Amplification,
        Meta(
            description="m of a quantum draw, with x = 1 / sqrt(flagged mass): uniform on 0..ceil(x) (santos-2025), "
            "0..ceil(x) - 1 or 0..floor(x), or the best single m"
        ),
    ] = "ceil-inclusive"
    presamples: Annotated[
        int, Meta(ge=0, le=100, description="plain draws before the first quantum one, beyond `rounds`")
    ] = 0
    column_oracle: Annotated[
        bool,
        Meta(description="the fault of santos-2025: the oracle takes column numbers for places among legal actions"),
    ] = False
    temperature: Temperature = Temperature()

    def selection(self) -> Any:
        """A `selection.SELECTION` record for the kernels."""
        record: Any = np.zeros(1, SELECTION).view(np.recarray)
        record[0].rule = RULES.index(self.rule)
        record[0].rounds, record[0].presamples = self.rounds, self.presamples
        record[0].amplification = AMPLIFICATIONS.index(self.amplification)
        record[0].column_oracle = self.column_oracle
        return record[0]
