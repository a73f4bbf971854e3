"""Studies: experiments, which can run anywhere in any order, and a report of their results."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from inarow.errors import InvalidLimitError, InvalidStudyError, did_you_mean, shown
from inarow.studies.experiment import VARIANTS, Experiment, Scale, Trial, Variant
from inarow.studies.report import Section
from inarow.studies.results import Results
from inarow.studies.summary import Cause

_HIGHEST_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Repeated:
    """An experiment, its number of runs, and the size of each run."""

    experiment: Experiment
    runs: int
    size: Mapping[str, int]
    variants: tuple[Variant, ...] = VARIANTS  # variants that make sense for the experiment
    stage: int = 0  # all runs of a stage are planned before those of the next
    settings: tuple[str, ...] = ()  # names of the settings that affect its results


@dataclass(frozen=True, slots=True)
class Setting:
    """A choice that a study leaves to its user, such as a net."""

    default: str
    resolve: Callable[[str], dict[str, str]]
    """From a choice to all values that affect results, by name: the settings of a trial. Raises an InarowError."""


@dataclass(frozen=True, slots=True)
class Study:
    """A published system and its reproduction."""

    name: str
    title: str
    source: str  # author, title and year of the publication
    experiments: Callable[[Scale], Iterable[Repeated]]
    sections: Callable[[Results], Sequence[Section]]  # the report; results of any experiment or variant may be missing
    settings: Mapping[str, Setting] = field(default_factory=dict)  # by name
    summary: Sequence[str] = ()  # paragraphs with fields, as in `summary.summary`
    causes: Sequence[Cause] = ()  # why published figures do not agree with ours

    def plan(
        self, scale: Scale, variants: Sequence[Variant], seed: int, chosen: Mapping[str, str] | None = None
    ) -> list[Trial]:
        """All trials of a scale; repetitions have the seeds `seed`, `seed` + 1, ...

        `chosen` has settings by name; all others have their defaults. Within a stage, trials are ordered by seed, so
        that an incomplete run covers every experiment.
        """
        planned = list(self.experiments(scale))
        chosen = chosen or {}
        for name in chosen:
            if name not in self.settings:
                offered = f"its settings are {', '.join(self.settings)}" if self.settings else "it has no settings"
                meant = did_you_mean(name, self.settings)
                raise InvalidStudyError(f"{self.name} has no setting {shown(name)}{meant}; {offered}")
        resolved = {name: each.resolve(chosen.get(name, each.default)) for name, each in self.settings.items()}
        most = max(each.runs for each in planned)
        if seed + most - 1 > _HIGHEST_SEED:
            raise InvalidLimitError(f"the last seed would be {seed + most - 1}; it must be at most 2^63 - 1")

        def settings(each: Repeated) -> dict[str, str]:
            return {key: value for name in each.settings for key, value in resolved[name].items()}

        return [
            Trial(self.name, each.experiment, variant, seed + number, each.size, settings(each))
            for stage in sorted({each.stage for each in planned})
            for number in range(most)
            for each in planned
            if each.stage == stage and number < each.runs
            for variant in variants
            if variant in each.variants
        ]
