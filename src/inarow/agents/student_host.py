"""Plays with the agent file of a student in a separate process. The file is loaded once; every game is played by a
process forked from that one, so that no game sees what another has left behind.

Started as a script: `python student_host.py --lifeline FD --memory BYTES [--hide FOLDER]... FILE`. Requests and replies
are lines of JSON in turn:

    {"do": "start"}                 {"isolated"}
    {"do": "load"}                  {"kind", "structure", "seconds"}
    {"do": "begin", "seed"}         {"seconds"}
    {"do": "move", "board", "actions", "observation", "configuration"}
                                    {"action", "type", "seconds"}
    {"do": "end"}                   {"ended"}

A reply has `error`, `text` and `line` where the file failed, and `ended`, an exit code, where the game's process did.
Where processes cannot be forked, there is one game in a process. Standard library only, and `inarow.games` for files
that take positions.
"""

import argparse
import ast
import hashlib
import importlib
import inspect
import json
import operator
import os
import random
import sys
import types
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import Any, NoReturn

MODULE = "agent"
_OWN_PACKAGE = "inarow"
_RULES = ("errors", "games", "plugins", "results", "storage", "version")
_SHARED = {"agents", "agents.agent", "search", "search.limits"}  # what `inarow.Decision` needs
_POSITIONS = ("position", "pos")  # names of a parameter that takes a position
_OBSERVATIONS = ("observation", "obs")
_GIVEN = ("name", "parameters", "rng")  # what a class may ask for, as elsewhere in inarow
_TEXT, _LARGE = 300, 10**6
_FOLDER = os.path.dirname(os.path.abspath(__file__))

Reply = dict[str, Any]


class _Refusal:
    """Lets a file import the rules of inarow, and nothing of it that plays."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> None:
        package, _, module = name.partition(".")
        if package == _OWN_PACKAGE and module and module.partition(".")[0] not in _RULES and module not in _SHARED:
            raise ModuleNotFoundError(f"{name} is not available to graded files", name=name)


class NoAgentError(Exception):
    """A file in which no agent is found."""


class Player:
    """The agent of a file, as one of three kinds: `observation`, `position` or `class`."""

    def __init__(self, kind: str, source: Any) -> None:
        self.kind, self._source = kind, source

    def begin(self, seed: int) -> None:
        """Makes the object of a class."""
        if inspect.isclass(self._source):
            numpy = importlib.import_module("numpy")
            given = {"name": MODULE, "parameters": None, "rng": numpy.random.default_rng(seed)}
            wanted = inspect.signature(self._source).parameters
            self._source = self._source(**{name: given[name] for name in _GIVEN if name in wanted})

    def move(self, request: Reply) -> Any:
        if self.kind == "observation":
            host = importlib.import_module("kaggle_host")
            observation, configuration = host.Struct(request["observation"]), host.Struct(request["configuration"])
            return host.call(self._source, observation, configuration)
        games = importlib.import_module("inarow.games")
        position = games.Position.from_actions(request["actions"], games.GameSpec.parse(request["board"]))
        return self._source.decide(position) if self.kind == "class" else self._source(position)


def find_player(names: dict[str, Any], path: str) -> Player:
    """The agent of a file: what is called `agent`; else its last class with a method `decide`; else a function
    `decide`; else its last function that takes an observation or a position.
    """
    own = [value for value in names.values() if getattr(value, "__module__", None) == MODULE]
    functions = [value for value in own if inspect.isfunction(value)]
    classes = [value for value in own if inspect.isclass(value) and callable(getattr(value, "decide", None))]
    named = names.get("agent")
    if named is None:
        if classes:
            return Player("class", classes[-1])
        named = names.get("decide")
    if named is None:
        wanted = _POSITIONS + _OBSERVATIONS
        named = next((function for function in reversed(functions) if first_parameter(function) in wanted), None)
    if named is None:
        found = ", ".join(each.__name__ for each in own if hasattr(each, "__name__")) or "nothing"
        raise NoAgentError(f"the file defines {found}")
    if callable(getattr(named, "decide", None)):
        return Player("class", named)
    if not callable(named):
        raise NoAgentError(f"`agent` is {type(named).__name__}, not a function")
    return Player("position" if first_parameter(named) in _POSITIONS else "observation", named)


def first_parameter(function: Callable[..., Any]) -> str:
    """Its name, `position` if it is annotated as one; empty if there is none."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ""
    if not parameters:
        return ""
    return "position" if "Position" in str(parameters[0].annotation) else parameters[0].name


def load(path: str) -> tuple[Player, str]:
    """The agent of a file, and a hash of its code without comments and layout."""
    with open(path, "rb") as file:
        source = file.read()
    tree = compile(source, path, "exec", ast.PyCF_ONLY_AST)
    assert isinstance(tree, ast.Module)
    structure = hashlib.blake2b(ast.dump(tree).encode(errors="backslashreplace"), digest_size=16).hexdigest()
    module = types.ModuleType(MODULE)
    module.__file__ = path
    sys.modules[MODULE] = module
    exec(compile(tree, path, "exec"), module.__dict__)  # third-party code, hence the separate process
    return find_player(module.__dict__, path), structure


