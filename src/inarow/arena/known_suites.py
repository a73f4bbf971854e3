"""Suites by name: those that come with the package, those made on the fly, those in files."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path

from inarow.arena.exhaustive import EXHAUSTIVE, exhaustive_suite
from inarow.arena.suite import Suite
from inarow.errors import SuiteError
from inarow.games.spec import GameSpec

STANDARD = "standard"


def find_suite(name: str | None, spec: GameSpec) -> Suite:
    """The suite `standard` (shipped), `exhaustive` (every position of a small board) or the one in a
    file. Without a name, the standard suite of the board if it has one, else the exhaustive one.
    """
    if name is None:
        name = STANDARD if _shipped(spec).is_file() else EXHAUSTIVE
    if name == STANDARD:
        return standard_suite(spec)
    if name == EXHAUSTIVE:
        return exhaustive_suite(spec)
    suite = Suite.load(Path(name))
    if suite.spec != spec:
        raise SuiteError(f"{name} is a suite for {suite.spec}, not for {spec}")
    return suite


@lru_cache(maxsize=4)
def standard_suite(spec: GameSpec) -> Suite:
    """The suite that comes with the package for a board; raises SuiteError if there is none."""
    source = _shipped(spec)
    if not source.is_file():
        raise SuiteError(
            f"no suite comes with the package for {spec}; use {EXHAUSTIVE}, or make one: inarow suite build"
        )
    with as_file(source) as path:
        return Suite.load(path, name=STANDARD)


def _shipped(spec: GameSpec) -> Traversable:
    return files("inarow.arena") / "suites" / f"{str(spec).replace('/', '-')}.npz"
