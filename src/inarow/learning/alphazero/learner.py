"""AlphaZero as a learner. Importing this file does not import torch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from inarow.errors import ConfigError, MissingExtraError, shown
from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.run_state import CurvePoint
from inarow.learning.config import Document
from inarow.learning.learner import CheckAgent, CheckFile, Learner, Services
from inarow.workers import Cluster, check_workers

if TYPE_CHECKING:
    from inarow.learning.alphazero.run import AlphaZeroRun


class AlphaZeroLearner(Learner[AlphaZeroConfig]):
    """AlphaZero."""

    name, config, product = "alphazero", AlphaZeroConfig, "net.onnx"
    point = CurvePoint
    can_extend = can_use_cluster = can_use_network = True

    def agent(self, product: Path | str) -> str:
        return f"alphazero:net={product}"

    def start(self, config: AlphaZeroConfig, folder: Path, services: Services) -> AlphaZeroRun:
        cluster = services.cluster
        check_workers(config.workers if cluster is None else Cluster(cluster.address, config.workers))
        return _run_type().start(config, folder, services)

    def resume(self, folder: Path, settings: Sequence[str], services: Services) -> AlphaZeroRun:
        """Settings `minutes=+N` and `iterations=+N` enlarge the budget."""
        minutes, iterations, others = _extension(settings)
        return _run_type().resume(folder, services, minutes=minutes, iterations=iterations, settings=others)

    def checked(
        self, document: Document, config: AlphaZeroConfig, check_agent: CheckAgent, check_file: CheckFile
    ) -> Document:
        return document if config.start is None else {**document, "start": check_file(config.start, "start")}


def _extension(settings: Sequence[str]) -> tuple[float, int, list[str]]:
    """(Additional minutes, additional iterations, other settings); raises ConfigError."""
    minutes, iterations, others = 0.0, 0, []
    for setting in settings:
        if not setting.startswith(("minutes", "iterations")):
            others.append(setting)
        elif more := re.fullmatch(r"iterations=\+(\d+)", setting):
            iterations += int(more[1])
        elif more := re.fullmatch(r"minutes=\+(\d+(?:\.\d+)?)", setting):
            minutes += float(more[1])
        else:
            raise ConfigError(f"setting {shown(setting)} does not extend a run; write iterations=+20 or minutes=+20")
    return minutes, iterations, others


def _run_type() -> type[AlphaZeroRun]:
    """The class of runs, whose module needs torch and onnx; raises MissingExtraError."""
    try:
        from inarow.learning.alphazero.run import AlphaZeroRun
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "onnx", "safetensors"):
            raise
        raise MissingExtraError(error.name, "train") from None
    return AlphaZeroRun
