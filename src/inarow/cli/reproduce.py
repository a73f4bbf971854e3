"""`inarow reproduce`."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from inarow.cli.completers import complete_studies
from inarow.cli.options import Json, Ray, Seed, WorkerCount, find_workers
from inarow.cli.output import json_text, number_table, print_json, print_table, stderr, stdout, write_text
from inarow.errors import Interrupted, InvalidLimitError, InvalidStudyError, shown
from inarow.report.all_figures import all_figures_markdown
from inarow.report.study_page import INTERVALS, comparison_table, study_facts, study_markdown, study_page
from inarow.report.study_provenance import provenance_sentences, verification_sentence, verification_table
from inarow.studies import runner
from inarow.studies.all_figures import collect_figures
from inarow.studies.catalogue import studies
from inarow.studies.experiment import Scale
from inarow.studies.report import StudyReport
from inarow.studies.runner import OtherCode, reproduction_folder
from inarow.workers import Workers


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
    other_code: OtherCode = "refuse",
    verify: int | None = None,
    only: tuple[str, ...] = (),
    all_figures: bool = False,
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
        other_code: What to do with stored results of other code than this: refuse to continue, reuse or rerun them.
        verify: Run this many stored results again, compare them exactly, and write verified.json; exit code 1 if one
            differs.
        only: With --verify and --other-code rerun, patterns for the names of experiments, e.g. --only "first, *".
        all_figures: Write all-figures.md and all-figures.json: every published figure of every study beside ours, from
            the results in OUT/STUDY, by default reproductions/STUDY-SCALE.
        settings: A setting of the study, e.g. --set net=FILE.onnx for gupta-shah-2022.

    Examples:
        inarow reproduce --list                        # the studies
        inarow reproduce harman                        # takes minutes
        inarow reproduce paranji-2025 --scale paper --workers 2
        inarow reproduce harman --verify 3             # run three results again
    """
    if list_:
        _print_studies(json=json)
        return
    if all_figures:
        _write_all_figures(out, scale, seed, json=json)
        return
    if study is None:
        raise InvalidStudyError(f"reproduce needs a study: {', '.join(studies())}; see inarow reproduce --help")
    folder = reproduction_folder(study, scale) if out is None else out
    if verify is not None:
        _verify(study, folder, verify, only, scale, seed, settings, find_workers(workers, ray), json=json)
        return
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
            other_code=other_code,
            only=only,
        )
    except Interrupted as stop:
        stderr.print(str(stop), style="yellow")
        raise
    write_text(folder / "results.json", json_text(report))
    write_text(folder / "report.html", study_page(report))
    write_text(folder / "report.md", study_markdown(report))
    print_json(report) if json else _print_report(report, folder)
    if report.other_code:
        stderr.print(
            f"{report.other_code} of {report.experiments} results come from other code than this", style="yellow"
        )


def _verify(
    study: str,
    folder: Path,
    count: int,
    only: tuple[str, ...],
    scale: Scale,
    seed: int,
    settings: tuple[str, ...],
    workers: Workers,
    *,
    json: bool,
) -> None:
    if count < 1:
        raise InvalidLimitError(f"--verify is {count}; it must be at least 1")
    found = runner.verify(
        study,
        scale=scale,
        count=count,
        only=only,
        seed=seed,
        settings=_chosen(settings),
        out=folder,
        workers=workers,
    )
    if json:
        print_json(found)
    else:
        table = verification_table(found)
        print_table(number_table(*table.headings, rows=table.rows, words=table.words))
        stdout.print(f"\n{verification_sentence(found)}", soft_wrap=True)
    if found.equal < len(found.trials):
        sys.exit(1)


def _write_all_figures(out: Path | None, scale: Scale, seed: int, *, json: bool) -> None:
    found = collect_figures(out, scale=scale, seed=seed)
    folder = Path() if out is None else out
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "all-figures.json", json_text(found))
    write_text(folder / "all-figures.md", all_figures_markdown(found))
    if json:
        print_json(found)
    else:
        stdout.print(f"{folder / 'all-figures.md'}\n{folder / 'all-figures.json'}", soft_wrap=True)


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
    for text in report.summary:
        stdout.print(f"\n{text}")
    for part in report.sections:
        stdout.print(f"\n{part.title}", style="bold")
        for text in part.text:
            stdout.print(text)
        for table in part.tables:
            stdout.print()
            texts = comparison_table(table)
            drawn = number_table(*texts.headings, rows=texts.rows, words=texts.words)
            drawn.title, drawn.title_justify = table.title, "left"
            print_table(drawn)
            if table.note:
                stdout.print(table.note, style="dim")
    for text in provenance_sentences(report):
        stdout.print(f"\n{text}", style="dim")
    stdout.print(f"\n{folder / 'report.html'}", soft_wrap=True)
