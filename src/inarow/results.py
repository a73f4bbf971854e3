"""What all results have in common: a table for pandas, and a picture in notebooks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from inarow.errors import MissingExtraError

if TYPE_CHECKING:
    from pandas import DataFrame


class Result:
    """Base of results."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> Sequence[Mapping[str, object]]:
        """The result as a table: values by column name, the same columns in every row."""

    def to_frame(self) -> DataFrame:
        """The rows as a pandas DataFrame; raises MissingExtraError without pandas."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise MissingExtraError("pandas", "data") from None
        return DataFrame(list(self.rows()))

    def _repr_html_(self) -> str:
        # `report` draws results and is above them; a notebook calls this when a result is the value of a cell.
        html: str = import_module("inarow.report.notebook").to_html(self)
        return html
