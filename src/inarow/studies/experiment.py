"""Experiments: values that say all that decides a result, and what comes out, plain numbers by name.

So an experiment can be sent to any worker, and a result that is there need not be computed again.
"""

from __future__ import annotations

import zlib
from typing import Literal, get_args

import msgspec
import numpy as np

Scale = Literal["quick", "paper"]
"""`quick`: the whole study in less than three minutes on two idle cores; `paper`: as many runs and
games as the published numbers and their comparison need."""
Variant = Literal["as-published", "corrected"]
"""`as-published`: what the authors' program computed, faults included; `corrected`: without them."""
VARIANTS: tuple[Variant, ...] = get_args(Variant)


class Experiment(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One run. Runs that differ in their seed only are repetitions of each other."""

    study: str
    name: str
    variant: Variant
    seed: int
    size: dict[str, int]
    """How much of everything: games, episodes."""
    settings: dict[str, str] = {}
    """What was chosen for this study, as far as this experiment depends on it."""

    @property
    def key(self) -> bytes:
        """Equal for equal experiments only."""
        return msgspec.json.encode(self, order="sorted")

    def random_streams(self, count: int) -> list[np.random.SeedSequence]:
        """Independent seeds. Experiments with different names or variants share none."""
        own = zlib.crc32(f"{self.study} {self.name} {self.variant}".encode())
        return np.random.SeedSequence([self.seed, own]).spawn(count)


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What an experiment found. `figures` and `curves` follow from the experiment, `timings`, in
    seconds, from the machine as well.
    """

    figures: dict[str, float] = {}
    curves: dict[str, list[tuple[float, float]]] = {}
    timings: dict[str, float] = {}
    files: dict[str, bytes] = {}
    """What is kept beside the results, by path. The runner writes them; a kept result has none."""
