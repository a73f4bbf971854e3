"""Game records as PGN-like text, for people and for chess tools.

Tag pairs, then numbered moves with comments where known, such as `{+18 v0.75 d12 n5310 0.01s}`: score, value, depth,
nodes, time. White is the first side. Reading is strict and replays the game; a round trip loses only `details` and the
`?` of unknown tags.
"""

import re
from collections.abc import Iterator
from typing import Any, cast, get_args

from inarow.errors import NotationError, shown
from inarow.games.notation import format_move, format_moves, parse_move
from inarow.games.position import Position
from inarow.games.record import RESULTS, TAGS, UNFINISHED, GameRecord, Ply, Termination
from inarow.games.spec import GameSpec

_TAG_LINE = re.compile(r'\[([A-Za-z]{1,32}) "((?:[^"\\]|\\.)*)"\]')
_TOKEN = re.compile(r"\{([^{}]*)\}|([^\s{}]+)|\S")  # a comment, a word, or an invalid character
_UNKNOWN = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?"}
_MAX_TEXT = 1 << 20


def to_pgn(record: GameRecord) -> str:
    """The record as PGN-like text that ends with a line break, without `details`."""
    spec = record.spec
    position = record.position
    opening = format_moves(position.actions[: record.opening], spec)
    tags = {
        **{name: record.tags.get(name, unknown) for name, unknown in _UNKNOWN.items()},
        "White": record.first,
        "Black": record.second,
        "Result": record.result,
        "Game": "connect",
        "Rows": str(spec.rows),
        "Cols": str(spec.columns),
        "InARow": str(spec.inarow),
        "Gravity": str(int(spec.gravity)),
        "Termination": record.termination,
        "PlyCount": str(position.ply),
    }
    tags |= {"TimeControl": record.tags["TimeControl"]} if "TimeControl" in record.tags else {}
    tags |= {"SetUp": "1", "Position": opening} if record.opening else {}
    tags |= {"Seed": str(record.seed)} if record.seed is not None else {}
    tags |= {"Fault": record.fault} if record.fault is not None else {}
    lines = [f'[{name} "{text.translate(_ESCAPES)}"]' for name, text in tags.items()]
    return "\n".join([*lines, "", *_wrapped([*_movetext(record, position), record.result])]) + "\n"


def _movetext(record: GameRecord, position: Position) -> Iterator[str]:
    for ply in range(record.opening, position.ply):
        if ply % 2 == 0 or ply == record.opening:
            yield f"{ply // 2 + 1}." if ply % 2 == 0 else f"{ply // 2 + 1}..."
        yield format_move(position.actions[ply], record.spec)
        if record.plies:
            comment = _format_comment(record.plies[ply - record.opening])
            if comment:
                yield f"{{{comment}}}"


def _wrapped(tokens: list[str], width: int = 80) -> Iterator[str]:
    line = ""
    for token in tokens:
        if line and len(line) + 1 + len(token) > width:
            yield line
            line = ""
        line = f"{line} {token}" if line else token
    yield line


def from_pgn(text: str) -> GameRecord:
    """The inverse of `to_pgn`, for one game; raises NotationError or the error of the move."""
    if len(text) > _MAX_TEXT:
        raise NotationError(f"the record has {len(text)} characters; the limit is {_MAX_TEXT}")
    tags, movetext = _split_tags(text)
    size = "x".join(_tag(tags, name) for name in ("Rows", "Cols", "InARow"))
    gravity = _tag(tags, "Gravity")
    if gravity not in ("0", "1"):
        raise NotationError(f"Gravity is {shown(gravity)}; it must be 0 or 1")
    spec = GameSpec.parse(size + ("" if gravity == "1" else "/free"))
    opening = Position.parse(tags.get("Position", ""), spec)
    actions, plies, result = _parse_movetext(movetext, spec, opening.ply)
    if result != _tag(tags, "Result"):
        raise NotationError(f"the moves end with {result}, the Result tag says {shown(tags['Result'])}")
    termination = _tag(tags, "Termination")
    if termination not in get_args(Termination):
        raise NotationError(f"Termination is {shown(termination)}, not one of {', '.join(get_args(Termination))}")
    return GameRecord(
        board=str(spec),
        first=_tag(tags, "White"),
        second=_tag(tags, "Black"),
        moves=format_moves((*opening.actions, *actions), spec),
        winner={text: side for side, text in RESULTS.items()}.get(result),
        termination=cast(Termination, termination),
        opening=opening.ply,
        plies=tuple(plies) if any(ply != Ply() for ply in plies) else (),
        seed=_number(tags["Seed"], "Seed", int) if "Seed" in tags else None,
        fault=tags.get("Fault"),
        tags={name: tags[name] for name in TAGS if name in tags and tags[name] != _UNKNOWN.get(name)},
    ).check()


