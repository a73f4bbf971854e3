"""The net of deep Q-learning in portable arithmetic: the same bits on every processor.

Libraries choose their kernels by the instruction set of the processor, so their sums have different orders and
rounding. Here all sums run in the order of the code, in float32 and without fused operations; only independent sums
are vectorised. Compiled for other instruction sets, the code gives the same weights and values.

Activations are [boards, cells * channels], cell by cell; a convolution multiplies the 4x4 neighbourhoods of all cells
by a matrix [16 * channels, filters], a dense layer the cells of a board by [inputs, units].
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from inarow.games import GameSpec
from inarow.games.kernels import kernel
from inarow.learning.deep_q.config import DeepQConfig
from inarow.learning.net_file import Net, NetAbout

_SIDE, _BEFORE = 4, 1  # side of the neighbourhoods; rows and columns of them before the cell
_BETAS = 0.9, 0.999
_EPSILON = np.float32(1e-7)
_LEAK = np.float32(0.3)
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
_MOST_BOARDS = 256  # evaluated together; bounds the memory for neighbourhoods

Weights = dict[str, np.ndarray]


class Layer(NamedTuple):
    """The weights of a layer, or their gradients or moments."""

    matrix: np.ndarray  # [inputs, outputs] float32
    bias: np.ndarray  # [outputs] float32
    is_dense: bool


def to_layers(weights: Mapping[str, np.ndarray], spec: GameSpec) -> list[Layer]:
    """The layers of weights as `network.py` names and orders them."""
    layers = []
    for name in (key.removesuffix(".weight") for key in weights if key.endswith(".weight")):
        matrix, is_dense = weights[f"{name}.weight"], name.startswith("dense")
        if not is_dense:
            matrix = matrix.transpose(2, 3, 1, 0).reshape(-1, len(matrix))
        elif name == "dense0":
            matrix = matrix.reshape(len(matrix), -1, spec.cells).transpose(2, 1, 0).reshape(-1, len(matrix))
        else:
            matrix = matrix.T
        layers.append(Layer(np.array(matrix, np.float32, order="C"), weights[f"{name}.bias"].copy(), is_dense))
    return layers


def to_weights(layers: list[Layer], spec: GameSpec) -> Weights:
    """The inverse of `to_layers`."""
    weights: Weights = {}
    counts = [0, 0]
    for matrix, bias, is_dense in layers:
        name, outputs = f"{'dense' if is_dense else 'conv'}{counts[is_dense]}", len(bias)
        weight: np.ndarray
        if not is_dense:
            weight = matrix.reshape(_SIDE, _SIDE, -1, outputs).transpose(3, 2, 0, 1)
        elif counts[is_dense] == 0:
            weight = matrix.reshape(spec.cells, -1, outputs).transpose(2, 1, 0).reshape(outputs, -1)
        else:
            weight = matrix.T
        counts[is_dense] += 1
        weights[f"{name}.weight"], weights[f"{name}.bias"] = np.array(weight, order="C"), bias.copy()
    return weights


class PortableNet(Net):
    """A net that plays in portable arithmetic, without ONNX Runtime."""

    def __init__(self, weights: Mapping[str, np.ndarray], about: NetAbout) -> None:
        self.about, self._spec = about, GameSpec.parse(about.board)
        self._layers = to_layers(weights, self._spec)

    def run(self, *inputs: np.ndarray) -> list[np.ndarray]:
        (planes,) = inputs
        parts = [planes[first : first + _MOST_BOARDS] for first in range(0, len(planes), _MOST_BOARDS)]
        return [np.concatenate([forward(self._layers, part[:, 0], self._spec)[-1] for part in parts])]


class PortableTrainedNet:
    """The counterpart of `network.TrainedNet`: the same algorithm in portable arithmetic."""

    def __init__(self, config: DeepQConfig, weights: Mapping[str, np.ndarray]) -> None:
        self._config, self._spec = config, config.spec
        self._layers = to_layers(weights, self._spec)
        self._moments = [[_zeros_like(each) for each in self._layers] for _ in _BETAS]
        self._decays = np.ones(len(_BETAS))  # the powers of the betas

    def fit(self, planes: np.ndarray, targets: np.ndarray, rng: np.random.Generator) -> float:
        """Like `TrainedNet.fit`."""
        loss = 0.0
        for _ in range(self._config.epochs):
            loss = 0.0
            order = rng.permutation(len(planes))
            for first in range(0, len(order), self._config.minibatch):
                chosen = order[first : first + self._config.minibatch]
                loss += self._step(planes[chosen], targets[chosen])
        return loss / len(planes)

    def _step(self, planes: np.ndarray, targets: np.ndarray) -> float:
        """One step of the optimizer; returns the sum of squared errors before it."""
        activations = forward(self._layers, planes, self._spec)
        errors = activations[-1] - targets[:, None]
        gradients = backward(self._layers, activations, planes, errors * np.float32(2.0 / len(planes)), self._spec)
        self._decays *= _BETAS
        first, second = 1.0 - self._decays
        rate, scale = np.float32(self._config.learning_rate / first), np.float32(1.0 / np.sqrt(second))
        for layer, gradient, mean, square in zip(self._layers, gradients, *self._moments, strict=True):
            for part in range(2):
                weights, slopes, means, squares = (each[part].reshape(-1) for each in (layer, gradient, mean, square))
                adam_step(weights, slopes, means, squares, rate, scale)
        return float(_sum_of_squares(errors[:, 0]))

    def weights(self) -> Weights:
        """A copy of the weights."""
        return to_weights(self._layers, self._spec)

    def state(self) -> Weights:
        """The weights and the state of the optimizer, by name: all that `restore` needs."""
        arrays = self.weights() | {"decays": self._decays.copy()}
        for number, moments in enumerate(self._moments):
            arrays |= {f"moment{number}.{name}": each for name, each in to_weights(moments, self._spec).items()}
        return arrays

    def restore(self, state: Weights) -> None:
        names = list(self.weights())
        self._layers = to_layers({name: state[name] for name in names}, self._spec)
        for number in range(len(self._moments)):
            kept = {name: state[f"moment{number}.{name}"] for name in names}
            self._moments[number] = to_layers(kept, self._spec)
        self._decays = state["decays"].copy()


def forward(layers: list[Layer], planes: np.ndarray, spec: GameSpec) -> list[np.ndarray]:
    """The outputs of all layers for boards float32 [N, rows, columns]; those of the last one are the values [N, 1]."""
    cells, outputs = planes.reshape(len(planes), -1), []
    for number, (matrix, bias, is_dense) in enumerate(layers):
        inputs = cells if is_dense else neighbourhoods(cells, spec.rows, spec.columns)
        product = np.empty((len(inputs), len(bias)), np.float32)
        multiply(inputs, matrix, bias, product)
        if number < len(layers) - 1:
            leak(product.reshape(-1))
        cells = product.reshape(len(planes), -1)
        outputs.append(cells)
    return outputs


def backward(
    layers: list[Layer], outputs: list[np.ndarray], planes: np.ndarray, slopes: np.ndarray, spec: GameSpec
) -> list[Layer]:
    """The gradients of all weights, for the slopes [N, 1] of the loss by the values."""
    gradients = [_zeros_like(each) for each in layers]
    for number in reversed(range(len(layers))):
        matrix, bias, is_dense = layers[number]
        before = outputs[number - 1] if number else planes.reshape(len(planes), -1)
        inputs = before if is_dense else neighbourhoods(before, spec.rows, spec.columns)
        by_row = slopes.reshape(-1, len(bias))
        add_products(inputs, by_row, gradients[number].matrix, gradients[number].bias)
        if number:
            product = np.empty(inputs.shape, np.float32)
            multiply(by_row, np.ascontiguousarray(matrix.T), np.zeros(len(matrix), np.float32), product)
            slopes = product if is_dense else gathered(product, before.shape[1], spec.rows, spec.columns)
            leak_back(before.reshape(-1), slopes.reshape(-1))
    return gradients


def _zeros_like(layer: Layer) -> Layer:
    return Layer(np.zeros_like(layer.matrix), np.zeros_like(layer.bias), layer.is_dense)


def neighbourhoods(cells: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """The 4x4 neighbourhoods of all cells, 0 off the board: float32 [N * cells, 16 * channels]."""
    channels = cells.shape[1] // (rows * columns)
    found = np.zeros((len(cells) * rows * columns, _SIDE * _SIDE * channels), np.float32)
    copy_neighbourhoods(cells, found, rows, columns, channels)
    return found


def gathered(slopes: np.ndarray, width: int, rows: int, columns: int) -> np.ndarray:
    """The transpose of `neighbourhoods`: for each input the sum over the neighbourhoods that it is in."""
    sums = np.zeros((len(slopes) // (rows * columns), width), np.float32)
    add_neighbourhoods(slopes, sums, rows, columns, width // (rows * columns))
    return sums


@kernel
def copy_neighbourhoods(cells: np.ndarray, found: np.ndarray, rows: int, columns: int, channels: int) -> None:
    """Writes the neighbourhoods into zeros."""
    for board in range(len(cells)):
        for row in range(rows):
            for column in range(columns):
                place = (board * rows + row) * columns + column
                for down in range(_SIDE):
                    for right in range(_SIDE):
                        y, x = row + down - _BEFORE, column + right - _BEFORE
                        if 0 <= y < rows and 0 <= x < columns:
                            source, target = (y * columns + x) * channels, (down * _SIDE + right) * channels
                            for channel in range(channels):
                                found[place, target + channel] = cells[board, source + channel]


@kernel
def add_neighbourhoods(slopes: np.ndarray, sums: np.ndarray, rows: int, columns: int, channels: int) -> None:
    """Adds the neighbourhoods, in the order of their cells."""
    for board in range(len(sums)):
        for row in range(rows):
            for column in range(columns):
                place = (board * rows + row) * columns + column
                for down in range(_SIDE):
                    for right in range(_SIDE):
                        y, x = row + down - _BEFORE, column + right - _BEFORE
                        if 0 <= y < rows and 0 <= x < columns:
                            target, source = (y * columns + x) * channels, (down * _SIDE + right) * channels
                            for channel in range(channels):
                                sums[board, target + channel] += slopes[place, source + channel]


@kernel
def multiply(left: np.ndarray, right: np.ndarray, bias: np.ndarray, product: np.ndarray) -> None:
    """Product = left right + bias. The terms of each sum are added in their order, four per pass over a row."""
    inner, units = right.shape
    whole = inner - inner % 4
    for row in range(len(left)):
        for unit in range(units):
            product[row, unit] = bias[unit]
        for k in range(0, whole, 4):
            a, b, c, d = left[row, k], left[row, k + 1], left[row, k + 2], left[row, k + 3]
            for unit in range(units):
                total = product[row, unit] + a * right[k, unit]
                total += b * right[k + 1, unit]
                total += c * right[k + 2, unit]
                product[row, unit] = total + d * right[k + 3, unit]
        for k in range(whole, inner):
            for unit in range(units):
                product[row, unit] += left[row, k] * right[k, unit]


@kernel
def add_products(left: np.ndarray, right: np.ndarray, sums: np.ndarray, totals: np.ndarray) -> None:
    """Sums += transpose(left) right and totals += the sums of the columns of right, row by row."""
    count, inner = left.shape
    units = right.shape[1]
    whole = count - count % 4
    for k in range(inner):
        for row in range(0, whole, 4):
            a, b, c, d = left[row, k], left[row + 1, k], left[row + 2, k], left[row + 3, k]
            for unit in range(units):
                total = sums[k, unit] + a * right[row, unit]
                total += b * right[row + 1, unit]
                total += c * right[row + 2, unit]
                sums[k, unit] = total + d * right[row + 3, unit]
        for row in range(whole, count):
            for unit in range(units):
                sums[k, unit] += left[row, k] * right[row, unit]
    for row in range(count):
        for unit in range(units):
            totals[unit] += right[row, unit]


@kernel
def leak(values: np.ndarray) -> None:
    """Leaky ReLU, in place."""
    for place in range(len(values)):
        value = values[place]
        values[place] = value if value >= _ZERO else value * _LEAK


@kernel
def leak_back(outputs: np.ndarray, slopes: np.ndarray) -> None:
    """Multiplies slopes by the derivative of the leaky ReLU with these outputs."""
    for place in range(len(outputs)):
        slope = slopes[place]
        slopes[place] = slope if outputs[place] > _ZERO else slope * _LEAK


_KEPT = np.float32(_BETAS[0]), np.float32(_BETAS[1])
_ADDED = np.float32(1.0 - _BETAS[0]), np.float32(1.0 - _BETAS[1])


@kernel
def adam_step(
    weights: np.ndarray, slopes: np.ndarray, means: np.ndarray, squares: np.ndarray, rate: np.float32, scale: np.float32
) -> None:
    """A step of Adam. `rate` and `scale` (of the root of `squares`) contain the corrections of the bias."""
    for place in range(len(weights)):
        slope = slopes[place]
        mean = _KEPT[0] * means[place] + _ADDED[0] * slope
        square = _KEPT[1] * squares[place] + _ADDED[1] * slope * slope
        means[place], squares[place] = mean, square
        weights[place] -= rate * mean / (np.float32(np.sqrt(square)) * scale + _EPSILON)


@kernel
def _sum_of_squares(errors: np.ndarray) -> float:
    total = 0.0
    for error in errors:
        total += float(error) * float(error)
    return total
