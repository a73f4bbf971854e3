"""Options of the commands that let agents meet."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from inarow.arena.openings import OpeningKind

Openings = Annotated[OpeningKind, Parameter(help="Balanced, where a book or the solver tells which are, or random.")]
OpeningPlies = Annotated[int | None, Parameter(help="Moves before the agents take over.")]
MoveSeconds = Annotated[float | None, Parameter(help="A decision that takes longer loses the game.")]
