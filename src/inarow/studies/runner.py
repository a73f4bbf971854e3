"""Reproduces a study: runs its trials on workers, stores every result immediately, and creates the report."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from inarow.errors import Interrupted, StoreError
from inarow.storage.locks import exclusive_folder
from inarow.studies.catalogue import find_study
from inarow.studies.experiment import VARIANTS, Scale, Trial, Variant
from inarow.studies.report import StudyReport
from inarow.studies.results import Finished, Results, ResultsFile
from inarow.studies.study import Study
from inarow.version import __version__
from inarow.workers import Progress, Workers, open_pool

RESULTS = "results.jsonl"


def reproduce(
    study: str | Study,
    *,
    scale: Scale = "quick",
    variant: Variant | Literal["both"] = "both",
    seed: int = 0,
    settings: Mapping[str, str] | None = None,
    out: Path | str | None = None,
    workers: Workers = 1,
    report_only: bool = False,
    progress: bool | Progress = True,
) -> StudyReport:
    """Repeats a study, given as a `Study` or by name, and compares its numbers with the published ones.

    Finished results are appended to `results.jsonl` in the folder `out`, by default `reproduction_folder(study,
    scale)`. The same call resumes after an interruption. With `report_only`, it reports finished results and runs
    nothing. Raises InarowError, and Interrupted on Ctrl-C.
    """
    if isinstance(study, str):
        study = find_study(study)
    variants = VARIANTS if variant == "both" else (variant,)
    chosen = settings or {}
    trials = study.plan(scale, variants, seed, chosen)
    folder = reproduction_folder(study.name, scale) if out is None else Path(out)
    if report_only:
        finished = ResultsFile(folder / RESULTS).of(trials)
    else:
        folder.mkdir(parents=True, exist_ok=True)
        refusal = f"{folder} is in use by another process; wait for it, or give another --out"
        with exclusive_folder(folder, StoreError(refusal)):
            finished = _run_watched(trials, ResultsFile(folder / RESULTS), workers, progress)
    command = ["inarow", "reproduce", study.name, "--scale", scale, "--variant", variant, "--seed", str(seed)]
    command += [word for name, value in chosen.items() for word in ("--set", f"{name}={value}")]
    return make_report(study, finished, scale=scale, variants=variants, seed=seed, command=shlex.join(command))


def _run_watched(
    trials: Sequence[Trial], file: ResultsFile, workers: Workers, progress: bool | Progress
) -> list[Finished]:
    from inarow.terminal import progress_bar

    counts = 0, len(trials)
    with progress_bar("experiments", is_shown=progress) as advance:

        def report(done: int, total: int) -> None:
            nonlocal counts
            counts = done, total
            advance(done, total)

        try:
            return run_trials(trials, file, workers=workers, progress=report)
        except KeyboardInterrupt:
            raise Interrupted(f"stopped after {counts[0]} of {counts[1]} runs; the same call continues", None) from None


def reproduction_folder(study: str, scale: Scale) -> Path:
    """The default folder of results."""
    return Path("reproductions") / f"{study}-{scale}"


def run_trials(
    trials: Sequence[Trial], file: ResultsFile, *, workers: Workers = 1, progress: Progress | None = None
) -> list[Finished]:
    """The results of all trials, in order. Trials in the file are not run again; the results of others are added as
    they finish, so that the same call resumes after a kill or an interruption.
    """
    report = (lambda done, total: None) if progress is None else progress
    have = {each.trial.key: each for each in file.of(trials)}
    missing = [trial for trial in trials if trial.key not in have]
    report(len(have), len(trials))
    if missing:
        try:
            with open_pool(workers, tasks=len(missing)) as pool:
                for trial, measured in pool.as_completed(Trial.run, missing):
                    have[trial.key] = file.add(trial, measured)
                    report(len(have), len(trials))
        except KeyboardInterrupt:
            report(len(file.of(trials)), len(trials))  # the last result may have been stored but not counted
            raise
    return [have[trial.key] for trial in trials]


def make_report(
    study: Study, finished: Sequence[Finished], *, scale: Scale, variants: Sequence[Variant], seed: int, command: str
) -> StudyReport:
    """The report of results of a study; `command` creates the report again."""
    return StudyReport(
        study=study.name,
        title=study.title,
        source=study.source,
        scale=scale,
        variants=tuple(variants),
        seed=seed,
        experiments=len(finished),
        version=__version__,
        command=command,
        sections=tuple(study.sections(Results(finished))),
    )
