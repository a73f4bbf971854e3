"""`inarow reproduce`."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich import box

from inarow.cli.completers import complete_studies
from inarow.cli.options import Json, Ray, Seed, WorkerCount, find_workers
from inarow.cli.output import json_text, number_table, print_json, print_table, stderr, stdout, write_text
from inarow.errors import Interrupted, InvalidStudyError, shown
from inarow.report.study_page import INTERVALS, comparison_table, study_facts, study_markdown, study_page
from inarow.studies import runner
from inarow.studies.catalogue import studies
from inarow.studies.experiment import Scale
from inarow.studies.report import StudyReport
from inarow.studies.runner import reproduction_folder


def reproduce(
    study: Annotated[str | None, Parameter(completer=complete_studies)] = None,
    *,
    list_: Annotated[bool, Parameter(name="--list")] = False,
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
    """Repeat a published study beside its published numbers.

    Results are stored as they finish. After a kill or an interrupt the same command continues; once finished, it
    shows the result again.

    Args:
        study: Name of the study.
        list_: List the studies instead of running one.
        scale: quick takes minutes; paper has the runs that the comparison with the published numbers needs.
        variant: The published program with its faults, without them, or both.
        out: Folder for report.html, report.md, results.json and results.jsonl (one result per line);
            default reproductions/STUDY-SCALE.
        report_only: Report finished results without running anything.
        settings: A setting of the study, e.g. --set net=FILE.onnx for gupta-shah-2022.

    Examples:
        inarow reproduce --list                        # the studies
        inarow reproduce harman                        # takes minutes
        inarow reproduce paranji-2025 --scale paper --workers 2
    """
    if list_:
        _print_studies(json=json)
        return
    if study is None:
        raise InvalidStudyError(f"reproduce needs a study: {', '.join(studies())}; see inarow reproduce --help")
    folder = reproduction_folder(study, scale) if out is None else out
    try:
        report = runner.reproduce(
            study,
            scale=scale,
            variant=variant,
            seed=seed,
            settings=_chosen(settings),
            out=folder,
            workers=find_workers(workers, ray),
            report_only=report_only,
        )
    except Interrupted as stop:
        stderr.print(str(stop), style="yellow")
        raise
    write_text(folder / "results.json", json_text(report))
    write_text(folder / "report.html", study_page(report))
    write_text(folder / "report.md", study_markdown(report))
    print_json(report) if json else _print_report(report, folder)


def _print_studies(*, json: bool) -> None:
    if json:
        print_json([{"name": name, "title": study.title, "source": study.source} for name, study in studies().items()])
    else:
        rows = [(name, study.title.removeprefix(f"{name}: ")) for name, study in studies().items()]
        print_table(number_table("study", "what it reproduces", rows=rows, words=("study", "what it reproduces")))


def _chosen(settings: tuple[str, ...]) -> dict[str, str]:
    """Settings by name, from texts `name=value`."""
    chosen = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not value:
            raise InvalidStudyError(f"setting {shown(setting)} is not of the form name=value")
        chosen[name] = value
    return chosen


def _print_report(report: StudyReport, folder: Path) -> None:
    stdout.print(report.title, style="bold")
    stdout.print(f"{study_facts(report)}. {INTERVALS}")
    for part in report.sections:
        stdout.print(f"\n{part.title}", style="bold")
        for text in part.text:
            stdout.print(text)
        for table in part.tables:
            stdout.print()
            texts = comparison_table(table)
            drawn = number_table(*texts.headings, rows=texts.rows, words=texts.words, box=box.SIMPLE_HEAD)
            drawn.title, drawn.title_justify = table.title, "left"
            print_table(drawn)
            if table.note:
                stdout.print(table.note, style="dim")
    stdout.print(f"\n{folder / 'report.html'}", soft_wrap=True)
