"""How selection rules and leaf evaluators reach the kernels: by the type of a NamedTuple.

The fields of the NamedTuple are the parameters; a function registered for the type is compiled into the kernels that
get such a value. Numba makes and caches one version of a kernel per type, so a rule from outside the package costs
nothing at run time. `selection.py` and `rollouts.py` register the built-in ones the same way.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.extending import register_jitable

from inarow.games.kernel_cache import cache_folder
from inarow.games.kernels import kernel

_Function = TypeVar("_Function", bound=Callable[..., Any])
_PACKAGE = Path(__file__).parents[2]

_implementations: dict[type, Callable[..., Any]] = {}


def implements(kind: type) -> Callable[[_Function], _Function]:
    """Registers the decorated function, which Numba must be able to compile, for a NamedTuple type."""

    def register(function: _Function) -> _Function:
        _implementations[kind] = function
        register_jitable(function)
        return function

    return register


def implementation_of(kind: type) -> Callable[..., Any]:
    """What was registered for a type; raises TypeError."""
    if kind not in _implementations:
        raise TypeError(f"{kind.__name__} is not registered; decorate a function with @implements({kind.__name__})")
    return _implementations[kind]


def kernel_for(function: _Function, *kinds: type) -> _Function:
    """A kernel that gets values of these types: the kernel itself for built-in types, else a copy whose machine code
    is cached separately for every state of the files that the types' functions come from.
    """
    sources = sorted({str(inspect.getsourcefile(implementation_of(kind))) for kind in kinds})
    foreign = [Path(source) for source in sources if not Path(source).is_relative_to(_PACKAGE)]
    plain = getattr(function, "py_func", None)
    if not foreign or plain is None:  # without a compiler there is nothing to cache
        return function
    digest = hashlib.blake2b(digest_size=8)
    for path in foreign:
        digest.update(path.read_bytes() if path.exists() else str(path).encode())
    config: Any = numba.config
    return cast(_Function, _recompiled(plain, Path(config.CACHE_DIR or cache_folder()) / digest.hexdigest()))


@lru_cache(maxsize=256)
def _recompiled(function: Callable[..., Any], folder: Path) -> Callable[..., Any]:
    return kernel(function, folder=folder)
