"""The study santos-2025: what it trains, keeps and shows."""

import numpy as np
import pytest

from inarow import __version__
from inarow.learning.net_file import open_net
from inarow.learning.pretrained import DEEP_Q
from inarow.studies.experiment import VARIANTS, Measured, Trial
from inarow.studies.results import Finished, Results, ResultsFile
from inarow.studies.runner import make_report, run_trials
from inarow.studies.santos_2025 import published
from inarow.studies.santos_2025.harder import HARDER
from inarow.studies.santos_2025.report import FIGURES, SANTOS_2025
from inarow.studies.santos_2025.runs import (
    LEARNERS,
    LOCKSTEPS,
    PRESAMPLED,
    QUANTUM,
    STRONGER,
    DrawCosts,
    Training,
    net_file_name,
)

SIZE = {"episodes": 4, "test games": 5}
TRAININGS = (*LEARNERS, *STRONGER, PRESAMPLED, *LOCKSTEPS)
BY_NAME = {training.name: training for training in LEARNERS}


def trial_of(training, variant="as-published", seed=0, **size):
    return Trial("santos-2025", training, variant, seed, {**SIZE, **size})


def config_of(training, variant="as-published", **size):
    return training.config(trial_of(training, variant, **size), 7)


def test_names_are_those_of_stored_results():
    """The files of the first edition have them."""
    assert [training.name for training in LEARNERS[:2]] == ["first, epsilon-greedy", "first, classical"]
    assert STRONGER[0].name == "first, classical against negamax:depth=4"
    assert PRESAMPLED.name == "first, quantum after plain draws"
    assert [training.name for training in LOCKSTEPS] == ["first, quantum in lockstep", "first, quantum one by one"]


def test_the_paper_scale_is_the_published_one_seed_by_seed_and_then_more():
    plan = SANTOS_2025.plan("paper", VARIANTS, 0)
    tables, extra = plan[:100], plan[100:]
    assert [each.experiment.name for each in tables[:5]] == list(published().rows)
    assert [each.seed for each in tables] == [seed for seed in range(20) for _ in range(5)]
    assert {each.variant for each in tables} == {"as-published"}
    for each in tables:
        episodes = 1800 if each.experiment.side == "first" else 3600
        assert each.size == {"episodes": episodes, "test games": 1000}
    unpublished = Training("second", "epsilon-greedy")
    assert sum(each.experiment == unpublished and each.variant == "as-published" for each in extra) == 10
    corrected = {each.experiment for each in extra if each.variant == "corrected"}
    assert corrected == {*TRAININGS, *HARDER, DrawCosts()} - set(LOCKSTEPS)
    assert len({each.key for each in plan}) == len(plan)


def test_trainings_are_as_published():
    config = config_of(Training("second", "quantum"), episodes=3600)
    assert (config.side, config.opponent, config.batch, config.lockstep) == ("second", "negamax", 300, 300)
    assert (config.alpha, config.terminal, config.learning_rate) == (0.8, "blend", 1e-3)
    assert (config.epochs, config.minibatch) == (5, 32)
    policy = config.policy
    assert (policy.rule, policy.rounds, policy.column_oracle) == ("quantum", 5, True)
    assert (policy.amplification, policy.presamples) == ("ceil-inclusive", 0)
    assert policy.temperature.delta == 194
    assert not config_of(Training("first", "classical")).policy.column_oracle


def test_corrected_trainings_have_none_of_the_faults():
    config = config_of(Training("second", "quantum"), "corrected")
    assert (config.terminal, config.policy.column_oracle, config.policy.amplification) == ("reward", False, "optimal")
    textbook = config_of(PRESAMPLED, "corrected").policy
    assert (textbook.presamples, textbook.amplification) == (5, "ceil-exclusive")
    assert config_of(STRONGER[1], "corrected").opponent == "negamax:depth=4"
    assert [config_of(training).lockstep for training in LOCKSTEPS] == [300, 1]


def test_published_rates_sum_to_one():
    for row in published().rows.values():
        assert row.wins[0] + row.losses[0] + row.draws[0] == pytest.approx(100, abs=0.11)


def test_nets_of_the_tables_keep_their_names():
    trial = trial_of(Training("first", "epsilon-greedy"), seed=3)
    assert net_file_name(trial.record) == "nets/first-epsilon-greedy-as-published-3.onnx"
    assert len({net_file_name(trial_of(training).record) for training in TRAININGS}) == len(TRAININGS)


