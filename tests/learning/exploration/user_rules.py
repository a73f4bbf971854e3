"""Exploration rules as a user writes them. Importing this file registers them."""

import numpy as np

from inarow.learning.exploration.rules import register_exploration


@register_exploration("my-epsilon-greedy")
class MyEpsilonGreedy:
    """The built-in epsilon-greedy rule."""

    def choose(self, values, episodes, rng):
        epsilon = np.minimum(1.0, 1.0 / np.log(episodes + 1.0))
        legal = np.isfinite(values)
        random = np.where(legal, rng.random(values.shape), -1.0).argmax(axis=1)
        return np.where(rng.random(len(values)) < epsilon, random, values.argmax(axis=1))


@register_exploration("taking-turns")
class TakingTurns:
    """The next legal action after that of the decision before: it remembers one number."""

    def __init__(self, spec):
        self._actions, self._last = spec.actions, 0

    def choose(self, values, episodes, rng):
        actions = []
        for row in values:
            self._last += 1
            while not np.isfinite(row[self._last % self._actions]):
                self._last += 1
            actions.append(self._last % self._actions)
        return np.array(actions)

    def state(self):
        return {"last": self._last}

    def restore(self, state):
        self._last = state["last"]


class Faulty:
    """Returns what a test gives it."""

    returned: object = None

    def choose(self, values, episodes, rng):
        return self.returned


register_exploration("faulty")(Faulty)
