from dataclasses import replace

import numpy as np
import pytest

import inarow
from inarow.agents.agent import Decision
from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.arena.grading import FAULT, Accuracy, Choices, grade
from inarow.arena.statistics import mean_interval, wilson_interval
from inarow.arena.suite import ILLEGAL, Suite, exhaustive_suite, standard_suite
from inarow.errors import InvalidAgentError, InvalidLimitError, PluginError
from inarow.games.position import Position
from inarow.games.record import GameRecord
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec

pytestmark = pytest.mark.compiled
FIGURES = ("outcome_accuracy", "critical_accuracy", "optimal_accuracy", "mean_regret")


def part(suite, numbers):
    return replace(suite, positions=tuple(suite.positions[n] for n in numbers), scores=suite.scores[numbers])


def sample(suite, count, *, min_ply=0):
    late = [number for number, position in enumerate(suite.positions) if position.ply >= min_ply]
    return part(suite, np.sort(np.random.default_rng(7).choice(late, count, replace=False)))


@pytest.fixture(scope="module")
def late():
    """Positions of the shipped suite that are solved in no time."""
    return sample(standard_suite(CONNECT_FOUR), 150, min_ply=13)


# --- agents ---


@pytest.mark.parametrize("board", ["tictactoe", "3x4x3", "4x4x4"])
def test_the_solver_is_perfect_on_small_boards(board):
    suite = exhaustive_suite(GameSpec.parse(board))
    check_perfect(grade("solver", suite=suite if board == "tictactoe" else sample(suite, 3000)))


def test_the_solver_is_perfect_on_the_standard_suite(late):
    check_perfect(grade("solver:tie=random", suite=late))


def check_perfect(made):
    rows: list[Accuracy] = [made, *made.by_ply, *made.by_side.values()]
    for row in rows:
        assert (row.outcome_accuracy, row.optimal_accuracy, row.mean_regret) == (1, 1, 0)
        assert row.critical_accuracy == (1 if row.critical else None)
    assert made.faults == 0


@pytest.mark.parametrize("suite", ["tictactoe", "standard"])
def test_random_moves_have_the_grade_that_the_scores_say(suite):
    suite = standard_suite(CONNECT_FOUR) if suite == "standard" else exhaustive_suite(TIC_TAC_TOE)
    made = grade("random", suite=suite, seed=11)
    truth = expectation_of_random(suite)
    for name in FIGURES:
        low, high = made.intervals[name]
        assert low <= truth[name] <= high, name
        assert low < getattr(made, name) < high


def expectation_of_random(suite):
    """Means over the legal actions of each position, written once more without the arrays of `Choices`."""
    rows = [[score for score in row if score != ILLEGAL] for row in suite.scores.tolist()]
    kept = [np.mean([np.sign(score) == np.sign(max(row)) for score in row]) for row in rows]
    critical = [share for share, row in zip(kept, rows, strict=True) if np.sign(min(row)) != np.sign(max(row))]
    return {
        "outcome_accuracy": np.mean(kept),
        "critical_accuracy": np.mean(critical),
        "optimal_accuracy": np.mean([row.count(max(row)) / len(row) for row in rows]),
        "mean_regret": np.mean([max(row) - np.mean(row) for row in rows]),
    }


def test_a_grade_is_the_same_on_any_number_of_workers(late):
    made = [grade("winblock:epsilon=0.3", suite=late, seed=5, workers=workers) for workers in (1, 2)]
    assert made[0] == made[1]
    assert made[0] != grade("winblock:epsilon=0.3", suite=late, seed=6)


def test_better_agents_get_better_grades(late):
    grades = [grade(agent, suite=late) for agent in ("random", "winblock", "minimax:depth=6", "solver")]
    for name in FIGURES:
        figures = [getattr(made, name) for made in grades]
        assert figures == sorted(figures, reverse=name == "mean_regret")


def test_the_parts_add_up(late):
    made = grade("winblock", suite=late)
    assert (made.agent, made.board, made.suite, made.suite_checksum) == ("winblock", "6x7x4", "standard", late.checksum)
    for rows in (made.by_ply, made.by_side.values()):
        assert sum(row.positions for row in rows) == made.positions == 150
        assert sum(row.critical for row in rows) == made.critical
        regret = sum(row.mean_regret * row.positions for row in rows)
        assert regret == pytest.approx(made.mean_regret * 150)
        kept = sum((row.critical_accuracy or 0) * row.critical for row in rows)
        assert kept == pytest.approx(made.critical_accuracy * made.critical)
    assert [row.ply for row in made.by_ply] == sorted({position.ply for position in late.positions})


