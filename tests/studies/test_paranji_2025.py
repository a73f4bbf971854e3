"""paranji-2025: its numbers, its learner, its games."""

import numpy as np
import pytest

from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.games.kernels import compiled_layout, hash_key
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.studies.comparison import Agreement, Estimate
from inarow.studies.experiment import Trial
from inarow.studies.paranji_2025 import AGENTS, BOARDS, PAIRINGS, published
from inarow.studies.paranji_2025.agents import train_as_published
from inarow.studies.paranji_2025.report import chance_sentence
from inarow.studies.paranji_2025.runs import RoundRobin, corrected_q, train_corrected
from inarow.studies.report import Row, Table
from tests.twins import reference


def key_of(cells, spec):
    position = Position.from_array(np.array(cells), spec)
    return hash_key(np.uint64(position.stones), np.uint64(position.mask), compiled_layout(spec))


@pytest.mark.parametrize("opponent_blocks", [False, True])
@pytest.mark.parametrize(("board", "episodes"), [("tictactoe", 200), ("4x5x4", 80)])
def test_training_is_that_of_the_published_program(board, episodes, opponent_blocks):
    """The twin bootstraps and learns from losses as its authors wrote it: in vain, so values are equal."""
    spec = GameSpec.parse(board)
    table = train_as_published(spec, episodes, np.random.default_rng(5), opponent_blocks=opponent_blocks)
    twin = reference.paranji_q_table(spec, episodes, np.random.default_rng(5), opponent_blocks)
    taught = {state: values for state, values in twin.items() if any(values.values())}
    assert len(table) == len(taught) > 5
    for (cells, side), values in taught.items():
        assert side == 1
        (row,) = table.find(np.array([key_of(cells, spec)], np.uint64))
        for action, value in values.items():
            assert table.values[row, action] == value
            assert value == pytest.approx(1 - 0.9 ** table.visits[row, action]) or value == 0


@pytest.mark.compiled
def test_the_published_learner_knows_wins_of_the_first_player_and_nothing_else():
    spec = GameSpec.parse("tictactoe")
    agent = make_agent("paranji-2025/q", seed=1)
    win = Position.parse("1425", spec)
    assert agent.decide(win).action == 2
    assert agent.decide(win).policy[2] == 1
    must_block = Position.parse("192", spec)  # the second player is to move, and is about to lose
    assert len(set(agent.decide(must_block).policy)) == 2  # 0 where illegal, else all alike
    threatened = Position.parse("5164", spec)  # the second player threatens 7, the first has no win
    assert agent.decide(threatened).policy[6] < 1


@pytest.mark.compiled
def test_training_seeds_give_other_tables_and_evaluation_changes_none():
    spec = GameSpec.parse("tictactoe")
    win = Position.parse("1425", spec)
    values = [make_agent(f"paranji-2025/q:training_seed={seed}").decide(win).scores[2] for seed in (0, 1, 0)]
    assert values[0] == values[2] != values[1]


def test_published_numbers_are_complete_and_hold_together():
    numbers = published()
    for board in BOARDS:
        assert set(numbers.table_1[board]) == set(AGENTS)
        pairings = numbers.pairings[board]
        assert set(pairings) == {f"{first}-{second}" for first, second in PAIRINGS}
        assert all(0 <= each.wins + each.draws <= 100 for each in pairings.values())
        for first, second in PAIRINGS:
            counted = pairings[f"{first}-{second}"]
            assert (counted.first is not None) == (first in ("minimax", "alphabeta"))
            assert (counted.second is not None) == (second in ("minimax", "alphabeta"))
    sums = {board: sum(each.wins + each.draws / 2 for each in numbers.table_1[board].values()) for board in BOARDS}
    assert sums["tictactoe"] == pytest.approx(200, abs=0.02)
    assert sums["connect4"] == pytest.approx(199.5, abs=0.02)  # a misprint: 38.33 for 38.83


