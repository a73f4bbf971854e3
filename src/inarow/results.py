"""Base classes of results: a table for pandas and CSV, HTML for notebooks, and for some results a plot."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from inarow.errors import MissingExtraError, visible_json
from inarow.storage.atomic import atomic_write
from inarow.storage.csv_text import write_csv_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

Rows = Sequence[Mapping[str, object]]
"""A table: values by column name, the same columns in every row."""


def json_text(document: object) -> str:
    """A document as indented JSON with a line break at the end, control characters and bytes of file names escaped."""
    try:
        return visible_json(msgspec.json.format(msgspec.json.encode(document), indent=2).decode()) + "\n"
    except UnicodeEncodeError:  # a file name need not be valid text; its bytes are escaped
        return json.dumps(msgspec.to_builtins(document), indent=2) + "\n"


class Result:
    """Base class of results."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> Rows:
        """The result as a table: values by column name, the same columns in every row."""

    def to_frame(self) -> DataFrame:
        """The rows as a pandas DataFrame; raises MissingExtraError without pandas."""
        return data_frame(self.rows())

    def to_csv(self, path: Path | str) -> None:
        """Writes a header and a line for each row; the file is written atomically."""
        write_rows(path, self.rows())

    def _repr_html_(self) -> str:
        html: str = drawn_by_report("notebook", "to_html", self)
        return html


class PlottedResult(Result):
    """Base class of results with a plot."""

    __slots__ = ()

    def plot(self, path: Path | str | None = None) -> Figure:
        """A matplotlib figure, also written to `path` if given: an .svg or .png file, else raises PictureError. Raises
        MissingExtraError without matplotlib.
        """
        figure: Figure = drawn_by_report("result_plots", "plot", self, path)
        return figure


@dataclass(frozen=True, slots=True)
class ResultTable(Result):
    """A result that is only a table."""

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
    """Writes rows as CSV, atomically; the file of a table without rows is empty."""
    with atomic_write(Path(path)) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        if rows:
            write_csv_rows(text, [rows[0], *(row.values() for row in rows)])
        text.detach()


def drawn_by_report(module: str, function: str, *arguments: object) -> Any:
    """Calls a function of `inarow.report`, which is imported here because `report` is a higher layer than results, and
    slow to load.
    """
    return getattr(import_module(f"inarow.report.{module}"), function)(*arguments)
