"""Options of the commands that let agents meet."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from inarow.arena.openings import OpeningKind

Workers = Annotated[int, Parameter(help="Processes that play; the games are the same for any number.")]
Openings = Annotated[OpeningKind, Parameter(help="Balanced by the book of the board, where it has one, or random.")]
OpeningPlies = Annotated[int | None, Parameter(help="Moves before the agents take over.")]
MoveSeconds = Annotated[float | None, Parameter(help="A decision that takes longer loses the game.")]
