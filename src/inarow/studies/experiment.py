"""Experiments, their trials, and the measurements of a trial.

An experiment is a typed value defined by a study: `RoundRobin("connect4")`. A trial is one run of it with a variant, a
seed, a size and settings, which together determine the result. So a trial can run on any worker, and a stored result
need not be computed again.
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
"""`quick`: the whole study in less than three minutes on two idle cores; `paper`: the runs and games needed for a
comparison with the published numbers."""
Variant = Literal["as-published", "corrected"]
"""`as-published`: the authors' program with its faults; `corrected`: without them."""
VARIANTS: tuple[Variant, ...] = get_args(Variant)
Numbers = TypeVar("Numbers", bound=msgspec.Struct)
T = TypeVar("T")


def by_variant(find: Callable[[Variant], T]) -> tuple[T, T]:
    """The results of `find` as published and corrected."""
    return find("as-published"), find("corrected")


class Measured(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The result of a trial. `figures` and `curves` depend only on the trial; `timings`, in seconds, also on the
    machine.
    """

    figures: dict[str, float] = {}
    curves: dict[str, list[tuple[float, float]]] = {}
    timings: dict[str, float] = {}
    files: dict[str, bytes] = {}
    """Files to write beside the results, by relative path. `ResultsFile` writes them but does not store them."""


class Experiment(Protocol):
    """A part of a study. Must be a frozen dataclass of a module, since workers unpickle it."""

    @property
    def name(self) -> str:
        """The name, unique within the study, under which results are stored."""
        ...

    def run(self, trial: Trial) -> Measured:
        """Runs one trial; all randomness comes from `trial.random_streams`."""
        ...


class TrialRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A trial in the form stored in results files."""

    study: str
    name: str
    variant: Variant
    seed: int
    size: dict[str, int]
    settings: dict[str, str] = {}

    @property
    def key(self) -> bytes:
        """A key that is equal only for equal trials."""
        return msgspec.json.encode(self, order="sorted")


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of an experiment. Trials that differ only in their seeds are repetitions."""

    study: str
    experiment: Experiment
    variant: Variant
    seed: int
    size: Mapping[str, int]  # numbers of games, episodes, positions
    settings: Mapping[str, str] = field(default_factory=dict)
    """The user's settings of the study on which this experiment depends."""

    @property
    def is_published(self) -> bool:
        return self.variant == "as-published"

    @property
    def record(self) -> TrialRecord:
        name, size, settings = self.experiment.name, dict(self.size), dict(self.settings)
        return TrialRecord(self.study, name, self.variant, self.seed, size, settings)

    @property
    def key(self) -> bytes:
        """The key of its record."""
        return self.record.key

    def random_streams(self, count: int, *, name: str | None = None) -> list[np.random.SeedSequence]:
        """Independent seeds, different for trials with different names or variants.

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
    """A function that returns the published numbers from `published.toml` of a study's package, read once; unknown or
    missing keys are an error.
    """
    return cache(lambda: msgspec.toml.decode((files(package) / "published.toml").read_bytes(), type=kind))
