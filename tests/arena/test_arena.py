import math
from collections import Counter

import numpy as np
import pytest

from inarow.agents.agent import Decision
from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.arena.match import play_match
from inarow.arena.openings import random_openings
from inarow.arena.statistics import elo, likelihood_of_superiority, pair_score, score_interval
from inarow.errors import InvalidAgentError, InvalidLimitError, KaggleFileError, KaggleTimeoutError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec


class Scripted:
    """Plays the given answers, then always column 0."""

    name = "scripted"

    def __init__(self, *answers):
        self._answers = list(answers)

    def decide(self, position):
        answer = self._answers.pop(0) if self._answers else 0
        if isinstance(answer, Exception):
            raise answer
        return Decision(action=answer, value=0.25, nodes=3)


def test_a_game_is_recorded_as_it_was_played():
    record = play_game(Scripted(3, 3, 3, 3), Scripted(2, 2, 2), CONNECT_FOUR, seed=9)
    assert (record.moves, record.winner, record.termination, record.result) == ("4343434", 1, "normal", "1-0")
    assert (record.plies[0].value, record.plies[0].nodes) == (0.25, 3)
    assert all(ply.seconds >= 0 for ply in record.plies)
    assert record.check() is record


@pytest.mark.parametrize(
    ("answer", "termination"),
    [
        (7, "illegal move"),
        (-1, "illegal move"),
        (ValueError("lost\nthe thread"), "crash"),
        (TimeoutError("from somewhere within"), "crash"),
        (KaggleFileError("ZeroDivisionError"), "crash"),
        (KaggleTimeoutError("time is up"), "time-out"),
        ("3", "crash"),
        (None, "crash"),
    ],
)
def test_a_fault_loses_the_game_and_is_reported(answer, termination):
    record = play_game(Scripted(3, answer), Scripted(3, 3), CONNECT_FOUR)
    assert (record.moves, record.winner, record.termination) == ("44", 2, termination)
    assert record.fault
    assert "\n" not in record.fault
    assert record.check() is record


def test_an_interrupt_is_not_a_fault():
    class Interrupted(Scripted):
        def decide(self, position):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_game(Interrupted(), Scripted(), CONNECT_FOUR)


def test_a_game_starts_from_its_opening():
    opening = Position.parse("44")
    record = play_game(make_agent("random"), make_agent("winblock"), opening=opening)
    assert record.moves.startswith("44")
    assert record.opening == 2
    assert len(record.plies) == len(record.moves) - 2


@pytest.mark.parametrize("board", ["6x7x4", "tictactoe", "4x4x4", "12x12x5", "9x9x5/free", "3x5x4"])
def test_openings_are_quiet_distinct_and_follow_from_the_seed(board):
    spec = GameSpec.parse(board)
    openings = random_openings(spec, 20, seed=4)
    assert [opening.moves for opening in openings] == [opening.moves for opening in random_openings(spec, 20, seed=4)]
    assert openings != random_openings(spec, 20, seed=5)
    assert len(set(openings)) == 20
    for opening in openings:
        assert opening.ply % 2 == 0
        assert not opening.is_over
        assert not opening.winning_actions()
        assert not opening.winning_actions(of_opponent=True)


def test_openings_grow_with_their_number_and_repeat_when_a_board_has_no_more():
    assert random_openings(CONNECT_FOUR, 10, seed=1)[0].ply == 4
    assert random_openings(CONNECT_FOUR, 2000, seed=1)[0].ply == 6
    repeated = random_openings(TIC_TAC_TOE, 300, seed=1)
    assert len(repeated) == 300
    assert 60 <= len(set(repeated)) <= 72
    assert {opening.ply for opening in random_openings(TIC_TAC_TOE, 3, seed=1, plies=0)} == {0}


def test_openings_that_cannot_be_are_refused():
    with pytest.raises(InvalidLimitError, match="do not fit"):
        random_openings(TIC_TAC_TOE, 3, seed=1, plies=9)
    with pytest.raises(InvalidLimitError, match="2 random moves on 2x2x2 are over or have an immediate win"):
        random_openings(GameSpec(2, 2, 2), 3, seed=1, plies=2)


