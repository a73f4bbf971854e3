"""From the ONNX file of a net to the Python expression that makes the same net on NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inarow.adapters.kaggle_export.assemble import text_literal
from inarow.adapters.kaggle_export.player.net import OPERATORS, Operation, packed_array
from inarow.errors import KaggleFileError, MissingExtraError

_FIXED: dict[str, dict[str, list[Any]]] = {
    "Conv": {"strides": [[1, 1]], "dilations": [[1, 1]], "group": [1], "auto_pad": [b"NOTSET"], "kernel_shape": []},
    "Gemm": {"alpha": [1.0], "beta": [1.0], "transA": [0]},
}
"""Attributes that our operators do not have, with the values that they mean anyhow; any value if there are none."""


def net_expression(path: Path) -> str:
    """A call of `NumpyNet` with the operations and weights of a file; raises KaggleFileError for other operations."""
    try:
        import onnx
        from onnx import numpy_helper
    except ImportError:
        raise MissingExtraError("onnx", "train") from None
    graph = onnx.load_model_from_string(path.read_bytes()).graph
    operations = [_operation(node, onnx.helper.get_attribute_value) for node in graph.node]
    constants = ", ".join(
        f"{constant.name!r}: ({kind!r}, {shape!r}, {text_literal(text)})"
        for constant in graph.initializer
        for kind, shape, text in [packed_array(numpy_helper.to_array(constant))]
    )
    names = {constant.name for constant in graph.initializer}
    inputs = [each.name for each in graph.input if each.name not in names]
    outputs = [each.name for each in graph.output]
    return f"NumpyNet({inputs!r}, {outputs!r}, {operations!r}, {{{constants}}})"


def _operation(node: Any, value_of: Any) -> Operation:
    if node.op_type not in OPERATORS or len(node.output) != 1:
        raise KaggleFileError(f"a net with the operation {node.op_type} cannot be exported")
    attributes = {}
    for attribute in node.attribute:
        value = value_of(attribute)
        allowed = _FIXED.get(node.op_type, {}).get(attribute.name)
        if allowed is None:
            attributes[attribute.name] = list(value) if isinstance(value, (list, tuple)) else value
        elif allowed and value not in allowed:
            raise KaggleFileError(f"{node.op_type} with {attribute.name} {value} cannot be exported")
    if node.op_type == "Conv":
        attributes.setdefault("pads", [0, 0, 0, 0])
    return node.op_type, list(node.input), node.output[0], attributes
