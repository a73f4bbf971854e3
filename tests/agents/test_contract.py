"""The contract of `Agent.decide`: limits and watching, for every agent of the registry."""

import math
import threading
import time

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from inarow.agents.agent import check_board
from inarow.agents.registry import make_agent, registry
from inarow.errors import InarowError
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.limits import Limits
from inarow.search.solver.api import solve
from tests.strategies import ongoing_positions

pytestmark = pytest.mark.compiled

BOARDS = {"q": "tictactoe"}
SHORT = {
    "alphazero": "alphazero:simulations=16",
    "solver": "solver:level=4",
    "paranji-2025/q": "paranji-2025/q:episodes=20",
    "kumbhakern-2025/window": "kumbhakern-2025/window:episodes=2000",
    "harman/q": "harman/q:episodes=1000",
}
WATCHED = [
    "minimax:depth=3",
    "minimax:depth=4,heuristic=powers,tie=random,memory=1",
    "minimax:depth=2,prune=false",
    "negamax:depth=3,omega=0.5",
    "mcts:simulations=300",
    "mcts:simulations=100,threads=2",
    "hybrid:simulations=8",
    "solver",
    "solver:tie=random,scores=best",
    "solver:level=2",
]
ENDLESS = [
    "minimax:depth=none",
    "negamax:depth=40",
    "mcts:simulations=100000000",
    "hybrid:simulations=100000000",
    "solver:book=false",
    "solver:book=false,threads=2",
    "solver:level=9",
    "alphazero:simulations=10000000",
]
SOON = 5.0
"""Seconds for what takes 50 ms on a quiet machine."""


class EnoughError(Exception):
    pass


@pytest.fixture
def playing(tmp_path):
    """From a name in the registry to an agent string, and a position for it."""

    def make(name):
        if name == "kaggle":
            (tmp_path / "agent.py").write_text("def act(observation):\n    return 3\n")
            return f"kaggle:file={tmp_path / 'agent.py'}", Position.parse("43")
        board = GameSpec.parse(BOARDS.get(name, "6x7x4"))
        return SHORT.get(name, name), Position.parse("43" if board.gravity else "5", board)

    return make


@pytest.mark.parametrize("name", list(registry()))
def test_every_agent_takes_limits_and_a_watcher(name, playing):
    text, position = playing(name)
    alone = make_agent(text, seed=3, ask=lambda position: 1).decide(position)
    seen = []
    watched = make_agent(text, seed=3, ask=lambda position: 1).decide(position, watch=seen.append)
    assert watched.action == alone.action
    assert {decision.action for decision in seen} <= set(position.legal_actions)
    agent = make_agent(text, seed=3, ask=lambda position: 1)
    for limits in (
        Limits(nodes=100, simulations=10, depth=1, seconds=5.0),
        Limits(nodes=0, simulations=0, seconds=0.0),
        Limits(cancelled=lambda: True),
    ):
        clock = time.perf_counter()
        assert agent.decide(position, limits=limits).action in position.legal_actions
        assert time.perf_counter() - clock < 10
    assert set(registry()[name].limits) <= {"nodes", "simulations", "depth", "seconds"}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_search_ends_when_it_is_cancelled(name):
    agent, position = make_agent(name, seed=1), Position.start()
    agent.decide(position, limits=Limits(seconds=0.3))  # loads its kernels, which nothing interrupts
    for budget in (None, math.inf) if not name.startswith("solver:level") else (math.inf,):
        is_cancelled = threading.Event()
        cancelled_at = []

        def cancel(is_cancelled=is_cancelled, cancelled_at=cancelled_at):
            cancelled_at.append(time.perf_counter())
            is_cancelled.set()

        timer = threading.Timer(0.2, cancel)
        timer.start()
        decision = agent.decide(position, limits=Limits(seconds=budget, cancelled=is_cancelled.is_set))
        ended_at = time.perf_counter()
        timer.join()
        assert decision.action in position.legal_actions
        if not name.startswith("solver:level"):  # a level never searches longer than its simulations
            assert 0 <= ended_at - cancelled_at[0] < SOON


