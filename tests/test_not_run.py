"""The summary of what was not run."""

import os
import subprocess
import sys
from pathlib import Path

from inarow.errors import MissingExtraError
from tests import not_run

ROOT = Path(__file__).parents[1]
CONFTEST = """
from tests import not_run
from tests.conftest import *

not_run.MISSING.add("absent_package")
"""
FIRST = """
import pytest

@pytest.mark.skipif(True, reason="chromium is absent")
@pytest.mark.parametrize("number", [1, 2])
def test_in_a_browser(number):
    pass

def test_of_a_package():
    import absent_package

def test_that_runs():
    pass
"""
SECOND = "from absent_package import name\n\ndef test_never():\n    assert False\n"


def test_what_is_skipped_is_said_at_the_end_by_reason_with_any_number_of_workers(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_first.py").write_text(FIRST)
    (tmp_path / "test_second.py").write_text(SECOND)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    notes = tmp_path / "notes"
    notes.write_text("1 test NOT run: the moon is full\n")
    options = ["-n", "2", "--dist", "loadgroup", "-p", "no:cacheprovider", str(tmp_path)]
    command = [sys.executable, "-m", "pytest", *options]
    environment = {**os.environ, "INAROW_NOT_RUN": str(notes), "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
    assert "1 passed" in result.stdout, result.stdout + result.stderr
    assert result.returncode == 0
    expected = [
        "1 test NOT run: the moon is full",
        "2 tests NOT run: chromium is absent",
        "1 test and all tests of 1 file NOT run: absent_package is not installed",
    ]
    assert notes.read_text().splitlines() == expected
    end = result.stdout.splitlines()[-5:-1]
    assert ("NOT RUN" in end[0], end[1:]) == (True, expected)


def test_only_a_package_that_is_missing_excuses_a_failure(monkeypatch):
    monkeypatch.setattr(not_run, "MISSING", {"absent"})
    assert not_run.missing_package(ModuleNotFoundError("no", name="absent.part")) == "absent"
    assert not_run.missing_package(MissingExtraError("absent", "data")) == "absent"
    assert not_run.missing_package(MissingExtraError("pandas", "data")) is None
    assert not_run.missing_package(ModuleNotFoundError("no", name="inarow.absent")) is None
    assert not_run.missing_package(AssertionError("absent is not installed")) is None
