"""Moves of earlier batches, kept for later fits."""

from collections.abc import Mapping

import numpy as np

from inarow.learning.deep_q.config import Replay

_PLANES, _TARGETS = "replay.planes", "replay.targets"  # keys of a checkpoint


class KeptMoves:
    """The latest moves, oldest first: the boards after them, and the targets that they had in their own batch."""

    def __init__(self, config: Replay, rows: int, columns: int) -> None:
        self._config = config
        self._planes = np.zeros((0, rows, columns), np.int8)
        self._targets = np.zeros(0, np.float32)

    def __len__(self) -> int:
        return len(self._planes)

    def extended(
        self, planes: np.ndarray, targets: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """The moves of a batch followed by kept ones, `ratio` for each of them at most, drawn without replacement."""
        count = min(len(self), round(self._config.ratio * len(planes)))
        drawn = rng.choice(len(self), count, replace=False) if count else np.zeros(0, np.int64)
        kept = self._planes[drawn].astype(np.float32)
        return np.concatenate([planes, kept]), np.concatenate([targets, self._targets[drawn]])

    def add(self, planes: np.ndarray, targets: np.ndarray) -> None:
        """Keeps the moves of a batch in place of the oldest ones."""
        first = max(0, len(self) + len(planes) - self._config.size)
        self._planes = np.concatenate([self._planes, planes.astype(np.int8)])[first:]
        self._targets = np.concatenate([self._targets, targets])[first:]

    def state(self) -> dict[str, np.ndarray]:
        """All that `restore` needs."""
        return {_PLANES: self._planes, _TARGETS: self._targets}

    def restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        self._planes, self._targets = arrays[_PLANES], arrays[_TARGETS]
