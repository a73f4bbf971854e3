"""What all results have in common: a table for pandas and CSV, a picture in notebooks, and for some a plot."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inarow.errors import MissingExtraError
from inarow.storage.atomic import atomic_write
from inarow.storage.csv_text import write_csv_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

Rows = Sequence[Mapping[str, object]]
"""A table: values by column name, the same columns in every row."""


class Result:
    """Base of results."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> Rows:
        """The result as a table: values by column name, the same columns in every row."""

    def to_frame(self) -> DataFrame:
        """The rows as a pandas DataFrame; raises MissingExtraError without pandas."""
        return data_frame(self.rows())

    def to_csv(self, path: Path | str) -> None:
        """Writes the rows to a file, which appears whole or not at all: a header, and a line for each row."""
        write_rows(path, self.rows())

    def _repr_html_(self) -> str:
        html: str = drawn_by_report("notebook", "to_html", self)
        return html


class PlottedResult(Result):
    """Base of results with a plot."""

    __slots__ = ()

    def plot(self, path: Path | str | None = None) -> Figure:
        """A figure of matplotlib, also written to `path` if given: an .svg or .png file, else raises PictureError.
        Raises MissingExtraError without matplotlib.
        """
        figure: Figure = drawn_by_report("result_plots", "plot", self, path)
        return figure


@dataclass(frozen=True, slots=True)
class ResultTable(Result):
    """A table of its own."""

    title: str
    table: tuple[Mapping[str, object], ...]

    def __len__(self) -> int:
        return len(self.table)

    def rows(self) -> Rows:
        return self.table


def data_frame(rows: Iterable[Mapping[str, object]]) -> DataFrame:
    """Rows as a pandas DataFrame; raises MissingExtraError without pandas."""
    try:
        from pandas import DataFrame
    except ImportError:
        raise MissingExtraError("pandas", "data") from None
    return DataFrame(list(rows))


def write_rows(path: Path | str, rows: Rows) -> None:
    """Writes rows as CSV, whole or not at all; the file of a table without rows is empty."""
    with atomic_write(Path(path)) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        if rows:
            write_csv_rows(text, [rows[0], *(row.values() for row in rows)])
        text.detach()


def drawn_by_report(module: str, function: str, *arguments: object) -> Any:
    """What a function of `inarow.report` makes of a result. `report` is above all results, and loaded only by those
    that are drawn.
    """
    return getattr(import_module(f"inarow.report.{module}"), function)(*arguments)
