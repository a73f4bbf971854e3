"""The folder of machine code is named by all sources that the machine code comes from."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
from numba.core.registry import CPUDispatcher

import inarow
from inarow.games.kernel_cache import kernel_sources


def modules_with_kernels() -> list[ModuleType]:
    """Every module of the package whose source has a kernel."""
    found = []
    for info in pkgutil.walk_packages(inarow.__path__, "inarow."):
        spec = info.module_finder.find_spec(info.name, None)
        assert spec is not None
        assert spec.origin is not None
        if "@kernel" in Path(spec.origin).read_text(encoding="utf-8"):
            found.append(importlib.import_module(info.name))
    return found


def files_used(function: FunctionType, seen: set[Any]) -> set[Path]:
    """The files of a compiled function and of all functions of the package that it calls."""
    if function in seen:
        return set()
    seen.add(function)
    used = {Path(inspect.getsourcefile(function) or "")}
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        value = value.py_func if isinstance(value, CPUDispatcher) else value
        if isinstance(value, FunctionType) and value.__module__.startswith("inarow."):
            used |= files_used(value, seen)
    return used


@pytest.mark.compiled
def test_the_files_of_all_that_kernels_call_are_among_their_sources():
    sources = set(kernel_sources())
    kernels = {
        value.py_func
        for module in modules_with_kernels()
        for value in vars(module).values()
        if isinstance(value, CPUDispatcher)
    }
    assert len(kernels) > 30
    seen: set[Any] = set()
    for each in kernels:
        assert files_used(each, seen) <= sources


def test_files_that_no_kernel_needs_are_not_among_their_sources():
    names = {path.name for path in kernel_sources()}
    assert "rules.py" in names
    assert "app.py" not in names
