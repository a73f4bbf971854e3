"""Records that kernels change in place, declared as classes with typed fields."""

from __future__ import annotations

from typing import TypeVar, cast, get_args, get_type_hints

import numpy as np

Record = TypeVar("Record")
_TYPES = {int: ("i8",), float: ("f8",)}


def new_record(kind: type[Record]) -> Record:
    """A record of zeros with the fields of a class, in their order. Fields are `int` or `float`, of 8 bytes each, or
    arrays: `Annotated[np.ndarray, type, length]`.
    """
    hints = get_type_hints(kind, include_extras=True)
    types = [(name, *(_TYPES.get(hint) or get_args(hint)[1:])) for name, hint in hints.items()]
    return cast(Record, np.zeros(1, np.dtype(types, align=True)).view(np.recarray)[0])
