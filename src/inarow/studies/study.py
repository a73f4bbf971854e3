"""What a study is: experiments that can run anywhere in any order, and a report of their results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inarow.errors import InvalidLimitError
from inarow.studies.experiment import VARIANTS, Experiment, Measured, Scale, Variant
from inarow.studies.report import Section
from inarow.studies.results import Results

_HIGHEST_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Repeated:
    """An experiment before it has a variant and a seed, and how many seeds it gets."""

    name: str
    runs: int
    size: dict[str, int]
    variants: tuple[Variant, ...] = VARIANTS
    """Those in which it makes sense."""
    stage: int = 0
    """Runs of a stage come after all of those before it."""


@dataclass(frozen=True, slots=True)
class Study:
    """A published system and how to reproduce it."""

    name: str
    title: str
    source: str
    """Who published what, where."""
    experiments: Callable[[Scale], Sequence[Repeated]]
    run: Callable[[Experiment], Measured]
    """Must be a function of a module, for workers import it; the result follows from the experiment."""
    sections: Callable[[Results], Sequence[Section]]
    """Results of one variant may be missing."""

    def plan(self, scale: Scale, variants: Sequence[Variant], seed: int) -> list[Experiment]:
        """All experiments of a scale; repetitions have the seeds `seed`, `seed` + 1, ...

        Within a stage they come seed by seed, so that what is there before the end has something of everything.
        """
        planned = self.experiments(scale)
        last = seed + max(repeated.runs for repeated in planned) - 1
        if last > _HIGHEST_SEED:
            raise InvalidLimitError(f"the last seed would be {last}; it must be at most 2^63 - 1")
        return [
            Experiment(self.name, repeated.name, variant, seed + number, repeated.size)
            for stage in sorted({repeated.stage for repeated in planned})
            for number in range(max(repeated.runs for repeated in planned))
            for repeated in planned
            if repeated.stage == stage and number < repeated.runs
            for variant in variants
            if variant in repeated.variants
        ]
