"""Joining the modules of `player` to one file."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from importlib.resources import files

_PACKAGE = "inarow.adapters.kaggle_export.player"
_WIDTH = 110


def assemble(modules: Sequence[str], *, title: str, entry: str) -> str:
    """The source of a file: a docstring, the modules in this order, and `entry`, which makes `agent`.

    A module comes after those that it imports from. Imports stay where a module has them, so that what the
    first module does, starting the clock, comes before NumPy is loaded.
    """
    imported = {"from __future__ import annotations"}
    bodies: list[str] = []
    for module in modules:
        source = (files(_PACKAGE) / f"{module}.py").read_text(encoding="utf-8")
        bodies.append(_body(source, imported))
    # As a literal of ASCII: the path of an agent's file may hold quotes and backslashes.
    head = f"{title!a}\n\nfrom __future__ import annotations"
    return "\n\n\n".join([head, *bodies, entry]) + "\n"


def text_literal(text: str) -> str:
    """A long text as Python source, on many lines."""
    lines = [text[at : at + _WIDTH] for at in range(0, len(text), _WIDTH)] or [""]
    return "(\n" + "\n".join(f"    {line!r}" for line in lines) + "\n)"


def _body(source: str, imported: set[str]) -> str:
    """A module with its docstring as a comment, without imports from this folder and without those in
    `imported`, to which its other ones are added.
    """
    lines = source.splitlines()
    tree = ast.parse(source)
    comment = [f"# {line}".rstrip() for line in (ast.get_docstring(tree) or "").splitlines()]
    for node in tree.body:
        is_docstring = node is tree.body[0] and isinstance(node, ast.Expr)
        if not is_docstring and not (isinstance(node, (ast.Import, ast.ImportFrom)) and _is_known(node, imported)):
            continue
        assert node.end_lineno is not None
        lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    body = re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip()
    return "\n".join(comment) + "\n\n" + body


def _is_known(node: ast.Import | ast.ImportFrom, imported: set[str]) -> bool:
    """Whether the joined file has these names already."""
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_PACKAGE):
        assert all(alias.asname is None for alias in node.names), "a name must be the same in the joined file"
        return True
    text = ast.unparse(node)
    is_known = text in imported
    imported.add(text)
    return is_known
