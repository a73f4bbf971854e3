"""One quantum draw: its parsed input, its results, and its picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from inarow.errors import InvalidDrawError, shown
from inarow.learning.exploration import register as circuit
from inarow.learning.exploration.selection import CEIL_INCLUSIVE, LEAST_MASS, OPTIMAL, amplification_range, mass_of
from inarow.learning.exploration.theory import success
from inarow.report.pictures import check_matplotlib, picture

if TYPE_CHECKING:  # slow to import, so only where a picture is drawn
    from matplotlib.axes import Axes

_FULL, _MOST_COLUMNS, _MOST_STEPS = "-", 16, 100
_ROUNDED = 1e-2  # tolerance for the sum of probabilities that users type
_INK, _FLAGGED, _PLAIN, _FAINT = "#222222", "#d1495b", "#4a7ba6", "#bbbbbb"


@dataclass(frozen=True, slots=True)
class QuantumDraw:
    """A decision with m steps of amplification."""

    probabilities: np.ndarray  # by column, summing to 1; 0 in full columns
    flags: tuple[int, ...]  # columns, counted from 0
    register: circuit.Register
    m: int
    mass: float  # of the flagged columns
    published_range: int  # k: santos-2025 draws m from 0..k
    best_m: int
    before: np.ndarray  # amplitudes of the register
    after: np.ndarray

    def successes(self) -> list[float]:
        """The probability of a flagged action after 0, 1, 2, ... steps, over the range and past its first peak."""
        last = max(self.m, self.published_range, 2 * self.best_m + 1, 4)
        return [float(success(self.mass, m)) for m in range(min(last, _MOST_STEPS) + 1)]

    def document(self) -> dict[str, Any]:
        """All results as JSON; columns are counted from 1."""
        return {
            "columns": [action + 1 for action in self.register.actions],
            "flags": [action + 1 for action in self.flags],
            "qubits": self.register.qubits,
            "mass": self.mass,
            "k": self.published_range,
            "best_m": self.best_m,
            "m": self.m,
            "before": self._places(self.before),
            "after": self._places(self.after),
            "success": self.successes(),
        }

    def _places(self, state: np.ndarray) -> list[dict[str, float]]:
        return [
            {"column": action + 1, "amplitude": float(state[place]), "probability": float(state[place] ** 2)}
            for place, action in enumerate(self.register.actions)
        ]


def parse_draw(probabilities: str, flags: str, m: int | None) -> QuantumDraw:
    """From `0.2,-,0.8`, where - is a full column, and columns counted from 1; the default of m is the best one.
    Raises InvalidDrawError.
    """
    words = [word.strip() for word in probabilities.split(",")]
    if len(words) > _MOST_COLUMNS:
        raise InvalidDrawError(f"{len(words)} probabilities are too many; boards have at most {_MOST_COLUMNS} columns")
    legal = [column for column, word in enumerate(words) if word != _FULL]
    values = np.zeros(len(words))
    values[legal] = [_probability(words[column]) for column in legal]
    if abs(values.sum() - 1) > _ROUNDED:
        raise InvalidDrawError(f"the probabilities sum to {values.sum():g}; they must sum to 1")
    values /= values.sum()
    flagged = _columns(flags, legal, len(words))
    register = circuit.lay_out(values, _bits(legal), _bits(flagged))
    mass = float(mass_of(values, _bits(flagged)))
    if mass < LEAST_MASS:
        raise InvalidDrawError("the flagged columns have probability 0 and cannot be amplified")
    best, published = amplification_range(mass, OPTIMAL)[0], amplification_range(mass, CEIL_INCLUSIVE)[1]
    m = min(best, _MOST_STEPS) if m is None else m
    if not 0 <= m <= _MOST_STEPS:
        raise InvalidDrawError(f"m is {m}; it must be 0 to {_MOST_STEPS}")
    before, after = (circuit.amplitudes(register, steps) for steps in (0, m))
    return QuantumDraw(values, tuple(flagged), register, m, mass, published, best, before, after)


def _probability(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise InvalidDrawError(f"{shown(word)} is not a probability; give numbers from 0 to 1, - for a full column")
    return value


def _columns(text: str, legal: Sequence[int], columns: int) -> list[int]:
    chosen = set()
    for word in text.split(","):
        column = int(word) - 1 if word.strip().isascii() and word.strip().isdigit() else -1
        if not 0 <= column < columns:
            raise InvalidDrawError(f"{shown(word)} is not a column; columns are 1 to {columns}")
        if column not in legal:
            raise InvalidDrawError(f"column {column + 1} is full and cannot be flagged")
        chosen.add(column)
    return sorted(chosen)


def _bits(actions: Sequence[int]) -> int:
    return sum(1 << action for action in actions)


def check_picture_path(path: Path) -> None:
    """Raises InvalidDrawError, FileNotFoundError or MissingExtraError unless a picture can be written to the path."""
    if path.suffix not in (".svg", ".png"):
        raise InvalidDrawError(f"{shown(path.name)} is not an .svg or .png file")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent}")
    check_matplotlib()


def write_picture(draw: QuantumDraw, path: Path) -> None:
    """Draws the circuit with its first step above amplitudes and probabilities; the same file for the same draw."""
    width = max(11.0, 0.36 * sum(len(gates) for _, gates in _parts(draw)))
    with picture(path, width, 6) as figure:
        grid = figure.add_gridspec(2, 2, height_ratios=(1, 1.1))
        _draw_circuit(figure.add_subplot(grid[0, :]), draw)
        _draw_amplitudes(figure.add_subplot(grid[1, 0]), draw)
        _draw_chances(figure.add_subplot(grid[1, 1]), draw)


def _parts(draw: QuantumDraw) -> list[tuple[str, list[circuit.Gate]]]:
    """The preparation, and one step if m > 0."""
    register, tree = draw.register, circuit.tree_gates(draw.register)
    parts = [("U", tree)]
    if draw.m:
        mirror = circuit.flip_gates(0, register.qubits)
        parts += [("flags", circuit.oracle_gates(register)), ("U+", circuit.inverse(tree)), ("D0", mirror), ("U", tree)]
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
        times = "one step" if draw.m == 1 else f"a step, repeated {draw.m} times"
        axes.text((step_start + place) / 2, -0.7, times, ha="center", va="top", color=_INK)
    for qubit in range(qubits):
        axes.plot([0.2, place + 0.6], [qubit, qubit], color=_FAINT, zorder=0, linewidth=1)
        axes.text(0.1, qubit, f"q{qubit}", ha="right", va="center")
        axes.text(place + 0.7, qubit, "measure", ha="left", va="center", fontsize=7)
    axes.set(xlim=(-0.5, place + 2), ylim=(-1.1, qubits))
    axes.axis("off")


def _draw_gate(axes: Axes, gate: circuit.Gate, place: float) -> None:
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
    axes.set_xlabel("column (flagged: red)")
    axes.set_title(f"amplitudes before (light) and after {draw.m} step{'' if draw.m == 1 else 's'}", fontsize=9)


def _draw_chances(axes: Axes, draw: QuantumDraw) -> None:
    from matplotlib.ticker import MaxNLocator

    chances = draw.successes()
    axes.axvspan(-0.3, draw.published_range + 0.3, color=_FAINT, alpha=0.3, linewidth=0)
    axes.plot(range(len(chances)), chances, "o-", color=_PLAIN, markersize=4, linewidth=1)
    axes.plot(draw.m, chances[draw.m], "o", color=_FLAGGED, markersize=7)
    axes.axhline(draw.mass, color=_INK, linewidth=0.8, linestyle=":")
    axes.set(ylim=(0, 1.05), xlabel="m (grey: the range of santos-2025)")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title("probability of a flagged column (dotted: a plain draw)", fontsize=9)
