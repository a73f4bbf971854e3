"""The command `inarow`: one line per sub-command, each loaded when it is called.

Commands of other packages are plain functions, which import neither cyclopts nor this package; their parameters are
described in their docstrings. An installed package adds a command by an entry point in the group `inarow.commands`:
the name of the command, and the function.
"""

import os
import signal
import sys
import warnings
from collections.abc import Callable
from functools import wraps
from importlib.metadata import EntryPoint, entry_points
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, NoReturn, get_type_hints

from cyclopts import App, CycloptsError, Parameter, UnknownCommandError

from inarow.cli.options import OUT, SEED
from inarow.errors import InarowError, PluginError, one_line, shown, visible
from inarow.plugins import load_plugin, use_plugin_file
from inarow.version import __version__
from inarow.workers.interrupts import STOP_SIGNALS, handle_stop_signals, raise_interrupt, stop_signal

COMMANDS = {
    "play": "Play a game in the terminal.",
    "match": "Play a match between two agents, each opening twice with sides swapped.",
    "tournament": "Play a round robin of many agents, and rate them.",
    "leaderboard": "Rate all agents of the results store.",
    "train": "Train an agent, and keep table, curve and checkpoints in a folder.",
    "sweep": "Search for good settings of a learner, and keep every trial as a run.",
    "runs": "List and compare training runs.",
    "solve": "Solve a position exactly, or one position per line from stdin.",
    "analyse": "Review every move of a game against perfect play.",
    "grade": "Grade an agent against perfect play.",
    "assign": "Rate and grade a folder of agent files, as of a class.",
    "depth-test": "Measure what each ply of looking ahead costs an agent, and what it gains.",
    "suite": "Build suites of positions to grade agents on.",
    "reproduce": "Repeat a published study beside its published numbers.",
    "report": "Write the contents of the results store as one HTML page.",
    "agents": "List the agents with their parameters.",
    "perft": "Count move sequences and distinct positions by ply.",
    "book": "Build, verify and export opening books.",
    "quantum": "Show and verify the quantum choice of an action.",
    "serve": "Serve the web lab: play, analyse, tournaments and training in a browser.",
    "bench": "Measure this machine, and peers on the same work.",
    "engine": "Play for another program: UCI-like, GTP or one position per line.",
    "export": "Write files that play elsewhere: Kaggle submissions.",
    "warmup": "Compile all kernels into the cache.",
}
_MODULES = {"leaderboard": "report", "suite": "grade", "tournament": "match"} | dict.fromkeys(
    ("serve", "engine", "export"), "app"
)
"""Of commands in a module of another name."""
_GROUP = "inarow.commands"
_FUNCTIONS = {
    "serve": "inarow.web.server:serve",
    "engine": "inarow.engine.command:engine",
    "kaggle": "inarow.adapters.kaggle_export.export:kaggle",
}
Command = Callable[..., Any]

app = App(
    name="inarow",
    help="A laboratory for k-in-a-row games: Connect Four, ConnectX, Tic Tac Toe.\n\n"
    "With --plugin FILE.py, any command first runs a Python file, whose agents and other parts it can then use.",
    version=__version__,
    default_parameter=Parameter(negative=()),
    suppress_keyboard_interrupt=False,
)
for _name, _help in COMMANDS.items():
    _function = _name.replace("-", "_")
    app.command(f"inarow.cli.{_MODULES.get(_name, _function)}:{_function}", name=_name, help=_help)


def main() -> NoReturn:
    """Runs the command line of this process. Errors are one line on stderr and exit code 2."""
    warnings.showwarning = lambda message, *details: print(f"inarow: {visible(str(message))}", file=sys.stderr)
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # garbage is a bad move, not a crash
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # like stderr: a file may have any name
    try:
        handle_stop_signals()
        words = _without_plugins(sys.argv[1:])
        if not set(words[:1]) & COMMANDS.keys():
            for entry in entry_points(group=_GROUP):
                if entry.name not in app:  # the names of our own stay ours
                    app.command(_installed_command(entry), name=entry.name)
        app(words, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except UnknownCommandError as error:
        if words[0] in app:  # one of its sub-commands
            _fail(one_line(error), 2)
        # The error's own text would load every command to find similar names.
        names = (name for name in app if not name.startswith("-"))
        _fail(f"there is no command {shown(words[0])}; commands are {', '.join(names)}", 2)
    except (CycloptsError, InarowError, OSError, MemoryError) as error:
        if isinstance(error, BrokenPipeError):  # `inarow ... | head` is not an error
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            _end(0)
        _fail(one_line(error), 2)
    except KeyboardInterrupt:
        number = stop_signal()
        _fail("interrupted" if number == signal.SIGINT else "terminated", 128 + number)
    _end(0)


def _without_plugins(words: list[str]) -> list[str]:
    """Uses the plug-in files of `--plugin FILE.py`, wherever it stands; returns the other words."""
    others: list[str] = []
    given = iter(words)
    for word in given:
        if word == "--":
            return [*others, word, *given]
        if word == "--plugin" or word.startswith("--plugin="):
            file = next(given, "") if word == "--plugin" else word.partition("=")[2]
            if not file:
                raise PluginError("--plugin needs a file: --plugin FILE.py")
            use_plugin_file(Path(file))
        else:
            others.append(word)
    return others


def __getattr__(name: str) -> Command | App:
    """A function of `_FUNCTIONS`, imported when cyclopts first asks for it by the name of its command."""
    if name == "export":
        export = App(name=name, help="Write files that play elsewhere.", default_parameter=Parameter(negative=()))
        export.command(__getattr__("kaggle"))
        return export
    if name not in _FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _command(EntryPoint(name, _FUNCTIONS[name], _GROUP))


def _installed_command(entry: EntryPoint) -> Command:
    """One that cannot be loaded raises InarowError when it is run."""
    try:
        return _command(entry)
    except Exception as error:
        problem = f"cannot be loaded from {entry.value}: {one_line(error)}"

        def broken() -> None:
            raise InarowError(f"the command {entry.name} {problem}")

        broken.__doc__ = f"Broken: {problem}."
        return broken


def _command(entry: EntryPoint) -> Command:
    """The function behind an entry point, with checked seeds and -o for --out."""
    function: Command = load_plugin(entry)
    hints = get_type_hints(function, include_extras=True)

    @wraps(function)
    def command(*args: Any, **options: Any) -> Any:
        return function(*args, **options)

    shared = {"seed": SEED, "out": OUT}
    command.__annotations__ = hints | {name: Annotated[hints[name], shared[name]] for name in shared if name in hints}
    return command


def _fail(message: str, code: int) -> NoReturn:
    print(f"inarow: {visible(message)}", file=sys.stderr)
    _end(code)


def _end(code: int) -> NoReturn:
    """Ends the process. During start-up and after the final output, Ctrl-C terminates silently."""
    # CPython remembers a Ctrl-C that arrived while generated code ran (a data class being made, say), and `python -m`
    # would end by the signal instead of the code, though it was caught. Running any text makes it forget.
    exec("")
    for number in STOP_SIGNALS:
        if signal.getsignal(number) is raise_interrupt:
            signal.signal(number, signal.SIG_DFL)
    sys.exit(code)
