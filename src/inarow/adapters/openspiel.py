"""Adapters for OpenSpiel: agents of inarow as its bots, and its bots as agents.

Its games connect_four, tic_tac_toe and mnk have the same actions as ours.
"""

from typing import Any

from inarow.agents.agent import Decision, ImmediateAgent
from inarow.agents.custom import AgentLike, as_agent
from inarow.agents.registry import Seed
from inarow.errors import InvalidSpecError, MissingExtraError, shown
from inarow.games import TIC_TAC_TOE, GameSpec, Position

try:
    import pyspiel
except ImportError:
    raise MissingExtraError("open_spiel", "adapters") from None


def spec_of_game(game: Any) -> GameSpec:
    """The board of an OpenSpiel game; raises InvalidSpecError for a game that is not k-in-a-row."""
    name, parameters = game.get_type().short_name, game.get_parameters()
    if name == "connect_four":
        return GameSpec(parameters["rows"], parameters["columns"], parameters["x_in_row"])
    if name == "tic_tac_toe":
        return TIC_TAC_TOE
    if name == "mnk":
        return GameSpec(parameters["n"], parameters["m"], parameters["k"], gravity=False)
    raise InvalidSpecError(f"{shown(name)} is not supported; use connect_four, tic_tac_toe or mnk")


def game_of_spec(spec: GameSpec) -> Any:
    """The OpenSpiel game on a board."""
    if spec.gravity:
        return pyspiel.load_game("connect_four", {"rows": spec.rows, "columns": spec.columns, "x_in_row": spec.inarow})
    return pyspiel.load_game("mnk", {"m": spec.columns, "n": spec.rows, "k": spec.inarow})


def position_of_state(state: Any) -> Position:
    """The position of an OpenSpiel state, with its history."""
    return Position.from_actions(state.history(), spec_of_game(state.get_game()))


class OpenSpielBot(pyspiel.Bot):  # type: ignore[misc]
    """An agent of inarow as a bot. It uses only the state, so it can decide in any state."""

    def __init__(self, agent: AgentLike, *, seed: Seed = 0) -> None:
        pyspiel.Bot.__init__(self)
        self._agent = as_agent(agent, seed)

    def step(self, state: Any) -> int:
        return self._agent.decide(position_of_state(state)).action

    def restart(self, *args: Any) -> None:
        """Does nothing: `step` gets the state."""

    restart_at = inform_action = restart

    def provides_policy(self) -> bool:
        return True

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        return self.step_with_policy(state)[0]

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """The policy of the agent and its decision. An agent without a policy puts all weight on its decision."""
        decision = self._agent.decide(position_of_state(state))
        known = {decision.action: 1.0} if decision.policy is None else dict(enumerate(decision.policy))
        return [(action, known.get(action, 0.0)) for action in state.legal_actions()], decision.action


class OpenSpielAgent(ImmediateAgent):
    """A bot of OpenSpiel as an agent, for either side. It is informed of all moves of the game, and ignores limits."""

    def __init__(self, bot: Any, game: Any, name: str) -> None:
        self.name, self._bot, self._game, self._spec = name, bot, game, spec_of_game(game)
        self._known: tuple[int, ...] | None = None

    def _decide(self, position: Position) -> Decision:
        if position.spec != self._spec:
            raise InvalidSpecError(f"the bot plays {self._spec}, not {position.spec}")
        state = self._catch_up(position.actions)
        action = int(self._bot.step(state))
        self._known = (*position.actions, action)
        return Decision(action=action)

    def _catch_up(self, actions: tuple[int, ...]) -> Any:
        """The state of the game after `actions`, of which the bot is informed."""
        known = self._known
        state = self._game.new_initial_state()
        if known is None or actions[: len(known)] != known:
            self._bot.restart()
            known = ()
        for number, action in enumerate(actions):
            if number >= len(known):
                self._bot.inform_action(state, state.current_player(), action)
            state.apply_action(action)
        return state
