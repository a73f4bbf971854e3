"""The study santos-2025: what it trains, keeps and shows."""

import pytest

from inarow.learning.deep_q.values import KIND
from inarow.learning.net_file import load_net
from inarow.studies.experiment import VARIANTS, Experiment
from inarow.studies.results import Results
from inarow.studies.runner import ResultsFile, make_report, run_study
from inarow.studies.santos_2025.published import published
from inarow.studies.santos_2025.runs import LEARNERS, training_config
from inarow.studies.santos_2025.study import SANTOS_2025

SIZE = {"episodes": 4, "test games": 5}


def test_the_paper_scale_is_the_published_one_seed_by_seed():
    plan = SANTOS_2025.plan("paper", VARIANTS, 0)
    tables, extra = plan[:100], plan[100:]
    assert [each.name for each in tables[:5]] == list(published().rows)
    assert [each.seed for each in tables] == [seed for seed in range(20) for _ in range(5)]
    assert {each.name for each in extra} == {"second, epsilon-greedy"}
    for each in tables:
        episodes = 1800 if each.name.startswith("first") else 3600
        assert each.size == {"episodes": episodes, "test games": 1000}


def test_trainings_are_as_published():
    quantum = Experiment("santos-2025", "second, quantum", "as-published", 0, {"episodes": 3600})
    config = training_config(quantum, 7)
    assert (config.side, config.opponent, config.batch, config.epochs, config.minibatch) == (
        "second",
        "negamax",
        300,
        5,
        32,
    )
    assert (config.alpha, config.terminal, config.learning_rate) == (0.8, "blend", 1e-3)
    assert (config.policy.rule, config.policy.rounds, config.policy.column_oracle) == ("quantum", 5, True)
    assert config.policy.temperature.delta == 194
    corrected = training_config(Experiment("santos-2025", "second, quantum", "corrected", 0, {"episodes": 3600}), 7)
    assert (corrected.terminal, corrected.policy.column_oracle) == ("reward", False)


def test_published_rates_sum_to_one():
    for row in published().rows.values():
        assert row.wins[0] + row.losses[0] + row.draws[0] == pytest.approx(100, abs=0.11)


def test_a_run_keeps_its_net_and_shows_its_figures(tmp_path):
    experiment = Experiment("santos-2025", "first, quantum", "as-published", 0, SIZE)
    (finished,) = run_study(SANTOS_2025, [experiment], ResultsFile(tmp_path / "results.jsonl"))
    figures = finished.measured.figures
    assert figures["wins"] + figures["losses"] + figures["draws"] == pytest.approx(100)
    assert figures["iterations"] >= 1
    net = load_net(tmp_path / "nets" / "first-quantum-as-published-0.onnx", KIND)
    assert net.about.board == "6x7x4"
    assert net.about.provenance["test"]["wins"] == figures["wins"]
    assert ResultsFile(tmp_path / "results.jsonl").of([experiment]) == [finished]
    report = make_report(
        SANTOS_2025, [finished], scale="paper", variants=("as-published",), seed=0, command="inarow reproduce"
    )
    shown = {table.title: table for section in report.sections for table in section.tables}
    assert set(LEARNERS) <= set(shown)
    (iterations,) = [row for row in shown["first, quantum"].rows if row.label == "iterations"]
    assert iterations.published == 1.345
    assert iterations.as_published.mean == figures["iterations"]


def test_a_report_can_be_made_of_nothing():
    assert SANTOS_2025.sections(Results([]))
