"""OpenSpiel both ways."""

import random
import sys

import numpy as np
import pytest

from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.errors import InvalidSpecError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, GameSpec

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms.evaluate_bots import evaluate_bots  # noqa: E402
from open_spiel.python.bots.gtp import GTPBot  # noqa: E402
from open_spiel.python.bots.uniform_random import UniformRandomBot  # noqa: E402

from inarow.adapters.openspiel import (  # noqa: E402
    OpenSpielAgent,
    OpenSpielBot,
    game_of_spec,
    position_of_state,
    spec_of_game,
)


@pytest.mark.parametrize("name", ["connect_four", "connect_four(rows=5,columns=4,x_in_row=3)", "tic_tac_toe"])
def test_our_agents_are_bots(name):
    game = pyspiel.load_game(name)
    rng = np.random.RandomState(1)
    for side in (0, 1):
        bots = [UniformRandomBot(1 - side, rng)]
        bots.insert(side, OpenSpielBot("winblock", seed=4))
        results = [evaluate_bots(game.new_initial_state(), bots, rng)[side] for _ in range(20)]
        assert sum(results) > 5


def test_a_bot_reports_its_policy():
    state = pyspiel.load_game("connect_four").new_initial_state()
    bot = OpenSpielBot("random", seed=1)
    assert bot.provides_policy()
    assert bot.get_policy(state) == [(action, pytest.approx(1 / 7)) for action in range(7)]
    policy, action = OpenSpielBot(make_agent("minimax:depth=1"), seed=1).step_with_policy(state)
    assert dict(policy)[action] == 1.0


@pytest.mark.parametrize("board", ["6x7x4", "4x6x3", "3x3x3/free", "3x5x3/free"])
def test_states_and_positions_are_the_same_game(board):
    spec = GameSpec.parse(board)
    game = game_of_spec(spec)
    assert spec_of_game(game) == spec
    choices = random.Random(7)
    for _ in range(20):
        state, position = game.new_initial_state(), Position.start(spec)
        while not state.is_terminal():
            assert position_of_state(state) == position
            assert tuple(state.legal_actions()) == position.legal_actions
            action = choices.choice(state.legal_actions())
            state.apply_action(action)
            position = position.play(action)
        assert position.is_over
        assert state.returns() == {1: [1, -1], 2: [-1, 1], None: [0, 0]}[position.winner]


def test_other_games_are_refused():
    with pytest.raises(InvalidSpecError, match="use connect_four, tic_tac_toe or mnk"):
        spec_of_game(pyspiel.load_game("chess"))


def test_their_bots_are_agents():
    game = game_of_spec(CONNECT_FOUR)
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=3)
    mcts = pyspiel.MCTSBot(game, evaluator, 1.4, 100, 10, True, 5, False)
    theirs = OpenSpielAgent(mcts, game, "openspiel-mcts")
    for side in (1, 2):
        agents = [theirs, make_agent("random", seed=side)]
        record = play_game(*(agents if side == 1 else agents[::-1]))
        assert record.termination == "normal"
        assert record.winner == side
    with pytest.raises(InvalidSpecError, match="the bot plays 6x7x4, not 4x4x4"):
        theirs.decide(Position.start(GameSpec.parse("4x4x4")))


@pytest.mark.compiled
def test_a_bot_that_remembers_is_informed_of_every_move():
    """Our own engine behind OpenSpiel's client behind our agent: the same game as without."""
    game = game_of_spec(CONNECT_FOUR)
    command = [sys.executable, "-m", "inarow", "engine", "--protocol", "gtp", "--notation", "openspiel", "--seed", "9"]
    bot = GTPBot(game, [*command, "--agent", "greedy"])
    try:
        theirs, ours = OpenSpielAgent(bot, game, "greedy over gtp"), make_agent("greedy", seed=9)
        for seed in range(3):
            moves = play_game(make_agent("random", seed=seed), theirs).moves
            assert moves == play_game(make_agent("random", seed=seed), ours).moves
    finally:
        bot.close()
