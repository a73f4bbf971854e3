import doctest
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import inarow

ROOT = Path(__file__).parents[1]


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/")


def test_importing_is_silent_and_loads_nothing_heavy():
    result = python("import inarow, sys; print(sorted({'numba', 'numpy', 'rich', 'msgspec'} & set(sys.modules)))")
    assert (result.stdout, result.stderr) == ("[]\n", "")


def test_a_position_needs_no_compiler():
    result = python("import inarow, sys; inarow.Position.parse('4453').play(3); print('numba' in sys.modules)")
    assert result.stdout == "False\n"


def test_every_public_name_exists():
    for name in inarow.__all__:
        assert getattr(inarow, name) is not None
    assert set(inarow.__all__) <= set(dir(inarow))
    with pytest.raises(AttributeError, match="nothing"):
        _ = inarow.nothing


def test_the_version_is_written_in_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["hatch"]["version"]["path"] == "src/inarow/version.py"
    for path in (ROOT / "src" / "inarow").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert "importlib.metadata import version" not in text, path
        assert path.name == "version.py" or "__version__ =" not in text, path


def test_the_readme_is_true():
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0
