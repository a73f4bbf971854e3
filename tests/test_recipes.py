"""The recipes of the documentation run, are short, and need nothing but inarow and the libraries they are about."""

import ast
import re
from pathlib import Path

import matplotlib as mpl
import pytest

PAGE = Path(__file__).parents[1] / "docs" / "howto" / "recipes.md"
RECIPES = re.findall(
    r"^## ([^\n]+)\n\n```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)
_LINES = 10
_MODULES = {"inarow", "numpy", "numba", "torch", "pandas"}


@pytest.mark.usefixtures("forgotten_registrations")
@pytest.mark.parametrize("code", [code for _, code in RECIPES], ids=[title for title, _ in RECIPES])
def test_a_recipe_runs(code, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    exec(compile(code, str(PAGE), "exec"), {"__name__": "recipe"})
    assert capsys.readouterr().out or list(tmp_path.iterdir())


def test_recipes_are_short_and_use_the_public_api_alone():
    assert len(RECIPES) >= 9
    for title, code in RECIPES:
        tree = ast.parse(code)
        modules = {
            name.partition(".")[0]
            for node in ast.walk(tree)
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        }
        assert modules <= _MODULES, title
        assert "inarow." not in re.sub(r"\binarow\.[a-z_]+\(|@inarow\.|inarow\.Position", "", code), title
        lines = [line for line in code.splitlines() if line.strip() and not line.lstrip().startswith(("#", '"""'))]
        assert len(lines) <= _LINES, f"{title}: {len(lines)} lines"
