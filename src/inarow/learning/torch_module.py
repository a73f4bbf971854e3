"""Torch networks that learners train: their own and modules of the user.

Torch needs seconds to export a user's module. Therefore the graph is exported once; for every later net its
initialisers are replaced by the current weights.
"""

import contextlib
import copy
import inspect
import io
import logging
import warnings
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Self

import numpy as np
import torch
from onnx import ModelProto, numpy_helper
from torch import Tensor, nn

from inarow.errors import MissingExtraError, NetError, one_line, raised_as
from inarow.games import GameSpec
from inarow.learning.learner import NetworkFactory
from inarow.learning.net_file import open_session

Weights = Mapping[str, np.ndarray]  # by torch's names

_OPSET = 18  # the oldest that the exporter writes
_TOLERANCE = 1e-4  # between torch and ONNX Runtime
_INPUT = "planes"


class TrainableNetwork(nn.Module):
    """A network that a learner trains: a torch module with an ONNX graph for play."""

    memory_format = torch.channels_last  # of weights and inputs in training

    @abstractmethod
    def to_model(self, weights: Weights) -> ModelProto:
        """The ONNX graph with these weights, by their names in the state; missing weights keep their current values."""


# --- Modules of the user ---


class CustomNetwork(TrainableNetwork):
    """A user's module on one board. Subclasses define its outputs.

    In evaluation mode their `forward` returns the outputs of the graph, in order.
    """

    memory_format = torch.contiguous_format  # with any other, `view` fails in modules that work elsewhere
    outputs: Sequence[str]  # names of the outputs of the graph

    def __init__(self, module: nn.Module, examples: np.ndarray) -> None:
        """`examples` are inputs, float32 [n, planes, rows, columns]. Raises NetError if the outputs of the module for
        them are invalid, if it has no parameters, or if it cannot be exported.
        """
        super().__init__()
        self.module, self.name = module, type(module).__name__
        if not any(parameter.requires_grad for parameter in module.parameters()):
            raise NetError(f"the network {self.name} has no parameters to train")
        if other := {tensor.dtype for tensor in _floats(module.state_dict())} - {torch.float32}:
            raise NetError(f"the network {self.name} has weights of {min(map(str, other))}; they must be float32")
        self.eval()
        inputs = torch.from_numpy(examples)
        with torch.no_grad():
            self.check(inputs, self._answered(inputs))
        self._export = _Export(copy.deepcopy(self), inputs, self.outputs)

    @classmethod
    def make(cls, factory: NetworkFactory, examples: np.ndarray, spec: GameSpec) -> Self:
        """Calls the factory with the keyword arguments `planes`, the number of input planes, and `spec`, the board, if
        it accepts them. Raises NetError like `__init__`, and the errors of the factory.
        """
        if isinstance(factory, nn.Module):
            name = type(factory).__name__
            raise NetError(f"network is a module; pass a class or function that returns one: network={name}")
        offered = {"planes": examples.shape[1], "spec": spec}
        parameters = inspect.signature(factory).parameters
        takes_all = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
        module = factory(**{name: value for name, value in offered.items() if takes_all or name in parameters})
        if not isinstance(module, nn.Module):
            raise NetError(f"network must return a torch.nn.Module, not {type(module).__name__}")
        return cls(module, examples)

    @abstractmethod
    def check(self, inputs: Tensor, answers: object) -> None:
        """Raises NetError if the outputs of the module are invalid."""

    def to_model(self, weights: Weights) -> ModelProto:
        present = {name: tensor.detach().cpu() for name, tensor in self.state_dict().items()}
        return self._export.model({**present, **{name: torch.from_numpy(array) for name, array in weights.items()}})

    def _answered(self, inputs: Tensor) -> object:
        try:
            return self.module(inputs)
        except Exception as error:
            shape = tuple(inputs.shape)
            raise NetError(f"the network {self.name} fails on an input of shape {shape}: {one_line(error)}") from error


# --- The graph ---


