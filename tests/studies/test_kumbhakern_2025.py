"""kumbhakern-2025: its numbers, its learner, its windows, its experiments."""

from contextlib import suppress
from dataclasses import asdict
from functools import partial

import numpy as np
import pytest
from hypothesis import given

from inarow.agents.registry import make_agent, parse_agent
from inarow.agents.window import find_windows
from inarow.arena.game import play_game
from inarow.arena.grading import grade
from inarow.arena.openings import random_openings
from inarow.arena.suite import Suite, exact_scores
from inarow.errors import IllegalMoveError, InvalidAgentError, InvalidLimitError
from inarow.games.layout import layout_of
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.learning.config import find_document, to_config
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.lookup import TableValues
from inarow.learning.tabular.q_table import QTable, add_row
from inarow.learning.tabular.trainer import Trainer
from inarow.search.solver.api import solver_for
from inarow.studies.experiment import VARIANTS, Trial
from inarow.studies.kumbhakern_2025 import agents, published
from inarow.studies.kumbhakern_2025.agents import (
    WINDOW,
    Phase,
    PublishedTrainer,
    PublishedWindowAgent,
    published_values,
    trained_table,
)
from inarow.studies.kumbhakern_2025.report import KUMBHAKERN_2025
from inarow.studies.kumbhakern_2025.runs import (
    CURVE,
    ON_BOARD,
    PHASES,
    READINGS,
    PretrainedTable,
    Training,
    corrected_config,
    table_accuracy,
)
from inarow.studies.kumbhakern_2025.windows import (
    EXACT,
    NETS,
    PLAYED,
    RULES,
    SOURCES,
    TRAINED,
    ReflexGames,
    WindowAccuracy,
    WindowGames,
    rule_name,
    window_experiments,
)
from inarow.studies.kumbhakern_2025.windows_report import windows_section
from inarow.studies.play import TablePlayer
from inarow.studies.results import Finished, Results
from tests.strategies import ongoing_positions
from tests.twins.kumbhakern import Twin

OPPONENTS = {
    "random": agents.RANDOM,
    "serves the learner": agents.FROZEN_FOR_LEARNER,
    "serves itself": agents.FROZEN_FOR_ITSELF,
}


def key_of(cells, learner):
    layout = layout_of(WINDOW)
    where = [(layout.cell(row, column), cell) for row, line in enumerate(cells) for column, cell in enumerate(line)]
    stones = sum(1 << bit for bit, cell in where if cell == learner)
    return agents.learner_key(stones, sum(1 << bit for bit, cell in where if cell), learner - 1, layout)


@pytest.mark.parametrize("random_starts", [0.0, 0.5])
@pytest.mark.parametrize("opponent", list(OPPONENTS))
def test_training_is_that_of_the_twin(opponent, random_starts, monkeypatch):
    monkeypatch.setattr(agents, "LOG", 19)  # no two means differ by just the tolerance of the rule
    trainer = PublishedTrainer(np.random.default_rng(3), random_starts=random_starts)
    twin = Twin(np.random.default_rng(3), random_starts)
    for split, against in ((1.0, "random"), (0.0, "random"), (0.7, opponent), (0.7, opponent)):
        curve = trainer.run(Phase("", split, OPPONENTS[against]), 57)
        assert curve == pytest.approx(twin.run(split, against, 57, log=19))
    table = trainer.table
    assert len(table) == len(twin.table) > 500
    rows = table.find(np.array([key_of(cells, learner) for learner, cells in twin.table], np.uint64))
    assert table.values[rows] == pytest.approx(np.array(list(twin.table.values())))
    assert len(set(rows.tolist())) == len(rows)


@pytest.mark.compiled
def test_curves_of_the_first_phases_end_where_they_were_published():
    """And self-play is no contest: rewards near 1 in a game that is a draw."""
    trainer = PublishedTrainer(np.random.default_rng(7))
    random, self_play = (trainer.run(phase, 200_000) for phase in agents.phases(agents.RANDOM, 0))
    assert random[0] == pytest.approx(0.04, abs=0.03)
    assert random[-1] == pytest.approx(0.65, abs=0.03)
    assert self_play[-1] == pytest.approx(0.995, abs=0.006)


def test_published_numbers_are_complete_and_hold_together():
    numbers = published()
    assert list(numbers.figure_1) == list(PHASES)
    assert list(numbers.table_1) == ["random", "self-play", "generation 5"]
    for games in numbers.table_1.values():
        assert games["wins"] + games["losses"] + games["draws"] == pytest.approx(100)
    for curve in numbers.figure_1.values():
        assert curve["max"] >= max(curve["first"], curve["last"])


