"""Game records as rows of the results store.

What was known about each ply is one JSON text per game, by column: a list of scores, a list of
seconds and so on, without the lists that would hold nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from operator import attrgetter
from typing import Any, get_args

import msgspec

from inarow.errors import StoreError, one_line, shown
from inarow.games.record import GameRecord, Ply, Termination

COLUMNS = "number, first, second, moves, winner, termination, opening, plies, seed, fault, details"
_PLY_FIELDS = Ply.__struct_fields__
_TERMINATIONS = get_args(Termination)
_ply_values = attrgetter(*_PLY_FIELDS)


class _Details(msgspec.Struct, omit_defaults=True):
    tags: dict[str, str] = {}
    plies: int = 0
    score: list[int | None] | None = None
    value: list[float | None] | None = None
    depth: list[int | None] | None = None
    nodes: list[int | None] | None = None
    seconds: list[float | None] | None = None
    details: list[dict[str, Any] | None] | None = None


_decoder = msgspec.json.Decoder(_Details)


def to_row(number: int, record: GameRecord, board: str, agents: Mapping[str, int]) -> tuple[Any, ...]:
    """The `COLUMNS` of a game between `agents`, given by name with their ids; raises StoreError."""
    if record.board != board:
        raise StoreError(f"game {number} is on {shown(record.board)}, its match on {board}")
    if record.first not in agents or record.second not in agents:
        raise StoreError(f"game {number} is {shown(record.first)} - {shown(record.second)}, not of its match")
    try:
        plies, details = len(record.actions), _encode_details(record)
    except (TypeError, ValueError, OverflowError) as error:
        raise StoreError(f"game {number} cannot be stored: {one_line(error)}") from None
    return (
        number,
        agents[record.first],
        agents[record.second],
        record.moves,
        record.winner,
        record.termination,
        record.opening,
        plies,
        None if record.seed is None else str(record.seed),
        record.fault,
        details,
    )


def from_row(row: tuple[Any, ...], board: str, names: Mapping[int, str]) -> GameRecord:
    """The inverse of `to_row`; raises StoreError if the details are damaged."""
    number, first, second, moves, winner, termination, opening, _, seed, fault, details = row
    try:
        known = _decoder.decode(details)
        plies = _decode_plies(known)
        if not (isinstance(moves, str) and isinstance(opening, int) and termination in _TERMINATIONS):
            raise ValueError("its moves, its opening or its end are not what they must be")
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError) as error:
        raise StoreError(f"game {number} of the results store is damaged: {one_line(error)}") from None
    return GameRecord(
        board=board,
        first=names[first],
        second=names[second],
        moves=moves,
        winner=winner,
        termination=termination,
        opening=opening,
        plies=plies,
        seed=None if seed is None else int(seed),
        fault=fault,
        tags=known.tags,
    )


def _encode_details(record: GameRecord) -> bytes:
    columns = zip(_PLY_FIELDS, zip(*map(_ply_values, record.plies), strict=True), strict=False)
    known: dict[str, Any] = {name: column for name, column in columns if column.count(None) < len(column)}
    return msgspec.json.encode(_Details(record.tags, len(record.plies), **known))


def _decode_plies(known: _Details) -> tuple[Ply, ...]:
    columns = (getattr(known, name) or repeat(None, known.plies) for name in _PLY_FIELDS)
    return tuple(Ply(**dict(zip(_PLY_FIELDS, values, strict=True))) for values in zip(*columns, strict=True))
