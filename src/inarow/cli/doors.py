"""Commands that live outside `cli`: plain functions, which import neither cyclopts nor this package.

Their parameters are described in their docstrings. An installed package adds a command by an entry point in the
group `inarow.commands`: the name of the command, and the function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, Any, get_type_hints

from cyclopts import App, Parameter

from inarow.cli.options import OUT, SEED
from inarow.errors import InarowError, one_line

Command = Callable[..., Any]

_GROUP = "inarow.commands"
_FUNCTIONS = {
    "serve": "inarow.web.command:serve",
    "engine": "inarow.engine.command:engine",
    "kaggle": "inarow.adapters.kaggle_export.command:kaggle",
}
_SHARED = {"seed": SEED, "out": OUT}


def __getattr__(name: str) -> Command | App:
    """The function of a door, imported when cyclopts first asks for it by the name of its command."""
    if name == "export":
        export = App(name=name, help="Write files that play elsewhere.", default_parameter=Parameter(negative=()))
        export.command(__getattr__("kaggle"))
        return export
    if name not in _FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _command(EntryPoint(name, _FUNCTIONS[name], _GROUP))


@lru_cache(maxsize=1)
def installed_commands() -> Mapping[str, Command]:
    """The commands of installed packages by name. One that cannot be loaded raises InarowError when it is run."""
    return {entry.name: _loaded(entry) for entry in entry_points(group=_GROUP)}


def _loaded(entry: EntryPoint) -> Command:
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
    function: Command = entry.load()
    hints = get_type_hints(function, include_extras=True)

    @wraps(function)
    def command(*args: Any, **options: Any) -> Any:
        return function(*args, **options)

    shared = {name: Annotated[hints[name], _SHARED[name]] for name in _SHARED if name in hints}
    command.__annotations__ = {**hints, **shared}
    return command
