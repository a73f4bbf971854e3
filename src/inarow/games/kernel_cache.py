"""The cache folder of compiled kernels: one for each state of their sources."""

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_KEPT = 3
_DIGEST_BYTES = 8
_COMPILED = re.compile(r"^@(kernel|register_jitable|overload|numba)|^for _rule in", re.MULTILINE)
_IMPORT = re.compile(r"^ *from (inarow[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


@lru_cache(maxsize=1)
def cache_folder() -> Path:
    """The folder for the current sources, created and marked as used now if it is writable. Its name is a digest of all
    sources, because Numba checks the file of a kernel but not those of the functions it calls.
    """
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for source in kernel_sources():
        digest.update(source.read_bytes())
    folder = _base_folder() / digest.hexdigest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
    except OSError:
        pass  # read-only: Numba uses another folder or compiles each time
    return folder


def remove_old_caches() -> None:
    """Removes the folders of other sources except those used last; the current one always stays."""
    current = cache_folder()
    pattern = re.compile(f"[0-9a-f]{{{2 * _DIGEST_BYTES}}}")
    try:
        folders = [folder for folder in _base_folder().iterdir() if pattern.fullmatch(folder.name)]
        others = sorted(set(folders) - {current}, key=lambda folder: -folder.stat().st_mtime)
    except OSError:
        return
    for folder in others[_KEPT - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


def _base_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "inarow"


def kernel_sources() -> list[Path]:
    """The files of the package with compiled functions, and all files that they import, directly or not."""
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
    """The files that a source may import from the package; some do not exist."""
    for module, names in _IMPORT.findall(source):
        folder = _PACKAGE.joinpath(*module.split(".")[1:])
        yield from (folder.with_suffix(".py"), folder / "__init__.py")
        yield from (folder / f"{name}.py" for name in re.findall(r"\w+", names))
