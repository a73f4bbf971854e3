"""harman: its tree search, its learner, its games."""

import itertools
from functools import partial

import numpy as np
import pytest

from inarow.agents.registry import make_agent, registry
from inarow.arena.suite import exhaustive_suite
from inarow.errors import InarowError, InvalidAgentError, InvalidLimitError, InvalidStudyError, TableError
from inarow.games.kernels import compiled_layout, hash_key
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.tabular.q_table import QTable
from inarow.studies.experiment import Measured, Trial
from inarow.studies.harman import agents, published
from inarow.studies.harman.map import LATE, Cell, cells
from inarow.studies.harman.report import HARMAN
from inarow.studies.harman.runs import (
    CLOSEST,
    AgainstTreeSearch,
    SelfPlay,
    TrainingOnly,
    TreeSearches,
    grade_table,
    moving_average,
)
from inarow.studies.play import TablePlayer, values_by_position
from inarow.studies.results import Finished, Results
from inarow.studies.runner import reproduce
from tests.twins import harman as reference


@pytest.mark.parametrize("moves", ["", "112233", "52123531245", "4515132242321434", "153314424312214255"])
def test_the_tree_search_is_that_of_the_published_program(moves):
    spec = GameSpec.parse("4x5x4")
    position = Position.parse(moves, spec)
    for seed in range(3):
        decision = make_agent("harman/mcts:playouts=60", seed=seed).decide(position)
        visits = reference.tree_search(
            position.to_array().tolist(), position.side_to_move, 60, np.random.default_rng(seed)
        )
        assert list(decision.visits) == visits
        assert decision.action == visits.index(max(visits))


@pytest.mark.compiled
def test_a_winning_move_is_worth_no_more_to_the_published_tree_search():
    position = Position.parse("112233", GameSpec.parse("4x5x4"))  # column 4 wins at once
    actions = [make_agent("harman/mcts", seed=seed).decide(position).action for seed in range(60)]
    assert sum(action == 3 for action in actions) < 40
    assert {make_agent("mcts:simulations=40", seed=seed).decide(position).action for seed in range(60)} == {3}


@pytest.mark.parametrize(("board", "episodes"), [("3x5x4", 60), ("4x5x4", 25)])
def test_training_is_that_of_the_published_program(board, episodes):
    spec = GameSpec.parse(board)
    table = QTable(spec)
    played = agents.play_as_published(table, episodes, playouts=6, rng=np.random.default_rng(5))
    values, rewards = reference.train(spec.rows, spec.columns, episodes, 6, np.random.default_rng(5))
    assert played.rewards.tolist() == rewards
    taught = {key: value for key, value in values.items() if value}
    assert len(taught) > episodes
    seen = 0
    for key, value in values.items():
        cells, action = np.array([int(cell) for cell in key[:-1]]).reshape(spec.rows, spec.columns), int(key[-1])
        if (cells == 1).sum() == (cells == 2).sum():
            assert value == 0  # entered after a lost game, with the opponent to move, and of no use
            continue
        position = Position.from_array(cells, spec)
        row_key = hash_key(np.uint64(position.stones), np.uint64(position.mask), compiled_layout(spec))
        (row,) = table.find(np.array([row_key], np.uint64))
        assert (table.values[row, action] if row >= 0 else 0.0) == value
        seen += 1
    assert seen > len(table)


@pytest.mark.compiled
def test_the_published_learner_writes_to_mirror_images_except_after_the_opponents_last_move():
    """Also in positions that are their own mirror image, where both are actions of one row."""
    spec = GameSpec.parse("3x5x4")
    table = QTable(spec)
    agents.play_as_published(table, 3000, playouts=10, rng=np.random.default_rng(3))
    early = values_by_position(table, Position.parse("3", spec))
    assert early.tolist() == early[::-1].tolist()
    assert len(set(early.tolist())) > 1
    differing = 0
    for first, second in itertools.product("12345", "12345"):
        position = Position.parse(f"3{first}{second}", spec)
        for action in position.legal_actions:
            after = position.play(action)
            found, image = (values_by_position(table, each) for each in (after, after.mirror()))
            if found is not None and image is not None:
                differing += found.tolist() != image[::-1].tolist()
    assert differing == 0  # no game ends that early
    keys = {int(key): row for row, key in enumerate(table.keys[: len(table)])}
    late = [
        (row, keys[twin])
        for position in exhaustive_suite(spec).positions
        if (row := keys.get(position.key)) is not None and (twin := position.mirror().key) in keys
    ]
    assert any(table.values[row].tolist() != table.values[twin][::-1].tolist() for row, twin in late)


