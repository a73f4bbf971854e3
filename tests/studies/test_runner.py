"""Running, keeping, continuing, and studies from outside the package."""

import multiprocessing
import time
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow.errors import InvalidLimitError, InvalidStudyError, StoreError
from inarow.studies import catalogue
from inarow.studies.catalogue import find_study, register_study, studies
from inarow.studies.experiment import VARIANTS
from inarow.studies.results import Results, ResultsFile, mean_curve
from inarow.studies.runner import make_report, reproduce, run_trials
from inarow.studies.study import Repeated, Setting, Study
from tests.studies.small_study import DICE, SLOW_DICE, SLOW_STARTING_DICE, Die

PLAN = DICE.plan("quick", VARIANTS, 0)


class Steps(list):
    def __call__(self, done, total):
        self.append((done, total))


def test_results_are_the_same_on_any_number_of_workers(tmp_path):
    alone = run_trials(PLAN, ResultsFile(tmp_path / "1.jsonl"))
    together = run_trials(PLAN, ResultsFile(tmp_path / "2.jsonl"), workers=2)
    assert alone == together
    assert [each.trial for each in alone] == [trial.record for trial in PLAN]


def test_a_torn_line_is_cut_off_and_run_again_and_nothing_else(tmp_path):
    path = tmp_path / "results.jsonl"
    finished = run_trials(PLAN, ResultsFile(path))
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for torn in (b"", lines[3][:1], lines[3][:40], lines[3][:-1]):
        path.write_bytes(b"".join(lines[:3]) + torn)
        file = ResultsFile(path)
        assert file.of(PLAN) == finished[:3]
        steps = Steps()
        assert run_trials(PLAN, file, progress=steps) == finished
        assert steps == [(3, 6), (4, 6), (5, 6), (6, 6)]
        assert path.read_bytes() == whole


def run_in_process(study, path, workers):
    run_trials(study.plan("quick", ("corrected",), 0), ResultsFile(path), workers=workers)


@pytest.mark.parametrize(("study", "workers", "seeds"), [(SLOW_DICE, 1, [0, 1]), (SLOW_STARTING_DICE, 2, [1, 2])])
def test_what_was_finished_survives_a_kill(tmp_path, study, workers, seeds):
    path = tmp_path / "results.jsonl"
    process = multiprocessing.get_context("spawn").Process(target=run_in_process, args=(study, path, workers))
    process.start()
    while not path.exists() or path.read_bytes().count(b"\n") < 2:
        assert process.is_alive()
        time.sleep(0.01)
    process.kill()
    process.join()
    assert [each.trial.seed for each in ResultsFile(path).finished] == seeds


def test_results_come_in_the_order_of_the_plan_whatever_that_of_the_file(tmp_path):
    path = tmp_path / "results.jsonl"
    finished = run_trials(PLAN, ResultsFile(path))
    path.write_bytes(b"".join(reversed(path.read_bytes().splitlines(keepends=True))))
    assert ResultsFile(path).of(PLAN) == run_trials(PLAN, ResultsFile(path)) == finished


def test_a_longer_run_continues_from_a_shorter_one(tmp_path):
    path = tmp_path / "results.jsonl"
    short = run_trials(PLAN, ResultsFile(path))
    long = DICE.plan("paper", VARIANTS, 0)
    assert len(ResultsFile(path).of(long)) == len(short)
    assert len(run_trials(long, ResultsFile(path))) == 10
    assert path.read_bytes().count(b"\n") == 10


def by_other_code(path, lines):
    """Replaces the digest of the code in the first lines of a file; None removes the whole provenance."""
    whole = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
    for line, code in zip(whole, lines, strict=False):
        if code is None:
            del line["computed"]
        else:
            line["computed"]["code"] = code
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in whole))


def test_results_of_other_code_are_not_silently_reused(tmp_path):
    path = tmp_path / "results.jsonl"
    finished = run_trials(PLAN, ResultsFile(path))
    by_other_code(path, ["0123", None])
    before = path.read_bytes()
    with pytest.raises(StoreError, match="2 of 6 stored results come from other code than this: --other-code reuse"):
        run_trials(PLAN, ResultsFile(path))
    with pytest.raises(StoreError, match="2 of 6"):
        reproduce(DICE, out=tmp_path)
    assert path.read_bytes() == before
    kept = run_trials(PLAN, ResultsFile(path), other_code="reuse")
    assert [each.computed and each.computed.code for each in kept[:2]] == ["0123", None]
    assert path.read_bytes() == before
    report = reproduce(DICE, out=tmp_path, report_only=True)
    assert (report.other_code, report.experiments) == (2, 6)
    origins = [(each.runs, each.computed and each.computed.code) for each in report.origins]
    assert origins[1:] == [(1, "0123"), (1, None)]
    assert run_trials(PLAN, ResultsFile(path), other_code="rerun", only=["coin"]) == kept
    assert path.read_bytes() == before
    assert run_trials(PLAN, ResultsFile(path), other_code="rerun", only=["d*"]) == finished
    assert path.read_bytes().startswith(before)
    assert path.read_bytes().count(b"\n") == 8
    assert run_trials(PLAN, ResultsFile(path)) == finished  # of several results of a trial the last counts


def test_files_of_the_first_edition_stay_valid(tmp_path):
    path = tmp_path / "results.jsonl"
    finished = run_trials(PLAN, ResultsFile(path))
    by_other_code(path, [None] * len(finished))
    assert b"computed" not in path.read_bytes()
    assert [each.measured for each in ResultsFile(path).of(PLAN)] == [each.measured for each in finished]


