"""Finds tensors that an ONNX model stores in other files, before a runtime loads the model.

ONNX Runtime resolves such references against the working directory, even for a model passed as bytes. The messages
below are the parts of onnx.proto that can contain a tensor; everything else is skipped.
"""

from functools import lru_cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message

_TENSOR = "TensorProto"
_MESSAGES = {  # name: {field number: (field name, message type)}
    "ModelProto": {7: ("graph", "GraphProto"), 25: ("functions", "FunctionProto")},
    "FunctionProto": {7: ("node", "NodeProto"), 11: ("attribute_proto", "AttributeProto")},
    "GraphProto": {
        1: ("node", "NodeProto"),
        5: ("initializer", _TENSOR),
        15: ("sparse_initializer", "SparseTensorProto"),
    },
    "NodeProto": {5: ("attribute", "AttributeProto")},
    "AttributeProto": {
        5: ("t", _TENSOR),
        6: ("g", "GraphProto"),
        10: ("tensors", _TENSOR),
        11: ("graphs", "GraphProto"),
        22: ("sparse_tensor", "SparseTensorProto"),
        23: ("sparse_tensors", "SparseTensorProto"),
    },
    "SparseTensorProto": {1: ("values", _TENSOR), 2: ("indices", _TENSOR)},
    _TENSOR: {13: ("external_data", "StringStringEntryProto")},
    "StringStringEntryProto": {},
}
_LOCATION = 14  # of a tensor: 0 inside the file


def has_external_data(content: bytes) -> bool:
    """Whether any tensor of a serialised model refers to external data; raises ValueError if the content is not a
    serialised message.
    """
    model = _model_class()()
    try:
        model.ParseFromString(content)
    except (DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    return _refers_outside(model)


def _refers_outside(message: Message) -> bool:
    if message.DESCRIPTOR.name == _TENSOR:
        return bool(message.external_data or message.data_location)
    return any(_refers_outside(part) for _, parts in message.ListFields() for part in parts)


@lru_cache(maxsize=1)
def _model_class() -> Any:
    """A message class with the fields above, all repeated: a parser reads single values as lists of one."""
    file = descriptor_pb2.FileDescriptorProto(name="inarow/onnx_scan.proto", package="inarow_onnx", syntax="proto2")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, (field, kind) in fields.items():
            message.field.add(name=field, number=number, label=3, type=11, type_name=f".inarow_onnx.{kind}")
        if name == _TENSOR:
            message.field.add(name="data_location", number=_LOCATION, label=1, type=5)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("inarow_onnx.ModelProto"))
