"""Configs as text for people: a line for each preset, and a whole config as TOML with the meaning of every key."""

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from inarow.learning.config import Document, presets, to_config
from inarow.learning.learner import find_learner

_WIDTH = 79  # of comments
_BOUNDS = {
    "low": {"minimum": "from", "exclusiveMinimum": "above"},
    "high": {"maximum": "to", "exclusiveMaximum": "below"},
}


class PresetInfo(NamedTuple):
    """A preset in a line."""

    name: str
    learner: str
    board: str
    summary: str
    """The first comment of the file, without its full stop: what the preset reaches, and how long it takes."""


def preset_infos() -> list[PresetInfo]:
    """All presets, by name."""
    return [_preset_info(name, path) for name, path in sorted(presets().items())]


def _preset_info(name: str, path: Path) -> PresetInfo:
    text = path.read_text(encoding="utf-8")
    learner, board = (re.search(rf'^{key} = "(.*)"', text, re.MULTILINE) for key in ("learner", "board"))
    summary = re.match(r"# (.*?)\.?\n", text)
    return PresetInfo(name, learner[1] if learner else "", board[1] if board else "many", summary[1] if summary else "")


def config_toml(document: Document, source: str) -> str:
    """The whole config of a document as TOML, defaults included, each key below its meaning. Read again, it gives the
    same config. Keys without a value are comments. Raises ConfigError, which names `source`.
    """
    return "\n".join(_lines(to_config(document, find_learner(document, source).config, source), "")).strip() + "\n"


def _lines(part: msgspec.Struct, path: str) -> Iterator[str]:
    """Keys first, then the parts, each below its heading."""
    meanings = described(type(part))
    parts: list[tuple[str, Any]] = []
    for field in msgspec.structs.fields(part):
        name, value = field.encode_name, getattr(part, field.name)
        meaning = meanings[name]
        if isinstance(value, msgspec.Struct) or _is_list_of_parts(value):
            parts.append((f"{path}{name}", value))
        elif meaning.is_given or value is not None:
            yield from textwrap.wrap(meaning.text, _WIDTH, initial_indent="# ", subsequent_indent="# ")
            yield f"# {name} = (not set)" if value is None else f"{name} = {_toml(value)}"
    for name, value in parts:
        for each in value if isinstance(value, Sequence) else (value,):
            yield from ("", f"[[{name}]]" if isinstance(value, Sequence) else f"[{name}]")
            yield from _lines(each, f"{name}.")


def _is_list_of_parts(value: object) -> bool:
    return isinstance(value, Sequence) and any(isinstance(each, msgspec.Struct) for each in value)


def _toml(value: object) -> str:
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False)  # the same in TOML


# --- Meanings ---


class Meaning(NamedTuple):
    """What a key of a config is for."""

    text: str
    """With its choices and its range."""
    is_given: bool
    """Whether people set it: inarow writes the others."""


def described(config: type[msgspec.Struct]) -> dict[str, Meaning]:
    """The meaning of every key of a config or a part of one."""
    schema = msgspec.json.schema(config)
    properties = schema["$defs"][config.__name__]["properties"]
    return {name: Meaning(_meaning(each), not each.get("readOnly", False)) for name, each in properties.items()}


def _meaning(schema: dict[str, Any]) -> str:
    choices = schema.get("enum") or [each for part in schema.get("anyOf", ()) for each in part.get("enum", ())]
    bounds: dict[str, Any] = next(
        (part for part in (schema, *schema.get("anyOf", ())) if _bound(part, "low") or _bound(part, "high")), {}
    )
    low, high = _bound(bounds, "low"), _bound(bounds, "high")
    parts = [schema.get("description", ""), "choices: " + ", ".join(map(str, choices)) if len(choices) > 1 else ""]
    return "; ".join(filter(None, [*parts, f"{low} {high}".strip()]))


def _bound(schema: dict[str, Any], end: str) -> str:
    return next((f"{word} {_number(schema[key])}" for key, word in _BOUNDS[end].items() if key in schema), "")


def _number(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
