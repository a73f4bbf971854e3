"""The network as an ONNX graph: built node by node, with normalisation folded into the convolutions.

That takes milliseconds; a tracing exporter takes seconds, and a net is published every few seconds. The sizes of
batch, rows and columns are dynamic; a batch has boards of one size.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper, load_from_string, numpy_helper

from inarow.errors import NetError
from inarow.learning.alphazero.config import NetworkConfig
from inarow.learning.net_file import read_net
from inarow.learning.pretrained import find_net, net_path
from inarow.search.tree.evaluation import PLANES
from inarow.storage.atomic import content_hash

Weights = Mapping[str, np.ndarray]  # by torch's names
Shapes = Mapping[str, Sequence[str | int]]  # of inputs or outputs by name; a string in a shape is a dynamic size

_OPSET, _IR_VERSION = 17, 8  # supported by every allowed version of ONNX Runtime
NORM_EPSILON = 1e-5


def to_onnx(weights: Weights) -> ModelProto:
    """The graph: input `planes`, outputs `logits` and `values`; see `net_file.net_evaluator`."""
    graph = Graph(weights)
    cells = graph.add("Relu", graph.convolution("planes", "stem"))
    for number in range(size_of(weights)[1]):
        inner = graph.add("Relu", graph.convolution(cells, f"blocks.{number}.first"))
        cells = graph.add("Relu", graph.add("Add", cells, graph.convolution(inner, f"blocks.{number}.second")))
    policy = graph.add("Relu", graph.convolution(cells, "policy"))
    logit = graph.layer("Conv", policy, "policy_logit")
    graph.add("Squeeze", logit, graph.constant("axis", np.array([1])), output="logits")
    value = graph.add("Relu", graph.convolution(cells, "value"))
    pooled = graph.add("Concat", graph.add("GlobalAveragePool", value), graph.add("GlobalMaxPool", value), axis=1)
    units = graph.add("Relu", graph.layer("Gemm", graph.add("Flatten", pooled, axis=1), "value_units", transB=1))
    half = graph.add(
        "Mul", graph.layer("Gemm", units, "value_logit", transB=1), graph.constant("half", np.float32(0.5))
    )
    graph.add("Squeeze", graph.add("Tanh", half), graph.constant("axis"), output="values")
    answers: Shapes = {"logits": ["n", "rows", "columns"], "values": ["n"]}
    return graph.model("alphazero", {"planes": ["n", PLANES, "rows", "columns"]}, answers)


def from_onnx(content: bytes) -> dict[str, np.ndarray]:
    """The weights in a file of `to_onnx`, by torch's names. Normalisation stays folded in: mean 0, variance 1."""
    weights: dict[str, np.ndarray] = {}
    for tensor in load_from_string(content).graph.initializer:
        part, _, name = tensor.name.rpartition(".")
        array = numpy_helper.to_array(tensor)
        if name == "kernel":
            channels = len(array)
            weights[f"{part}.convolution.weight"] = array
            weights[f"{part}.norm.weight"] = np.ones(channels, np.float32)
            weights[f"{part}.norm.running_mean"] = np.zeros(channels, np.float32)
            weights[f"{part}.norm.running_var"] = np.full(channels, 1 - NORM_EPSILON, np.float32)
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
    """The weights of a net and their provenance; raises NetError, also if its size is not that of `network`."""
    path = net_path(name)
    about = find_net(name).about
    made = about.config.get("network", {})
    if (module := made.get("module")) is not None:
        raise NetError(f"the net {name} is of the network {module}; start only accepts nets of inarow's own network")
    if (kind := made.get("kind", "residual")) != "residual":
        raise NetError(f"the net {name} is of a {kind} network; start only accepts nets of a residual network")
    weights = from_onnx(read_net(path))
    channels, blocks = size_of(weights)
    if (channels, blocks) != (network.channels, network.blocks):
        raise NetError(
            f"the net {name} has {channels} channels and {blocks} blocks; "
            f"set network.channels={channels} and network.blocks={blocks} to start with it"
        )
    return weights, {"net": name, "content": content_hash(path, NetError), **about.provenance}


class Graph:
    """An ONNX graph, built node by node from the weights of a net."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._nodes: list[Any] = []
        self._constants: dict[str, np.ndarray] = {}

    def add(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        """Adds a node; returns the name of its output."""
        name = output or f"{operator.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def constant(self, name: str, array: Any = None) -> str:
        """Adds a constant, `array` or one of the weights; returns its name."""
        if name not in self._constants:
            self._constants[name] = np.asarray(self._weights[name] if array is None else array)
        return name

    def convolution(self, cells: str, part: str) -> str:
        """Adds a `NormedConvolution` with its normalisation folded in; returns the name of its output."""
        names = ("weight", "bias", "running_mean", "running_var")
        weight, bias, mean, variance = (self._weights[f"{part}.norm.{name}"] for name in names)
        scale = weight / np.sqrt(variance + NORM_EPSILON)
        kernel = self._weights[f"{part}.convolution.weight"] * scale[:, None, None, None]
        width = kernel.shape[2]
        inputs = (
            self.constant(f"{part}.kernel", kernel.astype(np.float32)),
            self.constant(f"{part}.bias", (bias - mean * scale).astype(np.float32)),
        )
        return self.add("Conv", cells, *inputs, kernel_shape=[width, width], pads=[width // 2] * 4)

    def layer(self, operator: str, cells: str, part: str, output: str | None = None, **attributes: Any) -> str:
        """Adds a node with a weight and a bias; returns the name of its output."""
        parts = self.constant(f"{part}.weight"), self.constant(f"{part}.bias")
        return self.add(operator, cells, *parts, output=output, **attributes)

    def model(self, name: str, inputs: Shapes, outputs: Shapes) -> ModelProto:
        """The model, with inputs and outputs of float32."""
        first, last = (
            [helper.make_tensor_value_info(key, TensorProto.FLOAT, each[key]) for key in each]
            for each in (inputs, outputs)
        )
        arrays = [numpy_helper.from_array(np.ascontiguousarray(each), key) for key, each in self._constants.items()]
        graph = helper.make_graph(self._nodes, name, first, last, arrays)
        opset = helper.make_opsetid("", _OPSET)
        return helper.make_model(graph, opset_imports=[opset], ir_version=_IR_VERSION, producer_name="inarow")
