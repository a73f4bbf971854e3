"""What was not run, and why: the last lines of a test run. With INAROW_NOT_RUN=FILE those of earlier runs, too.

A test that fails because an optional package is not installed is skipped: not every Python has all of them.
"""

import os
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from inarow.errors import MissingExtraError

OPTIONAL = {
    *("torch", "onnx", "onnxscript", "safetensors", "qiskit", "qiskit_aer", "ray", "gymnasium", "pettingzoo"),
    *("tensorboardX", "pandas", "optuna", "anywidget", "traitlets", "ipywidgets", "IPython", "nbconvert", "nbformat"),
    *("matplotlib", "playwright", "kaggle_environments", "bitbully", "pyspiel"),
}
MISSING = {package for package in OPTIONAL if find_spec(package) is None}


def missing_package(error: BaseException | None) -> str | None:
    """The optional package that is not installed and behind an error, if any."""
    while error is not None:
        package = ""
        if isinstance(error, MissingExtraError):
            package = str(error).partition(" ")[0]
        elif isinstance(error, ModuleNotFoundError):
            package = (error.name or "").partition(".")[0]
        if package in MISSING:
            return package
        error = error.__cause__ or error.__context__
    return None


def skip_for_missing_package(report: pytest.TestReport | pytest.CollectReport, error: BaseException | None) -> None:
    if report.outcome == "failed" and (package := missing_package(error)):
        path, line = report.location[:2] if isinstance(report, pytest.TestReport) else (report.nodeid, 0)
        report.outcome = "skipped"
        report.longrepr = (str(path), line or 0, f"Skipped: {package} is not installed")


def summary(skipped: list[pytest.TestReport | pytest.CollectReport]) -> list[str]:
    """A line for each reason, the commonest first."""
    tests, files = Counter[str](), Counter[str]()
    for (_, is_file), reason in {
        (report.nodeid, isinstance(report, pytest.CollectReport)): reason_of(report) for report in skipped
    }.items():
        (files if is_file else tests)[reason] += 1
    lines = []
    for reason in sorted({*tests, *files}, key=lambda reason: (-tests[reason], -files[reason], reason)):
        counts = [f"{number} test{'s' * (number > 1)}" for number in (tests[reason],) if number]
        counts += [f"all tests of {number} file{'s' * (number > 1)}" for number in (files[reason],) if number]
        lines.append(f"{' and '.join(counts)} NOT run: {reason}")
    return lines


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ").removeprefix("could not import ")


def with_earlier_runs(lines: list[str]) -> list[str]:
    """The lines after those that earlier runs have left in the file of INAROW_NOT_RUN, which gets them all."""
    if not (name := os.environ.get("INAROW_NOT_RUN")):
        return lines
    path = Path(name)
    known = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    lines = [*known, *(line for line in lines if line not in known)]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return lines
