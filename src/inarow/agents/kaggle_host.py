"""Plays a Kaggle agent file in a separate process, by Kaggle's loading rules.

Started as a script, without this package: `python -I kaggle_host.py [--bare] FILE`; `--bare` leaves
nothing to import but the standard library and NumPy. A line of JSON `{"observation",
"configuration"}` in, a line `{"action", "kind", "seconds"}` or `{"error", "seconds"}` out; the loading
counts in the first call. Standard library only.

Where processes can be forked, the host leads a session of its own, works in a folder of its own, and a second process
waits for the end of the pipe `--lifeline FD`. When the program that started the host closes the pipe, or dies in any
way, it kills the whole process group and removes the folder, whatever the file is doing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

_OWN_PACKAGE = "inarow"


class Struct(dict[str, Any]):
    """A dictionary whose keys are attributes, too."""

    __getattr__ = dict.__getitem__

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class _Refusal:
    """Lets a file import only what it may: never this package, and if `bare` only the standard library and NumPy."""

    def __init__(self, bare: bool) -> None:
        self._bare = bare

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> None:
        package = name.partition(".")[0]
        if package == _OWN_PACKAGE or (self._bare and package not in {*sys.stdlib_module_names, "numpy"}):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def load_last_callable(path: str) -> Callable[..., Any]:
    """What Kaggle takes for the agent: the last callable that running the file leaves behind."""
    with open(path, encoding="utf-8") as file:
        code = compile(file.read(), path, "exec")
    names: dict[str, Any] = {}
    sys.path.append(os.path.dirname(path))
    exec(code, names)  # third-party code, hence the separate process
    sys.path.pop()
    agents: list[Callable[..., Any]] = [value for value in names.values() if callable(value)]
    return agents[-1]


def call(agent: Callable[..., Any], observation: Struct, configuration: Struct) -> Any:
    """As many of the two arguments as the agent takes."""
    code = getattr(agent, "__code__", None)
    arguments = [observation, configuration]
    return agent(*arguments[: code.co_argcount] if code is not None else arguments)


def main(path: str, bare: bool) -> None:
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the agent prints is not a reply
    sys.meta_path.insert(0, _Refusal(bare))
    agent: Callable[..., Any] | None = None
    for line in sys.stdin:
        request = json.loads(line)
        configuration = Struct(request["configuration"], __raw_path__=path)
        clock = time.perf_counter()
        try:
            if agent is None:
                agent = load_last_callable(path)
            action = call(agent, Struct(request["observation"]), configuration)
            is_plain = action is None or type(action) in (int, bool, float, str)
            reply = {"action": action if is_plain else repr(action)[:100], "kind": type(action).__name__}
        except BaseException as error:  # the file may do anything, SystemExit included
            reply = {"error": f"{type(error).__name__}: {error}"[:400]}
        replies.write(json.dumps({**reply, "seconds": time.perf_counter() - clock}) + "\n")
        replies.flush()


def guard(lifeline: int) -> None:
    """Forks the process that ends this group and removes the working folder when the pipe ends."""
    host, folder = os.getpid(), os.getcwd()
    if os.fork() != 0:
        os.close(lifeline)
        return
    try:
        for stream in (0, 1, 2):  # the host's own ends must be the only ones
            os.close(stream)
        os.read(lifeline, 1)
    finally:
        # This process is in the group, so its number belongs to nobody else, and it is the last to go.
        os.kill(host, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)
        os.killpg(host, signal.SIGKILL)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--lifeline", type=int)
    parser.add_argument("file")
    options = parser.parse_args()
    if options.lifeline is not None:
        guard(options.lifeline)
    main(options.file, options.bare)
