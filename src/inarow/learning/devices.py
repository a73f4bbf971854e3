"""Devices of networks: of torch in training, of ONNX Runtime in play."""

from collections.abc import Sequence
from dataclasses import dataclass

from inarow.errors import ConfigError, unknown

_CPU = "CPUExecutionProvider"
_PROVIDERS = {"cuda": "CUDAExecutionProvider", "mps": "CoreMLExecutionProvider", "cpu": _CPU}
"""Providers of ONNX Runtime for each torch device, the preferred device first."""
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Device:
    """A device that torch can use."""

    name: str = "cpu"  # for torch

    def providers(self) -> list[str]:
        """The providers of ONNX Runtime to use, in order: that of the device, if installed, and the CPU."""
        if self.name == "cpu":
            return [_CPU]
        import onnxruntime  # slow to import

        known = onnxruntime.get_available_providers()
        return [*(name for name in [_PROVIDERS[self.name]] if name in known), _CPU]


CPU = Device()


def find_device(name: str) -> Device:
    """A device by its name; `auto` is the first available of cuda, mps and cpu. Raises ConfigError."""
    if name not in (AUTO, *_PROVIDERS):
        raise ConfigError(unknown("device", name, (AUTO, *_PROVIDERS)))
    if name == "cpu":
        return CPU
    available = available_devices()
    if name != AUTO and name not in available:
        raise ConfigError(f"device {name} is not available here; available: {', '.join(available)}")
    return Device(available[0] if name == AUTO else name)


def available_devices() -> Sequence[str]:
    """The devices that torch can use on this machine, the preferred one first; without torch only the CPU."""
    try:
        import torch
    except ModuleNotFoundError:
        return ["cpu"]
    has = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    return [name for name in _PROVIDERS if has[name]]