def test_a_run_keeps_its_net_and_shows_its_figures(tmp_path):
    trial = trial_of(QUANTUM)
    (finished,) = run_trials([trial], ResultsFile(tmp_path / "results.jsonl"))
    figures = finished.measured.figures
    assert figures["wins"] + figures["losses"] + figures["draws"] == pytest.approx(100)
    assert figures["iterations"] >= 1
    net = open_net(tmp_path / "nets" / "first-quantum-as-published-0.onnx", DEEP_Q)
    assert net.about.board == "6x7x4"
    assert net.about.provenance["test"]["wins"] == figures["wins"]
    assert ResultsFile(tmp_path / "results.jsonl").of([trial]) == [finished]
    shown = tables_of([finished])
    (iterations,) = [row for row in shown["Table I, quantum flags"].rows if row.label == "iterations"]
    assert iterations.published == 1.345
    assert iterations.as_published.mean == figures["iterations"]
    assert iterations.agreement is None  # it does not have the published size


def test_stronger_opponents_both_sides_and_draws_are_measured():
    stronger = trial_of(Training("first", "quantum", "mcts:simulations=200"), "corrected", episodes=2).run()
    assert sum(stronger.figures[f"{name}, other side"] for name in ("wins", "losses", "draws")) == pytest.approx(100)
    costs = trial_of(DrawCosts(), decisions=2000).run().curves
    rounds = dict(costs["rounds"])
    assert rounds[0.5] == pytest.approx(2.0, rel=0.1)  # the table of theory
    assert dict(costs["classical_rounds"])[0.5] == pytest.approx(2.0, rel=0.1)
    assert rounds[1.0] == 1.0


# --- The report ---


def tables_of(finished):
    report = make_report(SANTOS_2025, finished, scale="paper", variants=VARIANTS, seed=0, command="inarow reproduce")
    return {table.title: table for section in report.sections for table in section.tables}


def made_up(name, seed, *, shift=0.0, variant="as-published"):
    """A run that scatters as the published ones do, `shift` published deviations away from them."""
    row, rng = published().rows[name], np.random.default_rng([seed, list(BY_NAME).index(name)])
    figures = {}
    for figure in FIGURES:
        spread = getattr(row, figure.replace(" ", "_"))
        if spread is not None:
            mean, deviation = spread
            figures[figure] = float(rng.normal(mean + shift * deviation, deviation))
    curve = [(300.0 * number, y) for number, y in enumerate(row.curve_wins, start=1)]
    episodes = 1800 if name.startswith("first") else 3600
    trial = trial_of(BY_NAME[name], variant, seed, episodes=episodes)
    return Finished(trial.record, __version__, Measured(figures, {"wins": curve}, {"training": 90.0}))


def test_runs_like_the_published_ones_agree_and_others_do_not():
    alike = [made_up(name, seed) for name in published().rows for seed in range(20)]
    agreements = [row.agreement for table in tables_of(alike).values() for row in table.rows if row.agreement]
    means = [each for each in agreements if each.sentence.startswith(("within", "outside"))]
    assert len(means) == 39
    assert sum(each.agrees for each in means) >= 33  # at 95 % two lie outside by chance
    shifted = [made_up(name, seed, shift=2.0) for name in published().rows for seed in range(20)]
    agreements = [row.agreement for row in tables_of(shifted)["Table I, classical flags"].rows if row.agreement]
    assert not any(each.agrees for each in agreements)


def test_published_tests_of_a_difference_are_as_in_the_specification():
    """Iterations: t about 1.2 for the first player, 2.2 for the second (0.049 and 0.078 apart)."""
    finished = [made_up(name, seed) for name in published().rows for seed in range(20)]
    rows = {row.label: row for row in tables_of(finished)["classical minus quantum"].rows}
    assert rows["first: iterations"].published == pytest.approx(0.049)
    assert "published no (t = 1.2" in rows["first: iterations"].agreement.sentence
    assert "published yes (t = 2.2" in rows["second: iterations"].agreement.sentence


def test_curves_stand_beside_the_published_ones():
    finished = [made_up("first, quantum", seed) for seed in range(3)]
    rows = tables_of(finished)["first, quantum: wins"].rows
    assert [row.published for row in rows] == list(published().rows["first, quantum"].curve_wins)
    assert rows[0].label == "wins, episodes 1 to 300"


@pytest.mark.parametrize("kept", [1, 4, 9])
def test_a_report_can_be_made_of_any_part(kept):
    whole = [made_up(name, seed) for seed in range(2) for name in published().rows]
    whole += [made_up("first, quantum", 7, variant="corrected")]
    order = np.random.default_rng(kept).permutation(len(whole))
    assert tables_of([whole[number] for number in order[:kept]])


def test_a_report_can_be_made_of_nothing():
    assert SANTOS_2025.sections(Results([]))
