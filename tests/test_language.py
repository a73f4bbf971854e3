"""Everything that people read is plain English: pages, messages, help, docstrings, comments, labels, names of tests."""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from inarow.cli.app import app
from tests.test_docs import pages

ROOT = Path(__file__).parents[1]
VENDORED = ("/vendor/", "/static/vendor/", "_version.py")

PHRASES = {
    r"\b(has|have|is|are) no chance\b": "is deterministic",
    r"\broot of (all chance|every random)\b": "random seed",
    r"\bprocesses that work\b": "worker processes",
    r"\btells? which are\b": "draws according to the book or solver",
    r"\b(is|are|was|were|be) told\b": "see ..., reports, gets",
    r"\btells\b": "reports",
    r"\bare not what they must be\b": "invalid",
    r"\bnobody knows\b": "cannot determine",
    r"\bits last word\b": "the final output",
    r"\bwho (lets|asks|has)\b": "with, anyone who",
    r"\bno text in one line\b|\bare no text\b": "non-UTF-8",
    r"\b(go|goes|going|went) on\b": "continues",
    r"\bso many\b(?! of)": "n",
    r"\b(is|are) there\b": "exists",
    r"\bcomes? with\b": "ships with",
    r"\bdear(ly|er|est)?\b": "expensive",
    r"(?<!scale: )(?<!scale )\bquick(ly|er|est)?\b": "fast",
    r"\ba hundred's\b": "a hundredth",
    r"\bwhole or not at all\b": "atomically",
    r"\brooms\b|\bcellar\b|\bhouse\b": "packages, foundations, architecture",
}
"""Phrases that read translated, and what to write instead."""

NAMES = {
    r"whole_file|alone_in": "atomic_write, exclusive_lock",
    r"Desk|Narrowing|questions\.py": "SearchWorker, NullWindowSearch, limits.py or driver.py",
    r"shipped\.py|promises\.py": "api.py, pretrained.py, protocols.py",
    r"Farm|Harvest|Stretch|HABITS|companions?": "ClusterSelfPlay, SelfPlayBuffers, PlaySlice, worker processes",
    r"Forest": "TreeArrays",
    r"Thinkers|pulse": "SearchPool, loop_lag, Reporter",
}
"""Names of the first edition, and those of today."""

WHOLE_NAMES = {r"\A(Searches|Say|plant)\Z": "SearchState, Reporter, reset_tree"}
"""The same for names that are also English words."""

RULES = {
    phrase if re.search(r"[B-Y]", phrase) else f"(?i:{phrase})": instead
    for phrase, instead in [
        *PHRASES.items(),
        *((rf"\b(?:{names})\b", instead) for names, instead in NAMES.items()),
        *WHOLE_NAMES.items(),
    ]
}
"""All of these as regular expressions; those with a capital letter are for that case only."""

ANY = re.compile("|".join(RULES))


def found_in(text: str, line: int = 1) -> Iterator[tuple[int, str, str]]:
    """(Line, phrase, what to write instead) of each phrase in a text that begins on this line."""
    if not ANY.search(text):  # twenty times as fast
        return
    for phrase, instead in RULES.items():
        for match in re.finditer(phrase, text):
            yield line + text.count("\n", 0, match.start()), match.group(), instead


def blank(match: re.Match[str]) -> str:
    """As many line breaks as a match has, so that the lines after it keep their numbers."""
    return "\n" * match.group().count("\n")


# --- What is read, by kind of file ---


def of_page(text: str) -> Iterator[tuple[int, str]]:
    """A page without its code: `--scale quick` is an option."""
    yield 1, re.sub(r"^```.*?^```|^    .*?$|`[^`\n]*`", blank, text, flags=re.DOTALL | re.MULTILINE)


def of_python(text: str) -> Iterator[tuple[int, str]]:
    """Comments, names, and strings with a space in them: docstrings, messages, help; without code in backquotes."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, re.sub(r"`[^`\n]*`", "", node.value)
        elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, node.name.replace("_", " ") if node.name.startswith("test_") else node.name
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], re.sub(r"`[^`\n]*`", "", token.string)


def of_text(text: str) -> Iterator[tuple[int, str]]:
    yield 1, text


READ: dict[str, Callable[[str], Iterator[tuple[int, str]]]] = {
    ".md": of_page,
    ".py": of_python,
    ".pyi": of_python,
    ".js": of_text,
    ".html": of_text,
    ".css": of_text,
    ".toml": of_text,
}


def dialect(name: str, text: str) -> list[str]:
    """`file:line: phrase: write ...` for each phrase in the parts of a file that people read."""
    read = READ[Path(name).suffix]
    return [
        f"{name}:{number}: {phrase!r}: write {instead!r}"
        for line, part in read(text)
        for number, phrase, instead in found_in(part, line)
    ]


@cache
def sources(folder: str) -> tuple[Path, ...]:
    paths = sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in READ and path.suffix != ".md")
    return tuple(path for path in paths if not any(part in path.as_posix() for part in VENDORED))


def complaints(paths: tuple[Path, ...]) -> list[str]:
    named = ((path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")) for path in paths)
    return [each for name, text in named for each in dialect(name, text)]


@pytest.mark.parametrize("page", tuple(pages()))
def test_pages_are_in_plain_english(page):
    assert not dialect(page, pages()[page])


def test_the_changelog_is_in_plain_english():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased = re.split(r"^## ", text, flags=re.MULTILINE)[1]
    assert not dialect("CHANGELOG.md", unreleased)


@pytest.mark.parametrize(
    "package", sorted(path.name for path in (ROOT / "src" / "inarow").iterdir() if path.suffix in {"", *READ})
)
def test_the_source_is_in_plain_english(package):
    path = ROOT / "src" / "inarow" / package
    assert not complaints(sources(path.relative_to(ROOT).as_posix()) if path.is_dir() else (path,))


@pytest.mark.parametrize("folder", ["tools", "tests"])
def test_tools_and_tests_are_in_plain_english(folder):
    here = Path(__file__)
    assert not complaints(tuple(path for path in sources(folder) if path != here))


def test_help_is_in_plain_english():
    texts = ((name, app[name].help) for name in app if not name.startswith("-"))
    assert not [(name, *each) for name, text in texts for each in found_in(text)]


def test_phrases_and_old_names_are_found():
    assert dialect("page.md", "The solver tells the score and goes on.") == [
        "page.md:1: 'tells': write 'reports'",
        "page.md:1: 'goes on': write 'continues'",
    ]
    assert dialect("module.py", '"""Plays."""\n\n\nclass Harvest:\n    pass  # dear\n') == [
        "module.py:4: 'Harvest': write 'ClusterSelfPlay, SelfPlayBuffers, PlaySlice, worker processes'",
        "module.py:5: 'dear': write 'expensive'",
    ]
    assert dialect("test_x.py", "def test_it_goes_on(): ...") == ["test_x.py:1: 'goes on': write 'continues'"]


def test_code_is_not_read():
    assert not dialect("page.md", "Run it with `--scale quick`; it continues and reports the score.")
    assert not dialect("module.py", 'scale = "quick"\n"""The scale `quick` is short."""\n')
