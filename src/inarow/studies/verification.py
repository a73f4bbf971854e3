"""Stored trials run again: whether this code on this machine gives the same figures and curves."""

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from inarow.errors import InvalidStudyError, StoreError, raised_as, shown
from inarow.results import Result
from inarow.storage.inputs import read_input
from inarow.studies.experiment import Measured, Trial, TrialRecord, Variant
from inarow.studies.provenance import Provenance

VERIFIED = "verified.json"
_MAX_BYTES = 1 << 26


class Repetition(msgspec.Struct, frozen=True, kw_only=True):
    """A trial that was run again."""

    experiment: str
    variant: Variant
    seed: int
    figures: int  # compared
    points: int  # of curves, compared
    different: dict[str, tuple[float | None, float | None]]  # figures that differ: (stored, run again), None if missing
    different_curves: tuple[str, ...]
    stored: Provenance | None  # of the stored result; None if it was not recorded

    @property
    def is_equal(self) -> bool:
        return not self.different and not self.different_curves


class Verification(msgspec.Struct, Result, frozen=True, kw_only=True):
    """The outcome of running trials again."""

    study: str
    equal: int
    trials: tuple[Repetition, ...]
    computed: Provenance  # of the new results

    def rows(self) -> list[dict[str, object]]:
        """A row for each trial."""
        return [
            {
                "experiment": each.experiment,
                "variant": each.variant,
                "seed": each.seed,
                "figures": each.figures,
                "points": each.points,
                "equal": each.is_equal,
            }
            for each in self.trials
        ]


def choose_trials(trials: Sequence[Trial], finished: Collection[bytes], count: int, only: Sequence[str]) -> list[Trial]:
    """`count` of the trials with the keys `finished`, of different experiments, evenly spread over the plan.

    Of each experiment it is the one with the lowest seed, as published if there is one. `only` are patterns for names
    of experiments, such as `first, *`; without any, all are allowed. Fewer than `count` if there are no more.
    """
    found: dict[str, Trial] = {}
    for trial in sorted((each for each in trials if each.key in finished), key=lambda each: not each.is_published):
        name = trial.experiment.name
        if name not in found and is_named(name, only):
            found[name] = trial
    if not found:
        wanted = f" of {shown(', '.join(only))}" if only else ""
        raise InvalidStudyError(f"there is no stored result{wanted} to run again")
    names = [name for name in dict.fromkeys(trial.experiment.name for trial in trials) if name in found]
    kept = min(count, len(names))
    places = sorted({number * (len(names) - 1) // max(1, kept - 1) for number in range(kept)})
    return [found[names[place]] for place in places]


def is_named(name: str, only: Collection[str]) -> bool:
    """Whether the name of an experiment fits one of the patterns; without patterns all do."""
    return not only or any(fnmatchcase(name, pattern) for pattern in only)


def compare(trial: TrialRecord, old: Measured, stored: Provenance | None, again: Measured) -> Repetition:
    """Compares every figure and curve with `old`, of provenance `stored`, exactly; not timings and files."""
    again = msgspec.json.decode(msgspec.json.encode(msgspec.structs.replace(again, files={})), type=Measured)
    names = sorted(old.figures.keys() | again.figures.keys())
    curves = sorted(old.curves.keys() | again.curves.keys())
    return Repetition(
        experiment=trial.name,
        variant=trial.variant,
        seed=trial.seed,
        figures=len(names),
        points=sum(len(points) for points in old.curves.values()),
        different={
            name: (old.figures.get(name), again.figures.get(name))
            for name in names
            if old.figures.get(name) != again.figures.get(name)
        },
        different_curves=tuple(name for name in curves if old.curves.get(name) != again.curves.get(name)),
        stored=stored,
    )


def load_verification(folder: Path) -> Verification | None:
    """The verification stored in a folder of results; None without one."""
    path = folder / VERIFIED
    return read_verification(path) if path.exists() else None


def read_verification(path: Path) -> Verification:
    """A stored verification; raises StoreError if the file is something else."""
    content = read_input(path, _MAX_BYTES, StoreError)
    with raised_as(
        StoreError, f"{path} is not a verification of a study", msgspec.MsgspecError, UnicodeError, RecursionError
    ):
        return msgspec.json.decode(content, type=Verification)
