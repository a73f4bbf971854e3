"""`inarow reproduce`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich import box
from rich.table import Table as RichTable

from inarow.cli.options import Json, Ray, Seed, WorkerCount, find_workers
from inarow.cli.output import json_text, new_file, print_json, print_table, progress_bar, stderr, stdout
from inarow.errors import InvalidStudyError, StoreError, shown
from inarow.report.study_page import INTERVALS, comparison_table, study_facts, study_markdown, study_page
from inarow.report.tables import Table
from inarow.storage.locks import exclusive_folder
from inarow.studies.catalogue import find_study
from inarow.studies.experiment import VARIANTS, Experiment, Scale
from inarow.studies.report import StudyReport
from inarow.studies.results import Finished
from inarow.studies.runner import ResultsFile, make_report, run_study
from inarow.studies.study import Study
from inarow.workers import Workers

RESULTS = "results.jsonl"


def reproduce(
    study: str,
    *,
    scale: Scale = "quick",
    variant: Literal["as-published", "corrected", "both"] = "both",
    workers: WorkerCount = None,
    ray: Ray = None,
    out: Path | None = None,
    report_only: bool = False,
    settings: Annotated[tuple[str, ...], Parameter(name="--set")] = (),
    json: Json = False,
    seed: Seed = 0,
) -> None:
    """Repeat a published study and set its numbers beside the published ones.

    Results are kept as they finish. Killed or interrupted, the same command goes on where it was;
    finished, it shows the result again.

    Args:
        study: Name of the study.
        scale: Minutes, or as many runs as the comparison with the published numbers needs.
        variant: The published program with its faults, without them, or both.
        out: Folder for report.html, report.md, results.json and results.jsonl, the results one a line;
            by default reproductions/STUDY-SCALE.
        report_only: Run nothing: report what is finished.
        settings: Choose what a study leaves open, e.g. --set net=FILE.onnx for gupta-shah-2022.
    """
    wanted = find_study(study)
    crew = find_workers(workers, ray)
    variants = VARIANTS if variant == "both" else (variant,)
    experiments = wanted.plan(scale, variants, seed, _chosen(settings))
    folder = Path("reproductions") / f"{study}-{scale}" if out is None else out
    finished = ResultsFile(folder / RESULTS).of(experiments) if report_only else _run(wanted, experiments, folder, crew)
    command = shlex.join(
        ["inarow", "reproduce", study, "--scale", scale, "--variant", variant, "--seed", str(seed)]
        + [word for setting in settings for word in ("--set", setting)]
    )  # without the folder and the workers, on which nothing depends
    report = make_report(wanted, finished, scale=scale, variants=variants, seed=seed, command=command)
    _write_files(folder, report)
    print_json(report) if json else _print_report(report, folder)


def _chosen(settings: tuple[str, ...]) -> dict[str, str]:
    """By name, from texts `name=value`."""
    chosen = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not value:
            raise InvalidStudyError(f"setting {shown(setting)} is not of the form name=value")
        chosen[name] = value
    return chosen


def _run(study: Study, experiments: list[Experiment], folder: Path, workers: Workers) -> list[Finished]:
    folder.mkdir(parents=True, exist_ok=True)
    refusal = StoreError(f"{folder} is in use: another process runs a study there; wait for it, or give another --out")
    with exclusive_folder(folder, refusal):
        file = ResultsFile(folder / RESULTS)
        try:
            with progress_bar("experiments") as progress:
                return run_study(study, experiments, file, workers=workers, progress=progress)
        except KeyboardInterrupt:
            done = len(file.of(experiments))
            stderr.print(f"stopped after {done} of {len(experiments)} runs; the same command goes on", style="yellow")
            raise


def _write_files(folder: Path, report: StudyReport) -> None:
    with new_file(folder / "results.json") as file:
        file.write(json_text(report))
    with new_file(folder / "report.html") as file:
        file.write(study_page(report))
    with new_file(folder / "report.md") as file:
        file.write(study_markdown(report))


def _print_report(report: StudyReport, folder: Path) -> None:
    stdout.print(report.title, style="bold", highlight=False)
    stdout.print(f"{study_facts(report)}. {INTERVALS}", highlight=False)
    for part in report.sections:
        stdout.print(f"\n{part.title}", style="bold", highlight=False)
        for text in part.text:
            stdout.print(text, highlight=False)
        for table in part.tables:
            stdout.print()
            print_table(_rich_table(table.title, comparison_table(table)))
            if table.note:
                stdout.print(table.note, style="dim", highlight=False)
    stdout.print(f"\n{folder / 'report.html'}", highlight=False, soft_wrap=True)


def _rich_table(title: str, table: Table) -> RichTable:
    drawn = RichTable(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in table.headings:
        drawn.add_column(heading, justify="left" if heading in table.words else "right")
    for row in table.rows:
        drawn.add_row(*row)
    return drawn
