"""Gymnasium and PettingZoo, by their own checkers."""

import random
import subprocess
import sys
import types
import warnings

import numpy as np
import pytest

from inarow.agents.registry import make_agent
from inarow.errors import IllegalMoveError, InvalidLimitError
from inarow.games.position import Position

gymnasium = pytest.importorskip("gymnasium")
pettingzoo = pytest.importorskip("pettingzoo")

from inarow.adapters.gymnasium_env import ENV_ID, KInARowEnv  # noqa: E402
from inarow.adapters.pettingzoo_env import RawEnv, env  # noqa: E402

BOARDS = ["connect4", "tictactoe", "5x4x3", "10x12x5"]


@pytest.mark.parametrize("board", BOARDS)
def test_gymnasium_finds_nothing_wrong(board):
    from gymnasium.utils.env_checker import check_env

    check_env(gymnasium.make(ENV_ID, board=board, opponent="winblock", learner="alternate").unwrapped)
    made = gymnasium.make(ENV_ID, board=board, render_mode="ansi")
    made.reset(seed=1)
    assert made.render() == str(Position.start(made.unwrapped.spec_of_game))


def test_a_learner_meets_the_same_game_as_an_agent():
    learner = KInARowEnv("connect4", "winblock", learner=1)
    choices = random.Random(5)
    for game in range(20):
        planes, info = learner.reset(seed=game)
        done = False
        while not done:
            position = Position.parse(info["moves"])
            assert position.side_to_move == 2
            cells = position.to_array()
            assert np.array_equal(planes[:, :, 0], cells == 2)
            assert np.array_equal(planes[:, :, 1], cells == 1)
            assert tuple(np.flatnonzero(info["action_mask"])) == position.legal_actions
            assert np.array_equal(learner.action_masks(), info["action_mask"] == 1)
            planes, reward, done, truncated, info = learner.step(choices.choice(position.legal_actions))
            assert not truncated
        end = Position.parse(info["moves"])
        assert reward == {None: 0, 1: -1, 2: 1}[end.winner]
        stream = int(np.random.default_rng(np.random.PCG64(np.random.SeedSequence(game))).integers(2**63))
        agent = make_agent("winblock", seed=stream)
        for ply in range(0, end.ply, 2):  # every move of the opponent is what the agent decides
            before = Position.parse(info["moves"][:ply])
            assert agent.decide(before).action == end.actions[ply]


def test_options_and_illegal_moves_of_gymnasium():
    learner = KInARowEnv(opponent=make_agent("greedy", seed=3), learner="alternate")
    first = learner.reset(seed=1)[1]["moves"]
    second = learner.reset()[1]["moves"]
    assert (len(first), len(second)) == (0, 1)
    _, info = learner.reset(options={"learner": 0, "position": "444444"})
    assert info["moves"] == "444444"
    _, reward, terminated, _, info = learner.step(3)
    assert (reward, terminated, info["illegal"]) == (-1, True, True)
    with pytest.raises(InvalidLimitError, match="call reset"):
        learner.step(0)
    with pytest.raises(InvalidLimitError, match="it must be 0, 1 or 'alternate'"):
        learner.reset(options={"learner": 2})
    with pytest.raises(InvalidLimitError, match="start from another position"):
        learner.reset(options={"position": "1212121"})


@pytest.mark.parametrize("board", BOARDS)
def test_pettingzoo_finds_nothing_wrong(board):
    from pettingzoo.test import api_test, seed_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # opinions about shapes and scales of observations
        api_test(env(board), num_cycles=200)
        seed_test(lambda: env(board), num_cycles=20)


def _their_environment():
    """`connect_four_v3`, which imports pygame only to draw; an empty module of that name is enough."""
    if "pygame" not in sys.modules:
        try:
            import pygame  # noqa: F401
        except ImportError:
            sys.modules["pygame"] = types.ModuleType("pygame")
    from pettingzoo.classic.connect_four.connect_four import env as theirs

    return theirs()


def test_games_equal_those_of_connect_four_v3_step_by_step():
    ours, theirs = env(), _their_environment()
    choices = random.Random(2)
    for game in range(40):
        ours.reset(seed=game)
        theirs.reset(seed=game)
        while theirs.agents:
            assert ours.agent_selection == theirs.agent_selection
            for agent in theirs.agents:
                seen, expected = ours.observe(agent), theirs.observe(agent)
                assert np.array_equal(seen["observation"], expected["observation"])
                assert np.array_equal(seen["action_mask"], expected["action_mask"])
                assert seen["observation"].dtype == expected["observation"].dtype
            observation, *status, info = ours.last()
            assert status == list(theirs.last()[1:4])
            assert any(status[1:]) or np.array_equal(info["action_mask"], observation["action_mask"])
            mask = observation["action_mask"]
            wanted = int(choices.choice(np.flatnonzero(mask))) if mask.any() else 0
            if game % 4 == 0 and not mask.all():
                wanted = int(np.flatnonzero(mask == 0)[0])  # an illegal move
            action = None if any(status[1:]) else wanted
            ours.step(action)
            theirs.step(action)
            assert ours.rewards == theirs.rewards
            assert ours.terminations == theirs.terminations
            assert ours.agents == theirs.agents


def test_the_raw_environment_starts_anywhere_and_refuses_illegal_moves():
    raw = RawEnv("connect4", render_mode="ansi")
    raw.reset(options={"position": "4444441"})
    assert raw.agent_selection == "player_1"
    assert raw.render() == str(Position.parse("4444441"))
    with pytest.raises(IllegalMoveError, match="column 4 is full"):
        raw.step(3)
    with pytest.raises(IllegalMoveError, match="pass an action instead of None"):
        raw.step(None)


def test_a_missing_package_is_reported_in_one_line():
    for module, package in (("gymnasium_env", "gymnasium"), ("pettingzoo_env", "pettingzoo"), ("openspiel", "pyspiel")):
        code = f"import sys; sys.modules[{package!r}] = None; import inarow.adapters.{module}"
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert result.returncode == 1
        assert "is not installed; run: pip install 'inarow[adapters]'" in result.stderr.splitlines()[-1]
