"""Pictures by matplotlib, which is imported only when one is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from inarow.learning.exploration.theory import MASSES, STUDIED, NoiseStudy
from inarow.storage.atomic import atomic_write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TITLES = {"gates": "error of two-qubit gates (of others a tenth)", "readout": "error of reading a qubit"}
_COLOURS = ("#1b6ca8", "#d1495b", "#3b8132", "#8a5a9e")
_LINES = dict(zip(STUDIED, ("-", "--"), strict=True))
_NAMES = {"ceil-inclusive": "m of santos-2025", "optimal": "best m"}


@contextmanager
def picture(path: Path, width: float, height: float) -> Iterator[Figure]:
    """A figure of the given size in inches, written to an .svg or .png file when the `with` block succeeds; the same
    figure gives the same bytes.
    """
    import matplotlib
    from matplotlib.figure import Figure

    kind = path.suffix[1:]
    with matplotlib.rc_context({"svg.hashsalt": "inarow", "font.size": 9}):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        with atomic_write(path) as file:
            figure.savefig(file, format=kind, dpi=150, metadata={"Date": None} if kind == "svg" else None)


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
        figure.axes[0].set_ylabel("queries of classical draws for one of quantum draws")
        figure.axes[1].legend(fontsize=7)
