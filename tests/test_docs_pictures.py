"""Pictures and figures in the documentation are what their generators make."""

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "_static" / "diagrams"


def script(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


diagrams = script(ROOT / "tools" / "docs" / "diagrams.py")


@pytest.mark.parametrize("name", diagrams.PICTURES)
def test_a_picture_is_what_its_generator_draws(name):
    assert (PICTURES / f"{name}.svg").read_text(encoding="utf-8") == diagrams.PICTURES[name]()


def test_every_picture_is_on_a_page_and_has_a_title():
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
    for path in PICTURES.glob("*.svg"):
        assert path.stem in diagrams.PICTURES
        assert f"_static/diagrams/{path.name})" in pages, path.name
        assert re.search(r"<title>\w[^<]+</title>", path.read_text(encoding="utf-8"))


def test_the_leaderboard_page_says_what_its_data_say(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "benchmarks"))
    remarks = script(ROOT / "tools" / "benchmarks" / "leaderboard_text.py").remarks
    results = json.loads((ROOT / "docs" / "leaderboard" / "results.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "explanation" / "leaderboard.md").read_text(encoding="utf-8")
    assert remarks(results).replace("\N{MINUS SIGN}", "-") in page
    sys.modules.pop("leaderboard_text", None)
