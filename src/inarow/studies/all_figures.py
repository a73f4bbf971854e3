"""Every published figure of every study beside ours, in one table."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from inarow.errors import InvalidStudyError
from inarow.results import Result
from inarow.studies.catalogue import studies
from inarow.studies.comparison import Estimate
from inarow.studies.experiment import Scale
from inarow.studies.runner import RESULTS, reproduce, reproduction_folder
from inarow.studies.study import Study
from inarow.studies.summary import Figure, cause_of, published_figures


class PublishedFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A published number beside ours."""

    study: str
    section: str  # of the study's report, as is `table`
    table: str
    quantity: str
    published: float
    as_published: Estimate | None
    corrected: Estimate | None
    digits: int
    agrees: bool | None  # None: no verdict
    verdict: str  # in words; empty if the figure is not compared
    cause: str  # why it does not agree; empty for others


class StudyCount(msgspec.Struct, frozen=True):
    """The number of published figures of a study, of those with a verdict, and of those that agree."""

    study: str
    published: int
    judged: int
    agreeing: int


class AllFigures(msgspec.Struct, Result, frozen=True, kw_only=True):
    """The published figures of all studies, in the order of their reports."""

    studies: tuple[StudyCount, ...]
    figures: tuple[PublishedFigure, ...]

    def rows(self) -> list[dict[str, object]]:
        """A row for each figure."""
        return [
            {
                **{name: getattr(each, name) for name in ("study", "section", "table", "quantity", "published")},
                "as_published": each.as_published and each.as_published.mean,
                "corrected": each.corrected and each.corrected.mean,
                **{name: getattr(each, name) for name in ("agrees", "verdict", "cause")},
            }
            for each in self.figures
        ]


def collect_figures(out: Path | str | None = None, *, scale: Scale = "paper", seed: int = 0) -> AllFigures:
    """The published figures of every study that has results in the folder `out`/STUDY, by default
    `reproduction_folder(STUDY, scale)`. Runs nothing. Raises InvalidStudyError if there are no results at all.
    """
    counts: list[StudyCount] = []
    figures: list[PublishedFigure] = []
    for name, study in studies().items():
        folder = reproduction_folder(name, scale) if out is None else Path(out) / name
        if (folder / RESULTS).exists():
            report = reproduce(study, scale=scale, seed=seed, out=folder, report_only=True)
            found = [_published(study, figure) for figure in published_figures(report.sections)]
            counts.append(_count(name, found))
            figures += found
    if not counts:
        raise InvalidStudyError(f"there are no results at scale {scale} in {'reproductions' if out is None else out}")
    return AllFigures(studies=tuple(counts), figures=tuple(figures))


def _published(study: Study, figure: Figure) -> PublishedFigure:
    row, verdict = figure.row, figure.row.agreement
    assert row.published is not None
    return PublishedFigure(
        study=study.name,
        section=figure.section,
        table=figure.table,
        quantity=row.label,
        published=row.published,
        as_published=row.as_published,
        corrected=row.corrected,
        digits=row.digits,
        agrees=None if verdict is None else verdict.agrees,
        verdict="" if verdict is None else verdict.sentence,
        cause=cause_of(figure, study.causes),
    )


def _count(study: str, figures: Sequence[PublishedFigure]) -> StudyCount:
    judged = [each.agrees for each in figures if each.agrees is not None]
    return StudyCount(study, len(figures), len(judged), sum(judged))
