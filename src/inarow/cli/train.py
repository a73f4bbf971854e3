"""`inarow train`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from inarow.cli.options import Json, Ray
from inarow.cli.train_alphazero import train_alphazero
from inarow.cli.train_deep_q import train_deep_q
from inarow.cli.train_q import train_q
from inarow.cli.training import TrainingRequest
from inarow.errors import ConfigError, one_line, shown
from inarow.learning.config import Document, find_document, learner_of

_LEARNERS: dict[str, Callable[[TrainingRequest], None]] = {
    "q": train_q,
    "deep-q": train_deep_q,
    "alphazero": train_alphazero,
}
_CAN_BE_EXTENDED = ("alphazero",)
_CAN_PLAY_ON_A_CLUSTER = ("alphazero",)


def train(
    preset: str | None = None,
    *,
    out: Path | None = None,
    resume: Path | None = None,
    settings: Annotated[tuple[str, ...], Parameter(name="--set")] = (),
    ray: Ray = None,
    json: Json = False,
    seed: int | None = None,
) -> None:
    """Train an agent, and keep what it learnt, its curve and checkpoints in a folder.

    Args:
        preset: Name of a preset, or a TOML file.
        out: Folder of the run; runs/PRESET if not given.
        resume: Go on with the run in this folder instead of starting one; with --set iterations=+20 or
            --set minutes=+20 an alphazero run gets more to do, and with e.g. --set selfplay.simulations=64 it plays
            and learns otherwise from now on.
        settings: Change a value of the config, e.g. --set alpha=0.2 --set phases.0.episodes=1000.
        seed: Root of all chance: the same seed gives the same result. The config's own if not given.
    """
    if (preset is None) == (resume is None):
        raise ConfigError("train needs a preset or a TOML file, or --resume with the folder of a run")
    if resume is not None:
        document = _kept_document(resume)
        if out is not None or seed is not None or (settings and learner_of(document) not in _CAN_BE_EXTENDED):
            raise ConfigError("a run that goes on keeps its config and its folder: no --set, --out or --seed")
        _check_ray(document, ray)
        find_trainer(document, str(resume))(TrainingRequest(None, str(resume), resume, json, settings, ray))
        return
    assert preset is not None
    document = find_document(preset, settings if seed is None else (*settings, f"seed={seed}"))
    folder = out or Path("runs") / Path(preset).stem
    _check_ray(document, ray)
    find_trainer(document, preset)(TrainingRequest(document, preset, folder, json, ray=ray))


def _check_ray(document: Document, ray: str | None) -> None:
    if ray is not None and learner_of(document) not in _CAN_PLAY_ON_A_CLUSTER:
        raise ConfigError(f"--ray is for {', '.join(_CAN_PLAY_ON_A_CLUSTER)}: other learners play in one process")


def _kept_document(folder: Path) -> Document:
    try:
        return msgspec.json.decode((folder / "config.json").read_bytes(), type=Document)
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ConfigError(f"{folder} has no training run: {one_line(error)}") from None


def find_trainer(document: Document, source: str) -> Callable[[TrainingRequest], None]:
    """The command of the learner that a document names; raises ConfigError."""
    name = learner_of(document)
    if name not in _LEARNERS:
        raise ConfigError(f"{source}: there is no learner {shown(name)}; learners are {', '.join(_LEARNERS)}")
    return _LEARNERS[name]
