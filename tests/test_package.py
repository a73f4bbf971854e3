import doctest
import os
import re
import subprocess
import sys
import tomllib
import zipfile
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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built offline from the source distribution, as from a downloaded archive."""
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (source,) = folder.iterdir()
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check"]
    make = [sys.executable, "-m", "pip", "wheel", *offline, "--wheel-dir", str(folder), str(source)]
    subprocess.run(make, cwd=folder, check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


@pytest.mark.xdist_group("wheel")
def test_the_wheel_has_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.startswith("inarow-")}
    package = ROOT / "src"
    present = {path for path in package.glob("inarow/**/*") if path.is_file() and "__pycache__" not in path.parts}
    assert names == {path.relative_to(package).as_posix() for path in present}
    assert wheel.stat().st_size < 10 << 20


@pytest.mark.xdist_group("wheel")
def test_the_metadata_say_who_made_it_for_which_python(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(name).decode()
    assert f"Version: {inarow.__version__}\n" in text
    assert "Author: The inarow maintainers\n" in text
    assert "License-Expression: MIT\n" in text
    assert "Requires-Python: >=3.11\n" in text
    base = set(re.findall(r"^Requires-Dist: ([\w-]+)(?!.*extra ==).*$", text, re.MULTILINE))
    assert {"numpy", "numba", "onnxruntime"} <= base
    assert not base & {"torch", "onnx", "matplotlib", "pandas", "safetensors", "qiskit", "ray"}


@pytest.mark.xdist_group("wheel")
def test_the_wheel_plays_and_solves_by_itself(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = "import inarow, sys; sys.stdout.write(f'{inarow.solve(\"4453\").score} {inarow.__file__}')"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd="/", env=environment)
    assert (result.stdout, result.stderr) == (f"-2 {tmp_path / 'inarow' / '__init__.py'}", "")


def test_the_citation_names_this_version_and_licence():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for key in ("cff-version: 1.2.0", "type: software", "license: MIT", f"version: {inarow.__version__}"):
        assert f"\n{key}\n" in f"\n{text}"
    assert re.search(r"^message: .+\ntitle: .+\nabstract: ", text, re.MULTILINE)
    assert re.search(r"^authors:\n  - name: The inarow maintainers$", text, re.MULTILINE)


def test_the_readme_is_true():
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0
