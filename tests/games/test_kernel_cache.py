"""The folder of compiled kernels is named by all their sources; only warmup deletes old ones."""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
from numba.core.registry import CPUDispatcher

import inarow
from inarow.cli.warmup import warmup
from inarow.games import warm_up as games_warm_up
from inarow.games.kernel_cache import cache_folder, kernel_sources, remove_old_caches
from inarow.learning import warm_up as learning_warm_up
from inarow.search import warm_up as search_warm_up
from inarow.studies import warm_up as studies_warm_up


def modules_with_kernels() -> list[ModuleType]:
    """Every module of the package whose source has a kernel."""
    found = []
    for info in pkgutil.walk_packages(inarow.__path__, "inarow."):
        spec = info.module_finder.find_spec(info.name, None)
        assert spec is not None
        assert spec.origin is not None
        if re.search(r"@kernel|= kernel\(", Path(spec.origin).read_text(encoding="utf-8")):
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


@pytest.fixture
def caches(tmp_path, monkeypatch) -> Iterator[Path]:
    """A cache folder with files, folders of other sources from new to old, and one that is not ours."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for number, name in enumerate(["a" * 16, "b" * 16, "c" * 16, "d" * 16]):
        folder = tmp_path / "inarow" / name
        folder.mkdir(parents=True)
        (folder / "kernel.nbi").touch()
        os.utime(folder, (1000 - number, 1000 - number))
    (tmp_path / "inarow" / "notes").mkdir()
    cache_folder.cache_clear()
    yield tmp_path / "inarow"
    cache_folder.cache_clear()


def test_the_cache_folder_is_created_and_nothing_is_deleted(caches):
    before = set(caches.rglob("*"))
    folder = cache_folder()
    assert folder.is_dir()
    assert set(caches.rglob("*")) == before | {folder}


def test_old_caches_are_removed_except_the_current_and_the_newest(caches):
    remove_old_caches()
    left = {folder.name for folder in caches.iterdir()}
    assert left == {cache_folder().name, "a" * 16, "b" * 16, "notes"}


def test_commands_delete_no_caches(caches):
    environment = {**os.environ, "XDG_CACHE_HOME": str(caches.parent), "NUMBA_DISABLE_JIT": "1"}
    before = {folder.name for folder in caches.iterdir()}
    subprocess.run([sys.executable, "-m", "inarow", "perft", "2"], env=environment, check=True, capture_output=True)
    after = {folder.name for folder in caches.iterdir()}
    assert before < after  # and the folder of the command


def test_warmup_deletes_old_caches(caches, monkeypatch, capsys):
    for package in (learning_warm_up, search_warm_up, studies_warm_up):
        monkeypatch.setattr(package, "warm_up_steps", list)
    monkeypatch.setattr(games_warm_up, "warm_up_steps", lambda: [("nothing", dict)])
    warmup(json=True)
    assert "nothing" in capsys.readouterr().out
    assert not (caches / ("d" * 16)).exists()
    assert (caches / ("a" * 16)).exists()