@pytest.mark.parametrize("name", [name for name in ENDLESS if "level" not in name])
def test_seconds_replace_the_budget_of_the_agent_string(name):
    agent = make_agent(name, seed=1)
    agent.decide(Position.start(), limits=Limits(seconds=0.0))
    clock = time.perf_counter()
    assert agent.decide(Position.start(), limits=Limits(seconds=0.1)).action in range(7)
    assert 0.08 < time.perf_counter() - clock < 0.1 + SOON


def test_a_budget_replaces_that_of_the_agent_string():
    start = Position.start()
    minimax = make_agent("minimax:depth=6")
    assert minimax.decide(start, limits=Limits(depth=2)).depth == 2
    assert minimax.decide(start, limits=Limits(simulations=5)).depth == 6  # which it does not know
    assert minimax.decide(start, limits=Limits(nodes=1)).depth == 1
    assert make_agent("mcts").decide(start, limits=Limits(simulations=70)).details["simulations"] == 70


@pytest.mark.parametrize("name", WATCHED)
@settings(max_examples=20)
@given(position=ongoing_positions(max_side=4), seed=st.integers(0, 1000))
def test_being_watched_changes_no_decision(name, position, seed):
    seen = []
    try:
        check_board(make_agent(name), position.spec)
    except InarowError:
        reject()
    watched = make_agent(name, seed=seed).decide(position, watch=seen.append)
    alone = make_agent(name, seed=seed).decide(position)
    assert (watched.action, watched.value, watched.score) == (alone.action, alone.value, alone.score)
    assert {decision.action for decision in seen} <= set(position.legal_actions)


@pytest.mark.parametrize("name", ["minimax:depth=none", "mcts:simulations=100000000", "mcts:seconds=3600,threads=2"])
def test_whoever_watches_may_end_the_search(name):
    seen = []

    def watch(decision):
        seen.append(decision)
        if len(seen) == 5:
            raise EnoughError

    agent = make_agent(name, seed=1)
    with pytest.raises(EnoughError):
        agent.decide(Position.start(), watch=watch)
    assert seen[-1].nodes >= seen[0].nodes > 0
    seen.clear()  # and it can be used again
    with pytest.raises(EnoughError):
        agent.decide(Position.parse("44"), watch=watch)
    assert len(seen) == 5


def test_a_watched_solver_scores_every_move():
    position = Position.parse("44444522562617")
    seen = []
    decision = make_agent("solver").decide(position, watch=seen.append)
    alone = make_agent("solver").decide(position)
    assert (decision.action, decision.score, seen[0].score) == (alone.action, alone.score, alone.score)
    assert decision.scores[decision.action] == max(score for score in decision.scores if score is not None)
    assert alone.scores is None
    all_scores = make_agent("solver:scores=all").decide(position)
    assert replace(all_scores, nodes=None, scores=None) == replace(alone, nodes=None)
    assert all_scores.scores == decision.scores
    assert make_agent("solver:scores=best").decide(position, watch=seen.append).scores is None


def test_a_watched_solver_gives_the_line_of_best_play():
    position = Position.parse("4453")
    decision = make_agent("solver").decide(position, watch=print)
    line = Position.from_actions((*position.actions, decision.action, *decision.details["pv"]))
    assert line.ply > position.ply + 3
    signs = [(-1) ** (each.ply - position.ply) for each in line.line()]
    scores = [solve(each).score * sign for each, sign in zip(line.line(), signs, strict=True)][position.ply :]
    assert set(scores) == {decision.score}


def test_a_watched_solver_reports_bounds_and_a_guess():
    seen = []
    agent = make_agent("solver:book=false,memory=8")
    decision = agent.decide(Position.start(), limits=Limits(nodes=300_000), watch=seen.append)
    assert decision.score is None
    assert seen
    for known in seen:
        lower, upper = known.details["bounds"]
        assert lower <= 1 <= upper
        assert known.details["exact"] is False
