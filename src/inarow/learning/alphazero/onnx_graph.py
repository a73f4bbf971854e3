"""The network as an ONNX graph: built node by node, with normalisation folded into the convolutions.

That takes milliseconds, where an exporter that traces takes seconds, and a net is published every few.
Batch, rows and columns are free; a batch has boards of one size.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper, load_from_string, numpy_helper

from inarow.errors import NetError
from inarow.learning.alphazero.config import NetworkConfig
from inarow.learning.pretrained import find_net, net_path
from inarow.search.tree.planes import PLANES
from inarow.storage.atomic import content_hash

Weights = Mapping[str, np.ndarray]  # the state of a `Network`, by torch's names

_OPSET, _IR_VERSION = 17, 8
_NORM_EPSILON = 1e-5


def to_onnx(weights: Weights) -> ModelProto:
    """The graph: input `planes`, outputs `logits` and `values`; see `evaluator.py`."""
    graph = _Graph(weights)
    cells = graph.add("Relu", graph.convolution("planes", "stem"))
    for number in range(size_of(weights)[1]):
        inner = graph.add("Relu", graph.convolution(cells, f"blocks.{number}.first"))
        cells = graph.add("Relu", graph.add("Add", cells, graph.convolution(inner, f"blocks.{number}.second")))
    policy = graph.add("Relu", graph.convolution(cells, "policy"))
    logit = graph.add("Conv", policy, graph.constant("policy_logit.weight"), graph.constant("policy_logit.bias"))
    graph.add("Squeeze", logit, graph.constant("axis", np.array([1])), output="logits")
    value = graph.add("Relu", graph.convolution(cells, "value"))
    pooled = graph.add("Concat", graph.add("GlobalAveragePool", value), graph.add("GlobalMaxPool", value), axis=1)
    units = graph.add("Relu", graph.linear(graph.add("Flatten", pooled, axis=1), "value_units"))
    half = graph.add("Mul", graph.linear(units, "value_logit"), graph.constant("half", np.float32(0.5)))
    graph.add("Squeeze", graph.add("Tanh", half), graph.constant("axis"), output="values")
    return graph.model()


def from_onnx(content: bytes) -> dict[str, np.ndarray]:
    """The weights in a file that `to_onnx` made, by torch's names. What was folded in stays folded: norms have a mean
    of zero and a variance of one. Of another file, whatever weights it has.
    """
    weights: dict[str, np.ndarray] = {}
    for tensor in load_from_string(content).graph.initializer:
        part, _, name = tensor.name.rpartition(".")
        array = numpy_helper.to_array(tensor)
        if name == "kernel":
            channels = len(array)
            weights[f"{part}.convolution.weight"] = array
            weights[f"{part}.norm.weight"] = np.ones(channels, np.float32)
            weights[f"{part}.norm.running_mean"] = np.zeros(channels, np.float32)
            weights[f"{part}.norm.running_var"] = np.full(channels, 1 - _NORM_EPSILON, np.float32)
        elif name == "bias" and f"{part}.convolution.weight" in weights:
            weights[f"{part}.norm.bias"] = array
        elif part:
            weights[tensor.name] = array
    return weights


def size_of(weights: Weights) -> tuple[int, int]:
    """Channels and blocks; 0 channels if these are not weights of a `Network`."""
    blocks = sum(name.endswith("first.convolution.weight") for name in weights)
    return len(weights.get("stem.convolution.weight", ())), blocks


def read_start(name: str, network: NetworkConfig) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The weights of a net, a file or one that ships with inarow, and their provenance. Raises NetError, also if the
    net is not of the size of `network`.
    """
    path = net_path(name)
    about = find_net(name).about
    weights = from_onnx(path.read_bytes())
    channels, blocks = size_of(weights)
    if (channels, blocks) != (network.channels, network.blocks):
        raise NetError(
            f"the net {name} has {channels} channels and {blocks} blocks; "
            f"set network.channels={channels} and network.blocks={blocks} to begin with it"
        )
    return weights, {"net": name, "content": content_hash(path, NetError), **about.provenance}


class _Graph:
    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: dict[str, np.ndarray] = {}

    def add(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """Adds a node; the name of its output."""
        name = output or f"{operator.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def constant(self, name: str, array: Any = None) -> str:
        """A constant by its name: the array given, or one of the weights."""
        if name not in self._constants:
            self._constants[name] = np.asarray(self._weights[name] if array is None else array)
        return name

    def convolution(self, cells: str, part: str) -> str:
        """Of a `NormedConvolution`, with its normalisation folded in."""
        weights = {
            name: self._weights[f"{part}.norm.{name}"] for name in ("weight", "bias", "running_mean", "running_var")
        }
        scale = weights["weight"] / np.sqrt(weights["running_var"] + _NORM_EPSILON)
        kernel = self._weights[f"{part}.convolution.weight"] * scale[:, None, None, None]
        bias = weights["bias"] - weights["running_mean"] * scale
        width = kernel.shape[2]
        return self.add(
            "Conv",
            cells,
            self.constant(f"{part}.kernel", kernel.astype(np.float32)),
            self.constant(f"{part}.bias", bias.astype(np.float32)),
            kernel_shape=[width, width],
            pads=[width // 2] * 4,
        )

    def linear(self, units: str, part: str) -> str:
        return self.add("Gemm", units, self.constant(f"{part}.weight"), self.constant(f"{part}.bias"), transB=1)

    def model(self) -> ModelProto:
        board = ["n", "rows", "columns"]
        graph = helper.make_graph(
            self._nodes,
            "alphazero",
            [helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["n", PLANES, "rows", "columns"])],
            [
                helper.make_tensor_value_info("logits", TensorProto.FLOAT, board),
                helper.make_tensor_value_info("values", TensorProto.FLOAT, ["n"]),
            ],
            [numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in self._constants.items()],
        )
        opset = helper.make_opsetid("", _OPSET)
        return helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION, producer_name="inarow")
