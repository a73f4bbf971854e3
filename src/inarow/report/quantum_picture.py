"""The picture of a quantum draw: circuit, amplitudes, and the chance of a flagged column against m."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from inarow.errors import InvalidDrawError, shown
from inarow.learning.exploration.register import Gate, flip_gates, inverse, oracle_gates, tree_gates
from inarow.report.picture_file import picture
from inarow.report.quantum_draw import QuantumDraw

if TYPE_CHECKING:  # slow to import, so only where a picture is drawn
    from matplotlib.axes import Axes

_INK, _FLAGGED, _PLAIN, _FAINT = "#222222", "#d1495b", "#4a7ba6", "#bbbbbb"


def check_picture_path(path: Path) -> None:
    """Raises an error for what cannot become a picture."""
    if path.suffix not in (".svg", ".png"):
        raise InvalidDrawError(f"{shown(path.name)} is no .svg or .png file")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent}")


def write_picture(draw: QuantumDraw, path: Path) -> None:
    """Draws the circuit with its first step over amplitudes and chances; the same file for the same draw."""
    width = max(11.0, 0.36 * sum(len(gates) for _, gates in _parts(draw)))
    with picture(path, width, 6) as figure:
        grid = figure.add_gridspec(2, 2, height_ratios=(1, 1.1))
        _draw_circuit(figure.add_subplot(grid[0, :]), draw)
        _draw_amplitudes(figure.add_subplot(grid[1, 0]), draw)
        _draw_chances(figure.add_subplot(grid[1, 1]), draw)


def _parts(draw: QuantumDraw) -> list[tuple[str, list[Gate]]]:
    """The preparation, and one step if there is any."""
    register, tree = draw.register, tree_gates(draw.register)
    parts = [("U", tree)]
    if draw.m:
        mirror = flip_gates(0, register.qubits)
        parts += [("flags", oracle_gates(register)), ("U+", inverse(tree)), ("D0", mirror), ("U", tree)]
    return parts


def _draw_circuit(axes: Axes, draw: QuantumDraw) -> None:
    qubits = draw.register.qubits
    place, step_start = 0.0, 0.0
    for number, (title, gates) in enumerate(_parts(draw)):
        start = place + 1
        step_start = start if number == 1 else step_start
        for gate in gates:
            place += 1
            _draw_gate(axes, gate, place)
        axes.text((start + place) / 2, qubits - 0.35, title, ha="center", va="bottom", color=_INK)
        place += 0.4
    if draw.m:
        axes.plot([step_start - 0.4, place], [-0.6, -0.6], color=_INK, linewidth=1)
        times = "one step" if draw.m == 1 else f"a step, taken {draw.m} times"
        axes.text((step_start + place) / 2, -0.7, times, ha="center", va="top", color=_INK)
    for qubit in range(qubits):
        axes.plot([0.2, place + 0.6], [qubit, qubit], color=_FAINT, zorder=0, linewidth=1)
        axes.text(0.1, qubit, f"q{qubit}", ha="right", va="center")
        axes.text(place + 0.7, qubit, "measure", ha="left", va="center", fontsize=7)
    axes.set_xlim(-0.5, place + 2)
    axes.set_ylim(-1.1, qubits)
    axes.axis("off")


def _draw_gate(axes: Axes, gate: Gate, place: float) -> None:
    if gate.controls:
        axes.plot([place] * 2, [gate.target, max(gate.controls)], color=_INK, linewidth=1, zorder=1)
    for control, value in zip(gate.controls, gate.values, strict=True):
        axes.plot(place, control, "o", color=_INK, markerfacecolor=_INK if value else "white", markersize=5, zorder=3)
    label = f"Y\n{gate.angle + 0.0:.2f}" if gate.kind == "ry" else gate.kind.upper()
    box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": _INK, "linewidth": 0.8}
    axes.text(place, gate.target, label, ha="center", va="center", fontsize=6.5, bbox=box, zorder=2)


def _draw_amplitudes(axes: Axes, draw: QuantumDraw) -> None:
    places = np.arange(len(draw.register.actions))
    colours = [_FLAGGED if action in draw.flags else _PLAIN for action in draw.register.actions]
    axes.bar(places - 0.2, draw.before[: len(places)], 0.36, color=colours, alpha=0.4)
    axes.bar(places + 0.2, draw.after[: len(places)], 0.36, color=colours)
    axes.axhline(0, color=_INK, linewidth=0.8)
    axes.set_xticks(places, [str(action + 1) for action in draw.register.actions])
    axes.set_xlabel("column (flagged ones red)")
    axes.set_title(f"amplitudes before (pale) and after {draw.m} step{'' if draw.m == 1 else 's'}", fontsize=9)


def _draw_chances(axes: Axes, draw: QuantumDraw) -> None:
    from matplotlib.ticker import MaxNLocator

    chances = draw.successes()
    published = draw.published_range + 1
    axes.axvspan(-0.3, published - 0.7, color=_FAINT, alpha=0.3, linewidth=0)
    axes.plot(range(len(chances)), chances, "o-", color=_PLAIN, markersize=4, linewidth=1)
    axes.plot(draw.m, chances[draw.m], "o", color=_FLAGGED, markersize=7)
    axes.axhline(draw.mass, color=_INK, linewidth=0.8, linestyle=":")
    axes.set_ylim(0, 1.05)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("m (grey: the range of santos-2025)")
    axes.set_title("chance of a flagged column (dotted: a plain draw)", fontsize=9)
