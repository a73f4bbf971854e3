"""The documentation is true: commands parse, short ones print what the pages show, links resolve, sessions run."""

import ast
import doctest
import importlib
import importlib.util
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from cyclopts import CycloptsError

import inarow
from inarow.agents import registry
from inarow.cli.app import app
from inarow.errors import MissingExtraError

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
WRITTEN_BY_TOOLS = re.compile(r"<!-- faults: begin.*?<!-- faults: end -->", re.DOTALL)


@cache
def pages() -> dict[str, str]:
    """The pages that people write, by name; reports of studies and generated references are made by the program."""
    paths = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
    return {
        path.relative_to(ROOT).as_posix(): WRITTEN_BY_TOOLS.sub("", path.read_text(encoding="utf-8"))
        for path in paths
        if path.name != "report.md" and path.parent.name != "generated"
    }


PAGES = tuple(pages())


# --- Commands ---


def command_lines(text: str) -> Iterator[str]:
    """Commands in code blocks, fenced or indented, without prompt and comment."""
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif (fenced or line.startswith("    ")) and (found := re.match(r"\s*(?:\$ )?(inarow .*)", line)):
            yield re.split(r"\s+#|\s*\|", found[1])[0].strip()


def mentioned_commands(text: str) -> Iterator[str]:
    """Commands in running text, whose arguments may be placeholders."""
    yield from re.findall(r"`(inarow [a-z][^`]*)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))


def test_there_are_commands_to_check():
    assert sum(len(list(command_lines(text))) for text in pages().values()) > 60
    assert sum(len(list(mentioned_commands(text))) for text in pages().values()) > 60


@pytest.mark.parametrize("page", PAGES)
def test_commands_in_code_blocks_parse(page):
    for line in command_lines(pages()[page]):
        try:
            app.parse_args(shlex.split(line)[1:], exit_on_error=False, print_error=False)
        except CycloptsError as error:
            pytest.fail(f"{page}: {line}: {error}")


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


def test_a_wrong_command_does_not_parse():
    with pytest.raises(CycloptsError):
        app.parse_args(["match", "random", "greedy", "--gmaes", "10"], exit_on_error=False, print_error=False)


def sessions(text: str) -> Iterator[tuple[str, list[str]]]:
    """Command and expected lines of every console block."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *expected = part.rstrip().splitlines()
            yield command, [line.rstrip() for line in expected]


def run(command: str, folder: Path) -> list[str]:
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, timeout=600)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return [line.rstrip() for line in done.stdout.rstrip().splitlines()]


@pytest.mark.parametrize("page", [page for page in PAGES if "```console\n$ inarow" in pages()[page]])
def test_sessions_print_what_the_page_shows(page, tmp_path):
    for line in command_lines(pages()[page]):
        if line == "inarow train tictactoe-q":  # the session that follows it grades the table
            run(line, tmp_path)
    for command, expected in sessions(pages()[page]):
        printed = run(command, tmp_path)
        if expected[-1] == "...":  # what follows depends on the machine
            expected = expected[:-1]
            printed = printed[: len(expected)]
        assert printed == expected, command


SHORT = re.compile(r"inarow (solve [^-]|perft [1-8]\b|agents\b|quantum show|analyse \d+$)(?!.* --out)")


def test_short_commands_run(tmp_path):
    shown = {command for text in pages().values() for command, _ in sessions(text)}
    lines = {line for text in pages().values() for line in [*command_lines(text), *mentioned_commands(text)]}
    short = {line for line in lines if SHORT.match(line) and not re.search(r"[A-Z]{2}|\[|…", line)} - shown
    assert len(short) >= 3
    for line in sorted(short):
        if "quantum" not in line or importlib.util.find_spec("qiskit"):
            run(line, tmp_path)


# --- Python ---


@pytest.mark.usefixtures("forgotten_registrations")
@pytest.mark.parametrize("page", [page for page in PAGES if ">>> " in pages()[page] and page != "README.md"])
def test_python_sessions_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(ROOT / page), module_relative=False)
    assert result.attempted > 1
    assert result.failed == 0


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
