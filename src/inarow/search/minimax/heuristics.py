"""Compiled: heuristics, static evaluations of positions.

windows   open windows by their stones (paranji-2025): 0.1, 0.3, 0.8 for one, two, three of four
powers    open windows of two stones and more (gupta-shah-2022): 1000^(i-1) for i own stones, -2000^(i-1) for i others
squares   twice the largest and smallest line sum of every square, if above 1 and below -1 (santos-2025)

A window is a set of cells that a line can fill; it is open while at most one side has stones in it. A square has as
many rows and columns as a line has stones. Values are for one side, called own here, regardless of the side to move.
Complete lines are not counted: the search scores them. Users can register other heuristics: functions of a board
(`register_heuristic`), or other weights of windows.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar, overload

import numpy as np
from numba import types
from numba.extending import register_jitable

from inarow.errors import InvalidLimitError
from inarow.games import GameSpec
from inarow.games.bits import WORDS, Bits, Wide, count_cells, load, store
from inarow.games.compiled_bits import compiles
from inarow.games.kernels import compiled_layout, new_record
from inarow.games.layout import Layout
from inarow.games.rules import line_starts
from inarow.plugins import share, source_digest
from inarow.search.plugged import (
    Part,
    check_known,
    check_name,
    fill_board,
    implementation_of,
    make_part,
    part_of,
    scratch_board,
)

_MAX_INAROW = 16
_PUBLISHED_WINDOWS = {3: (20, 60), 4: (10, 30, 80)}
WINDOW_UNIT = 100.0


class WeightsRecord:
    """The parameters of a heuristic, as a record."""

    own: Annotated[np.ndarray, "f8", _MAX_INAROW + 1]  # value of an open window by its number of own stones
    other: Annotated[np.ndarray, "f8", _MAX_INAROW + 1]  # the same for stones of the other side
    side: int  # side length of a square; 0: count windows
    square: Annotated[np.ndarray, "u8", (2 * _MAX_INAROW + 2, WORDS)]  # lines of the lower left square
    lines: int  # number of lines of a square


class Heuristic(NamedTuple):
    """A heuristic on one board; kernels take `starts` and `weights`. Values are multiples of 1 / `unit`, exactly so
    for lines of up to five, so that equal positions have equal values in whatever order they are summed. The
    heuristic of a function has no starts, the NamedTuple of its part as weights, and the unit 1.
    """

    starts: Any  # four sets, one for each step of the layout: the first cells of the windows
    weights: Any  # a `WeightsRecord`, or a NamedTuple with scratch memory
    unit: float

    @property
    def part(self) -> Part | None:
        """The registered function of a user; None for a heuristic that is not a function of a board."""
        return part_of(self.weights)

    def own_copy(self) -> "Heuristic":
        """A copy with its own scratch memory, for another thread."""
        return (
            self if self.part is None else self._replace(weights=type(self.weights)(np.zeros_like(self.weights.board)))
        )


HeuristicFactory = Callable[[GameSpec, bool | None], Heuristic]
"""(spec, wide) -> heuristic; `wide` is for `window_heuristic`. Raises InvalidLimitError if it does not fit the
board.
"""


HeuristicFunction = Callable[[np.ndarray], float]
"""From a board, int8 [rows, columns] with row 0 on top, 1 for stones of one side, -1 for those of the other and 0 for
empty cells, to the value of the position for the first of these sides, regardless of the side to move: larger is
better. The game is not over."""

_FunctionT = TypeVar("_FunctionT", bound=HeuristicFunction)
_HEURISTIC = "heuristic"
LARGEST_WORTH = 1e100  # limit of the absolute value of a heuristic; forced wins and losses have larger values


def make_heuristic(name: str, spec: GameSpec, *, wide: bool | None = None) -> Heuristic:
    """The heuristic `name` for a board; raises InvalidLimitError if it does not exist or does not fit the board."""
    check_known(_HEURISTIC, name, _FACTORIES)
    return _FACTORIES[name](spec, wide)


def heuristic_names() -> tuple[str, ...]:
    """The names that `make_heuristic` accepts."""
    return tuple(_FACTORIES)


def heuristic_digest(name: str) -> str | None:
    """A digest of the source of a registered heuristic; None for one of this package."""
    if name in _BUILT_IN:
        return None
    factory = _FACTORIES[name]
    return source_digest(factory.part.function if isinstance(factory, _FunctionOfBoard) else factory)


@overload
def register_heuristic(name: str) -> Callable[[_FunctionT], _FunctionT]: ...


@overload
def register_heuristic(name: str, factory: HeuristicFactory) -> None: ...


def register_heuristic(name: str, factory: HeuristicFactory | None = None) -> Callable[[_FunctionT], _FunctionT] | None:
    """A decorator that registers a function of a board (`HeuristicFunction`) as a heuristic, also for agent strings.
    Replaces an earlier one of that name; raises InvalidLimitError for an invalid name.

    A function compiled by `numba.njit` becomes part of the compiled search. With any other function the whole search
    runs as plain Python, hundreds of times slower, with the same result. If `factory` is given, it is registered
    instead, and the return value is None.
    """
    check_name(_HEURISTIC, name, _BUILT_IN)
    if factory is None:
        return lambda function: _register_function(name, function)
    _FACTORIES[name] = factory
    share(_HEURISTIC, name, register_heuristic, name, factory)
    return None


def _register_function(name: str, function: _FunctionT) -> _FunctionT:
    _FACTORIES[name] = _FunctionOfBoard(name, function)
    share(_HEURISTIC, name, _register_function, name, function)
    return function


class _FunctionOfBoard:
    """A `HeuristicFactory` for a function of a board."""

    def __init__(self, name: str, function: HeuristicFunction) -> None:
        self.part = make_part(_HEURISTIC, name, function, _judging(function), "board")

    def __call__(self, spec: GameSpec, wide: bool | None) -> Heuristic:
        return Heuristic((), self.part.kind(scratch_board(compiled_layout(spec, wide=wide))), 1.0)


def _judging(function: Callable[..., Any]) -> Callable[..., float]:
    """The implementation of a part: the value of a position for the side with the stones `own`."""

    def judge(weights: Any, own: Bits, other: Bits, layout: Layout) -> float:
        fill_board(weights.board, own, other, layout)
        worth = float(function(weights.board))
        if not abs(worth) <= LARGEST_WORTH:
            raise ValueError("it must return a number from -1e100 to 1e100")
        return worth

    return judge


def window_heuristic(
    spec: GameSpec, own: Sequence[float], other: Sequence[float], unit: float, *, wide: bool | None = None
) -> Heuristic:
    """Counts all windows: `own[i]` and `other[i]` are the values of an open window with i stones, lines included."""
    layout = compiled_layout(spec, wide=wide)
    nothing = layout.board ^ layout.board
    starts: list[Any] = []
    for number, step in enumerate(layout.steps):  # a direction in which no line fits repeats an earlier one
        repeated = step in layout.steps[:number]
        starts.append(nothing if repeated else line_starts(layout.board, step, layout.inarow))
    weights = new_record(WeightsRecord)
    weights.own[: len(own)], weights.other[: len(other)] = own, other
    return Heuristic(tuple(starts), weights, unit)


def window_weights(inarow: int) -> list[float]:
    """Hundredths for 1 to `inarow` - 1 stones: published values for three and four in a row, else on the same curve."""
    if inarow in _PUBLISHED_WINDOWS:
        return [float(worth) for worth in _PUBLISHED_WINDOWS[inarow]]
    filled = np.arange(1, inarow) / inarow
    rounded: list[float] = np.round(np.interp(filled, (0, 1 / 4, 1 / 2, 3 / 4, 1), (0, 10, 30, 80, 130))).tolist()
    return rounded


def _squares(spec: GameSpec, wide: bool | None) -> Heuristic:
    side, stride = spec.inarow, spec.rows + 1
    if side > min(spec.rows, spec.columns):
        raise InvalidLimitError(f"the heuristic squares does not fit {spec}: it has no square of {side}x{side}")
    starts_and_steps = [
        *((place * stride, 1) for place in range(side)),
        *((place, stride) for place in range(side)),
        (0, stride + 1),
        (side - 1, stride - 1),
    ]
    heuristic = window_heuristic(spec, (), (), 1.0, wide=wide)
    weights = heuristic.weights
    weights.side, weights.lines = side, len(starts_and_steps)
    for number, (start, step) in enumerate(starts_and_steps):
        line = sum(1 << start + step * place for place in range(side))
        store(weights.square, number, Wide.from_int(line))
    return heuristic


def _powers(spec: GameSpec, wide: bool | None) -> Heuristic:
    own = [0.0, 0.0] + [1000.0 ** (stones - 1) for stones in range(2, spec.inarow)]
    other = [0.0, 0.0] + [-(2000.0 ** (stones - 1)) for stones in range(2, spec.inarow)]
    return window_heuristic(spec, own, other, 1.0, wide=wide)


def _windows(spec: GameSpec, wide: bool | None) -> Heuristic:
    own = [0.0, *window_weights(spec.inarow)]
    return window_heuristic(spec, own, [-worth for worth in own], WINDOW_UNIT, wide=wide)


_FACTORIES: dict[str, HeuristicFactory] = {"windows": _windows, "powers": _powers, "squares": _squares}
_BUILT_IN = frozenset(_FACTORIES)


# --- Kernels ---


def worth_of(own: Bits, other: Bits, starts: Any, weights: Any, layout: Layout) -> float:
    """The value of a position for the side with the stones `own`, by any heuristic."""
    if isinstance(weights, tuple):
        worth: float = implementation_of(type(weights))(weights, own, other, layout)
        return worth
    return evaluate(own, other, starts, weights, layout)


@compiles(worth_of)
def _worth_of(own: Any, other: Any, starts: Any, weights: Any, layout: Any) -> Callable[..., float]:
    if isinstance(weights, types.Record):
        return evaluate
    judge = implementation_of(weights.instance_class)
    return lambda own, other, starts, weights, layout: judge(weights, own, other, layout)


@register_jitable
def evaluate(own: Bits, other: Bits, starts: Any, weights: WeightsRecord, layout: Layout) -> float:
    """The same by a built-in heuristic."""
    if weights.side > 0:
        return _square_sum(own, other, weights, layout)
    total = 0.0
    for direction in range(4):
        total += _window_sum(own, other, starts[direction], layout.steps[direction], weights, layout)
    return total


@register_jitable
def _window_sum(own: Bits, other: Bits, starts: Bits, step: int, weights: WeightsRecord, layout: Layout) -> float:
    """The sum over the open windows of one direction, counted in parallel with bit-sliced counters."""
    own_1, own_2, own_4, own_8, own_16 = _counts(own, step, layout.inarow)
    other_1, other_2, other_4, other_8, other_16 = _counts(other, step, layout.inarow)
    own_open = starts & ~(other_1 | other_2 | other_4 | other_8 | other_16)
    other_open = starts & ~(own_1 | own_2 | own_4 | own_8 | own_16)
    total = 0.0
    for stones in range(1, layout.inarow + 1):
        if weights.own[stones] != 0.0:
            windows = own_open & _equal(own_1, own_2, own_4, own_8, own_16, stones)
            total += weights.own[stones] * count_cells(windows)
        if weights.other[stones] != 0.0:
            windows = other_open & _equal(other_1, other_2, other_4, other_8, other_16, stones)
            total += weights.other[stones] * count_cells(windows)
    return total


@register_jitable
def _counts(stones: Bits, step: int, inarow: int) -> tuple[Bits, Bits, Bits, Bits, Bits]:
    """The binary digits, lowest first, of the number of stones in every window, on the board or off it."""
    digit_1 = stones
    digit_2 = digit_4 = digit_8 = digit_16 = stones ^ stones
    for place in range(1, inarow):
        stone = stones >> (step * place)
        carry_2 = digit_1 & stone
        digit_1 = digit_1 ^ stone
        carry_4 = digit_2 & carry_2
        digit_2 = digit_2 ^ carry_2
        if inarow >= 8:
            carry_8 = digit_4 & carry_4
            carry_16 = digit_8 & carry_8
            digit_8 = digit_8 ^ carry_8
            digit_16 = digit_16 ^ carry_16
        digit_4 = digit_4 ^ carry_4
    return digit_1, digit_2, digit_4, digit_8, digit_16


@register_jitable
def _equal(digit_1: Bits, digit_2: Bits, digit_4: Bits, digit_8: Bits, digit_16: Bits, number: int) -> Bits:
    """The windows whose digits are those of `number`."""
    found = digit_1 if number & 1 else ~digit_1
    found = found & (digit_2 if number & 2 else ~digit_2)
    found = found & (digit_4 if number & 4 else ~digit_4)
    found = found & (digit_8 if number & 8 else ~digit_8)
    return found & (digit_16 if number & 16 else ~digit_16)


@register_jitable
def _square_sum(own: Bits, other: Bits, weights: WeightsRecord, layout: Layout) -> float:
    total = 0
    for column in range(layout.columns - weights.side + 1):
        for height in range(layout.rows - weights.side + 1):
            corner = column * layout.stride + height
            largest = smallest = 0
            for number in range(weights.lines):
                line = load(weights.square, number, own) << corner
                balance = count_cells(own & line) - count_cells(other & line)
                largest = max(largest, balance)
                smallest = min(smallest, balance)
            if largest > 1:
                total += 2 * largest
            if smallest < -1:
                total += 2 * smallest
    return float(total)
