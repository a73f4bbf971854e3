"""Pictures by matplotlib, an extra, which is imported when one is drawn."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from inarow.errors import MissingExtraError, PictureError, shown
from inarow.learning.exploration.theory import MASSES, STUDIED, NoiseStudy
from inarow.storage.atomic import atomic_write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TITLES = {"gates": "error of two-qubit gates (one-qubit gates: a tenth)", "readout": "readout error per qubit"}
_COLOURS = ("#1b6ca8", "#d1495b", "#3b8132", "#8a5a9e")
_LINES = dict(zip(STUDIED, ("-", "--"), strict=True))
_DPI = 150
_NAMES = {"ceil-inclusive": "m of santos-2025", "optimal": "best m"}


@contextmanager
def picture(path: Path | None, width: float, height: float) -> Iterator[Figure]:
    """A figure of the given size in inches, written to an .svg or .png file when the `with` block succeeds, unless
    `path` is None; the same figure gives the same bytes. Raises PictureError for another file, MissingExtraError
    without matplotlib.
    """
    check_picture_path(path)
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "inarow", "font.size": 9}), warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="Glyph .* missing from font"
        )  # names may have characters of any script
        figure = _figure_class()(figsize=(width, height), layout="constrained")
        yield figure
        if path is not None:
            kind = path.suffix[1:]
            with atomic_write(path) as file:
                figure.savefig(file, format=kind, dpi=_DPI, metadata={"Date": None} if kind == "svg" else None)


def check_picture_path(path: Path | None) -> None:
    """Raises PictureError unless a file name, if any, is that of a picture, MissingExtraError without matplotlib."""
    if path is not None and path.suffix not in (".svg", ".png"):
        raise PictureError(f"{shown(str(path))} is not a picture file; give a name that ends in .svg or .png")
    check_matplotlib()


def check_matplotlib() -> None:
    """Raises MissingExtraError without matplotlib, which is not imported."""
    try:
        is_installed = find_spec("matplotlib") is not None
    except ImportError:
        is_installed = False
    if not is_installed:
        raise MissingExtraError("matplotlib", "plots")


@lru_cache(maxsize=1)
def _figure_class() -> type[Figure]:
    """Figures that notebooks display. Those of matplotlib are displayed only after its own setup for notebooks."""
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        def _repr_png_(self) -> bytes:
            content = io.BytesIO()
            self.savefig(content, format="png", dpi=_DPI)
            return content.getvalue()

    return ShownFigure


def write_noise_picture(study: NoiseStudy, path: Path) -> None:
    """A curve for each flagged mass and range of m, for gates and for readout."""
    with picture(path, 11, 4.5) as figure:
        for axes, (source, title) in zip(figure.subplots(1, 2, sharey=True), _TITLES.items(), strict=True):
            for colour, mass in zip(_COLOURS, MASSES, strict=True):
                for amplification, line in _LINES.items():
                    key = source, mass, amplification
                    row = [p for p in study.points if p.error and (p.source, p.mass, p.amplification) == key]
                    label = f"flagged mass {mass:.3f}, {_NAMES[amplification]}"
                    axes.plot([p.error for p in row], [p.advantage for p in row], line, color=colour, label=label)
            axes.axhline(1, color="#222222", linewidth=0.8)
            axes.set(xscale="log", yscale="log", xlabel=title)
        figure.axes[0].set_ylabel("queries of classical draws / queries of quantum draws")
        figure.axes[1].legend(fontsize=7)
