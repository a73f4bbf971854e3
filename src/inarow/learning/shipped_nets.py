"""Nets that come with inarow: files in the folder `nets` of the learner that made them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from inarow.errors import NetError, shown

_SUFFIX = ".onnx"


def shipped_nets(learner: str) -> dict[str, Path]:
    """Of a package of `inarow.learning`, by name."""
    folder = Path(str(files(f"inarow.learning.{learner}"))) / "nets"
    return {path.stem: path for path in sorted(folder.glob(f"*{_SUFFIX}"))}


def find_path(name: str, learner: str) -> Path:
    """The file of a net that comes with inarow, or a file that is named itself; raises NetError."""
    if name.endswith(_SUFFIX):
        return Path(name)
    known = shipped_nets(learner)
    if name not in known:
        raise NetError(
            f"there is no net {shown(name)}; nets that come with inarow are {', '.join(known)}, or name an {_SUFFIX}"
            " file made by `inarow train`"
        )
    return known[name]