@pytest.mark.compiled
def test_the_published_evaluation_writes_to_the_table():
    spec = GameSpec.parse("3x5x4")
    table = QTable(spec)
    agents.play_as_published(table, 20_000, playouts=10, rng=np.random.default_rng(3))
    rows = len(table)
    before = table.values[:rows].copy()
    agents.play_as_published(table, 300, playouts=10, rng=np.random.default_rng(4), alpha=0.0, epsilon=0.0)
    assert len(table) > rows
    assert 0 < (table.values[:rows] != before).sum() < 10  # after losses the values of mirror images differ


@pytest.mark.compiled
def test_a_table_can_be_saved_and_loaded(tmp_path):
    spec = GameSpec.parse("3x5x4")
    table = QTable(spec)
    agents.play_as_published(table, 2000, playouts=10, rng=np.random.default_rng(0))
    path = tmp_path / "table.npz"
    agents.save_table(path, table, episodes=2000, playouts=10)
    trained = make_agent("harman/q:episodes=2000,playouts=10", seed=1)
    loaded = make_agent(f"harman/q:table={path}", seed=1)
    for moves in ("3", "331", "12345", "1"):
        position = Position.parse(moves, spec)
        assert loaded.decide(position).scores == trained.decide(position).scores
    kind = registry()["harman/q"]
    assert kind.content_hash(kind.parameters()) is None
    assert kind.content_hash(kind.parameters(table=str(path)))


@pytest.mark.compiled
def test_a_wrong_table_is_refused_in_one_line(tmp_path):
    spec = GameSpec.parse("3x5x4")
    path, other, broken = tmp_path / "table.npz", tmp_path / "other.npz", tmp_path / "broken.npz"
    agents.save_table(path, QTable(spec), episodes=1, playouts=1)
    QTable(spec).save(other, learner="q")
    broken.write_bytes(path.read_bytes()[:-40])
    refusals = {
        f"{path},episodes=5": (InvalidAgentError, "a table is already trained; leave out all other parameters"),
        f"{other}": (TableError, "is not a table of harman/q"),
        f"{broken}": (TableError, "is not a Q-table"),
        f"{tmp_path / 'none.npz'}": (TableError, "cannot be read"),
    }
    for text, (error, message) in refusals.items():
        with pytest.raises(error, match=message) as refused:
            make_agent(f"harman/q:table={text}")
        assert "\n" not in str(refused.value)
    agent = make_agent(f"harman/q:table={path}")
    with pytest.raises(TableError, match="the table of harman/q is for 3x5x4, not for 4x5x4"):
        agent.decide(Position.parse("3", GameSpec.parse("4x5x4")))
    with pytest.raises(InarowError):  # nor does q play it
        make_agent(f"q:table={path}")


@pytest.mark.compiled
def test_a_study_saves_its_tables_if_asked():
    experiment = AgainstTreeSearch("3x5x4", 10)
    size = {"games": 2, "episodes": 50}
    plain = Trial("harman", experiment, "as-published", 4, size).run()
    saving = Trial("harman", experiment, "as-published", 4, size, {"tables": "save"}).run()
    assert plain.files == {}
    assert list(saving.files) == ["tables/3x5x4-against-10-seed-4.npz"]
    assert saving.figures == plain.figures
    chosen = HARMAN.plan("quick", ("as-published",), 0, {"tables": "save"})
    assert {trial.settings.get("tables") for trial in chosen if "training only" in trial.experiment.name} == {None}
    assert not any(trial.settings for trial in HARMAN.plan("quick", ("as-published",), 0))
    with pytest.raises(InvalidStudyError, match="tables of harman are none or save, not 'all'"):
        reproduce("harman", settings={"tables": "all"})