def test_the_published_curve_has_all_points_and_its_ends_are_those_of_the_figure():
    numbers = published()
    assert list(numbers.curve) == list(PHASES)
    for phase, points in numbers.curve.items():
        assert len(points) == 39
        ends = numbers.figure_1[phase]
        assert (points[0], points[-1], max(points)) == (ends["first"], ends["last"], ends["max"])


def test_the_preset_is_the_corrected_training():
    preset = to_config(find_document("kumbhakern-2025"), QConfig, "preset")
    assert preset == corrected_config(200_000, 0.0, 0)
    assert preset.episodes == 7 * 200_000


# --- The published agent ---


def table_of(*entries):
    """A table with values for (position seen by the side to move, number of a window)."""
    table = QTable(WINDOW, memory=1 << 20)
    for position, number, values in entries:
        window = find_windows(position, WINDOW)[number]
        key = agents.learner_key(window.stones, window.mask, position.side_to_move - 1, layout_of(WINDOW))
        table.values[add_row(key, *table.arrays[:4])] = values
    return table


def test_the_published_agent_chooses_a_full_column_that_another_hides():
    position = Position.parse("777777")
    agent = PublishedWindowAgent("window", lambda: table_of((position, 3, (0, 0, 0, 1))))
    with pytest.raises(IllegalMoveError, match="column 7, which is full"):
        agent.decide(position)
    record = play_game(agent, make_agent("random"), CONNECT_FOUR, opening=position)
    assert (record.termination, record.winner) == ("illegal move", 2)


def test_the_published_agent_takes_columns_for_full_that_are_not():
    position = Position.parse("111111")
    agent = PublishedWindowAgent("window", lambda: table_of((position, 3, (1, 0.5, 0, 0))))
    # the last three windows look alike; in the first of them column 2 has 1, but the place of column 1, which is full
    assert agent.decide(position).action == 2


def test_the_published_agent_prefers_the_unknown_to_the_bad_and_the_first_of_equals():
    start = Position.start()
    bad = table_of((start, 0, (-1, -0.5, -0.2, -0.3)))  # all four windows look alike
    assert PublishedWindowAgent("window", lambda: bad).decide(start).action == 2
    position = Position.parse("7")
    known = table_of((position, 3, (-1, -0.5, -0.2, -0.3)), (position, 1, (-1, -1, -1, -1)))
    decision = PublishedWindowAgent("window", lambda: known).decide(position)
    assert decision.details == {"windows": 4, "unseen": 0}
    unknown = table_of((position, 0, (-1, -0.5, -0.2, -0.3)))
    assert PublishedWindowAgent("window", lambda: unknown).decide(position).action == 3  # the last window, never met


@given(ongoing_positions(CONNECT_FOUR))
def test_the_published_agent_stops_only_at_full_columns(position):
    agent = make_agent("kumbhakern-2025/window:episodes=50")
    with suppress(IllegalMoveError):
        assert agent.decide(position).action in position.legal_actions


def test_the_published_agent_needs_room_for_a_window():
    agent = make_agent("kumbhakern-2025/window:episodes=1")
    for board in ("3x7x4", "6x7x5", "5x5x4/free"):
        with pytest.raises(InvalidLimitError, match="has no windows of 4x4x4"):
            agent.decide(Position.start(GameSpec.parse(board)))


# --- Experiments ---


@pytest.mark.compiled
@pytest.mark.parametrize("is_published", [True, False])
def test_tables_are_graded_as_the_agents_that_play_them(is_published):
    solver = solver_for(WINDOW)
    rng = np.random.default_rng(1)
    positions = tuple(
        position
        for plies in range(14)
        for position in random_openings(WINDOW, 20, seed=int(rng.integers(100)), plies=plies)
    )
    suite = Suite("some", WINDOW, positions, np.array([exact_scores(each, solver) for each in positions], np.int8), {})
    if is_published:
        table = trained_table(2000, 0.0, 3)
        lookup = partial(published_values, table)
    else:
        config = corrected_config(2000, 0.0, 3)
        trainer = Trainer(config)
        trainer.run(config.episodes)
        table, lookup = trainer.table, TableValues(trainer.table, config).values
    graded = asdict(grade(TablePlayer("table", lookup), WINDOW, suite=suite))
    found = table_accuracy(table, suite, is_published=is_published)
    assert asdict(found) == {name: graded[name] for name in asdict(found)}
    assert 0.5 < found.outcome_accuracy < 1


@pytest.mark.compiled
@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_readings_of_the_last_phase_differ_from_each_other(reading):
    trial = Trial("kumbhakern-2025", reading, "as-published", 1, {"episodes": 20_000})
    figures = trial.run().figures
    assert figures == trial.run().figures
    serves_the_learner = reading.name == "frozen, serves the learner"
    assert (figures["generation 1.first"] > figures["self-play.first"]) == serves_the_learner


