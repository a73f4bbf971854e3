"""The page for contributors is true: its code runs, its files and links exist, and it names every package."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.usefixtures("forgotten_registrations")
def test_every_way_to_add_something_works(tmp_path):
    config = tmp_path / "favourite.toml"
    config.write_text('learner = "favourite"\ngames = 12\n')
    names = {"folder": tmp_path, "favourite_config": str(config)}
    for block in BLOCKS:
        exec(compile(block, "docs/explanation/architecture.md", "exec"), names)
    assert len(BLOCKS) >= 7
    assert sum(json.loads((tmp_path / "run" / "counts.json").read_text())) == 12


def test_the_page_names_every_package_and_only_files_that_exist():
    source = ROOT / "src" / "inarow"
    packages = {path.name for path in source.iterdir() if (path / "__init__.py").exists()}
    for package in packages:
        assert f"`{package}`" in PAGE, package
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", PAGE))
    assert len(named) > 15
    for name in named - {"cli/NAME.py"}:
        assert (source / name).exists() or (ROOT / name).exists(), name
