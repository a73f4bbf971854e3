"""Harder play in santos-2025: the plan, a run, and the planned tests."""

import numpy as np
import pytest

from inarow import __version__
from inarow.agents.registry import make_agent
from inarow.arena.grading import grade
from inarow.arena.suite import Suite
from inarow.games import CONNECT_FOUR
from inarow.learning.deep_q.config import PAST
from inarow.learning.deep_q.trainer import Trainer
from inarow.studies.comparison import difference, spread
from inarow.studies.experiment import VARIANTS, Measured, Trial
from inarow.studies.results import Finished
from inarow.studies.runner import make_report
from inarow.studies.santos_2025.harder import HARDER, HARDER_RUNS, HarderTraining, holm, trained_agent
from inarow.studies.santos_2025.report import SANTOS_2025

SIZE = {"episodes": 200, "test games": 8, "curve games": 2}


def trial_of(training, seed=0):
    return Trial("santos-2025", training, "corrected", seed, SIZE)


def test_the_plan_has_twenty_runs_of_each_training_seed_by_seed_after_all_others():
    plan = SANTOS_2025.plan("paper", VARIANTS, 0)
    counted = plan[-200:]
    assert [each.experiment for each in counted] == list(HARDER) * HARDER_RUNS
    assert [each.seed for each in counted] == [seed for seed in range(20) for _ in range(10)]
    assert {each.size["episodes"] for each in counted} == {6000}
    assert not any(isinstance(each.experiment, HarderTraining) for each in plan[:-200])


def test_trainings_of_a_kind_differ_in_their_policy_only():
    configs = {each: each.config(trial_of(each), 7) for each in HARDER}
    policies = {str(config.policy) for config in configs.values()}
    assert len(policies) == 5
    for training, config in configs.items():
        mix = ["negamax", "negamax:depth=4", PAST] if training.opposition == "mix" else ["negamax:depth=4"]
        assert [part.agent for part in config.mix] == mix
        assert {part.share for part in config.mix} == {1.0}
        assert (config.side, config.arithmetic) == ("alternating", "portable")
        expected = configs[HARDER[0]].network, configs[HARDER[0]].policy.temperature, configs[HARDER[0]].replay
        assert (config.network, config.policy.temperature, config.replay) == expected
    by_name = {each.policy: configs[each].policy for each in HARDER}
    assert (by_name["boltzmann"].rule, by_name["boltzmann"].rounds) == ("classical", 1)
    assert by_name["classical flags"].rounds == 5
    assert by_name["quantum flags, best m"].amplification == "optimal"
    assert by_name["quantum flags, uniform m"].amplification == "ceil-inclusive"


def test_a_run_measures_both_sides_and_repeats_bit_for_bit():
    training = HarderTraining("quantum flags, uniform m", "mix")
    one, other = (trial_of(training).run() for _ in range(2))
    assert (one.figures, one.curves) == (other.figures, other.curves)
    figures = one.figures
    scores = [
        figures[f"wins, {side}, {agent}"] + figures[f"draws, {side}, {agent}"] / 2
        for side in ("first", "second")
        for agent in ("negamax", "negamax:depth=4")
    ]
    assert figures["score"] == pytest.approx(np.mean(scores))
    assert figures["iterations"] >= 1
    assert [x for x, _ in one.curves["training score"]] == [100, 200]
    assert len(one.curves["test score"]) == 10


def test_the_trained_net_is_graded_and_not_the_one_that_ships():
    """An agent of the package is graded by its agent string where its name is one."""
    trainer = Trainer(HARDER[0].config(trial_of(HARDER[0]), 3))
    suite = Suite.standard(CONNECT_FOUR).sample(40)
    agent = trained_agent(trainer)
    found = grade(agent, suite=suite, progress=False)
    own = [agent.decide(position).action for position in suite.positions]
    shipped = [make_agent("dqn").decide(position).action for position in suite.positions]
    kept = [int(row[action]) for row, action in zip(suite.scores, own, strict=True)]
    best = suite.scores.max(axis=1)
    assert own != shipped
    assert found.optimal_accuracy == pytest.approx(np.mean(np.equal(kept, best)))


# --- The planned tests ---


def made_up(training, seed, **shifts):
    rng = np.random.default_rng([seed, HARDER.index(training)])
    figures = {"score": 50.0, "critical_accuracy": 55.0}
    figures = {name: value + shifts.get(training.policy.split()[0], 0.0) for name, value in figures.items()}
    noise = rng.normal(0, 1, len(figures))
    figures = {name: value + float(each) for (name, value), each in zip(figures.items(), noise, strict=True)}
    curves = {name: [(600.0, 10.0), (1200.0, 20.0 + seed)] for name in ("test score", "training score")}
    return Finished(trial_of(training, seed).record, __version__, Measured(figures, curves))


def section_of(runs, **shifts):
    finished = [made_up(training, seed, **shifts) for seed in range(runs) for training in HARDER]
    report = make_report(SANTOS_2025, finished, scale="paper", variants=VARIANTS, seed=0, command="inarow reproduce")
    (section,) = [each for each in report.sections if each.title == "Harder play"]
    return section


def answers_of(section):
    (table,) = [each for each in section.tables if "differences" in each.title]
    return {row.label: row for row in table.rows}


def test_there_is_no_verdict_before_all_runs_are_in():
    section = section_of(19)
    assert "190 of 200" in section.text[1]
    assert all(row.agreement is None for row in answers_of(section).values())
    assert "All 200" in section_of(20).text[1]


def test_a_policy_helps_where_the_adjusted_p_is_small():
    rows = answers_of(section_of(20, classical=3.0, boltzmann=0.0))
    assert len(rows) == 16
    flags = rows["mix, test score, %: classical flags minus boltzmann"]
    assert flags.agreement.sentence.startswith("helps: p = ")
    assert flags.corrected.mean == pytest.approx(3, abs=1)
    quantum = rows["four plies, test score, %: quantum flags, best m minus classical flags"]
    assert quantum.agreement.sentence.startswith("hurts")
    rows = answers_of(section_of(20))
    assert sum("no difference" in row.agreement.sentence for row in rows.values()) >= 15


def test_differences_are_those_of_welch():
    rows = answers_of(section_of(20))
    values = [
        [made_up(HarderTraining(policy, "mix"), seed).measured.figures["score"] for seed in range(20)]
        for policy in ("classical flags", "boltzmann")
    ]
    expected = difference(*map(spread, values))
    assert rows["mix, test score, %: classical flags minus boltzmann"].corrected == expected.estimate


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([0.04]) == [0.04]
