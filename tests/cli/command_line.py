"""The command line in tests: within this process, which is fast, or as a separate process."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from inarow.cli.app import main


def inarow(
    *args: str, stdin: str = "", cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end in this process; `env` is added to the environment."""
    out, err = io.StringIO(), io.StringIO()
    command = ["inarow", *args]
    with pytest.MonkeyPatch.context() as change, warnings.catch_warnings():
        change.setattr(sys, "argv", command)
        change.setattr(sys, "stdin", io.StringIO(stdin))
        change.setattr(sys, "stdout", out)
        change.setattr(sys, "stderr", err)
        change.chdir(cwd or Path.cwd())
        for name, value in (env or {}).items():
            change.setenv(name, value)
        interrupt = signal.getsignal(signal.SIGINT)  # which a command that ends gives up
        with pytest.raises(SystemExit) as end:
            main()
        signal.signal(signal.SIGINT, interrupt)
    return subprocess.CompletedProcess(command, end.value.code, out.getvalue(), err.getvalue())


def document(*args: str, **options: Any) -> Any:
    """What a command that succeeds says in JSON."""
    result = inarow(*args, "--json", **options)
    assert result.returncode == 0
    return json.loads(result.stdout)


def inarow_process(*args: str, stdin: str = "", **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end in a process of its own."""
    return subprocess.run(process_command(*args), input=stdin, capture_output=True, text=True, timeout=600, **options)


def start_inarow(*args: str) -> subprocess.Popen[str]:
    """A process that runs a command, with pipes for what it says."""
    return subprocess.Popen(process_command(*args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def process_command(*args: str) -> list[str]:
    return [sys.executable, "-m", "inarow", *args]
