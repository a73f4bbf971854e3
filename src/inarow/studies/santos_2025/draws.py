"""The cost of draws against the flagged mass: measured, beside the formulas."""

from __future__ import annotations

import numpy as np

from inarow.learning.exploration.config import Amplification
from inarow.learning.exploration.theory import TABLE_MASSES, draw_cost, measured_cost
from inarow.studies.experiment import Experiment, Measured, Variant

NAME = "draws"
COSTS = {"rounds": "quantum draws", "oracle_calls": "oracle calls", "classical_rounds": "classical draws"}
"""Curves of the experiment, which are also fields of what the theory tells; and what they are."""
AMPLIFICATIONS: dict[Variant, Amplification] = {"as-published": "ceil-inclusive", "corrected": "optimal"}


def run_draws(experiment: Experiment) -> Measured:
    """Curves over the flagged mass."""
    (stream,) = experiment.random_streams(1)
    rng = np.random.default_rng(stream)
    amplification = AMPLIFICATIONS[experiment.variant]
    costs = [measured_cost(mass, experiment.size["decisions"], rng, amplification) for mass in TABLE_MASSES]
    return Measured(
        curves={
            cost: [(mass, getattr(found, cost)) for mass, found in zip(TABLE_MASSES, costs, strict=True)]
            for cost in COSTS
        }
    )


def expected_draws(variant: Variant, cost: str) -> list[tuple[float, float]]:
    """The same curves by theory."""
    return [(mass, getattr(draw_cost(mass, AMPLIFICATIONS[variant]), cost)) for mass in TABLE_MASSES]