class Stubborn:
    name = "stubborn"

    def __init__(self, action):
        self._action = action

    def decide(self, position):
        if self._action is None:
            raise ValueError("no\nidea")
        return Decision(action=self._action)


def test_an_agent_object_is_asked_as_it_is():
    suite = part(exhaustive_suite(TIC_TAC_TOE), [0])
    made = grade(Stubborn(4), suite=suite)
    assert (made.agent, made.positions, made.optimal_accuracy) == ("stubborn", 1, 1)
    assert inarow.grade(make_agent("solver"), TIC_TAC_TOE, suite=suite).agent == "solver"
    with pytest.raises(
        PluginError, match="stubborn is a single object: for worker processes pass its class or a function"
    ):
        grade(Stubborn(4), suite=suite, workers=2)


@pytest.mark.parametrize("action", [None, 9, "4"])
def test_a_fault_is_a_lost_game(action):
    suite = part(exhaustive_suite(TIC_TAC_TOE), [0])  # a draw worth 0; lost at once it would be worth -4
    made = grade(Stubborn(action), suite=suite)
    assert (made.faults, made.outcome_accuracy, made.optimal_accuracy, made.mean_regret) == (1, 0, 0, 4)
    assert made.fault
    assert "\n" not in made.fault


def test_senseless_arguments_are_refused():
    with pytest.raises(InvalidLimitError, match="seed is -1"):
        grade("random", seed=-1)
    with pytest.raises(InvalidLimitError, match="workers is 0"):
        grade("random", workers=0)
    with pytest.raises(InvalidAgentError, match="there is no agent"):
        grade("nobody")


# --- games ---


def test_a_game_is_graded_by_its_decided_moves():
    record = GameRecord(board="tictactoe", first="a", second="b", moves="14253", winner=None, termination="unfinished")
    made = inarow.grade(record)  # best, mistake, best, good, best
    assert (made.agent, made.suite, made.positions) == ("a - b", "game", 5)
    assert (made.outcome_accuracy, made.optimal_accuracy) == (0.8, 0.6)
    assert made.by_side["first"].outcome_accuracy == 1
    assert made.by_side["second"].outcome_accuracy == 0.5
    assert [row.mean_regret for row in made.by_ply] == [0, 2, 0, 1, 0]
    later = inarow.grade(replace(record, opening=2))
    assert (later.positions, later.outcome_accuracy) == (3, 1)
    nothing = inarow.grade(replace(record, opening=5))
    assert (nothing.positions, nothing.outcome_accuracy, nothing.mean_regret) == (0, None, None)
    assert nothing.intervals["mean_regret"] is None


def test_a_played_game_of_the_solver_is_perfect():
    spec = GameSpec.parse("4x5x4")
    check_perfect(inarow.grade(play_game(make_agent("solver"), make_agent("solver"), spec)))


# --- figures ---


def test_figures_of_choices_counted_by_hand():
    positions = tuple(Position.parse(moves) for moves in ("", "4", "44"))
    x = ILLEGAL
    scores = np.array([[3, 1, 0, x, x, x, x], [-2, -5, x, x, x, x, x], [0, 0, -1, x, x, x, x]], np.int8)
    suite = Suite("hand", CONNECT_FOUR, positions, scores, {})
    figures = Choices.of(suite, np.array([1, 1, 2])).figures()
    assert (figures["positions"], figures["critical"]) == (3, 2)  # the second is lost whatever is played
    assert figures["outcome_accuracy"] == pytest.approx(2 / 3)
    assert figures["critical_accuracy"] == 0.5
    assert figures["optimal_accuracy"] == 0
    assert figures["mean_regret"] == pytest.approx((2 + 3 + 1) / 3)
    faults = Choices.of(suite, np.full(3, FAULT))
    assert faults.chosen.tolist() == [-21, -20, -20]


def test_intervals_hold_what_they_promise():
    rng = np.random.default_rng(2)
    for chance in (0.02, 0.5, 0.93):
        rates = rng.binomial(200, chance, 2000) / 200
        covered = [low <= chance <= high for low, high in (wilson_interval(rate, 200) for rate in rates)]
        assert 0.92 <= np.mean(covered) <= 0.985
    regrets = rng.geometric(0.4, (2000, 200)) - 1
    covered = [low <= 1.5 <= high for low, high in map(mean_interval, regrets)]
    assert 0.92 <= np.mean(covered) <= 0.97
    assert mean_interval(np.array([3])) is None
