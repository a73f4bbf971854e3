"""The walk over all plays of an opponent finds what there is to find."""

import pytest

from inarow.agents.agent import Decision
from inarow.agents.registry import make_agent
from inarow.games.position import Position
from inarow.games.spec import TIC_TAC_TOE
from tests.unbeaten import lost_game, lost_position


class Stubborn:
    """Plays by the position alone: the legal action at a place that `number` chooses."""

    name = "stubborn"

    def __init__(self, number):
        self._number = number

    def decide(self, position):
        legal = position.legal_actions
        return Decision(action=legal[hash((self._number, position.key)) % len(legal)])


@pytest.mark.parametrize("side", [1, 2])
@pytest.mark.parametrize("number", range(10))
def test_both_walks_agree_about_players_without_memory(side, number):
    player = Stubborn(number)
    by_position = lost_position(TIC_TAC_TOE, side, lambda position: (player.decide(position).action,))
    by_game = lost_game(TIC_TAC_TOE, side, lambda: player)
    assert by_position.winner == by_game.winner == 3 - side


@pytest.mark.parametrize("side", [1, 2])
def test_all_games_of_a_perfect_player_are_walked(side):
    solver = make_agent("solver")
    games = []

    def make():
        games.append(1)
        return solver

    assert lost_game(TIC_TAC_TOE, side, make) is None
    assert len(games) == replies(solver, side, Position.start(TIC_TAC_TOE))


def replies(player, side, position):
    """How many games there are."""
    if position.is_over:
        return 1
    if position.side_to_move == side:
        return replies(player, side, position.play(player.decide(position).action))
    return sum(replies(player, side, position.play(action)) for action in position.legal_actions)
