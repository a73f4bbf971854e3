"""Checks of agents that clients use: their files must be in the runs folder."""

import re
from pathlib import Path

import msgspec

from inarow.agents.kind import format_agent, parameter_infos
from inarow.agents.registry import parse_agent
from inarow.errors import InvalidAgentError, shown

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")


def check_agent(text: str, runs: Path) -> str:
    """The agent string in its shortest form, with full paths of files; raises InvalidAgentError.

    Files are named relative to the runs folder: `q:table=my-run/table.npz`.
    """
    kind, parameters = parse_agent(text)
    if kind.name == "human":
        raise InvalidAgentError("human is not an agent of the lab; choose another agent")
    for info in parameter_infos(kind):
        value = getattr(parameters, info.name)
        if "string" in info.kind.split("|") and value != info.default:
            parameters = msgspec.structs.replace(parameters, **{info.name: within_runs(runs, value, info.name)})
    return format_agent(kind, parameters)


def within_runs(runs: Path, value: str, name: str) -> str:
    """The path of the file `value`, or `value` itself if it can only be a name that ships with inarow; raises
    InvalidAgentError, which names the parameter `name`.
    """
    path = file_in(runs, value)
    if path is not None:
        return str(path)
    if _NAME.fullmatch(value) and not Path(value).exists():
        return value
    raise InvalidAgentError(f"{name} {shown(value)} is not a file in the runs folder of this lab")


def file_in(runs: Path, name: str) -> Path | None:
    """The file of this name in the runs folder, links followed; None if there is none or it is outside."""
    root = runs.resolve()
    try:
        path = (root / name).resolve()
        return path if path.is_relative_to(root) and path.is_file() else None
    except (OSError, ValueError):
        return None
