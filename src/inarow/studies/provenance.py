"""Where a result comes from: processor, versions of the libraries, and a digest of the code."""

import hashlib
import os
import platform
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import msgspec

from inarow.version import __version__

_LIBRARIES = ("numpy", "numba", "scipy", "torch", "onnxruntime")
_DIGEST_BYTES = 16
_TEXTS = (".py", ".toml", ".sql", ".json")
_FRONT_ENDS = {"adapters", "cli", "engine", "notebook", "report", "web"}
_PROSE = {"report.py", "texts.toml"}  # of studies: they present results
_PRESENTERS = {f"studies/{name}.py" for name in ("all_figures", "report", "summary", "texts", "verification")}
_LEVELS = (  # of x86-64, from the highest, with the features that tell them apart
    ("x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}),
    ("x86-64-v3", {"avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}),
    ("x86-64-v2", {"cx16", "popcnt", "sse4.1", "sse4.2", "ssse3"}),
)
_PINS = (
    "ATEN_CPU_CAPABILITY",
    "DNNL_MAX_CPU_ISA",
    "MKL_ENABLE_INSTRUCTIONS",
    "NPY_DISABLE_CPU_FEATURES",
    "NUMBA_CPU_FEATURES",
    "NUMBA_CPU_NAME",
    "NUMBA_DISABLE_JIT",
    "ONEDNN_MAX_CPU_ISA",
    "OPENBLAS_CORETYPE",
)
"""Environment variables that make libraries use other kernels than those of the processor."""


class Provenance(msgspec.Struct, frozen=True, omit_defaults=True):
    """What may change a result besides its trial."""

    processor: str  # the name of the model
    instructions: str  # the instruction set, for which compilers and libraries choose their kernels
    code: str  # `code_digest`
    versions: dict[str, str]  # of inarow, Python and the libraries that compute
    pinned: dict[str, str] = {}  # environment variables that choose other kernels


def provenance(experiment: object) -> Provenance:
    """The provenance of a result of `experiment` computed by this process."""
    pinned = {name: os.environ[name] for name in _PINS if os.environ.get(name)}
    return Provenance(_processor(), instruction_set(), code_digest(experiment), _versions(), pinned)


def code_digest(experiment: object) -> str:
    """A digest of the code that computes results of `experiment`.

    It covers the version and every file of the package that may affect a result: sources, configs, nets, tables and
    books. It leaves out front ends (commands, web lab, engine, adapters, notebooks, pages) and the reports and texts of
    studies. An experiment of another package adds the file of its module. The digest is conservative: a new comment
    changes it too. It does not depend on the machine, the place of the package, or line endings.
    """
    module = type(experiment).__module__
    if module.split(".")[0] == __package__.split(".")[0]:
        return _package_digest()
    return _digest({"inarow": _package_digest().encode(), module: _module_source(module)})


@cache
def _package_digest() -> str:
    found = {name: file.read_bytes() for name, file in _relevant_files(files("inarow"), "")}
    texts = {name: content.replace(b"\r\n", b"\n") for name, content in found.items() if name.endswith(_TEXTS)}
    return _digest({"version": __version__.encode(), **found, **texts})


def _relevant_files(folder: Traversable, prefix: str) -> list[tuple[str, Traversable]]:
    """(Relative name, file), sorted by name."""
    found: list[tuple[str, Traversable]] = []
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        name = f"{prefix}{each.name}"
        if each.is_dir():
            if each.name != "__pycache__" and name not in _FRONT_ENDS:
                found += _relevant_files(each, f"{name}/")
        elif not (name.startswith("studies/") and each.name in _PROSE) and name not in _PRESENTERS:
            found += [] if name.endswith((".pyc", ".pyi")) else [(name, each)]
    return found


def _module_source(module: str) -> bytes:
    """The file of a loaded module; empty if it has none, as in a console."""
    path = getattr(sys.modules.get(module), "__file__", None)
    return Path(path).read_bytes().replace(b"\r\n", b"\n") if path and Path(path).is_file() else b""


def _digest(parts: Mapping[str, bytes]) -> str:
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for name, content in sorted(parts.items()):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


@cache
def _versions() -> dict[str, str]:
    found = {"inarow": __version__, "python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # an extra that is not installed
            continue
    return found


@cache
def _processor() -> str:
    """The model name of the processor; its architecture where the system does not report one."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # not Linux
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(iter(names), "") or platform.processor() or platform.machine()


@cache
def instruction_set() -> str:
    """The level of x86-64, or the architecture, with the compiler's name of the processor: `x86-64-v4 (znver5)`."""
    from llvmlite import binding

    features = {name for name, has in binding.get_host_cpu_features().items() if has}
    level = platform.machine().lower()
    if level in ("x86_64", "amd64"):
        level = next((name for name, needed in _LEVELS if needed <= features), "x86-64-v1")
    elif "sve" in features:
        level += " with sve"
    return f"{level} ({binding.get_host_cpu_name()})"
