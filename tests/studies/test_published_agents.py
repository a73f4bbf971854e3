"""Agents as published: what their documents say, to the unit where they say so."""

import pytest

from inarow.agents.registry import make_agent, registry
from inarow.errors import InvalidLimitError
from inarow.games.position import Position
from inarow.games.spec import GameSpec

AS_PUBLISHED = ""
RIGHT_SIDES = ",believes_first=false"
RIGHT_SIDES_AND_DIAGONALS = ",believes_first=false,diagonals=true"


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("board", "prune_first", "variant", "winner", "plies", "nodes"),
    [
        ("tictactoe", False, AS_PUBLISHED, 1, 5, [299369, 584]),
        ("tictactoe", True, AS_PUBLISHED, 1, 5, [11447, 32517]),
        ("tictactoe", False, RIGHT_SIDES, None, 9, [298750, 1462]),
        ("tictactoe", True, RIGHT_SIDES, None, 9, [11518, 32476]),
        ("tictactoe", False, RIGHT_SIDES_AND_DIAGONALS, None, 9, [298750, 1462]),
        ("tictactoe", True, RIGHT_SIDES_AND_DIAGONALS, None, 9, [11518, 32476]),
        ("connect4", False, AS_PUBLISHED, 1, 9, [1575, 471]),
        ("connect4", True, AS_PUBLISHED, 1, 9, [862, 1490]),
        ("connect4", False, RIGHT_SIDES, 1, 41, [5181, 2342]),
        ("connect4", True, RIGHT_SIDES, 1, 41, [2366, 5049]),
        ("connect4", False, RIGHT_SIDES_AND_DIAGONALS, 1, 7, [1365, 466]),
        ("connect4", True, RIGHT_SIDES_AND_DIAGONALS, 1, 7, [726, 1097]),
    ],
)
def test_node_counts_of_paranji_2025(board, prune_first, variant, winner, plies, nodes):
    agents = [
        make_agent(f"paranji-2025/minimax:prune={str(prune).lower()}{variant}")
        for prune in (prune_first, not prune_first)
    ]
    position = Position.start(GameSpec.parse(board))
    counted = [0, 0]
    while not position.is_over:
        side = position.ply % 2
        decision = agents[side].decide(position)
        counted[side] += decision.nodes
        position = position.play(decision.action)
    assert (position.winner, position.ply, counted) == (winner, plies, nodes)


def test_the_published_default_agent_blocks_as_first_and_not_as_second():
    agent = make_agent("paranji-2025/winblock", seed=1)
    assert agent.decide(Position.parse("112233")).action == 3  # the first player wins
    assert agent.decide(Position.parse("7112233")).action == 3  # the second player wins
    assert agent.decide(Position.parse("71122335")).action == 3  # the first player blocks
    must_block = Position.parse("17273")
    assert must_block.winning_actions(of_opponent=True) == (3,)
    assert sum(chance > 0 for chance in agent.decide(must_block).policy) == 7  # the second player plays at random


@pytest.mark.compiled
def test_gupta_shah_minimax_values_a_line_as_a_window():
    """It sees a line, but takes any move of the greatest sum: a loss within its depth weighs more."""
    agent = make_agent("gupta-shah-2022/minimax", seed=3)
    win = Position.parse("112233")
    assert agent.decide(win).action == 3
    assert agent.decide(Position.parse("17273")).action == 3
    decision = agent.decide(Position.start())
    assert decision.depth == 4
    assert decision.nodes <= 7 + 49 + 343 + 2401


@pytest.mark.compiled
def test_harman_mcts_mistakes_the_opponent_for_a_friend():
    """With many playouts it still walks into a loss at once, because it hopes for a bad reply."""
    spec = GameSpec.parse("4x5x4")
    threatened = Position.parse("1213", spec)
    agent = make_agent("harman/mcts:playouts=40", seed=2)
    decision = agent.decide(threatened)
    assert sum(decision.visits) == 40
    assert decision.visits[decision.action] == max(decision.visits)
    with pytest.raises(InvalidLimitError, match="needs a board with gravity"):
        agent.decide(Position.start(GameSpec.parse("tictactoe")))


def test_published_agents_are_in_the_registry_and_cannot_displace_others():
    names = set(registry())
    assert {"paranji-2025/minimax", "paranji-2025/winblock", "harman/mcts", "gupta-shah-2022/minimax"} <= names
    assert registry()["minimax"].summary != registry()["paranji-2025/minimax"].summary
