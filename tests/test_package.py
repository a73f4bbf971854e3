import doctest
import subprocess
import sys
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


def test_every_public_name_is_there():
    for name in inarow.__all__:
        assert getattr(inarow, name) is not None
    assert set(inarow.__all__) <= set(dir(inarow))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = inarow.nothing


def test_the_readme_is_true():
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0