@pytest.mark.compiled
def test_rewards_follow_from_the_results():
    table = QTable(GameSpec.parse("4x5x4"))
    played = agents.play_as_published(table, 300, playouts=10, rng=np.random.default_rng(1))
    base = np.array([{1: 50, 0: -10, -1: -50}[result] for result in played.results.tolist()])
    steps = base - played.rewards
    assert set(played.results.tolist()) == {1, 0, -1}
    assert steps.min() >= 2
    assert steps.max() == 9  # ten own stones fill the board


@pytest.mark.compiled
def test_evaluation_changes_no_value():
    table = QTable(GameSpec.parse("3x5x4"))
    agents.play_as_published(table, 2000, playouts=10, rng=np.random.default_rng(1))
    rows = len(table)
    player = TablePlayer("Q", partial(values_by_position, table), np.random.default_rng(0))
    before = table.values[:rows].copy()
    position = Position.parse("3", table.spec)
    assert player.decide(position).action in position.legal_actions
    grade_table(table, np.random.default_rng(0), shares_mirror=False)
    assert len(table) == rows
    assert (table.values[:rows] == before).all()


@pytest.mark.compiled
def test_a_table_is_graded_as_its_player_plays():
    table = QTable(GameSpec.parse("3x5x4"))
    graded = grade_table(table, np.random.default_rng(0), shares_mirror=False)
    assert graded["first"].positions + graded["second"].positions == 147_563
    agents.play_as_published(table, 20_000, playouts=10, rng=np.random.default_rng(1))
    better = grade_table(table, np.random.default_rng(0), shares_mirror=False)
    assert better["second"].outcome_accuracy > graded["second"].outcome_accuracy
    assert better["first"].outcome_accuracy == pytest.approx(graded["first"].outcome_accuracy, abs=0.02)


def test_the_moving_average_is_the_mean_of_each_window():
    values = np.random.default_rng(0).random(50)
    average = moving_average(values, 7)
    assert average == pytest.approx([values[at : at + 7].mean() for at in range(44)])
    assert moving_average(values, 1000) == pytest.approx([values.mean()])


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("experiment", "variant"),
    [
        (AgainstTreeSearch("3x5x4", 10), "as-published"),
        (AgainstTreeSearch("3x5x4", 10), "corrected"),
        (SelfPlay("4x5x4"), "corrected"),
        (TrainingOnly("3x5x4", 15), "as-published"),
        (TreeSearches(), "as-published"),
        (TreeSearches(), "corrected"),
    ],
    ids=str,
)
def test_experiments_repeat_themselves(experiment, variant):
    trial = Trial("harman", experiment, variant, 1, {"games": 6, "episodes": 1500})
    measured = trial.run()
    assert measured.figures == trial.run().figures
    prefixes = {figure.rpartition(".")[0] for figure in measured.figures if figure.endswith(".wins")}
    for prefix in prefixes:
        rates = [measured.figures[f"{prefix}.{kind}"] for kind in ("wins", "draws", "losses")]
        assert sum(rates) == pytest.approx(100)
    report = HARMAN.sections(Results([Finished(trial.record, "0", measured)]))
    assert any(table.rows for section in report for table in section.tables)


def on_map(board, playouts, runs, *, episodes=50_000):
    """Results of a cell of the map: the figures of each run."""
    experiment = Cell(board, playouts, Results([])).training
    size = {"games": 1, "episodes": episodes}
    trials = [Trial("harman", experiment, "as-published", seed, size) for seed in range(len(runs))]
    return [Finished(trial.record, "0", Measured(figures)) for trial, figures in zip(trials, runs, strict=True)]


PICTURE = {"start": -14.0, "crosses zero": 3750.0, "at 4500": 10.0, "at 10000": 12.0, "end": 17.0}


