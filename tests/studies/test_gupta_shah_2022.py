"""The study gupta-shah-2022: who plays, what is counted, and what the report makes of it."""

from itertools import permutations

import numpy as np
import pytest

from inarow import __version__
from inarow.agents.registry import make_agent
from inarow.arena.match import play_match
from inarow.errors import InvalidStudyError, NetError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR
from inarow.search.limits import Limits
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.minimax.minimax import Minimax
from inarow.studies.experiment import VARIANTS, Measured, Trial
from inarow.studies.gupta_shah_2022 import PAIRS, PLAYERS, PROGRAM, published
from inarow.studies.gupta_shah_2022.agents import agent_string
from inarow.studies.gupta_shah_2022.contests import Contest, hybrid_contests, universal_contests
from inarow.studies.gupta_shah_2022.report import GUPTA_SHAH_2022, match_total, rate_published
from inarow.studies.gupta_shah_2022.runs import Cell, Grade, MatchPart, Speed
from inarow.studies.gupta_shah_2022.training import Training, measured_of
from inarow.studies.report import agreement_summary
from inarow.studies.results import Finished, Results
from tests.learning.alphazero.nets import opinionated_net
from tests.learning.alphazero.tiny_runs import trained


def trial_of(experiment, variant="as-published", settings=None, seed=0, **size):
    return Trial("gupta-shah-2022", experiment, variant, seed, size, settings or {})


def finished(trial, measured):
    return Finished(trial.record, __version__, measured)


def tables_of(results):
    return {table.title: table for part in GUPTA_SHAH_2022.sections(Results(results)) for table in part.tables}


# --- Published numbers ---


def test_published_cells_are_ten_games_each():
    table = published().table_1
    assert set(table.cells) == {f"{row} - {column}" for row, column in PAIRS}
    assert all(sum(table.of(*pair)) == table.games == 10 for pair in PAIRS)
    assert table.of("mcts", "alphazero") == (7, 1, 2)
    assert list(published().table_2) == list(PLAYERS)


def test_published_games_rate_alphazero_first_and_greedy_last():
    rated = rate_published().table
    assert (rated[0].agent, rated[-1].agent) == ("alphazero", "greedy")


# --- Players ---


def test_players_are_those_of_the_source():
    published_way, corrected = (
        {player: agent_string(player, variant, net="connect4") for player in PLAYERS} for variant in VARIANTS
    )
    assert published_way["mcts"] == "mcts:simulations=20000,c=1.4142135623730951,final=score,solve=false"
    assert published_way["hybrid"] == "hybrid:simulations=500,informed=3,final=score,solve=false"
    assert published_way["minimax"] == "gupta-shah-2022/minimax"
    assert corrected["mcts"] == "mcts:simulations=20000,c=1.4142135623730951,final=visits,solve=false"
    assert corrected["hybrid"] == "hybrid:simulations=500,informed=all,final=visits,solve=false"
    assert corrected["minimax"] == "minimax:depth=5,heuristic=powers,tie=random"
    for name in {*published_way.values(), *corrected.values()}:
        make_agent(name)


def test_timed_players_are_the_same_but_for_their_limit():
    timed = agent_string("mcts", "as-published", seconds=0.5)
    assert timed == "mcts:seconds=0.5,memory=1024,c=1.4142135623730951,final=score,solve=false"
    alphazero = agent_string("alphazero", "corrected", net="simulations=9.onnx", seconds=2.0)
    assert alphazero == "alphazero:seconds=2.0,net=simulations=9.onnx"


# --- The plan ---


def test_the_paper_scale_plays_four_hundred_games_of_every_two_players_and_twenty_tables():
    plan = GUPTA_SHAH_2022.plan("paper", VARIANTS, 0)
    for variant in VARIANTS:
        for pair in PAIRS:
            parts = {MatchPart(*pair, number): number for number in range(10)}
            sizes = [
                (parts[each.experiment], each.size)
                for each in plan
                if each.experiment in parts and each.variant == variant
            ]
            assert sizes == [(number, {"from": 40 * number, "games": 40}) for number in range(10)]
    cells = [each for each in plan if isinstance(each.experiment, Cell) and each.experiment.column != PROGRAM]
    assert len(cells) == 20 * (len(PAIRS) + 4)
    assert {each.variant for each in cells} == {"as-published"}
    assert all(each.size == {"positions": 5040} for each in plan if isinstance(each.experiment, Grade))
    assert len({each.key for each in plan}) == len(plan)


