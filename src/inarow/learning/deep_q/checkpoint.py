"""Checkpoints of deep Q-learning: one safetensors file of arrays, with counters as JSON in its metadata."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from inarow.errors import ConfigError, one_line
from inarow.storage.atomic import atomic_write

_FORMAT, _VERSION = "inarow-deep-q", 1
_METADATA = "inarow"
_MAX_BYTES = 4 << 30


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """All that a trainer needs to go on."""

    state: dict[str, Any]
    """JSON."""
    arrays: dict[str, np.ndarray]


def save_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Writes a file, whole or not at all."""
    from safetensors.numpy import save

    header = {"format": _FORMAT, "version": _VERSION, "state": msgspec.to_builtins(checkpoint.state)}
    with atomic_write(path) as file:
        file.write(save(checkpoint.arrays, {_METADATA: json.dumps(header)}))  # json: msgspec has no NaN


def load_checkpoint(path: Path) -> Checkpoint:
    """Raises ConfigError."""
    from safetensors import safe_open

    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ConfigError(f"{path} has more than {_MAX_BYTES >> 20} MB; it is not a checkpoint")
        with safe_open(path, "numpy") as file:
            header = json.loads((file.metadata() or {})[_METADATA])
            if (header["format"], header["version"]) != (_FORMAT, _VERSION):
                raise ConfigError(f"{path} is not a checkpoint of format {_FORMAT} {_VERSION}")
            names = file.keys()
            return Checkpoint(dict(header["state"]), {name: file.get_tensor(name) for name in names})
    except ConfigError:
        raise
    except Exception as error:  # a damaged file can raise almost anything
        raise ConfigError(f"{path} is not a checkpoint: {one_line(error)}") from None
