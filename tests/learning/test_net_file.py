"""Nets in files: what is written comes back, and nothing else is taken for a net."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from inarow.errors import NetError
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.learning.net_file import Net, NetAbout, open_net, to_bytes
from inarow.storage.atomic import content_hash

ABOUT = NetAbout(kind="deep-q", board="6x7x4", config={"alpha": 0.8}, seed=3, provenance={"episodes": 300})


def scaling(factor: float, *, operator: str = "Mul", domain: str = "") -> onnx.ModelProto:
    """A net that multiplies."""
    graph = helper.make_graph(
        [helper.make_node(operator, ["x", "factor"], ["y"], domain=domain)],
        "scaling",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2])],
        [numpy_helper.from_array(np.array(factor, np.float32), "factor")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(domain or "", 17)], ir_version=8)


def saved(folder: Path, factor: float = 2.0, about: NetAbout = ABOUT) -> Path:
    path = folder / "net.onnx"
    path.write_bytes(to_bytes(scaling(factor), about))
    return path


def refusal(path: Path, kind: str = "deep-q") -> str:
    with pytest.raises(NetError) as error:
        open_net(path, kind)
    text = str(error.value)
    assert "\n" not in text
    return text


def test_a_net_comes_back_with_what_is_known_about_it(tmp_path):
    net = open_net(saved(tmp_path), "deep-q")
    (y,) = net.run(np.array([[1, 2], [3, 4]], np.float32))
    assert y.tolist() == [[2, 4], [6, 8]]
    assert net.about == ABOUT


def test_a_file_is_read_once_and_again_when_it_changes(tmp_path):
    first = open_net(saved(tmp_path), "deep-q")
    assert open_net(tmp_path / "net.onnx", "deep-q") is first
    saved(tmp_path, 3.0, NetAbout(kind="deep-q", board="any", config={}, seed=12345))
    (y,) = open_net(tmp_path / "net.onnx", "deep-q").run(np.ones((1, 2), np.float32))
    assert y.tolist() == [[3, 3]]


def test_hashes_tell_contents_apart(tmp_path):
    first = content_hash(saved(tmp_path), NetError)
    assert content_hash(saved(tmp_path), NetError) == first
    assert content_hash(saved(tmp_path, 3.0), NetError) != first


def test_a_net_knows_its_board(tmp_path):
    net = open_net(saved(tmp_path), "deep-q")
    net.check_board(CONNECT_FOUR)
    with pytest.raises(NetError, match="for 6x7x4, not for 5x5x4"):
        net.check_board(GameSpec(5, 5, 4))
    Net(to_bytes(scaling(1.0), NetAbout(kind="a", board="any", config={}, seed=0)), "it").check_board(GameSpec(5, 5, 4))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.99])
def test_a_torn_file_is_refused(tmp_path, share):
    path = saved(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    assert "is not a net" in refusal(path)


def test_strange_files_are_refused(tmp_path):
    path = tmp_path / "net.onnx"
    assert "cannot be read: No such file" in refusal(path)
    path.write_text("hello")
    assert "is not a net" in refusal(path)
    path.write_bytes(scaling(1.0).SerializeToString())
    assert "metadata is missing" in refusal(path)
    path.write_bytes(to_bytes(scaling(1.0, operator="Evil", domain="evil"), ABOUT))
    assert "is not a net" in refusal(path)
    with path.open("wb") as file:
        file.truncate(257 << 20)
    assert "larger than 256 MB" in refusal(path)
    assert "cannot be read" in refusal(tmp_path) or "is not a net" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "has format inarow-net 2, not inarow-net 1"),
        ({"format": "other"}, "has format other 1, not inarow-net 1"),
        ({"seed": "x"}, "Expected `int`"),
        ({"board": "6x"}, "is not a net of inarow"),
        (None, "is not a net of inarow"),
    ],
)
def test_strange_metadata_are_refused(tmp_path, changes, message):
    path = saved(tmp_path)
    model = onnx.load(path)
    (entry,) = model.metadata_props
    entry.value = "[1]" if changes is None else json.dumps({**json.loads(entry.value), **changes})
    path.write_bytes(model.SerializeToString())
    assert message in refusal(path)


@pytest.mark.parametrize("text", [b"episodes", b"deep-q", b"Mul"])
def test_texts_that_are_not_utf_8_are_refused_in_silence(tmp_path, capfd, text):
    """In the metadata, or the name of an operator."""
    path = saved(tmp_path)
    content = path.read_bytes()
    assert content.count(text) == 1
    path.write_bytes(content.replace(text, text[:-2] + b"\xec" + text[-1:]))
    assert "is not a net" in refusal(path)
    assert capfd.readouterr().out == ""


def test_a_net_of_another_learner_is_refused(tmp_path):
    assert "is a net of 'deep-q', not of alphazero" in refusal(saved(tmp_path), "alphazero")


def keep_elsewhere(tensor: TensorProto) -> None:
    """Moves four bytes of a tensor to the file `secret`, in a form that ONNX Runtime would read."""
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", "secret"), ("offset", "0"), ("length", "4")):
        tensor.external_data.add(key=key, value=value)


@pytest.mark.parametrize("place", ["initializer", "constant", "branch", "sparse"])
def test_a_net_that_keeps_its_weights_elsewhere_is_refused(tmp_path, monkeypatch, place):
    """Before a session is opened, wherever in the model the tensor stands."""
    model, tensor = scaling(2.0), numpy_helper.from_array(np.array(1, np.float32), "hidden")
    keep_elsewhere(tensor)
    constant = helper.make_node("Constant", [], ["hidden"], value=tensor)
    if place == "initializer":
        keep_elsewhere(model.graph.initializer[0])
    elif place == "constant":
        model.graph.node.append(constant)
    elif place == "branch":
        branch = helper.make_graph([constant], "branch", [], [])
        model.graph.node.append(helper.make_node("If", ["x"], ["z"], then_branch=branch, else_branch=branch))
    else:
        model.graph.sparse_initializer.add().values.CopyFrom(tensor)
    (tmp_path / "secret").write_bytes(b"\x00\x00\x80\x3f")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("onnxruntime.InferenceSession", lambda *_, **__: pytest.fail("a session was opened"))
    path = tmp_path / "net.onnx"
    path.write_bytes(to_bytes(model, ABOUT))
    assert refusal(path).endswith("its weights are in another file")
