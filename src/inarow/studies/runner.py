"""Reproduces a study: runs its trials on workers, stores every result immediately, and creates the report."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from inarow.errors import Interrupted, StoreError
from inarow.results import json_text
from inarow.storage.atomic import atomic_write
from inarow.storage.locks import exclusive_folder
from inarow.studies.catalogue import find_study
from inarow.studies.experiment import VARIANTS, Measured, Scale, Trial, Variant
from inarow.studies.provenance import Provenance, code_digest, provenance
from inarow.studies.report import Origin, StudyReport
from inarow.studies.results import Finished, Results, ResultsFile
from inarow.studies.study import Study
from inarow.studies.summary import summary
from inarow.studies.verification import VERIFIED, Verification, choose_trials, compare, is_named, load_verification
from inarow.version import __version__
from inarow.workers import Progress, Workers, open_pool

RESULTS = "results.jsonl"
OtherCode = Literal["refuse", "reuse", "rerun"]
"""What to do with stored results of other code than this: raise StoreError, keep them, or run their trials again."""


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
    other_code: OtherCode = "refuse",
    only: Sequence[str] = (),
    progress: bool | Progress = True,
) -> StudyReport:
    """Repeats a study, given as a `Study` or by name, and compares its numbers with the published ones.

    Finished results are appended to `results.jsonl` in the folder `out`, by default `reproduction_folder(study,
    scale)`. The same call resumes after an interruption; `other_code` says what it does with stored results of other
    code, and `only`, patterns for names of experiments, limits what it runs again. With `report_only`, it reports
    finished results of any code and runs nothing. Raises InarowError, and Interrupted on Ctrl-C.
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
            finished = _run_watched(trials, ResultsFile(folder / RESULTS), workers, other_code, only, progress)
    command = ["inarow", "reproduce", study.name, "--scale", scale, "--variant", variant, "--seed", str(seed)]
    command += [word for name, value in chosen.items() for word in ("--set", f"{name}={value}")]
    return make_report(
        study,
        finished,
        scale=scale,
        variants=variants,
        seed=seed,
        command=shlex.join(command),
        verified=load_verification(folder),
        other_code=len(_of_other_code(trials, {each.trial.key: each for each in finished})),
    )


def verify(
    study: str | Study,
    *,
    scale: Scale = "quick",
    count: int = 3,
    only: Sequence[str] = (),
    seed: int = 0,
    settings: Mapping[str, str] | None = None,
    out: Path | str | None = None,
    workers: Workers = 1,
    progress: bool | Progress = True,
) -> Verification:
    """Runs stored trials again, compares every figure and curve exactly, and writes `verified.json` beside them.

    `count` and `only` choose the trials as in `verification.choose_trials`, the other parameters are those of
    `reproduce`. The stored results are not changed. Raises InarowError.
    """
    from inarow.terminal import progress_bar

    if isinstance(study, str):
        study = find_study(study)
    folder = reproduction_folder(study.name, scale) if out is None else Path(out)
    trials = study.plan(scale, VARIANTS, seed, settings or {})
    have = {each.trial.key: each for each in ResultsFile(folder / RESULTS).of(trials)}
    chosen = choose_trials(trials, have.keys(), count, only)
    again: dict[bytes, tuple[Measured, Provenance]] = {}
    with progress_bar("runs", is_shown=progress) as advance, open_pool(workers, tasks=len(chosen)) as pool:
        advance(0, len(chosen))
        for trial, result in pool.as_completed(run_trial, chosen):
            again[trial.key] = result
            advance(len(again), len(chosen))
    stored = [have[trial.key] for trial in chosen]
    repeated = tuple(compare(each.trial, each.measured, each.computed, again[each.trial.key][0]) for each in stored)
    equal, computed = sum(each.is_equal for each in repeated), again[chosen[0].key][1]
    verified = Verification(study=study.name, equal=equal, trials=repeated, computed=computed)
    with atomic_write(folder / VERIFIED) as file:
        file.write(json_text(verified).encode())
    return verified


