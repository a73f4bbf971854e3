"""Configs of learners: how they are found, changed and checked.

Each learner has a frozen struct of its own (`tabular/config.py`, ...), made of `ConfigPart`s; the key `learner` of a
document names the learner.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from inarow.errors import ConfigError, raised_as, shown
from inarow.storage.inputs import read_input

_AnyConfig = TypeVar("_AnyConfig")
Document = dict[str, Any]


class ConfigPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A config or a part of one."""


Module = Annotated[
    str | None, Meta(description="written by inarow: the module of torch, given from Python, that is trained instead")
]
"""The part of a config that records a network of the user."""
MAX_BYTES = 1 << 20  # of a config file
_added_presets: dict[str, Path] = {}


def presets() -> dict[str, Path]:
    """The configs that ship with inarow, and those that were added, by name."""
    folder = Path(str(files("inarow.learning"))) / "presets"
    return {**{path.stem: path for path in sorted(folder.glob("*.toml"))}, **_added_presets}


def add_presets(added: Mapping[str, Path]) -> None:
    """Adds TOML files by name; raises ConfigError if a name is taken."""
    if taken := sorted(added.keys() & presets().keys()):
        raise ConfigError(f"there is a preset {shown(taken[0])} already; choose another name")
    _added_presets.update(added)


def find_document(name: str, settings: Iterable[str] = ()) -> Document:
    """The content of a preset or a TOML file, changed by settings `key=value` with dots for parts
    (`rewards.win=50`, `phases.0.episodes=1000`); raises ConfigError. Only its form is checked.
    """
    known = presets()
    if name not in known and not name.endswith(".toml"):
        raise ConfigError(f"there is no preset {shown(name)}; presets are {', '.join(known)}, or name a .toml file")
    path = known.get(name, Path(name))
    content = read_input(path, MAX_BYTES, ConfigError)
    # Not TOML, not text, too many digits, too many brackets.
    with raised_as(ConfigError, f"{path} is not TOML", ValueError, RecursionError):
        document = tomllib.loads(content.decode())
    return with_settings(document, settings)


def with_settings(document: Document, settings: Iterable[str]) -> Document:
    """Changes the document in place and returns it; raises ConfigError."""
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not re.fullmatch(r"[a-z_]+(\.(\d+|[a-z_]+))*", key):
            raise ConfigError(f"setting {shown(setting)} is not of the form key=value")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except (ValueError, RecursionError):
            value = text  # a word without quotes
        *path, last = key.split(".")
        place: Any = document
        try:
            for name in path:
                place = place[int(name)] if isinstance(place, list) else place.setdefault(name, {})
            place[int(last) if isinstance(place, list) else last] = value
        except (IndexError, ValueError, TypeError, AttributeError):
            raise ConfigError(f"setting {shown(setting)} names no place in the config") from None
    return document


def learner_of(document: Document) -> str:
    """The name of the learner of a document; it need not exist."""
    return str(document.get("learner", "q"))


def to_config(document: Any, kind: type[_AnyConfig], source: str) -> _AnyConfig:
    """A checked config; raises ConfigError, which names `source`."""
    with raised_as(ConfigError, source, msgspec.ValidationError, ValueError):
        return msgspec.convert(document, kind)
