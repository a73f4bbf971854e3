from dataclasses import replace

import numpy as np
import pytest

import inarow
from inarow.agents.registry import remove_kind
from inarow.arena import depth_test as module
from inarow.arena.depth_test import check_depths, depth_test
from inarow.arena.grading import Choices
from inarow.arena.suite import find_suite
from inarow.errors import Interrupted, InvalidAgentError, InvalidLimitError, SuiteError
from inarow.games.spec import TIC_TAC_TOE

QUIET = {"progress": False, "seed": 2}


@pytest.fixture(scope="module")
def of_minimax() -> inarow.DepthTest:
    return depth_test("minimax", [3, 1, 2], TIC_TAC_TOE, games=6, positions=50, **QUIET)


def without_times(test: inarow.DepthTest) -> list[dict[str, object]]:
    return [{name: value for name, value in row.items() if "seconds" not in name} for row in test.rows()]


def test_depths_come_in_order_and_cost_more_and_more(of_minimax):
    points = of_minimax.points
    assert [point.depth for point in points] == [1, 2, 3]
    assert [point.agent for point in points] == ["minimax:depth=1", "minimax:depth=2", "minimax:depth=3"]
    nodes = [point.nodes_per_move for point in points]
    assert nodes == sorted(nodes)
    assert nodes[0] < nodes[-1]
    assert all(point.median_seconds_per_move > 0 for point in points)


def test_accuracy_is_that_of_the_decisions_in_the_sample(of_minimax):
    suite = find_suite(None, TIC_TAC_TOE)
    sample = suite.part(np.sort(np.random.default_rng(0).permutation(len(suite))[:50]))
    agent = inarow.make_agent("minimax:depth=2")
    decisions = [agent.decide(position) for position in sample.positions]
    figures = Choices.of(sample, np.array([decision.action for decision in decisions])).figures()
    point = of_minimax.points[1]
    assert point.accuracy.outcome_accuracy == figures["outcome_accuracy"]
    assert point.accuracy.intervals == figures["intervals"]
    assert point.nodes_per_move == pytest.approx(np.mean([decision.nodes for decision in decisions]))
    assert point.median_nodes_per_move == np.median([decision.nodes for decision in decisions])


def test_every_depth_plays_both_sides_of_the_same_openings(of_minimax):
    for point in of_minimax.points:
        assert (point.match.as_first.games, point.match.as_second.games) == (3, 3)
        assert point.match.a == point.agent
        assert point.match.b == "winblock"
    deepest = of_minimax.points[-1].match
    assert deepest.score >= 0.5


def test_workers_change_nothing_but_times(of_minimax):
    again = depth_test("minimax", [1, 2, 3], "tictactoe", games=6, positions=50, workers=2, **QUIET)
    assert without_times(again) == without_times(of_minimax)


def test_the_depth_of_the_agent_string_is_replaced():
    test = depth_test("negamax:depth=4,omega=0", [1], TIC_TAC_TOE, games=0, positions=5, **QUIET)
    (point,) = test.points
    assert point.agent == "negamax:depth=1,omega=0.0"
    assert point.match is None
    assert (point.row()["games"], point.row()["score"]) == (0, None)


def test_a_tree_search_is_tested_by_the_depth_of_its_rollouts():
    test = depth_test("hybrid:simulations=5", [1, 2], TIC_TAC_TOE, games=2, positions=5, **QUIET)
    assert [point.agent for point in test.points] == ["hybrid:simulations=5,depth=1", "hybrid:simulations=5"]


def test_an_agent_that_only_honours_the_limit_gets_it():
    given = []

    @inarow.register_agent("limited", limits=("depth",))
    class Limited:
        def decide(self, position, *, limits=None, watch=None):
            given.append(limits.depth)
            return position.legal_actions[0]

    try:
        test = depth_test("limited", [2, 5], TIC_TAC_TOE, games=2, positions=3, **QUIET)
    finally:
        remove_kind("limited")
    assert [point.agent for point in test.points] == ["limited (depth 2)", "limited (depth 5)"]
    assert set(given) == {2, 5}
    assert test.points[0].nodes_per_move is None


def test_an_agent_that_fails_has_faults():
    @inarow.register_agent("failing", limits=("depth",))
    class Failing:
        def decide(self, position, *, limits=None, watch=None):
            raise RuntimeError("no idea")

    try:
        test = depth_test("failing", [1], TIC_TAC_TOE, games=2, positions=7, **QUIET)
    finally:
        remove_kind("failing")
    (point,) = test.points
    assert (point.faults, point.match.cost["a"].crashes, point.match.score) == (7, 2, 0)


def test_boards_without_exact_scores_are_tested_without_positions():
    with pytest.raises(inarow.InarowError):
        depth_test("minimax", [1], "9x9x5", games=2, **QUIET)
    (point,) = depth_test("minimax", [1], "9x9x5", games=2, positions=0, **QUIET).points
    assert point.accuracy.positions == 0
    assert point.nodes_per_move == point.match.cost["a"].nodes_per_move > 0


def test_an_agent_without_a_depth_is_refused_with_the_names_of_others():
    with pytest.raises(InvalidAgentError, match="agents with a depth are minimax, negamax, hybrid"):
        depth_test("random", [1], **QUIET)
    with pytest.raises(InvalidAgentError, match="it must be a whole number from 1 to 8"):
        depth_test("hybrid", [9], **QUIET)


@pytest.mark.parametrize("depths", [[], [0], [1, 257], [-1, 3]])
def test_impossible_depths_are_refused(depths):
    with pytest.raises(InvalidLimitError, match="depths are 1 to 256"):
        check_depths(depths)


def test_a_test_of_nothing_is_refused():
    with pytest.raises(InvalidLimitError, match="needs positions, games or both"):
        depth_test("minimax", [1], TIC_TAC_TOE, games=0, positions=0, **QUIET)
    with pytest.raises(InvalidLimitError, match="games is 3"):
        depth_test("minimax", [1], TIC_TAC_TOE, games=3, positions=0, **QUIET)
    with pytest.raises((SuiteError, InvalidLimitError)):
        depth_test("minimax", [1], "5x5x4/free", games=0, **QUIET)


def test_ctrl_c_keeps_the_finished_depths(monkeypatch, of_minimax):
    work = module._do

    def interrupted(task):
        if task.player.depth == 3:
            raise KeyboardInterrupt
        return work(task)

    monkeypatch.setattr(module, "_do", interrupted)
    with pytest.raises(Interrupted, match="stopped after 2 of 3 depths") as stop:
        depth_test("minimax", [1, 2, 3], TIC_TAC_TOE, games=6, positions=50, **QUIET)
    finished = replace(of_minimax, points=of_minimax.points[:2])
    assert without_times(stop.value.result) == without_times(finished)
    with pytest.raises(Interrupted) as stop:
        depth_test("minimax", [3], TIC_TAC_TOE, games=6, positions=50, **QUIET)
    assert stop.value.result is None


def test_the_json_has_a_row_for_each_depth(of_minimax):
    known = of_minimax.to_dict()
    assert known.pop("depths") == of_minimax.rows()
    assert known == {
        "agent": "minimax",
        "board": "3x3x3/free",
        "opponent": "winblock",
        "suite": "exhaustive",
        "seed": 2,
    }
