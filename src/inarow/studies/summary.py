"""The summary of a report: sentences with computed numbers, and how many published figures agree."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase

import msgspec

from inarow.studies.comparison import Estimate
from inarow.studies.report import Row, Section

_SEPARATOR = " / "


class Cause(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Why published figures do not agree with ours, in one sentence."""

    figures: tuple[str, ...]  # patterns for paths of figures: `Tic Tac Toe / Table 1 / Q: moves*`
    cause: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A row of a report with its place."""

    section: str
    table: str
    row: Row

    @property
    def path(self) -> str:
        """Its name within the report: section, table and quantity."""
        return _SEPARATOR.join((self.section, self.table, self.row.label))


def published_figures(sections: Iterable[Section]) -> list[Figure]:
    """The published figures of a report, each once."""
    return [figure for figure in _figures(sections, repeated=False) if figure.row.published is not None]


def _figures(sections: Iterable[Section], *, repeated: bool = True) -> Iterator[Figure]:
    for section in sections:
        for table in section.tables:
            if repeated or not table.is_repeated:
                yield from (Figure(section.title, table.title, row) for row in table.rows)


def cause_of(figure: Figure, causes: Iterable[Cause]) -> str:
    """The cause that applies to a figure that does not agree; empty for others, and if none is known."""
    if figure.row.agreement is None or figure.row.agreement.agrees is not False:
        return ""
    found = (each for each in causes if any(fnmatchcase(figure.path, _literal(pattern)) for pattern in each.figures))
    return next((" ".join(each.cause.split()) for each in found), "")


def _literal(pattern: str) -> str:
    """A pattern in which only * and ? are special; names contain brackets."""
    return pattern.replace("[", "[[]")


def summary(paragraphs: Sequence[str], sections: Sequence[Section]) -> tuple[str, ...]:
    """The paragraphs with their fields filled in, without those that need a number for which there are no results.

    `{agreeing}` of `{judged}` published figures agree, of `{published}` in all. `{group[PLACE].agreeing}` etc. count
    those whose path begins with PLACE, a section, or `section / table`. `{figure[PATH].published}`, `.ours`,
    `.corrected` are the numbers of a row, with intervals, `.our_mean` and `.corrected_mean` without; those of
    quantities in % end with it.
    """
    fields, texts = _Fields(sections), []
    for paragraph in paragraphs:
        with suppress(_NoResult):
            texts.append(" ".join(paragraph.split()).format_map(fields))
    return tuple(texts)


class _NoResult(Exception):
    """A number has no result."""


class _Count:
    """Counts of published figures; those of verdicts raise _NoResult without a verdict."""

    def __init__(self, figures: Sequence[Figure]) -> None:
        found = [each.row.agreement.agrees for each in figures if each.row.agreement is not None]
        self._verdicts, self.published = [agrees for agrees in found if agrees is not None], len(figures)

    @property
    def judged(self) -> int:
        if not self._verdicts:
            raise _NoResult
        return len(self._verdicts)

    @property
    def agreeing(self) -> int:
        return self.judged and sum(self._verdicts)


class _Fields(dict[str, object]):
    """What a paragraph may name; counts are looked up only if it does."""

    def __init__(self, sections: Sequence[Section]) -> None:
        super().__init__(figure=_Figures(sections), group=_Groups(sections))
        self._count = _Count(published_figures(sections))

    def __missing__(self, name: str) -> object:
        if name not in ("agreeing", "judged", "published"):
            raise KeyError(name)
        return getattr(self._count, name)


class _Groups:
    def __init__(self, sections: Sequence[Section]) -> None:
        self._figures = published_figures(sections)

    def __getitem__(self, place: str) -> _Count:
        return _Count([each for each in self._figures if each.path.startswith(place + _SEPARATOR)])


class _Figures:
    def __init__(self, sections: Sequence[Section]) -> None:
        self._rows = {each.path: each.row for each in _figures(sections)}

    def __getitem__(self, path: str) -> "_Numbers":
        if path not in self._rows:
            raise _NoResult
        return _Numbers(self._rows[path])


class _Numbers:
    """The numbers of a row as strings."""

    def __init__(self, row: Row) -> None:
        self._row = row

    @property
    def published(self) -> str:
        return self._mean(self._row.published)

    @property
    def our_mean(self) -> str:
        return self._mean(None if self._row.as_published is None else self._row.as_published.mean)

    @property
    def corrected_mean(self) -> str:
        return self._mean(None if self._row.corrected is None else self._row.corrected.mean)

    @property
    def ours(self) -> str:
        return self.our_mean + self._interval(self._row.as_published)

    @property
    def corrected(self) -> str:
        return self.corrected_mean + self._interval(self._row.corrected)

    def _mean(self, number: float | None) -> str:
        if number is None:
            raise _NoResult
        return self._text(number) + (" %" if self._row.label.endswith("%") else "")

    def _text(self, number: float) -> str:
        return f"{number:,.{self._row.digits}f}".replace("-", "\N{MINUS SIGN}")

    def _interval(self, ours: Estimate | None) -> str:
        if ours is None or ours.interval is None:
            return ""
        return f" ({' to '.join(self._text(end) for end in ours.interval)})"
