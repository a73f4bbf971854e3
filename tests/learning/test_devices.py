"""Where networks compute: how a device is found, and what ONNX Runtime gets. GPUs are not here, so torch is faked."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from inarow.arena.training import start_run
from inarow.errors import ConfigError
from inarow.learning.alphazero import selfplay
from inarow.learning.alphazero.learner import AlphaZeroLearner
from inarow.learning.config import find_document
from inarow.learning.devices import CPU, Device, available_devices, find_device
from inarow.learning.learner import Services
from inarow.learning.net_file import Net
from inarow.learning.pretrained import net_path
from inarow.search.tree.evaluation import PLANES
from tests.cli.command_line import inarow
from tests.learning.alphazero.tiny_runs import tiny


def pretend(monkeypatch, *, cuda=False, mps=False, providers=("CPUExecutionProvider",)):
    """A machine with other devices."""
    torch = SimpleNamespace(
        cuda=SimpleNamespace(is_available=lambda: cuda),
        backends=SimpleNamespace(mps=SimpleNamespace(is_available=lambda: mps)),
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: list(providers))


def test_auto_takes_cuda_then_mps_then_the_cpu(monkeypatch):
    for has, name in (({"cuda": True, "mps": True}, "cuda"), ({"mps": True}, "mps"), ({}, "cpu")):
        pretend(monkeypatch, **has)
        assert find_device("auto") == Device(name)
        assert find_device("cpu") is CPU


def test_a_named_device_is_taken_or_refused_with_a_list_of_the_available_ones(monkeypatch):
    pretend(monkeypatch, mps=True)
    assert find_device("mps") == Device("mps")
    with pytest.raises(ConfigError, match=r"^device cuda is not available here; available: mps, cpu$"):
        find_device("cuda")
    with pytest.raises(
        ConfigError, match=r"^there is no device 'tpu' \(did you mean 'cpu'\?\); devices are auto, cuda, mps, cpu$"
    ):
        find_device("tpu")


def test_without_torch_there_is_the_cpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert available_devices() == ["cpu"]
    assert find_device("auto") == CPU


@pytest.mark.parametrize(
    ("name", "providers", "chosen"),
    [
        ("cuda", ("CUDAExecutionProvider", "CPUExecutionProvider"), ["CUDAExecutionProvider", "CPUExecutionProvider"]),
        (
            "mps",
            ("CoreMLExecutionProvider", "CPUExecutionProvider"),
            ["CoreMLExecutionProvider", "CPUExecutionProvider"],
        ),
        ("cuda", ("CoreMLExecutionProvider", "CPUExecutionProvider"), ["CPUExecutionProvider"]),
        ("cpu", ("CUDAExecutionProvider", "CPUExecutionProvider"), ["CPUExecutionProvider"]),
    ],
)
def test_a_net_plays_on_the_provider_of_its_device(monkeypatch, name, providers, chosen):
    import onnxruntime

    pretend(monkeypatch, providers=providers)
    opened, session = [], onnxruntime.InferenceSession

    def open_on_the_cpu(content, options, *, providers, **settings):
        opened.append(providers)
        return session(content, options, providers=["CPUExecutionProvider"], **settings)

    monkeypatch.setattr("onnxruntime.InferenceSession", open_on_the_cpu)
    net = Net(net_path("tictactoe").read_bytes(), "it", Device(name))
    assert opened == [chosen]
    assert net.run(np.zeros((1, PLANES, 3, 3), np.float32))[0].shape == (1, 3, 3)


def test_worker_processes_get_the_device_with_their_tasks(tmp_path, monkeypatch):
    run = AlphaZeroLearner().start(tiny(), tmp_path, Services(device="cpu"))
    run._device = Device("mps")
    given = []

    class Worker:
        due = 0

        def take(self):
            return []

        def give(self, function, task):
            given.append(task)
            Worker.due += 1

    run._exchange([Worker()])
    cluster = selfplay.ClusterSelfPlay(FakeWorkers([Worker()]), run.config, 1, Device("mps"))
    cluster.give(b"net", 4)
    assert {type(task) for task in given} == {selfplay.PlaySlice, selfplay.GameBatch}
    assert {task.device for task in given} == {Device("mps")}


class FakeWorkers(list):
    def share(self, content):
        return content


def test_a_run_on_a_device_that_is_missing_is_refused_before_there_is_a_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("inarow.learning.devices.available_devices", lambda: ["cpu"])
    for preset in ("tictactoe", "4x4x4-dqn"):
        with pytest.raises(ConfigError, match="device cuda is not available here; available: cpu"):
            start_run(find_document(preset), tmp_path / "run", device="cuda")
        assert not (tmp_path / "run").exists()


def test_the_command_has_the_option(tmp_path):
    small = ("--set", "episodes=10", "--set", "batch=10", "--set", "network.filters=[4]")
    made = inarow("train", "4x4x4-dqn", *small, "--device", "cpu", "--out", str(tmp_path / "run"))
    assert made.returncode == 0, made.stderr
    refused = inarow("train", "4x4x4-dqn", "--device", "tpu", "--out", str(tmp_path / "other"))
    assert refused.returncode == 2
    assert "--device" in refused.stderr