def test_only_experiments_with_a_net_depend_on_which_one(tmp_path):
    net = opinionated_net(tmp_path)
    shipped = GUPTA_SHAH_2022.plan("quick", VARIANTS, 0)
    other = GUPTA_SHAH_2022.plan("quick", VARIANTS, 0, {"net": str(net)})
    for one, two in zip(shipped, other, strict=True):
        name = one.experiment.name.replace(PROGRAM, "program")
        uses_net = "alphazero" in name or one.experiment == Speed()
        assert (one.key != two.key) == uses_net
    content = {each.settings["net content"] for each in other if "net content" in each.settings}
    net.write_bytes(opinionated_net(tmp_path, "6x7x4").read_bytes())
    again = GUPTA_SHAH_2022.plan("quick", VARIANTS, 0, {"net": str(net)})
    assert content.isdisjoint(each.settings["net content"] for each in again if "net content" in each.settings)


def test_wrong_nets_and_settings_are_refused_in_one_line(tmp_path):
    with pytest.raises(NetError, match="there is no net 'nonsense'"):
        GUPTA_SHAH_2022.plan("quick", VARIANTS, 0, {"net": "nonsense"})
    with pytest.raises(NetError, match="for 5x5x4, not for 6x7x4"):
        GUPTA_SHAH_2022.plan("quick", VARIANTS, 0, {"net": str(opinionated_net(tmp_path, "5x5x4"))})
    with pytest.raises(
        InvalidStudyError,
        match=r"gupta-shah-2022 has no setting 'nets' \(did you mean 'net'\?\); its settings are net, program-net, "
        "universal",
    ):
        GUPTA_SHAH_2022.plan("quick", VARIANTS, 0, {"nets": "connect4"})


# --- Runs ---


@pytest.mark.compiled
def test_a_cell_repeats_itself_and_counts_for_the_right_side():
    trial = trial_of(Cell("greedy", "minimax"), games=10)
    figures = trial.run().figures
    assert figures == trial.run().figures
    assert figures["column"] >= 90
    assert figures["column"] + figures["row"] + figures["draws"] == pytest.approx(100)
    assert 1 <= figures["distinct"] <= 10


@pytest.mark.compiled
def test_the_parts_of_a_match_are_the_match():
    """The same games as one long match of the same seed, without a game twice."""
    pair = "greedy", "minimax"
    parts = [trial_of(MatchPart(*pair, number), **{"from": 10 * number, "games": 10}) for number in range(2)]
    total = match_total(Results(finished(part, part.run()) for part in parts), *pair, "as-published")
    seed = parts[1].random_seed(name="match greedy - minimax")
    whole = play_match("greedy", "gupta-shah-2022/minimax", games=20, seed=seed).summary
    assert total.pairs == whole.pairs
    assert (total.games, total.distinct_games) == (20, whole.distinct_games)
    assert (total.score, total.score_interval) == (whole.score, whole.score_interval)
    assert total.as_first.wins == whole.as_first.wins
    assert total.as_second.losses == whole.as_second.losses


@pytest.mark.compiled
def test_grades_are_those_of_the_arena():
    trial = trial_of(Grade("minimax"), positions=60)
    figures = trial.run().figures
    assert figures == trial.run().figures
    assert figures["positions"] == 60
    assert 0 < figures["critical"] < 60
    assert 50 < figures["critical_accuracy"] <= figures["outcome_accuracy"] <= 100
    assert figures["mean_regret.low"] <= figures["mean_regret"] <= figures["mean_regret.high"]


@pytest.mark.compiled
def test_speed_is_of_the_machine_alone(tmp_path):
    size = {"percent of a move": 1, "openings": 1}
    measured = trial_of(Speed(), settings={"net": str(opinionated_net(tmp_path))}, **size).run()
    assert measured.figures == {}
    assert set(measured.timings) == {"mcts", "hybrid", "alphazero"}
    assert 0 < measured.timings["mcts"] < measured.timings["hybrid"]


@pytest.mark.compiled
def test_the_published_hybrid_decides_as_the_ordinary_one():
    """Its minimax judges finished games by its heuristic: of two plies, all that this decides is among lost moves."""
    rng, seen = np.random.default_rng(0), 0
    ours = Minimax(CONNECT_FOUR, make_heuristic("powers", CONNECT_FOUR), all_best=True)
    while seen < 60:
        position = random_position(rng)
        if position is not None and not all(loses_at_once(position, action) for action in position.legal_actions):
            assert set(two_plies_as_published(position)) <= set(ours.search(position, Limits(depth=2)).best)
            seen += 1


def random_position(rng):
    position = Position.start()
    for _ in range(int(rng.integers(4, 36))):
        if not position.is_over:
            position = position.play(int(rng.choice(position.legal_actions)))
    return None if position.is_over else position


def loses_at_once(position, action):
    after = position.play(action)
    return not after.is_over and bool(after.winning_actions())


