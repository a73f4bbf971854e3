"""Compiled: functions that users plug into searches, by the type of a NamedTuple.

The fields of the NamedTuple are the parameters, and the function registered for the type is compiled into the kernels.
Numba makes and caches one version of a kernel per type, so that calling a user's function costs no more than a built-in
one. `make_part` creates such a type for a plain function.
"""

import hashlib
import inspect
import sys
from collections import namedtuple
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.errors import NumbaError
from numba.extending import register_jitable

from inarow.errors import InvalidAgentError, InvalidLimitError, one_line, shown, unknown
from inarow.games.bits import Bits, has_cell
from inarow.games.kernel_cache import cache_folder
from inarow.games.kernels import kernel
from inarow.games.layout import Layout
from inarow.plugins import source_digest, values_named_in, why_unreachable

_Function = TypeVar("_Function", bound=Callable[..., Any])
_PACKAGE = Path(__file__).parents[1]
_NAME_DIGITS = 16  # length of the digest in the name of a type
_Config: Any = numba.config

_implementations: dict[type, Callable[..., Any]] = {}
_parts: dict[type, "Part"] = {}
_unsaved = count(1)  # distinguishes types of functions without a file


# --- Implementations ---


def implements(kind: type) -> Callable[[_Function], _Function]:
    """A decorator that registers a function, which Numba must be able to compile, for a NamedTuple type."""

    def register(function: _Function) -> _Function:
        _implementations[kind] = function
        register_jitable(function)
        return function

    return register


def implementation_of(kind: type) -> Callable[..., Any]:
    """The function registered for a type; raises TypeError if there is none."""
    if kind not in _implementations:
        raise TypeError(f"{kind.__name__} is not registered; decorate a function with @implements({kind.__name__})")
    return _implementations[kind]


def kernel_for(function: _Function, *kinds: type) -> _Function:
    """A kernel for values of these types: `function` itself if all types are built in, otherwise a copy. The copy is
    cached on disk by the state of their source files, if each has one; it runs as plain Python if one of them is not
    compiled.
    """
    foreign = sorted({kind for kind in kinds if not _is_built_in(kind)}, key=_full_name)
    plain = getattr(function, "py_func", None)
    if not foreign or plain is None:  # without a compiler there is nothing to cache
        return function
    if not all(_parts[kind].is_compiled for kind in foreign if kind in _parts):
        return cast(_Function, _without_warnings(plain))
    states = [_state(kind) for kind in foreign]
    if None in states:
        return cast(_Function, _recompiled(plain, None))
    digest = hashlib.blake2b("".join(map(str, states)).encode(), digest_size=8).hexdigest()
    return cast(_Function, _recompiled(plain, Path(_Config.CACHE_DIR or cache_folder()) / digest))


@lru_cache(maxsize=256)
def _recompiled(function: Callable[..., Any], folder: Path | None) -> Callable[..., Any]:
    compiled: Callable[..., Any] = (
        numba.njit(nogil=True)(function) if folder is None else kernel(function, folder=folder)
    )
    return compiled


def _without_warnings(function: Callable[..., Any]) -> Callable[..., Any]:
    """Suppresses the warnings of plain Python about overflows that are intended in kernels."""

    def run(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*arguments)

    return run


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _is_built_in(kind: type) -> bool:
    if kind in _parts:
        return False
    file = _source_file(implementation_of(kind))
    return file is not None and file.is_relative_to(_PACKAGE)


def _state(kind: type) -> str | None:
    """The name of a type and a digest of its function; None if the function has no file, or if it is recursive: then
    the machine code that Numba loads from disk crashes.
    """
    function = _parts[kind].function if kind in _parts else implementation_of(kind)
    file = _source_file(function)
    if file is None or _is_recursive(function, []):
        return None
    return f"{_full_name(kind)} {source_digest(function)} {hashlib.blake2b(file.read_bytes()).hexdigest()}"