class _Export:
    """The graph of a network: exported once, if its weights can be replaced by name, and otherwise each time."""

    def __init__(self, network: CustomNetwork, inputs: Tensor, outputs: Sequence[str]) -> None:
        """`network` must be on the CPU; the caller must not use it afterwards."""
        self._network, self._inputs, self._outputs = network.eval(), inputs, list(outputs)
        self._kept: ModelProto | None = None
        model = self._exported()
        self._check(model)
        if self._has_all_weights(model):
            self._kept = model

    def model(self, state: Mapping[str, Tensor]) -> ModelProto:
        """The graph with the tensors of a state. Raises NetError if ONNX Runtime and torch disagree."""
        self._network.load_state_dict(state)
        if self._kept is not None:
            model = _with_weights(self._kept, state)
            if self._difference(model) <= _TOLERANCE:
                return model
        model = self._exported()
        self._check(model)
        return model

    def _exported(self) -> ModelProto:
        name = self._network.name
        # With fewer than two boards, the size of the batch would be fixed.
        with raised_as(NetError, f"the network {name} cannot be exported to ONNX"), _silence():
            try:
                program = torch.onnx.export(
                    self._network,
                    (self._inputs,),
                    input_names=[_INPUT],
                    output_names=self._outputs,
                    dynamic_shapes=({0: "n"},),
                    opset_version=_OPSET,
                    dynamo=True,
                    optimize=False,  # optimising would fold weights into each other
                    verbose=False,
                )
            except ModuleNotFoundError as error:
                if error.name != "onnxscript":
                    raise
                raise MissingExtraError("onnxscript", "train") from None
            assert program is not None
            return _plain(program.model_proto)

    def _has_all_weights(self, model: ModelProto) -> bool:
        """Whether every tensor that training changes is an initialiser of the graph, under its own name."""
        known = {tensor.name for tensor in model.graph.initializer}
        names: dict[int, set[str]] = {}
        for name, tensor in self._network.state_dict(keep_vars=True).items():
            if tensor.is_floating_point():
                names.setdefault(id(tensor), set()).add(name)
        return all(each & known for each in names.values())

    def _check(self, model: ModelProto) -> None:
        if (difference := self._difference(model)) > _TOLERANCE:
            name = self._network.name
            raise NetError(f"the network {name} has other outputs in ONNX Runtime than in torch, by {difference:.2g}")

    def _difference(self, model: ModelProto) -> float:
        """The largest difference between the outputs of torch and of ONNX Runtime; relative for outputs above 1."""
        with torch.no_grad():
            expected = self._network(self._inputs)
        expected = expected if isinstance(expected, tuple) else (expected,)
        session = open_session(model.SerializeToString(), f"the network {self._network.name}")
        found = session.run(None, {_INPUT: self._inputs.numpy()})
        pairs = [(one, tensor.numpy()) for one, tensor in zip(found, expected, strict=True)]
        if any(one.shape != other.shape for one, other in pairs):
            return np.inf
        return max(_largest_difference(one, other) for one, other in pairs)


def _largest_difference(found: np.ndarray, expected: np.ndarray) -> float:
    """Relative where `expected` is above 1. Values that are not finite are ignored: a diverged net is detected
    in play.
    """
    known = np.isfinite(expected)
    difference = np.abs(found[known] - expected[known]) / np.maximum(1, np.abs(expected[known]))
    return float(np.nan_to_num(difference, nan=np.inf).max(initial=0))


def _with_weights(model: ModelProto, state: Mapping[str, Tensor]) -> ModelProto:
    """A copy with the tensors of a state in place of the initialisers of the same names."""
    replaced = ModelProto()
    replaced.CopyFrom(model)
    for tensor in replaced.graph.initializer:
        if tensor.name in state:
            tensor.CopyFrom(numpy_helper.from_array(state[tensor.name].contiguous().numpy(), tensor.name))
    return replaced


def _plain(model: ModelProto) -> ModelProto:
    """A copy without the exporter's notes, which contain paths of source files."""
    plain = ModelProto()
    plain.CopyFrom(model)
    graph, plain.producer_name, plain.producer_version = plain.graph, "inarow", ""
    for each in (plain, graph, *graph.node, *graph.input, *graph.output, *graph.initializer):
        each.ClearField("metadata_props")
        each.ClearField("doc_string")
    del graph.value_info[:]
    return plain


def _floats(state: Mapping[str, Tensor]) -> Iterator[Tensor]:
    return (tensor for tensor in state.values() if tensor.is_floating_point())


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Suppresses the output, logs and warnings of the exporter."""
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)
