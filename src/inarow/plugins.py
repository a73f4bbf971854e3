"""What installed packages add to inarow: objects behind entry points, which are third-party code."""

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from inarow.errors import one_line


def load_plugin(entry: EntryPoint) -> Any:
    """The object of an entry point; raises whatever its module raises, ImportError in place of SystemExit."""
    try:
        return entry.load()
    except SystemExit as error:
        raise ImportError(f"its module calls sys.exit({'' if error.code is None else repr(error.code)})") from None


def load_plugins(
    group: str, check: Callable[[Any], None], *, several: bool = False
) -> tuple[dict[str, Any], dict[str, str]]:
    """The objects of a group of entry points by their `name`, and why others are broken, by their name or, if they have
    none, that of their entry point. `check` raises for what is not an object of the group; with `several` each
    entry point has some.
    """
    found: dict[str, Any] = {}
    broken: dict[str, str] = {}
    for entry in entry_points(group=group):
        name = entry.name
        try:
            loaded = load_plugin(entry)
            for each in loaded if several else [loaded]:
                name = getattr(each, "name", entry.name)
                check(each)
                found[name] = each
        except Exception as error:  # third-party code can raise anything
            broken[name] = f"the plug-in {entry.name} is broken: {type(error).__name__}: {one_line(error)}"
    return found, broken
