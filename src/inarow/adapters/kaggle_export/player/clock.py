"""When to have decided."""

from __future__ import annotations

import time

LOADED = time.perf_counter()
"""When this file began to be loaded, which Kaggle counts as part of the first move."""


class OutOfTimeError(Exception):
    """A search was broken off."""


class Deadline:
    """Ends `seconds` after `start`. Looks at the clock every few questions only."""

    def __init__(self, start: float, seconds: float, patience: int = 64) -> None:
        self._end = start + seconds
        self._patience = patience
        self._questions = 0

    def is_over(self) -> bool:
        return time.perf_counter() >= self._end

    def check(self) -> None:
        """Raises OutOfTimeError when time is over."""
        self._questions += 1
        if self._questions % self._patience == 0 and self.is_over():
            raise OutOfTimeError
