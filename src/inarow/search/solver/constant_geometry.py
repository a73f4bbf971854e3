"""Compiled: the geometry of one board as constants of the machine code.

The kernels read `geometry.stride` and the like. Handed a record, they are compiled once for all
boards; handed a `ConstantGeometry`, they are compiled for its board alone, which makes them quicker
by what `tools/benchmarks/general_geometry.py` shows. Numba caches both on disk.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, lower_getattr_generic, models, register_model, unbox
from numba.np.numpy_support import from_dtype

from inarow.games.spec import GameSpec
from inarow.search.solver.geometry import make_geometry


class ConstantGeometry:
    """Has the fields of the record of `make_geometry`, in Python and in compiled code."""

    def __init__(self, spec: GameSpec) -> None:
        self._numba_type_ = _GeometryType(spec)

    def __getattr__(self, field: str) -> Any:
        return getattr(_record(self._numba_type_.spec), field)


@cache
def _record(spec: GameSpec) -> Any:
    return make_geometry(spec)[0]


class _GeometryType(types.Type):
    """The type that says which board it is."""

    def __init__(self, spec: GameSpec) -> None:
        self.spec = spec
        super().__init__(name=f"Geometry({spec})")

    def value(self, field: str) -> Any:
        return getattr(_record(self.spec), field)

    def kind_of(self, field: str) -> types.Type:
        value = self.value(field)
        kind = from_dtype(value.dtype)
        return types.Array(kind, 1, "C", readonly=True) if isinstance(value, np.ndarray) else kind


register_model(_GeometryType)(models.OpaqueModel)


@infer_getattr
class _Fields(AttributeTemplate):
    key = _GeometryType

    def generic_resolve(self, typ: _GeometryType, attr: str) -> types.Type:  # type: ignore[override]
        return typ.kind_of(attr)


@lower_getattr_generic(_GeometryType)
def _constant(context: Any, builder: Any, geometry: _GeometryType, value: Any, field: str) -> Any:
    kind = geometry.kind_of(field)
    if isinstance(kind, types.Array):
        return context.make_constant_array(builder, kind, np.ascontiguousarray(geometry.value(field)))
    return context.get_constant(kind, geometry.value(field))


@unbox(_GeometryType)
def _unbox(kind: _GeometryType, instance: Any, context: Any) -> NativeValue:
    return NativeValue(context.context.get_dummy_value())
