"""Plays a Kaggle agent file in a separate process, by Kaggle's loading rules.

Started as a script, without this package: `python -I kaggle_host.py [--bare] FILE`; `--bare` leaves
nothing to import but the standard library and NumPy. A line of JSON `{"observation",
"configuration"}` in, a line `{"action", "kind", "seconds", "isolated"}` or `{"error", "seconds", "isolated"}` out; the
loading counts in the first call. Standard library only.

With `--lifeline FD`, where processes can be forked, the host leads a session of its own and works in a folder of its
own; `kaggle_sandbox.py` then confines it, and ends it with the pipe.
"""

import argparse
import importlib
import json
import os
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


def main(path: str, bare: bool, is_isolated: bool) -> None:
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
            is_plain = action is None or type(action) is int
            text = action if isinstance(action, str) else repr(action)
            reply = {"action": action if is_plain else text[:100], "kind": type(action).__name__[:100]}
        except BaseException as error:  # the file may do anything, SystemExit included
            reply = {"error": f"{type(error).__name__}: {error}"[:400]}
        facts = {"seconds": time.perf_counter() - clock, "isolated": is_isolated}
        replies.write(json.dumps({**reply, **facts}) + "\n")
        replies.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--lifeline", type=int)
    parser.add_argument("file")
    options = parser.parse_args()
    is_isolated = False
    if options.lifeline is not None:
        sys.path.append(os.path.dirname(__file__))
        is_isolated = importlib.import_module("kaggle_sandbox").enter(options.lifeline)
        sys.path.pop()
    main(options.file, options.bare, is_isolated)
