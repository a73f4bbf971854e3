"""The board widget of notebooks: game, agent and hints in Python, drawn by `board.js`.

The front end draws `_shown` and sends messages: `{"type": "play", "action": 3, "ply": 5}`, and of the types `undo`,
`redo`, `new` and `flip`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, cast

from inarow.agents.agent import Agent, check_board
from inarow.agents.custom import AgentLike, as_agent
from inarow.agents.registry import Seed
from inarow.errors import InarowError, InvalidLimitError, MissingExtraError, one_line, shown
from inarow.games import GameRecord, Position
from inarow.games.notation import MARKS, side_name
from inarow.notebook.game import Game
from inarow.notebook.view import JsonObject, view_of_analysis, view_of_position
from inarow.report.board import board_svg
from inarow.search.limits import Limits
from inarow.search.solver.api import analyse
from inarow.search.solver.solution import Analysis

try:
    import anywidget
    import traitlets
except ImportError:
    raise MissingExtraError("anywidget", "notebook") from None

HINT_SECONDS = 3.0  # time limit for the exact scores of a position
Side = Literal[1, 2] | None


class BoardWidget(anywidget.AnyWidget):
    """An interactive board; created by `inarow.board`.

    `moves`, `side` and `hints` are traits: set them, or `observe` them. An agent moves as soon as it is its turn, in
    the kernel, so that cells wait for it; its errors are shown on the board.
    """

    _esm = Path(__file__).with_name("board.js")
    _css = Path(__file__).with_name("board.css")

    moves = traitlets.Unicode(help="The move string of the game.").tag(sync=True)
    side = traitlets.Enum([1, 2], None, allow_none=True, help="The side of the user; None for both.").tag(sync=True)
    hints = traitlets.Bool(help="Whether the exact score of every move is shown.").tag(sync=True)
    _shown = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        position: Position,
        *,
        agent: AgentLike | None = None,
        side: Side = 1,
        hints: bool = False,
        seed: Seed = 0,
    ) -> None:
        if side not in (1, 2, None):
            raise InvalidLimitError(f"side is {shown(repr(side))}; it must be 1, 2 or None")
        self._agent: Agent | None = None if agent is None else as_agent(agent, seed)
        self._check_board(position)
        self._game = Game(position)
        self._message = ""
        self._known: tuple[Position, Analysis] | None = None
        super().__init__(moves=position.moves, side=side if self._agent else None, hints=hints)
        self.on_msg(self._receive)
        self._continue()

    # --- The game ---

    @property
    def position(self) -> Position:
        """The current position. It can be set to another one, also on another board."""
        return self._game.position

    @position.setter
    def position(self, position: Position) -> None:
        self._check_board(position)
        self._go_to(Game(position))

    @property
    def record(self) -> GameRecord:
        """The game so far."""
        first, second = (self._player(side) for side in (1, 2))
        return GameRecord.of_position(self.position, first, second)

    @property
    def analysis(self) -> Analysis | None:
        """The exact score of every action, if the solver finds it within `HINT_SECONDS`; None after the end of the
        game.
        """
        position = self.position
        if position.is_over:
            return None
        if self._known is None or self._known[0] != position:
            analyse(position, limits=Limits(nodes=1))  # loads or compiles the solver before the time limit starts
            self._known = position, analyse(position, limits=Limits(seconds=HINT_SECONDS))
        return self._known[1]

    def undo(self) -> None:
        """Takes back the last move of the user and the agent's answer."""
        self._go_to(self._game.undo(self._is_stop) or self._game)

    def redo(self) -> None:
        """Plays the undone moves again."""
        self._go_to(self._game.redo(self._is_stop) or self._game)

    def new_game(self) -> None:
        """Starts from the empty board."""
        self._go_to(Game(Position.start(self.position.spec)))

    def _go_to(self, game: Game) -> None:
        self._game, self._message = game, ""
        self.moves = game.position.moves
        self._continue()

    def _check_board(self, position: Position) -> None:
        if self._agent is not None:
            check_board(self._agent, position.spec)

    def _player(self, side: int) -> str:
        return "human" if self._agent is None or self.side in (side, None) else self._agent.name

    def _is_stop(self, position: Position) -> bool:
        """Whether the user has the move, or the game is over."""
        return self.side is None or position.side_to_move == self.side

    # --- Changes of traits ---

    @traitlets.validate("moves")
    def _check_moves(self, proposal: dict[str, Any]) -> str:
        return Position.parse(proposal["value"], self.position.spec).moves

    @traitlets.observe("moves")
    def _follow_moves(self, change: dict[str, Any]) -> None:
        if change["new"] != self.position.moves:
            self._go_to(Game(Position.parse(change["new"], self.position.spec)))

    @traitlets.observe("side", "hints")
    def _follow_setting(self, change: dict[str, Any]) -> None:
        if change["name"] == "side" and self._agent is None and change["new"] is not None:
            self.side = None  # without an agent the user has both sides
        elif self.comm is not None:  # not during the construction
            self._message = ""
            self._continue()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Applies changes of a front end; illegal moves are rejected with a message."""
        try:
            if isinstance(moves := sync_data.get("moves"), str):
                Position.parse(moves, self.position.spec)
            super().set_state(sync_data)
        except (InarowError, traitlets.TraitError) as error:
            self._refuse(error)
            self.send_state(list(sync_data.keys() & {"moves", "side", "hints"}))

    # --- Messages of the front end ---

    def _receive(self, _: object, content: object, __: object) -> None:
        match content:
            case {"type": "play", "action": int(action), "ply": int(ply)}:
                # A second click may arrive after the agent has answered the first.
                if ply == self.position.ply and not self._is_agents_turn():
                    self._play(action)
            case {"type": "undo"}:
                self.undo()
            case {"type": "redo"}:
                self.redo()
            case {"type": "new"}:
                self.new_game()
            case {"type": "flip"} if self.side is not None:
                self.side = 3 - self.side

    def _play(self, action: int) -> None:
        try:
            game = self._game.play(action)
        except InarowError as error:
            self._refuse(error)
        else:
            self._go_to(game)

    def _refuse(self, error: Exception) -> None:
        self._message = one_line(error)
        self._draw()

    # --- The agent and the hints ---

    def _is_agents_turn(self) -> bool:
        return self._agent is not None and not self.position.is_over and not self._is_stop(self.position)

    def _continue(self) -> None:
        """Lets the agent move if it is its turn, then computes the hints if they are shown."""
        try:
            if self._is_agents_turn():
                self._draw("is thinking …")
                self._answer()
            if self._wants_hints():
                self._draw(advice="Solving …")
                _ = self.analysis  # computed here and cached for `_draw`
        finally:
            self._draw()

    def _answer(self) -> None:
        agent, position = cast(Agent, self._agent), self.position
        try:
            decision = agent.decide(position)
            game = self._game.play(decision.action)
        except (Exception, KeyboardInterrupt) as error:  # the board must keep working after any error of an agent
            is_stopped = isinstance(error, KeyboardInterrupt)
            self._message = f"{agent.name} {'was stopped' if is_stopped else 'failed: ' + one_line(error)}"
            if is_stopped:
                raise
        else:
            self._game = game
            self.moves = game.position.moves

    def _wants_hints(self) -> bool:
        return bool(self.hints) and not self.position.is_over and not self._is_agents_turn()

    # --- The picture ---

    def _draw(self, busy: str = "", advice: str = "") -> None:
        """Sends the data to the front end; `busy` is the activity of the agent, `advice` a text until the hints are
        known.
        """
        position, is_idle = self.position, not busy and not advice
        hints: JsonObject = {"scores": (), "best": (), "text": advice}
        if self._wants_hints() and self._known is not None and self._known[0] == position:
            hints = view_of_analysis(*self._known)
        self._shown = view_of_position(position) | {
            "status": self._status(busy),
            "message": self._message,
            "hints": hints,
            "busy": bool(busy),
            "playable": is_idle and not position.is_over and not self._is_agents_turn(),
            "undo": self._game.undo(self._is_stop) is not None,
            "redo": bool(self._game.undone),
            "flip": self._agent is not None and self.side is not None,
        }

    def _status(self, busy: str) -> str:
        position = self.position
        if position.is_over and position.winner is None:
            return "Draw"
        side = position.winner or position.side_to_move
        who = MARKS[side]
        if self._agent is not None and self.side is not None:
            who = side_name(side, "you" if side == self.side else self._agent.name)
        return f"{who} wins" if position.is_over else f"{who} {busy or 'to move'}"

    def __repr__(self) -> str:
        return f"<board {self.position.spec} after {self.position.moves!r}>"

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The widget, and a picture of the position for pages without widgets."""
        bundle = super()._repr_mimebundle_(**options)
        if bundle is None:
            return None
        data, metadata = bundle
        return data | {"image/svg+xml": board_svg(self.position)}, metadata
