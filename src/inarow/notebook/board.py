"""`inarow.board`: a board to play on in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from inarow.agents.custom import AgentLike
from inarow.agents.registry import Seed
from inarow.games import CONNECT_FOUR, Board, Position

if TYPE_CHECKING:
    from inarow.notebook.widget import BoardWidget


def board(
    position: Position | str = "",
    *,
    board: Board = CONNECT_FOUR,
    agent: AgentLike | None = None,
    side: Literal[1, 2] | None = 1,
    hints: bool = False,
    seed: Seed = 0,
) -> BoardWidget:
    """An interactive board for notebooks, at a position or a move string on `board`.

    `agent` plays against the user, who plays `side`; without an agent the user moves for both sides. `hints` shows the
    exact score of every move. `seed` is for agents that are not objects. Raises MissingExtraError without anywidget,
    InvalidAgentError, and the error of an agent that cannot play the board.
    """
    from inarow.notebook.widget import BoardWidget

    return BoardWidget(Position.parse(position, board), agent=agent, side=side, hints=hints, seed=seed)
