"""The strings that users see in a revision, and how many changed between two.

    python tools/language/strings.py HEAD                list them as JSON, by file
    python tools/language/strings.py main HEAD           count added, removed and changed strings, by package

User-visible are all strings with a space that are not docstrings: messages, help, descriptions of keys, labels of
plots and tables; the docstrings of public functions and classes and of commands, which are shown by `help()` and
`--help`; the texts of studies in TOML; and the labels of the pages in HTML and JavaScript. A string that is removed
and another one that is added in its place, in the same file, count as one changed string.
"""

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

SUFFIXES = {".py", ".toml", ".html", ".js"}
QUOTED = re.compile(r'"([^"\n]*)"|`([^`]*)`|>([^<>{}\n]+)<')


def files_of(revision: str) -> list[str]:
    """The files of the package in a revision that contain strings."""
    names = _git("ls-tree", "-r", "--name-only", revision, "src/inarow").splitlines()
    return [name for name in names if PurePosixPath(name).suffix in SUFFIXES and "/vendor/" not in name]


def strings_of(name: str, text: str) -> Counter[str]:
    """The user-visible strings of a file, with line breaks as spaces."""
    found = _of_python(text) if name.endswith(".py") else _of_toml(text) if name.endswith(".toml") else _of_page(text)
    return Counter(joined for each in found if " " in (joined := " ".join(each.split())))


def _of_python(text: str) -> Iterator[str]:
    tree = ast.parse(text)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    hidden = set[int]()  # docstrings of modules, attributes and private names
    inner = set[int]()  # parts of f-strings
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            hidden.add(id(node.value))
    for node in ast.walk(tree):
        if isinstance(node, documented) and not getattr(node, "name", "_").startswith("_") and node.body:
            first = node.body[0]
            hidden -= {id(first.value)} if isinstance(first, ast.Expr) else set()
        if isinstance(node, ast.JoinedStr):
            inner |= {id(each) for each in ast.walk(node)} - {id(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and id(node) not in inner:
            yield "".join(each.value if isinstance(each, ast.Constant) else "{}" for each in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner | hidden:
            yield node.value


def _of_toml(text: str) -> Iterator[str]:
    for match in re.finditer(r'"""(.*?)"""|"([^"\n]*)"', text, re.DOTALL):
        yield match[1] or match[2] or ""


def _of_page(text: str) -> Iterator[str]:
    for match in QUOTED.finditer(re.sub(r"//.*|/\*.*?\*/", "", text)):
        yield next(filter(None, match.groups()), "")


def strings_in(revision: str) -> dict[str, Counter[str]]:
    """The strings of a revision by file."""
    return {name: strings_of(name, _git("show", f"{revision}:{name}")) for name in files_of(revision)}


def compare(old: dict[str, Counter[str]], new: dict[str, Counter[str]]) -> dict[str, Counter[str]]:
    """Numbers of strings before and after, changed, added and removed, by package and in `all`."""
    rows: dict[str, Counter[str]] = {}
    for name in sorted(old.keys() | new.keys()):
        before, after = old.get(name, Counter()), new.get(name, Counter())
        lost, gained = (before - after).total(), (after - before).total()
        changed = min(lost, gained)
        for package in ("all", PurePosixPath(name).parts[2].removesuffix(".py")):
            counts = {"before": before.total(), "after": after.total(), "changed": changed}
            rows.setdefault(package, Counter()).update(counts | {"added": gained - changed, "removed": lost - changed})
    return rows


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout


def main(revisions: list[str]) -> None:
    """Lists the strings of one revision, or compares two."""
    if len(revisions) == 1:
        found = {name: sorted(strings.elements()) for name, strings in strings_in(revisions[0]).items()}
        print(json.dumps({name: strings for name, strings in found.items() if strings}, indent=1, ensure_ascii=False))
        return
    rows = compare(strings_in(revisions[0]), strings_in(revisions[1]))
    columns = ("before", "after", "changed", "added", "removed")
    print(f"{'package':14}", *(f"{column:>8}" for column in columns))
    for package, counts in rows.items():
        print(f"{package:14}", *(f"{counts[column]:8}" for column in columns))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python tools/language/strings.py REVISION [REVISION]")
    main(sys.argv[1:])
