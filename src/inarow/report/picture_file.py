"""Pictures by matplotlib, which is imported only when one is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from inarow.storage.atomic import atomic_write

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@contextmanager
def picture(path: Path, width: float, height: float) -> Iterator[Figure]:
    """A figure of so many inches that becomes a file, .svg or .png, when the `with` block ends well; the
    same bytes for the same figure.
    """
    import matplotlib
    from matplotlib.figure import Figure

    kind = path.suffix[1:]
    with matplotlib.rc_context({"svg.hashsalt": "inarow", "font.size": 9}):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        with atomic_write(path) as file:
            figure.savefig(file, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)
