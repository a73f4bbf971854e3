"""Exploration whose quantum draws are circuits on Aer (extra `quantum`), one run of the simulator for each draw.

It follows `explorer.choose_action` and `selection.select` step by step, and differs from them only in how a draw is
made: the distribution of actions is the same, their order by random numbers is not.
"""

import numpy as np

from inarow.errors import ConfigError
from inarow.games import GameSpec
from inarow.learning.exploration.action_sets import ActionSet, has_action, int_of, load_actions
from inarow.learning.exploration.config import Policy
from inarow.learning.exploration.explorer import Explorer, count_decision, enter_position, weigh_actions
from inarow.learning.exploration.register import lay_out
from inarow.learning.exploration.selection import amplification_range, mass_of

_MOST_STEPS = 1000  # of a circuit: one of seven columns has about 70 gates in a step
_SEEDS = 2**31


class AerExplorer(Explorer):
    """An `Explorer` with the rule quantum that simulates circuits."""

    def __init__(self, spec: GameSpec, policy: Policy) -> None:
        """Raises MissingExtraError without Qiskit."""
        from inarow.learning.exploration import circuits

        self._sample = circuits.sample
        super().__init__(spec, policy)

    def choose(
        self, keys: np.ndarray, legal: np.ndarray, values: np.ndarray, heat: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Like `Explorer.choose`; raises ConfigError if a draw would take more than 1,000 steps."""
        explorer, chosen = self.arrays_for(len(keys)), []
        with np.errstate(over="ignore"):  # keys are mixed modulo 2^64
            for place, key in enumerate(keys):
                mask = load_actions(legal, place)
                row = enter_position(explorer, key, mask)
                flags = weigh_actions(explorer, row, mask, values[place], float(heat[place]))
                outcome = self._select(explorer.probabilities, mask, flags, rng)
                count_decision(explorer, row, mask, values[place], outcome)
                chosen.append(outcome[0])
        return np.array(chosen, np.int64)

    def _select(
        self, probabilities: np.ndarray, legal: ActionSet, flags: ActionSet, rng: np.random.Generator
    ) -> tuple[int, int, bool, int]:
        """Like `selection.select`."""
        selection, calls = self._selection, 0
        least, most = amplification_range(mass_of(probabilities, flags), selection.amplification)
        column_oracle = bool(selection.column_oracle)
        register = lay_out(probabilities, int_of(legal), int_of(flags), column_oracle=column_oracle)
        limit = int(selection.rounds + selection.presamples)
        for rounds in range(1, limit + 1):
            m = 0 if rounds <= selection.presamples else int(rng.integers(least, most + 1))
            if m > _MOST_STEPS:
                raise ConfigError(
                    f"a draw would take {m} steps of amplification; policy.backend = aer takes {_MOST_STEPS}"
                )
            place = int(self._sample(register, m, 1, int(rng.integers(_SEEDS))).argmax())
            calls += m
            # A place without an action has no amplitude but for rounding.
            action = register.actions[min(place, len(register.actions) - 1)]
            is_flagged = has_action(flags, action)
            if is_flagged:
                break
        return action, rounds, is_flagged, calls
