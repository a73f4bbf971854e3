"""The text of a study's report, in `texts.toml` beside its code: Python only fills in computed values."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import TypeVar

import msgspec

from inarow.studies.experiment import Scale
from inarow.studies.report import Bar, BarPlot, Curve, CurvePlot, Row, Section, Table
from inarow.studies.results import Results
from inarow.studies.study import Repeated, Setting, Study
from inarow.studies.summary import Cause

_Part = TypeVar("_Part", Table, CurvePlot, BarPlot)


class Texts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The parts of a report by name, without results. `{name}` is a field, as in `str.format`; line breaks are replaced
    by spaces.
    """

    name: str  # of the study
    title: str
    source: str
    sections: dict[str, Section]
    tables: dict[str, Table]
    curves: dict[str, CurvePlot] = {}
    bars: dict[str, BarPlot] = {}
    labels: dict[str, dict[str, str]] = {}  # by list and figure
    sentences: dict[str, str] = {}
    summary: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()

    def study(
        self,
        experiments: Callable[[Scale], Iterable[Repeated]],
        sections: Callable[[Results], Sequence[Section]],
        settings: Mapping[str, Setting] | None = None,
    ) -> Study:
        """The study with these texts."""
        about = self.name, self.title, self.source
        return Study(*about, experiments, sections, settings or {}, self.summary, self.causes)

    def section(
        self,
        name: str,
        /,
        *,
        tables: Iterable[Table] = (),
        curves: Iterable[CurvePlot] = (),
        bars: Iterable[BarPlot] = (),
        **fields: object,
    ) -> Section:
        """A section, without paragraphs that are empty after filling in the fields."""
        part = self.sections[name]
        text = tuple(filter(None, (_fill(paragraph, fields) for paragraph in part.text)))
        title = _fill(part.title, fields)
        return Section(title=title, text=text, tables=tuple(tables), curves=tuple(curves), bars=tuple(bars))

    def table(self, name: str, rows: Iterable[Row], /, **fields: object) -> Table:
        return _filled(self.tables[name], fields, rows=tuple(rows))

    def curve_plot(self, name: str, curves: Iterable[Curve | None], /, **fields: object) -> CurvePlot:
        """The curves that exist and have more than one point."""
        shown = tuple(curve for curve in curves if curve is not None and len(curve.points) > 1)
        return _filled(self.curves[name], fields, curves=shown)

    def bar_plot(self, name: str, bars: Iterable[Bar], /, **fields: object) -> BarPlot:
        return _filled(self.bars[name], fields, bars=tuple(bars))

    def sentence(self, name: str, /, **fields: object) -> str:
        return _fill(self.sentences[name], fields)


def load_texts(package: str) -> Texts:
    """The texts of a study's package; unknown or missing keys are an error."""
    return msgspec.toml.decode((files(package) / "texts.toml").read_bytes(), type=Texts)


def _filled(part: _Part, fields: Mapping[str, object], **contents: object) -> _Part:
    texts = {key: _fill(text, fields) for key, text in msgspec.structs.asdict(part).items() if isinstance(text, str)}
    return msgspec.structs.replace(part, **texts, **contents)


def _fill(text: str, fields: Mapping[str, object]) -> str:
    return " ".join(text.split()).format_map(fields)
