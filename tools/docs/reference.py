"""Reference pages from the program itself, written when the documentation is built, so that they cannot go stale.

python tools/docs/reference.py FOLDER
"""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

import inarow
from inarow.cli.app import app
from inarow.learning.config import presets
from inarow.learning.learner import learners


def write_pages(folder: Path) -> None:
    """Writes the pages that those of docs/reference include. A page that did not change keeps its time."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        path, text = folder / f"{name}.md", page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


# --- Commands ---


def commands_page() -> str:
    """The help of every command, as cyclopts writes it."""
    names = sorted(name for name in app if not name.startswith("-"))
    index = "\n".join(f"| [`{name}`](#inarow-{name}) | {app[name].help} |" for name in names)
    text = app.generate_docs(recursive=True, flatten_commands=True)
    sections = dict(re.findall(r"^# inarow (\S.*)\n((?:(?!# inarow ).*\n)*)", text, re.MULTILINE))
    assert set(names) <= set(sections)
    ordered = sorted(sections.items(), key=lambda section: section[0].split())
    body = "\n".join(f"{'#' * (len(path.split()) + 1)} inarow {path}\n{section}" for path, section in ordered)
    return f"| command | does |\n|---|---|\n{index}\n\n{body}"


# --- Agents ---


def agents_page() -> str:
    """The registry of agents, from `inarow agents --json`."""
    command = [sys.executable, "-m", "inarow", "agents", "--json"]
    agents = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    rows = (f"| [`{agent['name']}`](#{_anchor(agent['name'])}) | {agent['summary']} |" for agent in agents)
    return "\n".join(["| agent | plays |", "|---|---|", *rows, "", *map(_agent_section, agents)])


def _agent_section(agent: dict[str, Any]) -> str:
    limits = ", ".join(f"`{limit}`" for limit in agent["limits"]) or "none"
    summary = agent["summary"][:1].upper() + agent["summary"][1:]
    text = f"### {agent['name']}\n\n{summary}. Limits that it honours: {limits}.\n"
    if not agent["parameters"]:
        return text
    rows = (
        f"| `{each['name']}` | {_code(each['kind'])} | {_code(each['default'])} | "
        f"{_range(each['minimum'], each['maximum'])} | {_cell(each['summary'])} |"
        for each in agent["parameters"]
    )
    return "\n".join([text, "| key | value | default | range | meaning |", "|---|---|---|---|---|", *rows, ""])


# --- Configs ---


def config_page() -> str:
    """Every key of every learner's config, from its type."""
    known = {name: learners()[name] for name in ("q", "deep-q", "alphazero")}
    rows = []
    for name, path in sorted(presets().items()):
        board = re.search(r'^board = "(.*)"', path.read_text(encoding="utf-8"), re.MULTILINE)
        learner = re.search(r'^learner = "(.*)"', path.read_text(encoding="utf-8"), re.MULTILINE)
        assert learner
        rows.append(f"| `{name}` | `{learner[1]}` | {board[1] if board else 'many'} |")
    sections = [
        f"## Learner `{name}`\n\n{inspect.getdoc(learner.config)}\n\n{_config_table(learner.config)}"
        for name, learner in known.items()
    ]
    return "\n".join(["## Presets", "", "| preset | learner | board |", "|---|---|---|", *rows, "", *sections])


def _config_table(config: type[msgspec.Struct]) -> str:
    """A table for the keys of the config itself, and one for each of its parts."""
    tables: dict[str, list[str]] = {"": []}
    for key, default, text in _keys(config):
        part = key.partition(".")[0] if "." in key else ""
        tables.setdefault(part, []).append(f"| `{key}` | {_code(default)} | {_cell(text)} |")
    kinds = {each.encode_name: each.type for each in msgspec.structs.fields(config)}
    sections = []
    for part, rows in tables.items():
        about = inspect.getdoc(next(filter(_is_struct, _types(kinds[part])))) if part else ""
        title = f"### `{part}`\n\n{about}\n" if part else ""
        sections.append("\n".join([title, "| key | default | meaning |", "|---|---|---|", *rows, ""]))
    return "\n".join(sections)


def _keys(config: type[msgspec.Struct], prefix: str = "") -> Iterator[tuple[str, Any, str]]:
    described = _described(config)
    for part in msgspec.structs.fields(config):
        key = prefix + part.encode_name
        inner = next(filter(_is_struct, _types(part.type)), None)
        if inner is None:
            yield key, _default(part), described.get(part.encode_name, "")
        else:
            listed = "tuple" in str(part.type)
            yield from _keys(inner, f"{key}.N." if listed else f"{key}.")


def _described(config: type[msgspec.Struct]) -> dict[str, str]:
    """Description and range of the fields that have one."""
    schema = msgspec.json.schema(config)
    properties = schema["$defs"][config.__name__]["properties"]
    return {name: _meaning(each) for name, each in properties.items()}