def test_the_same_seed_gives_the_same_games_on_any_number_of_workers():
    games = {
        workers: [
            (record.first, record.moves, record.winner)
            for record in play_match("winblock:epsilon=0.2", "greedy", games=60, seed=3, workers=workers).records
        ]
        for workers in (1, 2, 3)
    }
    assert games[1] == games[2] == games[3]
    other = play_match("winblock:epsilon=0.2", "greedy", games=60, seed=4).records
    assert [record.moves for record in other] != [moves for _, moves, _ in games[1]]


def test_a_match_swaps_sides_on_every_opening_and_adds_up():
    match = play_match("winblock", "random", games=100, seed=2)
    summary = match.summary
    for one, other in zip(match.records[::2], match.records[1::2], strict=True):
        assert one.moves[: one.opening] == other.moves[: other.opening]
        assert (one.first, one.second) == (other.second, other.first) == ("winblock", "random")
    assert summary.games == summary.wins + summary.draws + summary.losses == 100
    for result in ("games", "wins", "draws", "losses"):
        assert getattr(summary.as_first, result) + getattr(summary.as_second, result) == getattr(summary, result)
    winners = Counter((record.first, record.second)[record.winner - 1] for record in match.records if record.winner)
    assert (summary.wins, summary.losses) == (winners["winblock"], winners["random"])
    assert sum(summary.pairs) == 50
    assert summary.score == pytest.approx((summary.wins + summary.draws / 2) / 100)
    assert summary.score_interval[0] < summary.score < summary.score_interval[1]
    assert summary.score > 0.8
    assert summary.distinct_games == len({(record.first, record.moves) for record in match.records})
    assert summary.openings == 50


def test_repeated_games_are_counted_once():
    summary = play_match("winblock", "winblock", GameSpec(2, 2, 2), games=40, opening_plies=0).summary
    assert summary.games == 40
    assert summary.distinct_games <= 8
    assert summary.as_first.wins == 20  # any second stone makes a line


@pytest.mark.parametrize("games", [-2, 0, 1, 7, 10**9])
def test_a_senseless_number_of_games_is_refused(games):
    with pytest.raises(InvalidLimitError, match="games is"):
        play_match("random", "random", games=games)


def test_other_senseless_arguments_are_refused_before_any_game():
    with pytest.raises(InvalidLimitError, match="seed is -1"):
        play_match("random", "random", seed=-1)
    with pytest.raises(InvalidLimitError, match="workers is 0"):
        play_match("random", "random", workers=0)
    with pytest.raises(InvalidAgentError, match="there is no agent"):
        play_match("random", "nobody")
    with pytest.raises(InvalidLimitError, match="the heuristic squares does not fit 3x5x4"):
        play_match("random", "negamax", GameSpec.parse("3x5x4"), games=2)


def test_elo_is_the_logistic_scale():
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400)
    assert elo(1 / 11) == pytest.approx(-400)
    assert elo(0.0) is None
    assert elo(1.0) is None


@pytest.mark.parametrize("chances", [(0.2, 0.2, 0.2, 0.2, 0.2), (0, 0, 0.9, 0.1, 0), (0.01, 0, 0.1, 0.2, 0.69)])
@pytest.mark.parametrize("pairs", [20, 200])
def test_the_interval_holds_what_it_promises(chances, pairs):
    rng = np.random.default_rng(1)
    truth = pair_score(chances)
    covered = [low <= truth <= high for low, high in map(score_interval, rng.multinomial(pairs, chances, 1500))]
    assert 0.92 <= np.mean(covered) <= (0.985 if pairs == 200 else 1)  # few pairs have few possible results


def test_a_result_without_variance_still_has_an_interval():
    low, high = score_interval((0, 0, 0, 0, 10))
    assert 0.6 < low < 0.85
    assert high == 1
    low, high = score_interval((0, 0, 10, 0, 0))
    assert low < 0.5 < high
    assert math.isclose(low + high, 1)


def test_superiority_follows_the_score():
    assert likelihood_of_superiority((3, 2, 5, 2, 3)) == pytest.approx(0.5)
    assert likelihood_of_superiority((0, 0, 5, 20, 30)) > 0.999
    assert likelihood_of_superiority((30, 20, 5, 0, 0)) < 0.001
