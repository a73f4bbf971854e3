"""Where results come from: what the digest covers, and that it does not depend on the machine."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inarow.studies.harman.runs import SelfPlay
from inarow.studies.provenance import code_digest, instruction_set, provenance
from tests.studies.small_study import Die

SOURCE = Path(__file__).parents[2] / "src" / "inarow"


def test_it_names_processor_code_and_versions(monkeypatch):
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "avx2")
    found = provenance(Die())
    assert found.processor
    assert found.instructions == instruction_set()
    assert {"inarow", "python", "numpy", "numba"} <= found.versions.keys()
    assert found.pinned["ATEN_CPU_CAPABILITY"] == "avx2"
    assert len(bytes.fromhex(found.code)) == 16


def test_experiments_of_other_packages_have_the_digest_of_their_module_too():
    assert code_digest(SelfPlay("3x5x4")) == code_digest(SelfPlay("4x5x4"))
    assert code_digest(Die()) == code_digest(Die(7)) != code_digest(SelfPlay("3x5x4"))


def digest_of(package: Path) -> str:
    """The digest computed by a copy of the package."""
    code = "from inarow.studies.provenance import _package_digest; print(_package_digest())"
    done = subprocess.run([sys.executable, "-c", code], cwd=package.parent, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def copied(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("copy") / "inarow"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_it_depends_on_code_and_data_and_not_on_place_line_ends_front_ends_and_prose(copied, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(copied.parent))
    same = code_digest(SelfPlay("3x5x4"))
    for name in ("cli/bench.py", "report/page.py", "studies/harman/report.py", "studies/harman/texts.toml"):
        path = copied / name
        path.write_bytes(path.read_bytes() + b"\n# more\n")
    path = copied / "games" / "__init__.py"
    before = path.read_bytes()
    path.write_bytes(before.replace(b"\n", b"\r\n"))
    assert digest_of(copied) == same
    path.write_bytes(before + b"# more\n")
    assert digest_of(copied) != same
    path.write_bytes(before)
    path = copied / "search" / "solver" / "books" / "7x6x4.npz"
    path.write_bytes(path.read_bytes() + b"1")
    assert digest_of(copied) != same