@pytest.mark.compiled
def test_the_table_of_the_package_plays_behind_windows():
    figures = Trial("kumbhakern-2025", PretrainedTable(), "corrected", 4, {"games": 4}).run().figures
    assert figures["6x7.critical_accuracy"] > 45  # random moves: 37
    assert figures["6x7 random.first.illegal"] == figures["6x7 random.second.illegal"] == 0
    assert 0 < figures["6x7 minimax:depth=4.first.unseen"] < 100


@pytest.mark.compiled
def test_runs_have_figures_for_every_row_of_the_report():
    size = {"episodes": 10_000, "test games": 20, "perfect games": 2, "games": 2}
    finished = []
    for variant in VARIANTS:
        trial = Trial("kumbhakern-2025", Training(with_starts=False), variant, 0, size)
        measured = trial.run()
        assert len(measured.curves[CURVE]) == len(PHASES)
        for phase in PHASES:
            rates = [measured.figures[f"after {phase}.{each}"] for each in ("wins", "losses", "draws")]
            assert sum(rates) == pytest.approx(100)
        assert measured.figures["perfect.wins"] == 0
        finished.append(Finished(trial.record, "0", measured))
    for some in (finished, finished[:1], finished[1:]):
        rows = [row for part in KUMBHAKERN_2025.sections(Results(some)) for table in part.tables for row in table.rows]
        present = {each.trial.variant for each in some}
        missing = {"as-published": 0, "corrected": 0}
        for row in rows:
            if "without random starts" in row.label or "generation 5: first" in row.label:
                missing["as-published"] += row.as_published is None
                missing["corrected"] += row.corrected is None
        assert {variant for variant, count in missing.items() if count} == set(VARIANTS) - present


# --- What limits the windows ---


@pytest.mark.compiled
def test_agents_of_runs_are_graded_themselves():
    """`grade` creates agents from names that are agent strings: `window` would be the agent of the package."""
    with pytest.raises(InvalidAgentError):
        parse_agent(ON_BOARD)
    size = {"episodes": 2_000, "test games": 2, "perfect games": 2, "games": 2}
    figures = [
        Trial("kumbhakern-2025", Training(with_starts=False), variant, 0, size).run().figures for variant in VARIANTS
    ]
    own = grade(make_agent("window"), CONNECT_FOUR).outcome_accuracy
    assert len({own * 100, *(each["6x7.outcome_accuracy"] for each in figures)}) == 3


@pytest.mark.compiled
@pytest.mark.parametrize("number", [0, 7])  # rules
def test_accuracies_of_windows_are_those_of_the_agent(number):
    aggregate, ties = RULES[number]
    figures = Trial("kumbhakern-2025", WindowAccuracy(EXACT[0]), "corrected", 0, {}).run().figures
    graded = grade(f"window:table=exact,aggregate={aggregate},ties={ties}", CONNECT_FOUR)
    name = rule_name(RULES[number])
    assert figures[f"{name}.outcome_accuracy"] == pytest.approx(100 * graded.outcome_accuracy)
    assert figures[f"{name}.critical_accuracy"] == pytest.approx(100 * graded.critical_accuracy)
    assert (figures["positions"], figures["critical"]) == (graded.positions, graded.critical)


@pytest.mark.compiled
def test_sources_and_players_have_rows_in_the_report():
    finished = []
    for experiment, size in (
        (WindowAccuracy(EXACT[0]), {}),
        (WindowAccuracy(TRAINED), {"episodes": 500}),
        (WindowGames(NETS[0], PLAYED[2]), {"episodes": 500, "games": 2}),
        (ReflexGames(), {"games": 2}),
    ):
        trial = Trial("kumbhakern-2025", experiment, "corrected", 0, size)
        finished.append(Finished(trial.record, "0", trial.run()))
        assert trial.run() == finished[-1].measured
    outcome, critical, games = windows_section(Results(finished)).tables
    assert len(outcome.rows) == len(critical.rows) == 2 * len(RULES) + 1
    assert len(games.rows) == 2 * 6
    assert all(0 <= row.corrected.mean <= 100 for row in (*outcome.rows, *games.rows))
    assert "5,040 positions" in outcome.note
    assert windows_section(Results([])).tables == ()


def test_the_plan_has_every_source_and_only_trained_ones_more_than_once():
    planned = window_experiments("paper")
    graded = [each for each in planned if isinstance(each.experiment, WindowAccuracy)]
    assert {each.experiment.source for each in graded} == set(SOURCES)
    assert all(each.runs == (5 if each.experiment.source.is_trained else 1) for each in graded)
    assert len({each.experiment.name for each in planned}) == len(planned)
    assert len(window_experiments("quick")) == 4
