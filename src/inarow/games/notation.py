"""Move strings: a game as text, one character a move.

Moves count from 1: `1`-`9`, then `a`-`z` for 10 to 35. Action sets of more than 35 write numbers
separated by commas instead. A move is a column with gravity, else a cell counted row by row from
the top left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from inarow.errors import NotationError, shown
from inarow.games.spec import GameSpec

_ALPHABET = "123456789abcdefghijklmnopqrstuvwxyz"
_ACTION_OF = {character: action for action, character in enumerate(_ALPHABET)}


def format_move(action: int, spec: GameSpec) -> str:
    return _ALPHABET[action] if spec.actions <= len(_ALPHABET) else str(action + 1)


def format_moves(actions: Iterable[int], spec: GameSpec) -> str:
    if spec.actions <= len(_ALPHABET):
        return "".join([_ALPHABET[action] for action in actions])
    return ",".join([str(action + 1) for action in actions])


def parse_move(text: str, spec: GameSpec) -> int:
    """The action of one move. Whether it is legal in a position is not checked."""
    if spec.actions <= len(_ALPHABET):
        action = _ACTION_OF.get(text, -1)
    else:
        action = int(text) - 1 if text.isascii() and text.isdigit() and len(text) <= 3 else -1
    if not 0 <= action < spec.actions:
        raise NotationError(f"{shown(text)} is no move on {spec}; {describe_moves(spec)}")
    return action


def parse_moves(text: str, spec: GameSpec) -> tuple[int, ...]:
    """The actions of a move string. Whether they are legal in a game is not checked."""
    text = text.strip()
    moves = text if spec.actions <= len(_ALPHABET) else text.split(",") if text else ()
    if len(moves) > spec.cells:
        raise NotationError(f"{len(moves)} moves do not fit on {spec}, which has {spec.cells} cells")
    usual = _usual_moves(spec)
    try:
        return tuple([usual[move] for move in moves])
    except KeyError:
        pass  # a number with leading zeros, or a move that does not exist and has to be named
    actions = []
    for number, move in enumerate(moves, start=1):
        try:
            actions.append(parse_move(move, spec))
        except NotationError as error:
            raise NotationError(f"move {number}: {error}") from None
    return tuple(actions)


@lru_cache(maxsize=256)
def _usual_moves(spec: GameSpec) -> Mapping[str, int]:
    """The actions of a spec by their text."""
    return {format_move(action, spec): action for action in range(spec.actions)}


def describe_moves(spec: GameSpec) -> str:
    """The moves that exist on a board, for people."""
    kind = "columns" if spec.gravity else "cells"
    return f"{kind} are {format_move(0, spec)} to {format_move(spec.actions - 1, spec)}"
