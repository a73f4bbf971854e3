"""Configs of learners: where they come from, how they are changed and checked.

Each kind of learner has its own frozen struct (`tabular/config.py`, ...), made of `ConfigPart`s; the
key `learner` of a document says which.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from inarow.errors import ConfigError, one_line, shown

_AnyConfig = TypeVar("_AnyConfig")
Document = dict[str, Any]


class ConfigPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A config or a part of one."""


def presets() -> dict[str, Path]:
    """The configs that come with the package, by name."""
    folder = Path(str(files("inarow.learning"))) / "presets"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def find_document(name: str, settings: Iterable[str] = ()) -> Document:
    """What a preset or a TOML file says, changed by settings `key=value` with dots for parts
    (`rewards.win=50`, `phases.0.episodes=1000`); raises ConfigError. Only its form is checked.
    """
    known = presets()
    if name not in known and not name.endswith(".toml"):
        raise ConfigError(f"there is no preset {shown(name)}; presets are {', '.join(known)}, or name a .toml file")
    path = known.get(name, Path(name))
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # not TOML, not text, too many digits, too many brackets
        raise ConfigError(f"{path} is not TOML: {one_line(error)}") from None
    return with_settings(document, settings)


def with_settings(document: Document, settings: Iterable[str]) -> Document:
    """The document itself, changed; raises ConfigError."""
    for setting in settings:
        _apply(document, setting)
    return document


def learner_of(document: Document) -> str:
    """The name of the learner that a document asks for, whether there is such a one or not."""
    return str(document.get("learner", "q"))


def to_config(document: Any, kind: type[_AnyConfig], source: str) -> _AnyConfig:
    """A checked config; raises ConfigError, which names `source`."""
    try:
        return msgspec.convert(document, kind)
    except (msgspec.ValidationError, ValueError) as error:
        raise ConfigError(f"{source}: {one_line(error)}") from None


def checked(config: _AnyConfig) -> _AnyConfig:
    """A config that was changed, if its values are within their bounds; raises ValueError."""
    try:
        return msgspec.convert(msgspec.to_builtins(config), type(config))
    except msgspec.ValidationError as error:
        raise ValueError(one_line(error)) from None


def _apply(document: Document, setting: str) -> None:
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
