"""From weights to ONNX: the graph is built directly, which takes milliseconds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from onnx import ModelProto, TensorProto, helper, load_model_from_string, numpy_helper

from inarow.games.spec import GameSpec
from inarow.learning.deep_q.layers import LEAK, PADDING, SIDE

_OPSET, _IR_VERSION = 17, 8
"""Old enough for every ONNX Runtime that the package allows."""


def to_model(weights: Mapping[str, np.ndarray], spec: GameSpec) -> ModelProto:
    """From `planes`, float32 [N, 1, rows, columns], to `values`, float32 [N, 1]; `layers.py` names the weights."""
    nodes = []
    current = "planes"
    convolutions = sum(name.startswith("conv") for name in weights) // 2
    dense = len(weights) // 2 - convolutions
    for number in range(convolutions):
        names = [current, f"conv{number}.weight", f"conv{number}.bias"]
        before, after = PADDING
        pads = [before, before, after, after]
        nodes.append(helper.make_node("Conv", names, [f"sum{number}"], kernel_shape=[SIDE, SIDE], pads=pads))
        nodes.append(helper.make_node("LeakyRelu", [f"sum{number}"], [f"cells{number}"], alpha=LEAK))
        current = f"cells{number}"
    nodes.append(helper.make_node("Flatten", [current], ["flat"]))
    current = "flat"
    for number in range(dense):
        is_last = number + 1 == dense
        result = "values" if is_last else f"dense_sum{number}"
        names = [current, f"dense{number}.weight", f"dense{number}.bias"]
        nodes.append(helper.make_node("Gemm", names, [result], transB=1))
        if not is_last:
            nodes.append(helper.make_node("LeakyRelu", [result], [f"dense_out{number}"], alpha=LEAK))
            current = f"dense_out{number}"
    graph = helper.make_graph(
        nodes,
        "deep-q",
        [helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["positions", 1, spec.rows, spec.columns])],
        [helper.make_tensor_value_info("values", TensorProto.FLOAT, ["positions", 1])],
        [numpy_helper.from_array(np.ascontiguousarray(array), name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)


def read_model(content: bytes) -> ModelProto:
    """The model in the bytes of a file, without metadata: what `net_file.to_bytes` takes."""
    model = load_model_from_string(content)
    del model.metadata_props[:]
    return model
