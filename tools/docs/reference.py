"""Writes reference pages from the program itself when the documentation is built, so that they are always up to date.

python tools/docs/reference.py FOLDER
"""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec
from cyclopts import App
from cyclopts.docs import generate_markdown_docs

import inarow
from inarow.cli.app import GROUPS, app
from inarow.cli.help import examples_of, subcommands, use_docstring
from inarow.learning.config_text import described, preset_infos
from inarow.learning.learner import learners


def write_pages(folder: Path) -> None:
    """Writes the pages that docs/reference includes. Unchanged files are not written, so that they keep their times."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        path, text = folder / f"{name}.md", page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


# --- Commands ---


def commands_page() -> str:
    """The help of every command, as cyclopts writes it, with the examples below it."""
    index = "\n".join(
        f"\n**{title}**\n\n| command | does |\n|---|---|\n"
        + "\n".join(f"| [`{name}`](#inarow-{name}) | {text} |" for name, text in commands.items())
        for title, commands in GROUPS.items()
    )
    body = "\n".join(_command_section(command, words) for words, command in sorted(_commands(app), key=itemgetter(0)))
    return f"{index}\n\n{body}"


def _commands(parent: App, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], App]]:
    """All commands with their words."""
    for name, command in subcommands(parent):
        yield (*path, name), command
        yield from _commands(command, (*path, name))


def _command_section(command: App, words: tuple[str, ...]) -> str:
    path, heading = ["inarow", *words], "#" * (len(words) + 1)
    use_docstring(command, path)
    _, apps, _ = app.parse_commands(words)
    with app.app_stack(apps):
        text = generate_markdown_docs(
            command, recursive=False, generate_toc=False, heading_level=len(heading), command_chain=path
        )
    own = re.split(r"^### ", text.removeprefix(heading), flags=re.MULTILINE)[0].rstrip()  # commands below come later
    usage = str(command.usage or f"{' '.join(path)} COMMAND").removeprefix("Usage: ")
    own = re.sub(r"^```console\n.*$", f"```console\n{usage}", own, count=1, flags=re.MULTILINE)
    return "\n".join([heading + own, "", "**Examples**:", "", "```sh", *examples_of(command), "```", ""])


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
    text = f"### {agent['name']}\n\n{summary}. Supported limits: {limits}.\n"
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
    rows = [f"| `{each.name}` | `{each.learner}` | {each.board} | {each.summary} |" for each in preset_infos()]
    sections = [
        f"## Learner `{name}`\n\n{inspect.getdoc(learner.config)}\n\n{_config_table(learner.config)}"
        for name, learner in known.items()
    ]
    return "\n".join(
        ["## Presets", "", "| preset | learner | board | result |", "|---|---|---|---|", *rows, "", *sections]
    )


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
    meanings = described(config)
    for part in msgspec.structs.fields(config):
        key = prefix + part.encode_name
        inner = next(filter(_is_struct, _types(part.type)), None)
        if inner is None:
            yield key, _default(part), meanings[part.encode_name].text
        else:
            listed = "tuple" in str(part.type)
            yield from _keys(inner, f"{key}.N." if listed else f"{key}.")


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
    """A default value with this representation."""

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
