"""Configs of learners: finding, changing and checking them.

Each learner has a frozen struct of its own (`tabular/config.py`, ...), made of `ConfigPart`s; the key `learner` of a
document names the learner.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

import msgspec
from msgspec import Meta

from inarow.errors import ConfigError, did_you_mean, one_line, raised_as, shown, unknown
from inarow.storage.inputs import read_input

_AnyConfig = TypeVar("_AnyConfig")
Document = dict[str, Any]


class ConfigPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base class of configs and their parts."""


Module = Annotated[
    str | None,
    Meta(
        description="written by inarow: the torch module passed from Python that is trained instead",
        extra_json_schema={"readOnly": True},
    ),
]
"""The part of a config that records the user's network."""
MAX_BYTES = 1 << 20  # of a config file
_added_presets: dict[str, Path] = {}


def presets() -> dict[str, Path]:
    """The configs that ship with inarow and those added by `add_presets`, by name."""
    folder = Path(str(files("inarow.learning"))) / "presets"
    return {**{path.stem: path for path in sorted(folder.glob("*.toml"))}, **_added_presets}


def add_presets(added: Mapping[str, Path]) -> None:
    """Adds TOML files by name; raises ConfigError if a name is taken."""
    if taken := sorted(added.keys() & presets().keys()):
        raise ConfigError(f"there is already a preset {shown(taken[0])}; choose another name")
    _added_presets.update(added)


def find_document(name: str, settings: Iterable[str] = ()) -> Document:
    """The content of a preset or a TOML file, changed by settings `key=value`, with dots for nested keys
    (`rewards.win=50`, `phases.0.episodes=1000`); raises ConfigError. Only its form is checked.
    """
    known = presets()
    if name not in known and not name.endswith(".toml"):
        raise ConfigError(f"{unknown('preset', name, known)}, or give a .toml file")
    path = known.get(name, Path(name))
    content = read_input(path, MAX_BYTES, ConfigError)
    # Not TOML, not UTF-8, too many digits or too many brackets.
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
        _set_value(document, key.split("."), value, setting)
    return document


def with_values(document: Document, values: Mapping[str, object]) -> Document:
    """The same with Python values: `rewards__win=50`, or `rewards={"win": 50}`, which leaves the other rewards
    unchanged.
    """
    for key, value in values.items():
        path = key.split("__")
        if isinstance(value, Mapping):
            with_values(document, {"__".join((key, str(name))): each for name, each in value.items()})
        else:
            _set_value(document, path, list(value) if isinstance(value, tuple) else value, key)
    return document


def _set_value(document: Document, path: Sequence[str], value: object, setting: str) -> None:
    *parts, last = path
    place: Any = document
    try:
        for name in parts:
            place = place[int(name)] if isinstance(place, list) else place.setdefault(name, {})
        place[int(last) if isinstance(place, list) else last] = value
    except (IndexError, ValueError, TypeError, AttributeError):
        raise ConfigError(f"setting {shown(setting)} does not exist in the config") from None


def learner_of(document: Document) -> str | None:
    """The name of the learner of a document, None if it has none. Does not check that the learner exists."""
    return str(document["learner"]) if "learner" in document else None


def to_config(document: Any, kind: type[_AnyConfig], source: str) -> _AnyConfig:
    """The config of a document; raises ConfigError, which names `source`, if it is invalid."""
    with raised_as(ConfigError, source, msgspec.ValidationError, ValueError):
        try:
            return msgspec.convert(document, kind)
        except msgspec.ValidationError as error:
            raise ConfigError(f"{source}: {one_line(error)}{_valid_keys(str(error), kind)}") from None


def _valid_keys(message: str, kind: object) -> str:
    """For the error of an unknown key, a suggestion and all valid keys; for other errors an empty string."""
    found = re.fullmatch(r"Object contains unknown field `(.*?)`(?: - at `\$(.*)`)?", message, re.DOTALL)
    part = _part_at(kind, found[2] or "") if found else None
    if found is None or part is None:
        return ""
    keys = sorted(field.encode_name for field in msgspec.structs.fields(part))
    return f"{did_you_mean(found[1], keys)}; valid keys are {', '.join(keys)}"


def _part_at(kind: object, path: str) -> type[msgspec.Struct] | None:
    """The struct at a path in the form of msgspec, such as `.phases[0].opponent`."""
    part = next(_structs(kind), None)
    for name in re.findall(r"\.(\w+)", path):
        types = [field.type for field in msgspec.structs.fields(part) if field.encode_name == name] if part else []
        part = next((each for type_ in types for each in _structs(type_)), None)
    return part


def _structs(kind: object) -> Iterator[type[msgspec.Struct]]:
    """The structs in a type, such as that of `tuple[Phase, ...]` or `Policy | None`."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield kind
    for inner in get_args(kind):
        yield from _structs(inner)
