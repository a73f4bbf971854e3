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

from cyclopts import App, CycloptsError, Group, Parameter, UnknownCommandError

from inarow.cli.help import CommandLine, greeting
from inarow.cli.mistakes import describe
from inarow.cli.options import HIDDEN, OUT, SEED, UNUSED
from inarow.cli.output import stdout
from inarow.errors import InarowError, PluginError, one_line, unknown, visible
from inarow.plugins import load_plugin, use_plugin_file
from inarow.terminal import prefers_ascii
from inarow.version import __version__
from inarow.workers.interrupts import STOP_SIGNALS, handle_stop_signals, raise_interrupt, stop_signal

GROUPS = {
    "Play and analyse": {
        "play": "Play a game in the terminal, by default against the computer.",
        "solve": "Solve a position exactly: its score and that of every move.",
        "analyse": "Review every move of a game against perfect play.",
        "serve": "Serve the web lab: play, analyse and train in a browser.",
    },
    "Compare agents": {
        "agents": "List the agents with their parameters.",
        "match": "Play a match between two agents.",
        "tournament": "Play a round robin of many agents, and rate them.",
        "grade": "Grade an agent against perfect play.",
        "assign": "Rate and grade a folder of agent files, as of a class.",
        "depth-test": "Measure what each ply of depth costs an agent, and gains.",
        "leaderboard": "Rate all agents of the results store.",
        "report": "Write the contents of the results store as a web page.",
        "suite": "Build suites of positions to grade agents on.",
    },
    "Train": {
        "train": "Train an agent with a preset or a config file.",
        "sweep": "Search for good settings of a learner.",
        "runs": "List and compare training runs.",
        "window-net": "Train a small net for the windows of the agent window.",
    },
    "Studies": {
        "reproduce": "Repeat a published study beside its published numbers.",
        "quantum": "Show and verify the quantum choice of an action.",
    },
    "Tools": {
        "perft": "Count move sequences and distinct positions by ply.",
        "book": "Build, verify and export opening books.",
        "export": "Write files that play elsewhere: Kaggle submissions.",
        "engine": "Speak an engine protocol over stdin and stdout.",
        "bench": "Measure the speed of this machine.",
        "warmup": "Compile all kernels into the cache.",
        "completion": "Print or install a completion script for a shell.",
    },
}
"""Titles of `inarow --help`, with the commands and their first lines."""
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}
_MODULES = {"leaderboard": "report", "suite": "grade", "tournament": "match"} | dict.fromkeys(
    ("serve", "engine", "export"), "app"
)
"""Of commands in a module of another name."""
_GROUP = "inarow.commands"
_PIPE_CLOSED = 128 + 13  # what a shell reports of a program that SIGPIPE ended
_FUNCTIONS = {
    "serve": "inarow.web.server:serve",
    "engine": "inarow.engine.command:engine",
    "kaggle": "inarow.adapters.kaggle_export.export:kaggle",
    "verify": "inarow.adapters.kaggle_export.verification:verify",
}
Command = Callable[..., Any]


def _shown_default(value: object) -> str | None:
    """The default of a parameter in help texts; None for switches and where the description says what it is."""
    return None if value is None or value is False or value in ("", ()) else str(value)


app = CommandLine(
    name="inarow",
    help="A laboratory for k-in-a-row games: Connect Four, ConnectX, Tic Tac Toe.\n\n"
    "With --plugin FILE.py, any command first runs a Python file, whose agents and other parts it can then use.",
    version=__version__,
    version_flags=("--version", "-V"),
    default_parameter=Parameter(negative=(), show_default=_shown_default),
    console=stdout,
    suppress_keyboard_interrupt=False,
)
app["--help"].group = app["--version"].group = Group("Options", sort_key=len(GROUPS))
for _place, (_title, _commands) in enumerate(GROUPS.items()):
    _group = Group(_title, sort_key=_place)
    for _name, _help in _commands.items():
        _function = _name.replace("-", "_")
        app.command(f"inarow.cli.{_MODULES.get(_name, _function)}:{_function}", name=_name, help=_help, group=_group)


def main() -> NoReturn:
    """Runs the command line of this process. Errors are one line on stderr and exit code 2."""
    warnings.showwarning = lambda message, *details: print(f"inarow: {visible(str(message))}", file=sys.stderr)
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # garbage is a bad move, not a crash
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            encoding = "ascii" if stream.isatty() and prefers_ascii(os.environ) else None
            stream.reconfigure(encoding=encoding, errors="backslashreplace")  # a file may have any name
    try:
        handle_stop_signals()
        words = _without_plugins(sys.argv[1:])
        if words[:1] == ["help"]:
            words = [*words[1:], "--help"]
        if not words:
            stdout.print(greeting(__version__), soft_wrap=True)
            sys.stdout.flush()
            _end(0)
        if not set(words[:1]) & COMMANDS.keys():
            for entry in entry_points(group=_GROUP):
                if entry.name not in app:  # the names of our own stay ours
                    app.command(_installed_command(entry), name=entry.name)
        app(words, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except UnknownCommandError:  # its own text would load every command to find similar names
        _fail(_unknown_command(words), 2)
    except CycloptsError as error:
        _fail(describe(error), 2)
    except BrokenPipeError:  # `inarow ... | head`: as a program that SIGPIPE ends, but in order
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _end(_PIPE_CLOSED)
    except (InarowError, OSError, MemoryError) as error:
        _fail(one_line(error), 2)
    except KeyboardInterrupt:
        number = stop_signal()
        _fail("interrupted" if number == signal.SIGINT else "terminated", 128 + number)
    _end(0)


def _unknown_command(words: list[str]) -> str:
    """The message about a word that is no command, or none of those below the command before it."""
    place: App = app
    while words and words[0] in place:
        place, words = place[words[0]], words[1:]
    kind = "command" if place is app else f"command {place.name[0]}"
    known = [name for name in place if not name.startswith("-")]
    if words[0].startswith("-"):
        return unknown("option", words[0], (*app.help_flags, *app.version_flags, "--plugin"))
    return unknown(kind, words[0], known, plural="commands")


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
        for command in ("kaggle", "verify"):
            export.command(__getattr__(command))
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

    is_seeded = UNUSED not in (function.__doc__ or "")
    shared = {"seed": SEED if is_seeded else HIDDEN, "out": OUT}
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
