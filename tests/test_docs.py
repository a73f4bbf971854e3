"""The documentation is true: its text names what exists, links resolve, generated pages are complete, English is plain.

tests/docs runs the code blocks.
"""

import ast
import importlib
import importlib.util
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import inarow
from inarow.agents import registry
from inarow.cli.app import app
from inarow.errors import MissingExtraError
from tests.cli.command_line import inarow as run_inarow
from tests.docs.snippets import pages

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = tuple(pages())


# --- Commands ---


def mentioned_commands(text: str) -> Iterator[str]:
    """Commands in running text, whose arguments may be placeholders."""
    yield from re.findall(r"`(inarow [a-z][^`]*)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))


def test_there_are_commands_to_check():
    assert sum(len(list(mentioned_commands(text))) for text in pages().values()) > 60


def unknown_words(line: str) -> set[str]:
    """Options of a command that do not exist; the whole line if the command does not."""
    command, words = app, line.split()[1:]
    while words and re.fullmatch(r"[a-z][a-z-]*", words[0]) and words[0] in command:
        command, words = command[words[0]], words[1:]
    if command is app:
        return {line}
    known = {"--help"}
    if command.default_command is not None:
        known |= {name for argument in command.assemble_argument_collection() for name in argument.names}
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", line)) - known


@pytest.mark.parametrize("page", PAGES)
def test_mentioned_commands_and_options_exist(page):
    for line in mentioned_commands(pages()[page]):
        assert not unknown_words(line), f"{page}: {line}"


def test_unknown_words_are_found():
    assert unknown_words("inarow macth A B") == {"inarow macth A B"}
    assert unknown_words("inarow book build FILE --plys N") == {"--plys"}
    assert unknown_words("inarow tournament A B [--games N] [--ray ADDRESS]") == set()


SHORT = re.compile(r"inarow (solve [^-]|perft [1-8]\b|agents\b|quantum show --|analyse \d+$)(?!.* --out)")


def test_short_commands_run(tmp_path):
    lines = {line for text in pages().values() for line in mentioned_commands(text)}
    short = {line for line in lines if SHORT.match(line) and not re.search(r"[A-Z]{2}|\[|…", line)}
    assert len(short) >= 3
    for line in sorted(short):
        if "quantum" not in line or importlib.util.find_spec("qiskit"):
            result = run_inarow(*shlex.split(line)[1:], cwd=tmp_path)
            assert result.returncode == 0, f"{line}: {result.stderr}"


# --- Python ---


def imported(text: str) -> Iterator[tuple[str, str]]:
    """Module and name of every `from inarow... import ...` in Python blocks."""
    for block in re.findall(r"^```python\n(?!>>>)(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("inarow"):
                yield from ((node.module or "", name.name) for name in node.names)


@pytest.mark.parametrize("page", PAGES)
def test_python_blocks_import_what_exists(page):
    for module, name in imported(pages()[page]):
        try:
            found = importlib.import_module(module)
        except MissingExtraError:
            continue
        assert hasattr(found, name), f"{page}: {module}.{name}"


# --- Links ---


def anchors(text: str) -> set[str]:
    """Anchors of headings, as Sphinx and GitHub make them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def links(text: str) -> Iterator[str]:
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    yield from re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text))


@pytest.mark.parametrize("page", [*PAGES, "CHANGELOG.md"])
def test_relative_links_resolve(page):
    path = ROOT / page
    for link in links(path.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), f"{page}: {link}"
        if anchor and target.suffix == ".md" and "{include}" not in target.read_text(encoding="utf-8"):
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{page}: {link}"


def test_no_page_replaces_one_of_sphinx():
    assert not {"search", "genindex", "py-modindex"} & {path.stem for path in DOCS.glob("*.md")}


def test_the_glossary_is_in_alphabetical_order():
    terms = re.findall(r"^### (.*)", pages()["docs/reference/glossary.md"], re.MULTILINE)
    assert len(terms) > 60
    assert terms == sorted(terms, key=str.lower)


# --- Generated pages ---


@cache
def tool(name: str) -> ModuleType:
    """A script of tools/docs."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / "docs" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_is_complete(tmp_path):
    tool("reference").write_pages(tmp_path)
    commands, agents, config, api = (
        (tmp_path / f"{name}.md").read_text(encoding="utf-8") for name in ("commands", "agents", "config", "api")
    )
    for name in app:
        if not name.startswith("-"):
            assert f"\n## inarow {name}\n" in commands
    assert "\n### inarow book build\n" in commands
    assert "`--games INT`" in commands
    assert "no-json" not in commands
    for name in registry.registry():
        assert f"\n### {name}\n" in agents
    for key in ("phases.N.episodes", "policy.temperature.delta", "selfplay.random_plies"):
        assert f"| `{key}` |" in config
    for name in inarow.__all__:
        assert f"}} inarow.{name}" in api


def test_a_broken_link_of_the_site_is_found(tmp_path):
    (tmp_path / "a.html").write_text('<h1 id="top"></h1><a href="b.html#there"></a><a href="#top"></a>')
    (tmp_path / "b.html").write_text(
        '<a href="a.html#top"></a><img src="none.png"><a href="https://example.org/x"></a>'
    )
    assert tool("check_links").broken_links(tmp_path) == ["a.html: b.html#there", "b.html: none.png"]


def test_the_readme_is_short():
    assert len(pages()["README.md"].splitlines()) < 150