def _run_watched(
    trials: Sequence[Trial],
    file: ResultsFile,
    workers: Workers,
    other_code: OtherCode,
    only: Sequence[str],
    progress: bool | Progress,
) -> list[Finished]:
    from inarow.terminal import progress_bar

    counts = 0, len(trials)
    with progress_bar("experiments", is_shown=progress) as advance:

        def report(done: int, total: int) -> None:
            nonlocal counts
            counts = done, total
            advance(done, total)

        try:
            return run_trials(trials, file, workers=workers, other_code=other_code, only=only, progress=report)
        except KeyboardInterrupt:
            raise Interrupted(f"stopped after {counts[0]} of {counts[1]} runs; the same call continues", None) from None


def reproduction_folder(study: str, scale: Scale) -> Path:
    """The default folder of results."""
    return Path("reproductions") / f"{study}-{scale}"


def run_trials(
    trials: Sequence[Trial],
    file: ResultsFile,
    *,
    workers: Workers = 1,
    other_code: OtherCode = "refuse",
    only: Sequence[str] = (),
    progress: Progress | None = None,
) -> list[Finished]:
    """The results of all trials, in order. Trials in the file are not run again; the results of others are added as
    they finish, so that the same call resumes after a kill or an interruption. Raises StoreError if the file has
    results of other code, unless `other_code` says what to do with them: "rerun" runs those whose experiments fit a
    pattern of `only`, or all without patterns, and keeps the rest.
    """
    report = (lambda done, total: None) if progress is None else progress
    have = {each.trial.key: each for each in file.of(trials)}
    foreign = _of_other_code(trials, have)
    if foreign and other_code == "refuse":
        raise StoreError(
            f"{len(foreign)} of {len(have)} stored results come from other code than this: --other-code reuse keeps"
            " them, --other-code rerun runs them again, --report-only reports them"
        )
    if other_code == "rerun":
        have = {key: each for key, each in have.items() if key not in foreign or not is_named(each.trial.name, only)}
    missing = [trial for trial in trials if trial.key not in have]
    report(len(have), len(trials))
    if missing:
        try:
            with open_pool(workers, tasks=len(missing)) as pool:
                for trial, (measured, computed) in pool.as_completed(run_trial, missing):
                    have[trial.key] = file.add(trial, measured, computed)
                    report(len(have), len(trials))
        except KeyboardInterrupt:
            report(len(file.of(trials)), len(trials))  # the last result may have been stored but not counted
            raise
    return [have[trial.key] for trial in trials]


def run_trial(trial: Trial) -> tuple[Measured, Provenance]:
    """The result of a trial, and where it comes from; on a cluster that is the machine of the worker."""
    computed = provenance(trial.experiment)  # before the run, during which files may be edited
    return trial.run(), computed


def _of_other_code(trials: Sequence[Trial], have: Mapping[bytes, Finished]) -> set[bytes]:
    """The keys of trials whose results this code did not compute."""
    known = ((each, have[each.key]) for each in trials if each.key in have)
    return {trial.key for trial, found in known if not found.is_from(code_digest(trial.experiment))}


def make_report(
    study: Study,
    finished: Sequence[Finished],
    *,
    scale: Scale,
    variants: Sequence[Variant],
    seed: int,
    command: str,
    verified: Verification | None = None,
    other_code: int = 0,
) -> StudyReport:
    """The report of results of a study; `command` creates the report again."""
    sections = tuple(study.sections(Results(finished)))
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
        summary=summary(study.summary, sections),
        sections=sections,
        origins=_origins(finished),
        verified=verified,
        other_code=other_code,
    )


def _origins(finished: Iterable[Finished]) -> tuple[Origin, ...]:
    """The provenances of results, the most frequent one first."""
    found: dict[bytes, Origin] = {}
    for each in finished:
        key = msgspec.json.encode(each.computed, order="sorted")
        known = found.get(key, Origin(0, each.computed))
        found[key] = Origin(known.runs + 1, each.computed)
    return tuple(sorted(found.values(), key=lambda origin: -origin.runs))