@pytest.mark.parametrize("content", [b"hello\n", b'{"experiment":{}}\n', b"\xff\xfe", b"hello"])
def test_a_file_that_is_something_else_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "results.jsonl"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"results\.jsonl"):
        ResultsFile(path)
    assert path.read_bytes() == content


def test_plans_have_one_experiment_for_each_seed_and_no_seed_out_of_range():
    assert [each.seed for each in DICE.plan("paper", ("corrected",), 7)] == [7, 8, 9, 10, 11]
    assert len({each.key for each in PLAN}) == len(PLAN)
    with pytest.raises(InvalidLimitError, match="the last seed would be"):
        DICE.plan("paper", VARIANTS, 2**63 - 4)


def test_trials_have_the_settings_that_their_experiments_name():
    def plan(chosen):
        experiments = [
            Repeated(Die(), 1, {"throws": 9}),
            Repeated(Die(sides=7), 1, {"throws": 9}, settings=("weight",)),
        ]
        setting = Setting("light", lambda choice: {"weight": choice, "grams": str(len(choice))})
        study = replace(DICE, experiments=lambda scale: experiments, settings={"weight": setting})
        return [each.settings for each in study.plan("quick", ("corrected",), 0, chosen)]

    assert plan({}) == [{}, {"weight": "light", "grams": "5"}]
    assert plan({"weight": "heaviest"}) == [{}, {"weight": "heaviest", "grams": "8"}]
    with pytest.raises(InvalidStudyError, match="dice has no setting 'colour'; its settings are weight"):
        plan({"colour": "red"})


@given(st.sampled_from(PLAN), st.sampled_from(PLAN))
def test_experiments_share_random_streams_only_with_themselves(one, other):
    states = [each.random_streams(1)[0].generate_state(4).tolist() for each in (one, other)]
    assert (states[0] == states[1]) == (one == other)


def test_curves_are_means_over_runs_with_intervals():
    curve = mean_curve([[(1, 1.0), (2, 5.0)], [(1, 3.0), (2, 5.0)]], "c")
    assert [(point.x, point.y) for point in curve.points] == [(1, 2.0), (2, 5.0)]
    assert curve.points[0].low < 1.0 < 3.0 < curve.points[0].high
    assert (curve.points[1].low, curve.points[1].high) == (5.0, 5.0)


def test_a_report_of_one_variant_leaves_the_other_out(tmp_path):
    plan = DICE.plan("quick", ("corrected",), 0)
    finished = run_trials(plan, ResultsFile(tmp_path / "r.jsonl"))
    report = make_report(DICE, finished, scale="quick", variants=("corrected",), seed=0, command="c")
    (row,) = report.sections[0].tables[0].rows
    assert row.as_published is None
    assert row.agreement is None
    assert row.corrected.runs == 3
    assert Results(finished).timing(Die(), "corrected", "run") == 0.5
    assert Results(finished).timing(Die(), "as-published", "run") is None


def test_every_study_has_a_plan_for_each_scale_and_a_wrong_name_gets_a_list_of_the_right_ones():
    for name, study in studies().items():
        assert study.name == name
        quick, paper = (study.plan(scale, VARIANTS, 0) for scale in ("quick", "paper"))
        assert 0 < len(quick) <= len(paper)
    with pytest.raises(
        InvalidStudyError,
        match=r"there is no study 'paranji' \(did you mean 'paranji-2025'\?\); studies are paranji-2025",
    ):
        find_study("paranji")


# --- A study from outside the package ---


@pytest.mark.usefixtures("forgotten_registrations")
def test_a_registered_study_is_reproduced_by_its_name(tmp_path):
    assert register_study(DICE) is find_study("dice")
    assert register_study(DICE) is DICE  # twice does no harm
    steps = Steps()
    report = reproduce("dice", variant="corrected", seed=4, out=tmp_path, workers=2, progress=steps)
    assert report.command == "inarow reproduce dice --scale quick --variant corrected --seed 4"
    assert (report.experiments, report.variants, steps[-1]) == (3, ("corrected",), (3, 3))
    (row,) = report.sections[0].tables[0].rows
    assert row.corrected.runs == 3
    assert report == reproduce(DICE, variant="corrected", seed=4, out=tmp_path, report_only=True)
    assert reproduce(DICE, seed=9, out=tmp_path, report_only=True).experiments == 0


@pytest.mark.usefixtures("forgotten_registrations")
def test_the_name_of_a_study_cannot_be_taken_by_another():
    with pytest.raises(InvalidStudyError, match="there is already a study 'harman'"):
        register_study(replace(DICE, name="harman"))
    assert find_study("harman") is not DICE


class Plugin:
    def __init__(self, name, found):
        self.name, self._found = name, found

    def load(self):
        return self._found if isinstance(self._found, (str, Study)) else 1 / 0


def test_installed_packages_offer_studies_and_broken_ones_are_named(monkeypatch):
    offered = [Plugin("dice", DICE), Plugin("text", "dice"), Plugin("crash", 0)]
    monkeypatch.setattr("inarow.plugins.entry_points", lambda group: offered if group == "inarow.studies" else [])
    catalogue._plugins.cache_clear()
    try:
        assert find_study("dice") is DICE
        with pytest.raises(InvalidStudyError, match=r"text is broken: TypeError.*crash is broken: ZeroDivisionError"):
            find_study("cards")
    finally:
        catalogue._plugins.cache_clear()