def test_what_the_source_prints_twice():
    """The differences that the page of the study names."""
    numbers = published()
    printed = numbers.table_1["connect4"]
    assert sum(each.wins for each in printed.values()) == pytest.approx(199.49)
    assert round(sum(600 * each.wins / 100 for each in printed.values())) == 1197  # of 1,200 games without a draw
    for board, agent, is_same in [
        ("tictactoe", "minimax", False),  # 2.21 in the text, 2.2264 in the table
        ("tictactoe", "alphabeta", True),
        ("connect4", "minimax", False),  # 0.54 and 0.5504
        ("connect4", "alphabeta", True),
    ]:
        assert (round(numbers.table_1[board][agent].seconds, 2) == numbers.text[board].seconds[agent]) == is_same
    text, nodes = numbers.text["tictactoe"], numbers.pruning["tictactoe"]
    assert round(100 * (1 - nodes["alphabeta"] / nodes["minimax"]), 1) == text.nodes_saved
    assert round(100 * (1 - text.seconds["alphabeta"] / text.seconds["minimax"]), 1) == text.time_saved
    means = {
        board: {
            agent: np.mean([each.first for name, each in numbers.pairings[board].items() if name.startswith(agent)])
            for agent in ("minimax", "alphabeta")
        }
        for board in BOARDS
    }
    assert means["tictactoe"] == pytest.approx({"minimax": 298_978.5, "alphabeta": 11_344.8}, abs=0.05)
    assert means["connect4"] == pytest.approx({"minimax": 1969.6, "alphabeta": 1053.0}, abs=0.5)
    assert numbers.setup.games == numbers.setup.pairing_games * len(PAIRINGS)
    assert numbers.setup.listed_games["connect4"] == 10 * numbers.setup.pairing_games


def test_chance_leaves_only_numbers_outside_that_vary():
    def row(scatter):
        return Row("", 1.0, Estimate(1.0, None, scatter, 20), agreement=Agreement(True, "equal"))

    rows = (*(row(0.0) for _ in range(3)), *(row(0.5) for _ in range(40)), Row("", 1.0))
    assert chance_sentence([Table("", rows)]) == (
        "3 of these numbers are the same in every run of ours, so that chance cannot leave them outside."
        " Of the other 40, chance alone would leave 2.0 outside."
    )
    assert chance_sentence([Table("", rows[3:])]) == chance_sentence([Table("", rows[:3])]) == ""


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        (
            "as-published",
            {"minimax-alphabeta.first": 1575, "minimax-alphabeta.second": 471, "alphabeta-minimax.wins": 100},
        ),
        ("corrected", {"minimax-alphabeta.wins": 100, "alphabeta-minimax.wins": 100}),
    ],
)
def test_a_round_robin_counts_wins_moves_and_nodes(variant, expected):
    trial = Trial("paranji-2025", RoundRobin("connect4"), variant, 3, {"games": 4, "episodes": 200})
    first, second = trial.run(), trial.run()
    assert first.figures == second.figures
    assert first.figures.items() >= expected.items()
    agents = {name.split(".")[0] for name in first.figures if "-" not in name}
    points = sum(first.figures[f"{agent}.wins"] + first.figures[f"{agent}.draws"] / 2 for agent in agents)
    assert points == pytest.approx(50 * len(agents))
    for agent in agents:
        begun = [first.figures[f"{agent}-{other}.moves"] for other in agents if other != agent]
        assert first.figures[f"{agent}.moves"] == pytest.approx(np.mean(begun))


@pytest.mark.compiled
def test_pruning_changes_nodes_and_not_results():
    trial = Trial("paranji-2025", RoundRobin("tictactoe"), "corrected", 0, {"games": 2, "episodes": 1})
    figures = trial.run().figures
    assert figures["alphabeta.nodes"] < figures["minimax.nodes"] / 10
    assert figures["minimax-alphabeta.draws"] == figures["alphabeta-minimax.draws"] == 100
    assert figures["default-minimax.wins"] == figures["default-alphabeta.wins"] == 0


@pytest.mark.compiled
def test_the_corrected_learner_learns_from_losses_on_both_sides():
    trainer = train_corrected(GameSpec.parse("tictactoe"), 5000, seed=0)
    losses = [point.losses for point in trainer.curve]
    assert np.mean(losses[-5:]) < np.mean(losses[:5]) / 2
    rows = len(trainer.table)
    assert trainer.table.values[:rows].min() < -0.5
    agent = corrected_q(trainer.table, np.random.default_rng(0))
    games = [play_game(agent, make_agent("minimax:depth=none"), GameSpec.parse("tictactoe")) for _ in range(5)]
    games += [play_game(make_agent("minimax:depth=none"), agent, GameSpec.parse("tictactoe")) for _ in range(5)]
    assert {game.fault for game in games} == {None}
    assert len(trainer.table) == rows  # playing adds nothing
