"""The command `inarow`: one line per sub-command, each loaded when it is called."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from io import TextIOWrapper
from typing import NoReturn

from cyclopts import App, CycloptsError, Parameter, UnknownCommandError

from inarow.errors import InarowError, one_line, shown
from inarow.version import __version__
from inarow.workers.interrupts import raise_interrupt

COMMANDS = {
    "play": "Play a game in the terminal.",
    "match": "Play a match between two agents, each opening twice with sides swapped.",
    "tournament": "Play a round robin of many agents, and rate them.",
    "leaderboard": "Rate all agents of the results store.",
    "train": "Train an agent, and keep table, curve and checkpoints in a folder.",
    "solve": "Solve a position exactly, or one position per line from stdin.",
    "analyse": "Review every move of a game against perfect play.",
    "grade": "Grade an agent against perfect play.",
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
_DOORS = ("serve", "engine", "export")

app = App(
    name="inarow",
    help="A laboratory for k-in-a-row games: Connect Four, ConnectX, Tic Tac Toe.",
    version=__version__,
    default_parameter=Parameter(negative=()),
    suppress_keyboard_interrupt=False,
)
for _name, _help in COMMANDS.items():
    _module = "doors" if _name in _DOORS else _name
    app.command(f"inarow.cli.{_module}:{_name}", name=_name, help=_help)


def main() -> NoReturn:
    """Runs the command line of this process. Errors are one line on stderr and exit code 2."""
    warnings.showwarning = _show_warning
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")  # garbage is a bad move, not a crash
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # like stderr: a file may have any name
    try:
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, raise_interrupt)
        if not set(sys.argv[1:2]) & COMMANDS.keys():
            add_installed_commands()
        app(sys.argv[1:], exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except UnknownCommandError as error:
        if sys.argv[1] in app:  # one of its sub-commands
            _fail(one_line(error), 2)
        # The error's own text would load every command to find similar names.
        names = (name for name in app if not name.startswith("-"))
        _fail(f"there is no command {shown(sys.argv[1])}; commands are {', '.join(names)}", 2)
    except (CycloptsError, InarowError, OSError, MemoryError) as error:
        if isinstance(error, BrokenPipeError):  # `inarow ... | head` is not an error
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            _end(0)
        _fail(one_line(error), 2)
    except KeyboardInterrupt:
        _fail("interrupted", 130)
    _end(0)


def add_installed_commands() -> None:
    """Adds the commands of other packages; the names of our own stay ours."""
    from inarow.cli.doors import installed_commands

    for name, command in installed_commands().items():
        if name not in app:
            app.command(command, name=name)


def _show_warning(message: Warning | str, *details: object, **more: object) -> None:
    """Prints a warning as one line."""
    print(f"inarow: {message}", file=sys.stderr)


def _fail(message: str, code: int) -> NoReturn:
    print(f"inarow: {message}", file=sys.stderr)
    _end(code)


def _end(code: int) -> NoReturn:
    """Ends the process. During start-up and after the final output, Ctrl-C terminates silently."""
    # CPython remembers a Ctrl-C that arrived while generated code ran (a data class being made, say), and `python -m`
    # would end by the signal instead of the code, though it was caught. Running any text makes it forget.
    exec("")
    if signal.getsignal(signal.SIGINT) is raise_interrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(code)
