"""One file out of the modules of `player`: their sources, without what joins them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from importlib.resources import files

_PACKAGE = "inarow.interfaces.kaggle_export.player"
_WIDTH = 110


def assemble(modules: Sequence[str], *, title: str, entry: str) -> str:
    """The source of a file: a docstring, imports, the modules in this order, and `entry`, which makes `agent`.

    A module comes after those that it imports from.
    """
    imports: dict[str, None] = {}
    bodies: list[str] = []
    for module in modules:
        source = (files(_PACKAGE) / f"{module}.py").read_text(encoding="utf-8")
        bodies.append(_body(source, imports))
    head = [f'"""{title}"""', "", "from __future__ import annotations", "", *sorted(imports)]
    return "\n".join(head) + "\n\n\n" + "\n\n\n".join([*bodies, entry]) + "\n"


def text_literal(text: str) -> str:
    """A long text as Python source, on many lines."""
    lines = [text[at : at + _WIDTH] for at in range(0, len(text), _WIDTH)] or [""]
    return "(\n" + "\n".join(f"    {line!r}" for line in lines) + "\n)"


def _body(source: str, imports: dict[str, None]) -> str:
    """A module without its imports, which go to `imports` if they are not of the folder; its docstring as a comment."""
    lines = source.splitlines()
    tree = ast.parse(source)
    comment = [f"# {line}".rstrip() for line in (ast.get_docstring(tree) or "").splitlines()]
    for node in tree.body:
        is_docstring = node is tree.body[0] and isinstance(node, ast.Expr)
        if not is_docstring and not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        assert node.end_lineno is not None
        lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_PACKAGE):
            assert all(alias.asname is None for alias in node.names), "a name must be the same in the joined file"
        elif (
            isinstance(node, (ast.Import, ast.ImportFrom)) and ast.unparse(node) != "from __future__ import annotations"
        ):
            imports[ast.unparse(node)] = None
    return "\n".join(comment) + "\n\n" + "\n".join(lines).strip()
