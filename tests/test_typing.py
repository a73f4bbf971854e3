"""A typed program that uses every public name passes pyright in strict mode, and by `make lint` mypy, too."""

import re
import subprocess
import sys
from pathlib import Path

import inarow

FOLDER = Path(__file__).parent / "typed"
PROGRAM = FOLDER / "every_name.py"


def test_the_program_uses_every_public_name():
    text = PROGRAM.read_text(encoding="utf-8")
    used = set(re.findall(r"\binarow\.(\w+)", text)) | {"GameSpec", "Position"}
    assert set(inarow.__all__) <= used


def test_pyright_finds_nothing_in_strict_mode():
    command = [sys.executable, "-m", "basedpyright", "--project", str(FOLDER), "--pythonpath", sys.executable]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stdout
