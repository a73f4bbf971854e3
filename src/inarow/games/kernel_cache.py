"""Where the machine code of kernels is kept: one folder per state of the sources that kernels are made of."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_KEPT = 3
_COMPILED = re.compile(r"^@(kernel|register_jitable|overload|numba)|^for _rule in", re.MULTILINE)
_IMPORT = re.compile(r"^ *from (inarow[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


@lru_cache(maxsize=1)
def cache_folder() -> Path:
    """The folder for the sources as they are now.

    Numba looks only at the file of a kernel, not at the files of what it calls, so a kernel would
    go on with the old rules after a change to `rules.py`. The name of the folder is a digest of
    all that kernels use instead; the last few folders are kept.
    """
    digest = hashlib.blake2b(digest_size=8)
    for source in kernel_sources():
        digest.update(source.read_bytes())
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "inarow"
    folder = base / digest.hexdigest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        for old in sorted(base.iterdir(), key=lambda path: -path.stat().st_mtime)[_KEPT:]:
            shutil.rmtree(old, ignore_errors=True)
    except OSError:
        pass  # a home that cannot be written to: Numba finds its own place or compiles each time
    return folder


def kernel_sources() -> list[Path]:
    """The files of the package that hold compiled functions, and all files that these import, directly or not."""
    texts = {path: path.read_text(encoding="utf-8") for path in _PACKAGE.rglob("*.py")}
    found: set[Path] = set()
    waiting = [path for path, text in texts.items() if _COMPILED.search(text)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += [each for each in _imported(texts[path]) if each in texts]
    return sorted(found)


def _imported(source: str) -> Iterator[Path]:
    """Files that a source imports from the package, among others that do not exist."""
    for module, names in _IMPORT.findall(source):
        folder = _PACKAGE.joinpath(*module.split(".")[1:])
        yield from (folder.with_suffix(".py"), folder / "__init__.py")
        yield from (folder / f"{name}.py" for name in re.findall(r"\w+", names))
