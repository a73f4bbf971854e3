"""Past versions of the learner: snapshots of the net, in memory and in checkpoints."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from inarow.learning.deep_q.config import Pool
from inarow.learning.net_file import Net

_Weights = dict[str, np.ndarray]


class PastSelves:
    """The latest snapshots, oldest first; before the first snapshot, the initial net."""

    def __init__(self, config: Pool, first: _Weights, make_net: Callable[[_Weights], Net]) -> None:
        self._config, self._first, self._make_net = config, first, make_net
        self._snapshots: list[_Weights] = []
        self._nets: list[Net] = []  # nets of the snapshots, created when needed

    def __len__(self) -> int:
        """The number of snapshots."""
        return len(self._snapshots)

    def is_due(self, before: int, after: int) -> bool:
        """Whether to take a snapshot after a batch that began after `before` episodes and ended after `after`."""
        return after // self._config.every > before // self._config.every

    def add(self, weights: _Weights) -> None:
        """Adds a snapshot, without copying it; it replaces the oldest if there are too many."""
        self._snapshots.append(weights)
        surplus = max(0, len(self._snapshots) - self._config.size)
        del self._snapshots[:surplus], self._nets[:surplus]

    def nets(self) -> Sequence[Net]:
        """The nets that play; at least one."""
        if not self._snapshots:
            return [self._make_net(self._first)]
        self._nets += [self._make_net(each) for each in self._snapshots[len(self._nets) :]]
        return self._nets

    def state(self) -> _Weights:
        """All snapshots, by names that begin with `pool.`."""
        return {
            f"pool.{number}.{name}": array
            for number, weights in enumerate(self._snapshots)
            for name, array in weights.items()
        }

    def restore(self, count: int, arrays: Mapping[str, np.ndarray]) -> None:
        """`count` snapshots from a `state`, which may hold other arrays too."""
        self._snapshots = [{name: arrays[f"pool.{number}.{name}"] for name in self._first} for number in range(count)]
        self._nets = []