def test_the_map_measures_the_distance_from_the_picture():
    shifted = [{name: value + shift for name, value in PICTURE.items()} for shift in (1, 2, 3, 4, 5)]
    results = Results(on_map("3x5x4", 15, shifted) + on_map("4x5x4", 10, [PICTURE | {"at 50000": 7.0}] * 5))
    near, far = cells(results)
    assert (near.label, far.label) == ("3x5, 15 playouts", "4x5, 10 playouts")
    assert near.distance().mean == pytest.approx(3)
    assert near.given() == 5
    assert far.estimate(LATE).mean == 7  # training continued after 50,000
    assert far.distance().mean == pytest.approx(5)
    assert far.given() == 4
    (section,) = [each for each in HARMAN.sections(results) if each.title.startswith("Which board")]
    assert "1 of 2 settings give all five numbers" in section.text[-1]
    assert "The closest is 3x5, 15 playouts, which gives 5 of them" in section.text[-1]
    assert [row.agreement.agrees for row in section.tables[0].rows] == [True, False]
    assert [curve.label for curve in section.curves[0].curves] == ["published"]  # of one point none is drawn


def test_a_setting_with_few_or_short_runs_is_not_compared_with_the_picture():
    few, short = on_map("3x5x4", 15, [PICTURE] * 4), on_map("3x5x4", 20, [PICTURE] * 5, episodes=15_000)
    for finished in (few, short):
        (cell,) = cells(Results(finished))
        assert not cell.is_compared
        assert cell.distance() is None
        section = HARMAN.sections(Results(finished))[1]
        assert [row.agreement for row in section.tables[0].rows] == [None]
        assert not section.tables[1].rows


def test_runs_that_never_reach_zero_do_not_give_the_crossing():
    runs = [{name: value for name, value in PICTURE.items() if name != "crosses zero" or seed} for seed in range(5)]
    (cell,) = cells(Results(on_map("3x5x4", 15, runs)))
    assert cell.given() == 4


def test_the_report_stands_without_results():
    assert HARMAN.sections(Results([Finished(HARMAN.plan("quick", ("corrected",), 0)[0].record, "0", Measured())]))


def test_every_planned_experiment_has_a_board_and_a_kind():
    for scale in ("quick", "paper"):
        names = {trial.experiment.name for trial in HARMAN.plan(scale, ("as-published", "corrected"), 0)}
        assert {f"{board} against {n}" for board in ("3x5x4", "4x5x4", "6x5x4") for n in (40, 10)} < names


def test_the_closest_setting_has_the_curve_of_the_picture():
    experiment = AgainstTreeSearch(*CLOSEST)
    trials = [trial for trial in HARMAN.plan("paper", ("as-published",), 0) if trial.experiment == experiment]
    assert [trial.size for trial in trials] == [{"games": 100, "episodes": 100_000}] * 10
    figures = {**PICTURE, "at 50000": 17.0, "peak": 23.0}
    found = Results([Finished(trial.record, "0", Measured(figures)) for trial in trials])
    tables = HARMAN.sections(found)[0].tables
    assert tables[-1].title == "3x5x4 against 13 playouts"
    assert len(tables[-1].rows) == 7


def test_published_numbers_are_those_of_the_picture():
    curve = published().curve
    assert curve["start"] < 0 < curve["at 4500"] < curve["at 50000"] < curve["peak"]


def test_the_published_learner_refuses_a_board_beyond_one_word():
    with pytest.raises(InvalidLimitError, match="fits one 64-bit word; 9x9x4 is too large"):
        make_agent("harman/q").decide(Position.start(GameSpec(9, 9, 4)))


@pytest.mark.compiled
def test_the_published_learner_plays_where_it_was_trained():
    agent = make_agent("harman/q:episodes=3000,playouts=10", seed=1)
    spec = GameSpec.parse("3x5x4")
    as_second = agent.decide(Position.parse("3", spec))
    assert len({score for score in as_second.scores if score is not None}) > 1
    assert set(agent.decide(Position.start(spec)).scores) == {0.0}
    assert agent.decide(Position.parse("3", spec)).scores == as_second.scores
    with pytest.raises(InvalidLimitError, match="needs a board with gravity"):
        agent.decide(Position.start(GameSpec.parse("tictactoe")))
