"""Experiments, their trials, and what a trial measures.

An experiment is a typed value that a study defines: `RoundRobin("connect4")`. A trial is one run of it with a
variant, a seed, a size and settings, which together decide the result. So a trial can run on any worker, and a stored
result need not be computed again.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Literal, Protocol, TypeVar, get_args

import msgspec
import numpy as np

Scale = Literal["quick", "paper"]
"""`quick`: the whole study in less than three minutes on two idle cores; `paper`: as many runs and
games as the published numbers and their comparison need."""
Variant = Literal["as-published", "corrected"]
"""`as-published`: what the authors' program computed, faults included; `corrected`: without them."""
VARIANTS: tuple[Variant, ...] = get_args(Variant)
Numbers = TypeVar("Numbers", bound=msgspec.Struct)
T = TypeVar("T")


def by_variant(find: Callable[[Variant], T]) -> tuple[T, T]:
    """What is found as published and corrected."""
    return find("as-published"), find("corrected")


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The result of a trial. The trial alone decides `figures` and `curves`; `timings`, in seconds, also depend on
    the machine.
    """

    figures: dict[str, float] = {}
    curves: dict[str, list[tuple[float, float]]] = {}
    timings: dict[str, float] = {}
    files: dict[str, bytes] = {}
    """Files to keep beside the results, by relative path. `ResultsFile` writes them and stores none."""


class Experiment(Protocol):
    """What a study runs. A frozen dataclass of a module, since workers unpickle it."""

    @property
    def name(self) -> str:
        """Unique within the study; results are stored under it."""
        ...

    def run(self, trial: Trial) -> Measured:
        """Runs one trial; all randomness comes from `trial.random_streams`."""
        ...


class TrialRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A trial as results files store it."""

    study: str
    name: str
    variant: Variant
    seed: int
    size: dict[str, int]
    settings: dict[str, str] = {}

    @property
    def key(self) -> bytes:
        """Equal for equal trials only."""
        return msgspec.json.encode(self, order="sorted")


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of an experiment. Trials that differ in their seed only are repetitions of each other."""

    study: str
    experiment: Experiment
    variant: Variant
    seed: int
    size: Mapping[str, int]  # numbers of games, episodes, positions
    settings: Mapping[str, str] = field(default_factory=dict)
    """What the user chose for the study, as far as this experiment depends on it."""

    @property
    def is_published(self) -> bool:
        return self.variant == "as-published"

    @property
    def record(self) -> TrialRecord:
        name, size, settings = self.experiment.name, dict(self.size), dict(self.settings)
        return TrialRecord(self.study, name, self.variant, self.seed, size, settings)

    @property
    def key(self) -> bytes:
        """That of its record."""
        return self.record.key

    def random_streams(self, count: int, *, name: str | None = None) -> list[np.random.SeedSequence]:
        """Independent seeds. Trials with different names or variants share none.

        `name` replaces the name of the experiment, for experiments that share their streams.
        """
        own = zlib.crc32(f"{self.study} {name or self.experiment.name} {self.variant}".encode())
        return np.random.SeedSequence([self.seed, own]).spawn(count)

    def random_seed(self, *, name: str | None = None) -> int:
        """A seed for a function that takes an integer, from the first stream."""
        return int(self.random_streams(1, name=name)[0].generate_state(1)[0])

    def run(self) -> Measured:
        return self.experiment.run(self)


def published_numbers(package: str, kind: type[Numbers]) -> Callable[[], Numbers]:
    """A function that returns the numbers as printed, from `published.toml` of a study's package, read once; unknown or
    missing keys are an error.
    """
    return cache(lambda: msgspec.toml.decode((files(package) / "published.toml").read_bytes(), type=kind))