def _is_recursive(function: Any, callers: list[object]) -> bool:
    """Whether a function, or one that it may call, may call itself."""
    plain = getattr(function, "py_func", function)
    if not inspect.isfunction(plain) or _source_file(plain) is None:
        return False
    if plain in callers:
        return True
    called = [
        each
        for each in values_named_in(plain).values()
        if hasattr(each, "py_func") or getattr(each, "__module__", None) == plain.__module__
    ]
    return any(_is_recursive(each, [*callers, plain]) for each in called)


def _source_file(function: Callable[..., Any]) -> Path | None:
    """The Python file of a function, if it exists."""
    try:
        file = Path(inspect.getsourcefile(getattr(function, "py_func", function)) or "")
    except TypeError:  # a callable object
        return None
    return file if file.suffix == ".py" and file.is_file() else None


# --- Plain functions ---


@dataclass(frozen=True, slots=True)
class Part:
    """A function that a user registered under a name, and the NamedTuple type that represents it in kernels."""

    word: str  # "heuristic", "selection rule" or "leaf evaluator"
    name: str
    function: Callable[..., Any]
    kind: type[Any]

    @property
    def is_compiled(self) -> bool:
        """Whether Numba compiles it."""
        return hasattr(self.function, "py_func")


def make_part(word: str, name: str, function: Callable[..., Any], body: Callable[..., Any], *fields: str) -> Part:
    """A part whose type has these fields; `body`, which calls `function`, is registered for that type.

    The name of the type is derived from the source of the function, so that kernels cached on disk are found again.
    """
    digest = source_digest(function)[:_NAME_DIGITS]
    suffix = "" if _source_file(function) else f"_{next(_unsaved)}"
    label = f"{word}_{name}_{digest}{suffix}".replace(" ", "_").replace("-", "_")
    kind: Any = namedtuple(label, fields, module=__name__)  # type: ignore[misc]
    setattr(sys.modules[__name__], label, kind)  # for pickle
    implements(kind)(body)
    part = _parts[kind] = Part(word, name, function, kind)
    return part


def part_of(value: object) -> Part | None:
    """The part that a value represents, if any."""
    return _parts.get(type(value))


@contextmanager
def blaming(*values: object) -> Iterator[None]:
    """Raises errors of the block as InvalidAgentError that names the parts represented by `values`, if there
    are any.
    """
    parts = [part for part in map(part_of, values) if part is not None]
    try:
        yield
    except InvalidAgentError:
        raise
    except Exception as error:
        if not parts:
            raise
        names = " or the ".join(f"{part.word} {part.name}" for part in parts)
        what = "cannot be compiled" if isinstance(error, NumbaError) else "failed"
        raise InvalidAgentError(f"the {names} {what}: {type(error).__name__}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """The message of an error; of a Numba error, whose messages are long, only the innermost line."""
    _, found, innermost = str(error).rpartition("Failed in nopython mode pipeline")
    lines = [line.strip() for line in innermost.splitlines()[1:] if line.strip()]
    return lines[0] if isinstance(error, NumbaError) and found and lines else one_line(error)


def check_name(word: str, name: str, taken: Collection[str]) -> None:
    """Raises InvalidLimitError for a name that cannot be registered."""
    if name in taken or not name.replace("-", "_").isidentifier():
        reason = "the name is taken" if name in taken else "names consist of letters, digits, - and _"
        raise InvalidLimitError(f"cannot register the {word} {shown(name)}: {reason}")


def check_known(word: str, name: str, known: Collection[str]) -> None:
    """Raises InvalidLimitError for an unknown name."""
    if name not in known:
        also = why_unreachable(word, name)
        reason = unknown(word, name, known)
        raise InvalidLimitError(f"{reason}; {also}" if also else reason)


# --- Boards ---


def scratch_board(layout: Layout) -> np.ndarray:
    """Memory for `fill_board`."""
    return np.zeros((layout.rows, layout.columns), np.int8)


@register_jitable
def fill_board(board: np.ndarray, own: Bits, other: Bits, layout: Layout) -> None:
    """Writes 1 for stones of `own`, -1 for those of `other`, else 0, to int8 [rows, columns], row 0 on top."""
    for column in range(layout.columns):
        for height in range(layout.rows):
            cell = column * layout.stride + height
            board[layout.rows - 1 - height, column] = int(has_cell(own, cell)) - int(has_cell(other, cell))
