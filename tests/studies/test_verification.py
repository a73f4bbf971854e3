"""Stored results that are run again."""

from dataclasses import replace

import msgspec
import pytest

from inarow.errors import InvalidStudyError, StoreError
from inarow.studies.experiment import VARIANTS, Measured
from inarow.studies.results import ResultsFile
from inarow.studies.runner import reproduce, run_trials, verify
from inarow.studies.verification import choose_trials, compare, load_verification
from tests.studies.small_study import DICE, Die

PLAN = DICE.plan("quick", VARIANTS, 0)


def test_the_same_code_gives_the_same_figures_and_the_outcome_is_stored(tmp_path):
    run_trials(PLAN, ResultsFile(tmp_path / "results.jsonl"))
    before = (tmp_path / "results.jsonl").read_bytes()
    found = verify(DICE, count=3, out=tmp_path, progress=False)
    assert (found.equal, len(found.trials)) == (1, 1)  # one experiment
    (trial,) = found.trials
    assert (trial.experiment, trial.variant, trial.seed) == ("die", "as-published", 0)
    assert (trial.figures, trial.points) == (1, 50)
    assert load_verification(tmp_path) == found
    assert reproduce(DICE, out=tmp_path, report_only=True).verified == found
    assert (tmp_path / "results.jsonl").read_bytes() == before
    assert found.rows()[0]["equal"] is True


def test_a_figure_that_differs_is_named_with_both_values(tmp_path):
    path = tmp_path / "results.jsonl"
    (first, *_) = run_trials(PLAN, ResultsFile(path))
    lines = path.read_bytes().splitlines(keepends=True)
    stored = msgspec.json.decode(lines[0])
    stored["measured"]["figures"]["mean"] += 1e-9
    stored["measured"]["curves"]["means"][7][1] += 1e-9
    path.write_bytes(msgspec.json.encode(stored) + b"\n" + b"".join(lines[1:]))
    found = verify(DICE, out=tmp_path, progress=False)
    mean = first.measured.figures["mean"]
    assert found.equal == 0
    assert found.trials[0].different == {"mean": (mean + 1e-9, mean)}
    assert found.trials[0].different_curves == ("means",)


def test_timings_and_files_are_not_compared_and_missing_figures_are():
    record = PLAN[0].record
    old = Measured({"a": 1.0}, timings={"t": 1.0})
    assert compare(record, old, None, Measured({"a": 1.0}, timings={"t": 2.0}, files={"f": b"x"})).is_equal
    assert compare(record, Measured({"a": 1.0}), None, Measured()).different == {"a": (1.0, None)}
    assert compare(record, Measured(), None, Measured(curves={"c": [(1.0, 2.0)]})).different_curves == ("c",)


def test_trials_are_spread_over_the_experiments_and_may_be_named():
    trials = [replace(trial, experiment=Die(sides)) for sides in (3, 4, 5, 6, 7) for trial in PLAN]
    keys = {trial.key for trial in trials}

    def chosen(count, *only):
        return [(each.experiment.sides, each.variant, each.seed) for each in choose_trials(trials, keys, count, only)]

    assert chosen(3) == [(3, "as-published", 0), (5, "as-published", 0), (7, "as-published", 0)]
    assert chosen(9) == [(sides, "as-published", 0) for sides in (3, 4, 5, 6, 7)]
    assert chosen(1) == [(3, "as-published", 0)]
    assert chosen(2, "die of [4-7]*") == [(4, "as-published", 0), (7, "as-published", 0)]
    with pytest.raises(InvalidStudyError, match="there is no stored result of 'coin' to run again"):
        chosen(2, "coin")
    finished = {trial.key for trial in trials if not trial.is_published and trial.seed == 2}
    assert [each.seed for each in choose_trials(trials, finished, 1, ())] == [2]


def test_a_file_that_is_something_else_is_refused(tmp_path):
    (tmp_path / "verified.json").write_text("[]")
    with pytest.raises(StoreError, match=r"verified\.json is not a verification"):
        load_verification(tmp_path)
