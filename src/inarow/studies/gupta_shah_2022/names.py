"""The names of the experiments of gupta-shah-2022."""

from __future__ import annotations

SPEED = "speed"
PARTS = 10
"""At most so many has a match: what a kill can cost is one of them."""


def cell(row: str, column: str, *, column_first: bool = True) -> str:
    """Games of a cell of Table 1."""
    return f"cell {row} - {column}" + ("" if column_first else ", row first")


def match(a: str, b: str) -> str:
    return f"match {a} - {b}"


def part(a: str, b: str, number: int) -> str:
    """Some games of a match; numbers from 0."""
    return f"{match(a, b)}, part {number + 1}"


def grade(player: str) -> str:
    return f"grade {player}"
