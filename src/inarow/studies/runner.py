"""Reproduces a study: runs its trials on workers, keeps every result at once, and reports."""

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
    """Repeats a study, or its name's, and sets its numbers beside the published ones.

    Results go to `results.jsonl` in the folder `out`, by default `reproduction_folder(study, scale)`, as they finish.
    An interrupted call continues when it is repeated. `report_only` reports what is finished and runs nothing.
    Raises InarowError, and Interrupted on Ctrl-C.
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
        refusal = f"{folder} is in use: another process runs a study there; wait for it, or give another --out"
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
    """Where results go unless another folder is chosen."""
    return Path("reproductions") / f"{study}-{scale}"


def run_trials(
    trials: Sequence[Trial], file: ResultsFile, *, workers: Workers = 1, progress: Progress | None = None
) -> list[Finished]:
    """The results of all trials, in their order. Those in the file are not run again; the others are added as they
    finish, so that the same call continues after a kill or an interrupt.
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
            report(len(file.of(trials)), len(trials))  # the last result may have been stored and not counted
            raise
    return [have[trial.key] for trial in trials]


def make_report(
    study: Study, finished: Sequence[Finished], *, scale: Scale, variants: Sequence[Variant], seed: int, command: str
) -> StudyReport:
    """What the results of a study say; `command` makes the report again."""
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