def _meaning(schema: dict[str, Any]) -> str:
    choices = schema.get("enum") or [each for part in schema.get("anyOf", ()) for each in part.get("enum", ())]
    bounds = next(
        (part for part in (schema, *schema.get("anyOf", ())) if _bound(part, "low") or _bound(part, "high")), {}
    )
    low, high = _bound(bounds, "low"), _bound(bounds, "high")
    parts = [schema.get("description", ""), "choices: " + ", ".join(map(str, choices)) if len(choices) > 1 else ""]
    return "; ".join(filter(None, [*parts, f"{low} {high}".strip()]))


_BOUNDS = {
    "low": {"minimum": "from", "exclusiveMinimum": "above"},
    "high": {"maximum": "to", "exclusiveMaximum": "below"},
}


def _bound(schema: dict[str, Any], end: str) -> str:
    return next((f"{word} {_number(schema[key])}" for key, word in _BOUNDS[end].items() if key in schema), "")


def _default(part: msgspec.structs.FieldInfo) -> Any:
    if part.default is not msgspec.NODEFAULT:
        return "none" if part.default is None else part.default
    return "required" if part.default_factory is msgspec.NODEFAULT else part.default_factory()


def _types(kind: Any) -> Iterator[Any]:
    yield kind
    for part in getattr(kind, "__args__", ()):
        yield from _types(part)


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


# --- The Python API ---


def api_page() -> str:
    """Every public name with its signature, docstring and example."""
    text = (Path(__file__).parent / "api_examples.md").read_text(encoding="utf-8")
    examples = dict(re.findall(r"(?ms)^## (\w+)\n\n(.*?)(?=^## |\Z)", text))
    names = sorted(inarow.__all__, key=lambda name: (_kind(getattr(inarow, name)), name.lower()))
    sections, last = [], -1
    for name in names:
        value = getattr(inarow, name)
        if (kind := _kind(value)) != last:
            sections.append(f"## {('Functions', 'Classes', 'Errors', 'Constants')[kind]}\n")
            last = kind
        sections.append(f"{_api_entry(name, value)}\n{examples[name]}")
    return "\n".join(sections)


def _kind(value: Any) -> int:
    if not callable(value):
        return 3
    if not inspect.isclass(value):
        return 0
    return 2 if issubclass(value, Exception) else 1


def _api_entry(name: str, value: Any) -> str:
    if _kind(value) == 3:
        return f":::{{py:data}} inarow.{name}\n\n`{value!r}`\n:::\n"
    if _kind(value) == 2:
        return f":::{{py:exception}} inarow.{name}\n\n{_docstring(value)}\n:::\n"
    if _kind(value) == 0:
        return f":::{{py:function}} inarow.{name}{_signature(value)}\n\n{_docstring(value)}\n:::\n"
    signature = "" if getattr(value, "_is_protocol", False) else _signature(value)
    members = "\n".join(_member(member, each) for member, each in _members(value))
    return f"::::{{py:class}} inarow.{name}{signature}\n\n{_docstring(value)}\n\n{members}::::\n"


def _members(cls: type) -> Iterator[tuple[str, Any]]:
    for name, value in vars(cls).items():
        raw = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        if not name.startswith("_") and (inspect.isfunction(raw) or isinstance(raw, property)) and _docstring(raw):
            yield name, value


def _member(name: str, value: Any) -> str:
    if isinstance(value, property):
        return f":::{{py:property}} {name}\n\n{_docstring(value)}\n:::\n"
    kind = "classmethod" if isinstance(value, classmethod) else "method"
    function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
    bound = not isinstance(value, staticmethod)
    return f":::{{py:{kind}}} {name}{_signature(function, bound=bound)}\n\n{_docstring(function)}\n:::\n"


def _signature(function: Callable[..., Any], bound: bool = False) -> str:
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())[1 if bound else 0 :]
    shown = [
        each.replace(default=_Shown(_shorter(each.default)) if each.default is not each.empty else each.empty)
        for each in parameters
    ]
    result = signature.empty if inspect.isclass(function) else signature.return_annotation
    return str(signature.replace(parameters=shown, return_annotation=result)).replace("'", "").replace(" -> None", "")


class _Shown(str):
    """A default that prints as this text."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _shorter(default: Any) -> str:
    if default == inarow.CONNECT_FOUR:
        return "CONNECT_FOUR"
    if isinstance(default, str):
        return f'"{default}"'
    if inspect.isclass(default):
        return default.__name__
    return "..." if "factory" in repr(default) else repr(default)


def _docstring(value: Any) -> str:
    return inspect.getdoc(value) or ""


# --- Text ---


def _code(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else _number(value)
    return f"`{text}`".replace("|", "\\|") if text else ""


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _range(low: Any, high: Any) -> str:
    if low is None and high is None:
        return ""
    if high is None:
        return f"at least {_number(low)}"
    return f"at most {_number(high)}" if low is None else f"{_number(low)} to {_number(high)}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def _anchor(title: str) -> str:
    return re.sub(r"[^\w-]", "", title.lower().replace(" ", "-"))


PAGES: dict[str, Callable[[], str]] = {
    "commands": commands_page,
    "agents": agents_page,
    "config": config_page,
    "api": api_page,
}


def main(arguments: Iterable[str]) -> None:
    (folder,) = arguments
    write_pages(Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