def two_plies_as_published(position):
    values = {}
    for action in position.legal_actions:
        after = position.play(action)
        replies = [after] if after.is_over else [after.play(reply) for reply in after.legal_actions]
        values[action] = min(window_sum(reply.to_array(), position.side_to_move) for reply in replies)
    return [action for action, value in values.items() if value == max(values.values())]


def window_sum(board, mark):
    total = 0
    rows, columns = board.shape
    for row in range(rows):
        for column in range(columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if not (row + 3 * down < rows and 0 <= column + 3 * right < columns):
                    continue
                window = [int(board[row + place * down, column + place * right]) for place in range(4)]
                own, other = window.count(mark), window.count(3 - mark)
                if own >= 2 and other == 0:
                    total += 1000 ** (own - 1)
                elif other >= 2 and own == 0:
                    total -= 2000 ** (other - 1)
    return total


# --- The report ---


def made_up_match(a, b, *, wins, variant="as-published"):
    """Forty games in pairs, of which a wins `wins` on each side and loses the others."""
    figures = {f"pairs.{points}": 0.0 for points in range(5)} | {"pairs.4": float(wins), "pairs.0": 20.0 - wins}
    for side in ("first", "second"):
        figures |= {f"{side}.wins": float(wins), f"{side}.draws": 0.0, f"{side}.losses": 20.0 - wins}
    trial = trial_of(MatchPart(a, b, 0), variant, **{"from": 0, "games": 40})
    return finished(trial, Measured(figures | {"distinct": 33.0}, timings={"a": 0.02, "b": 0.004}))


def as_in_table_2():
    """Matches that follow the order of Table 2."""
    scores = published().table_2
    return [made_up_match(a, b, wins=15 if scores[a] > scores[b] else 5) for a, b in PAIRS]


def test_matches_are_shown_for_the_column_with_the_published_winner_or_the_other():
    rows = {row.label: row for row in tables_of(as_in_table_2())["Points of the column"].rows}
    row = rows["MCTS - Minimax: Minimax, %"]
    assert (row.published, row.as_published.mean) == (20.0, 25.0)
    assert row.as_published.interval[0] < 25.0 < row.as_published.interval[1] < 50
    assert row.agreement.sentence == "the same winner"
    assert rows["MCTS - Minimax: Minimax moving first, %"].as_published.mean == 25.0
    other = tables_of([made_up_match("mcts", "minimax", wins=4)])["Points of the column"].rows[0]
    assert (other.as_published.mean, other.agreement.agrees) == (80.0, False)
    assert tables_of([made_up_match("mcts", "minimax", wins=10)])["Points of the column"].rows[0].agreement is None


def test_what_a_move_costs_is_reported_by_player():
    (section,) = [
        part
        for part in GUPTA_SHAH_2022.sections(
            Results([made_up_match("greedy", "mcts", wins=0), made_up_match("mcts", "hybrid", wins=0)])
        )
        if part.title == "The same matches, played fairly"
    ]
    assert "as-published, on the machine that played: Greedy 20, MCTS 12, Hybrid 4." in section.text[-1]


def test_ratings_stand_beside_table_2_with_the_agreement_of_the_orders():
    sections = {part.title: part for part in GUPTA_SHAH_2022.sections(Results(as_in_table_2()))}
    rows = {row.label: row.as_published.mean for row in sections["Table 2"].tables[0].rows}
    assert sorted(rows, key=rows.get) == ["Greedy", "Minimax", "Hybrid", "MCTS", "AlphaZero"]
    assert np.mean(list(rows.values())) == pytest.approx(np.mean(list(published().table_2.values())))
    text = sections["Table 2"].text[0]
    same = sum(order == tuple(range(5)) or order == tuple(reversed(range(5))) for order in permutations(range(5)))
    assert f"with our AlphaZero in the place of theirs Kendall's tau 1.00, p = {same / 120:.3f}" in text
    assert f"Kendall's tau 1.00, p = {2 / 24:.3f} (exact, two-sided, of 4 players)" in text
    assert "Table 2" not in {part.title for part in GUPTA_SHAH_2022.sections(Results(as_in_table_2()[1:]))}


def test_cells_agree_by_an_exact_test():
    def shown(hits, runs):
        figures = {"column": 10.0 * hits, "row": 100.0 - 10.0 * hits, "draws": 0.0, "distinct": 9.0}
        trials = [trial_of(Cell("mcts", "minimax"), seed=seed, games=10) for seed in range(runs)]
        return tables_of([finished(trial, Measured(figures)) for trial in trials])["The column moves first"]

    assert [row.published for row in shown(2, 1).rows] == [20.0, 80.0]  # no draws were seen: none are shown
    assert all(row.agreement.agrees for row in shown(2, 20).rows)
    assert all(row.agreement.agrees is None for row in shown(0, 4).rows)  # four runs have no verdict
    assert not any(row.agreement.agrees for row in shown(9, 20).rows)
    assert shown(2, 1).note == "Distinct games of ten, where some are equal: MCTS - Minimax 9.0."


def cell(row, column, column_first, wins):
    figures = {"column": 10.0 * wins, "row": 100.0 - 10.0 * wins, "draws": 0.0, "distinct": 9.0}
    trials = [trial_of(Cell(row, column, column_first), seed=seed, games=10) for seed in range(5)]
    return [finished(trial, Measured(figures)) for trial in trials]


def test_our_alphazero_is_shown_without_a_verdict():
    tables = tables_of([*cell("mcts", "alphazero", True, 10), *cell("mcts", "minimax", True, 2)])
    rows = {row.label: row for row in tables["The column moves first"].rows}
    ours = rows["MCTS - our AlphaZero, our AlphaZero first: our AlphaZero wins, %"]
    assert (ours.published, ours.as_published.mean, ours.agreement) == (70.0, 100.0, None)
    assert rows["MCTS - Minimax, Minimax first: Minimax wins, %"].agreement.agrees
    fair = tables_of([made_up_match("mcts", "alphazero", wins=2)])["Points of the column"].rows[0]
    assert fair.agreement is None


def test_a_number_of_the_published_alphazero_is_counted_once():
    """For the order of the sides that fits better, since the source does not say which was played."""
    table = tables_of([*cell("mcts", PROGRAM, True, 10), *cell("mcts", PROGRAM, False, 6)])["Its cells of Table 1"]
    verdicts = {row.label: row.agreement for row in table.rows}
    assert verdicts["against MCTS, moving first: wins, %"] is None
    assert verdicts["against MCTS, moving second: wins, %"].agrees
    assert sum(each is not None for each in verdicts.values()) == 3
    assert "of 3 published numbers" in agreement_summary((table,))


def test_a_contest_is_shown_with_its_cost():
    contest = next(hybrid_contests("paper"))
    figures = made_up_match("greedy", "mcts", wins=15).measured.figures
    trial = trial_of(contest, "corrected", **{"from": 0, "games": 40})
    rows = tables_of([finished(trial, Measured(figures, timings={"a": 0.004, "b": 0.002}))])[
        "Points of the hybrid"
    ].rows
    assert rows[0].label == "rollouts, depth 2, equal simulations (40 games; 2 times the CPU time)"
    assert rows[0].corrected.mean == 75.0


def test_contests_have_names_of_their_own_and_agents_that_exist():
    found = [*hybrid_contests("paper"), *universal_contests("paper")]
    assert len({each.name for each in found}) == len(found)
    for each in found:
        make_agent(each.a.format(universal="universal"))
        make_agent(each.b)


@pytest.mark.compiled
def test_a_contest_repeats_itself():
    contest = Contest("net on 4x5x3", "alphazero:net={universal},simulations=4", "mcts:simulations=20", "4x5x3")
    trial = trial_of(contest, "corrected", {"universal": "universal"}, **{"from": 0, "games": 4})
    measured = trial.run()
    assert measured.figures == trial.run().figures
    assert sum(measured.figures[f"pairs.{points}"] for points in range(5)) == 2
    assert set(measured.timings) == {"a", "b"}


@pytest.mark.compiled
def test_the_training_of_the_published_alphazero_is_read_from_its_folder(tmp_path):
    gate = {"games": 4, "threshold": 0.6, "simulations": 2, "restore": True}
    run = trained(tmp_path / "run", gate=gate)
    measured = measured_of(run.folder)
    assert measured.figures["accepted"] + measured.figures["rejected"] == len(measured.curves["gate"]) == 4
    assert list(measured.files.values()) == [run.product.read_bytes()]
    text = {
        part.title: part.text
        for part in GUPTA_SHAH_2022.sections(
            Results([*cell("mcts", PROGRAM, True, 10), finished(trial_of(Training(), iterations=4), measured)])
        )
    }["AlphaZero as published"]
    assert any("4 iterations" in paragraph for paragraph in text)


def test_simulations_of_five_seconds_stand_beside_the_published_ones():
    timings = {"mcts": 4.66e-6, "hybrid": 4.8e-4, "alphazero": 4.5e-3}
    measured = finished(trial_of(Speed()), Measured(timings=timings))
    rows = {row.label: row for row in tables_of([measured])["In five seconds"].rows}
    assert rows["MCTS"].published == 20_000
    assert rows["MCTS"].as_published.mean == pytest.approx(1e6)
    assert rows["Hybrid"].as_published.mean == pytest.approx(1e4)
    assert rows["our AlphaZero"].published is None


def test_a_report_can_be_made_of_nothing():
    assert [part.title for part in GUPTA_SHAH_2022.sections(Results([]))] == ["Players"]