# --- replies ---


def failure(error: BaseException, path: str) -> Reply:
    """What happened, and in which line of the file."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == path:
        line = error.lineno
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    except Exception:  # the file may define any exception
        text = ""
    names = [kind.__name__ for kind in type(error).__mro__]
    known = next((name for name in names if name in _KNOWN_ERRORS), names[0])
    return {"error": names[0][:100], "known": known, "text": text[:_TEXT], "line": line}


_KNOWN_ERRORS = ("SyntaxError", "ModuleNotFoundError", "MemoryError", "SystemExit", "EOFError", "NoAgentError")


def answer(chosen: Any) -> Reply:
    """A chosen action with its type; a text for what is not an integer."""
    action, name = getattr(chosen, "action", chosen), type(chosen).__name__[:100]
    try:
        number = None if isinstance(action, bool) else operator.index(action)
    except TypeError:
        number = None
    if number is None or abs(number) > _LARGE:
        return {"action": repr(action)[:100], "type": name}
    return {"action": number, "type": name}


class Host:
    """Answers the requests."""

    def __init__(self, path: str, is_isolated: bool) -> None:
        self._path, self._is_isolated = path, is_isolated
        self._requests, self._replies = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1):  # what the file prints is not a reply, and what it asks for not a request
            os.dup2(nothing, stream)
        self._player: Player | None = None

    def serve(self) -> None:
        """Until there are no more requests."""
        while (request := self._read()) is not None:
            if request["do"] == "start":
                self._reply({"isolated": self._is_isolated})
            elif request["do"] == "load":
                self._reply(self._timed(self._load))
            elif not hasattr(os, "fork"):
                self._answer(request)
            else:
                game = os.fork()
                if game == 0:
                    self._play(request)
                self._reply({"ended": _exit_code(game)})

    def _load(self) -> Reply:
        self._player, structure = load(self._path)
        if self._player.kind != "observation":
            importlib.import_module("inarow.games")
        return {"kind": self._player.kind, "structure": structure}

    def _play(self, request: Reply | None) -> NoReturn:
        """One game, to the end of this process."""
        process = os.getpid()
        while request is not None and request["do"] != "end":
            self._answer(request)
            if os.getpid() != process:  # the file has forked itself
                break
            request = self._read()
        os._exit(0)

    def _answer(self, request: Reply) -> None:
        process = os.getpid()
        if request["do"] == "begin":
            reply = self._timed(lambda: self._begin(request["seed"]))
        elif request["do"] == "move":
            reply = self._timed(lambda: answer(self._player.move(request) if self._player else None))
        else:
            reply = {"ended": 0}
        if os.getpid() == process:
            self._reply(reply)

    def _begin(self, seed: int) -> Reply:
        random.seed(seed)
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(seed % 2**32)
        if self._player is not None:
            self._player.begin(seed)
        return {}

    def _timed(self, work: Callable[[], Reply]) -> Reply:
        """A reply with the time that it took, without the time in which no processor was free."""
        clock, waited = perf_counter(), seconds_waited()
        try:
            reply = work()
        except BaseException as error:  # the file may do anything, SystemExit included
            reply = failure(error, self._path)
        seconds = perf_counter() - clock
        return {**reply, "seconds": max(0.0, seconds - (seconds_waited() - waited))}

    def _read(self) -> Reply | None:
        data = b""
        while not data.endswith(b"\n"):
            piece = os.read(self._requests, 1 << 16)
            if not piece:
                return None
            data += piece
        request: Reply = json.loads(data)
        return request

    def _reply(self, reply: Reply) -> None:
        os.write(self._replies, json.dumps(reply).encode() + b"\n")


def seconds_waited() -> float:
    """How long this process has waited for a processor; 0 where the system does not report it (other than Linux)."""
    try:
        file = os.open("/proc/self/schedstat", os.O_RDONLY)
    except OSError:
        return 0.0
    try:
        return int(os.read(file, 100).split()[1]) / 1e9
    finally:
        os.close(file)


def _exit_code(process: int) -> int:
    """Of a forked process, which is waited for; minus the signal that ended it."""
    code = 0
    with suppress(ChildProcessError):
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        while os.waitpid(-1, os.WNOHANG)[0]:  # what it has left behind
            pass
    return code


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lifeline", type=int)
    parser.add_argument("--memory", type=int, required=True)
    parser.add_argument("--hide", action="append", default=[])
    parser.add_argument("file")
    options = parser.parse_args()
    sys.path += [_FOLDER, os.path.dirname(os.path.dirname(_FOLDER))]
    is_isolated = False
    if options.lifeline is not None:
        sandbox = importlib.import_module("kaggle_sandbox")
        is_isolated = sandbox.enter(options.lifeline, options.memory, options.hide)
    importlib.import_module("kaggle_host")
    sys.path.remove(_FOLDER)
    with suppress(ImportError):
        importlib.import_module("numpy.random")  # so that its random numbers are seeded, and no game waits for it
    sys.meta_path.insert(0, _Refusal())
    Host(options.file, is_isolated).serve()


if __name__ == "__main__":
    main()