def split_games(text: str) -> list[str]:
    """The games of a PGN-like text, each beginning with its first tag."""
    return [game for game in re.split(r"\n\s*\n(?=\[)", text.strip()) if game.strip()]


def _split_tags(text: str) -> tuple[dict[str, str], str]:
    tags: dict[str, str] = {}
    lines = text.strip().split("\n")
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        if not line.startswith("["):
            return tags, "\n".join(lines[number:])
        match = _TAG_LINE.fullmatch(line.rstrip("\r"))
        if match is None:
            raise NotationError(f"line {number + 1} is not a tag: {shown(line)}")
        tags[match.group(1)] = re.sub(r"\\(.)", lambda escape: _UNESCAPED.get(escape[1], escape[1]), match.group(2))
    raise NotationError("the record has no moves and no result")


_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})
_UNESCAPED = {"n": "\n", "r": "\r"}


def _tag(tags: dict[str, str], name: str) -> str:
    if name not in tags:
        raise NotationError(f"the record has no {name} tag")
    return tags[name]


def _parse_movetext(text: str, spec: GameSpec, ply: int) -> tuple[list[int], list[Ply], str]:
    """The actions, their comments, and the result at the end."""
    actions: list[int] = []
    plies: list[Ply] = []
    result = ""
    for token in _TOKEN.finditer(text):
        comment, word = token.groups()
        if result or (comment is None and word is None):
            raise NotationError(f"the moves cannot be read at {shown(text[token.start() : token.start() + 20])}")
        if comment is not None:
            if not plies or plies[-1] != Ply():
                raise NotationError(f"the comment {shown(comment)} does not follow a move")
            plies[-1] = _parse_comment(comment)
        elif word == UNFINISHED or word in RESULTS.values():
            result = word
        elif word.rstrip(".") == str((ply + len(actions)) // 2 + 1) and word.endswith("."):
            continue
        else:
            actions.append(parse_move(word, spec))
            plies.append(Ply())
    return actions, plies, result


_COMMENT_PARTS = (
    ("score", re.compile(r"([+-]\d{1,4}|0)"), "{:+d}"),
    ("value", re.compile(r"v([+-]?\d[^\s]{0,30})"), "v{!r}"),
    ("depth", re.compile(r"d(\d{1,18})"), "d{}"),
    ("nodes", re.compile(r"n(\d{1,18})"), "n{}"),
    ("seconds", re.compile(r"(\d[^\s]{0,30})s"), "{!r}s"),
)
"""Fields of `Ply`, how they are read, and how they are written."""


def _format_comment(ply: Ply) -> str:
    known = [(getattr(ply, name), form) for name, _, form in _COMMENT_PARTS]
    parts = [form.format(value) for value, form in known if value is not None]
    return " ".join("0" if part == "+0" else part for part in parts)


def _parse_comment(comment: str) -> Ply:
    known: dict[str, Any] = {}
    for part in comment.split():
        for name, pattern, _ in _COMMENT_PARTS:
            match = pattern.fullmatch(part)
            if match is not None and name not in known:
                known[name] = _number(match[1], name, float if name in ("value", "seconds") else int)
                break
        else:
            raise NotationError(f"the comment {shown(comment)} is not of the form {{+18 v0.5 d12 n5310 0.01s}}")
    return Ply(**known)


def _number(text: str, name: str, kind: type[int] | type[float]) -> Any:
    try:
        return kind(text)
    except ValueError:
        noun = "whole number" if kind is int else "number"
        raise NotationError(f"{name} is {shown(text)}; it must be a {noun}") from None
