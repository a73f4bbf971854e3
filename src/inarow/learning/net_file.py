"""Files of nets: an `.onnx` file with all weights and JSON metadata, run by ONNX Runtime.

Playing needs neither torch nor onnx. A file contains only data: standard operators and no references to other files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from inarow.errors import NetError, raised_as, shown
from inarow.games import GameSpec
from inarow.learning.devices import CPU, Device
from inarow.search.tree.evaluation import Evaluate, checked_answers
from inarow.storage.inputs import read_input
from inarow.version import __version__

if TYPE_CHECKING:
    from onnx import ModelProto

ANY_BOARD = "any"
_FORMAT, _VERSION = "inarow-net", 1
_METADATA = "inarow"  # the key of our metadata in an ONNX file
_MAX_BYTES = 256 << 20


class NetAbout(msgspec.Struct, frozen=True, kw_only=True):
    """The metadata of a net."""

    kind: str  # the learner that made it, which defines its inputs and outputs: deep-q, alphazero
    board: str  # a board string, or `any`
    config: dict[str, Any]  # of the training
    seed: int
    inarow: str = __version__  # the version that wrote the file
    provenance: dict[str, Any] = {}  # of the training, as JSON


class Net:
    """A loaded net: a function of arrays, on one thread of the CPU or on another device."""

    def __init__(self, content: bytes, source: str, device: Device = CPU) -> None:
        """From the bytes of a file; raises NetError, which names `source`."""
        self._session = open_session(content, source, device)
        with raised_as(NetError, f"{source} is not a net of inarow", reason="its metadata is not UTF-8"):
            metadata = self._session.get_modelmeta().custom_metadata_map
            self._inputs = [each.name for each in self._session.get_inputs()]
        self.about = _read_about(metadata, source)

    def run(self, *inputs: np.ndarray) -> list[np.ndarray]:
        """All outputs for inputs in the order of the net; its kind defines types and shapes."""
        return list(self._session.run(None, dict(zip(self._inputs, inputs, strict=True))))

    def check_board(self, spec: GameSpec) -> None:
        """Raises NetError if the net is for another board."""
        if self.about.board not in (ANY_BOARD, str(spec)):
            raise NetError(f"the net is for {self.about.board}, not for {spec}")


def net_evaluator(net: Net) -> Evaluate:
    """An AlphaZero net as an evaluator, which raises NetError if the net cannot be run or has outputs of other
    shapes.
    """

    def evaluate(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with raised_as(NetError, "the net cannot be run as an alphazero net", reason="it has other inputs or outputs"):
            logits, values = net.run(planes)
        return checked_answers(planes, logits, values)

    return evaluate


def to_bytes(model: ModelProto, about: NetAbout) -> bytes:
    """The content of a file. Not checked: the model contains its weights and no other metadata."""
    text = json.dumps({"format": _FORMAT, "version": _VERSION, **msgspec.to_builtins(about)})
    model.metadata_props.add(key=_METADATA, value=text)
    return bytes(model.SerializeToString())


def open_net(path: Path, kind: str | None = None, device: Device = CPU) -> Net:
    """The net in a file; raises NetError, also for a net of another kind if `kind` is given. Cached until the file
    changes.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise NetError(f"{path} cannot be read: {error.strerror}") from None
    net = _load(path.resolve(), status.st_mtime_ns, status.st_size, device)
    if kind is not None and net.about.kind != kind:
        raise NetError(f"{path} is a net of {shown(net.about.kind)}, not of {kind}")
    return net


@lru_cache(maxsize=8)
def _load(path: Path, changed: int, size: int, device: Device) -> Net:
    return Net(read_net(path), str(path), device)


def read_net(path: Path) -> bytes:
    """The content of a file, checked for its size only; raises NetError."""
    return read_input(path, _MAX_BYTES, NetError)


def open_session(content: bytes, source: str, device: Device = CPU) -> Any:
    """A session of ONNX Runtime for a model; raises NetError, which names `source`."""
    import onnxruntime  # slow to import

    from inarow.learning.onnx_scan import has_external_data  # slow to import, too

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    options.log_severity_level = 4  # fatal: all other problems are raised as exceptions
    reason = "it is damaged or not an ONNX model of known operators"
    with raised_as(NetError, f"{source} is not a net", reason=reason):
        if has_external_data(content):
            raise NetError(f"{source} is not a net: its weights are in another file")
        # Its fallback has no other provider to try, and prints to stdout.
        return onnxruntime.InferenceSession(content, options, providers=device.providers(), enable_fallback=0)


def _read_about(metadata: Mapping[str, str], source: str) -> NetAbout:
    if _METADATA not in metadata:
        raise NetError(f"{source} is not a net of inarow: its metadata is missing")
    reasons = msgspec.MsgspecError, ValueError, RecursionError
    with raised_as(NetError, f"{source} is not a net of inarow", *reasons):
        header = msgspec.json.decode(metadata[_METADATA], type=dict[str, Any])
        kind, version = header.pop("format", None), header.pop("version", None)
        if (kind, version) != (_FORMAT, _VERSION):
            raise NetError(f"{source} has format {kind} {version}, not {_FORMAT} {_VERSION}")
        about = msgspec.convert(header, NetAbout)
        if about.board != ANY_BOARD:
            GameSpec.parse(about.board)
        return about
