"""Sweeps: what is tried follows from the config, whatever interrupts them, and each trial is a run."""

import random
import re
import shlex
import shutil
import sys
import tomllib
from pathlib import Path

import numpy as np
import optuna
import pytest

import inarow
from inarow.arena import sweep_trial
from inarow.arena.sweep_config import Dimension, Pruning, plan_sweep
from inarow.arena.sweep_trial import medians
from inarow.errors import ConfigError, InarowError, MissingExtraError, StoreError, TaskError
from inarow.learning.tabular.q_table import QTable
from inarow.storage.locks import exclusive_folder
from tests.cli.command_line import inarow as command

pytestmark = pytest.mark.compiled
ROOT = Path(__file__).parents[2]
AGAINST_RANDOM = {"phases": [{"episodes": 600, "opponent": "random"}], "report": 100}
SMALL = {
    "base": "tictactoe-q",
    "trials": 4,
    "settings": AGAINST_RANDOM,
    "search": {"alpha": {"low": 0.05, "high": 0.9, "log": True}, "gamma": {"low": 0.8, "high": 1.0}},
    "objective": {"kind": "grade", "positions": 60},
}
BY_CURVE = {
    **SMALL,
    "trials": 7,
    "search": {"alpha": {"low": 0.001, "high": 1.0, "log": True}, "exploration.floor": {"low": 0.0, "high": 0.5}},
    "objective": {"kind": "curve", "column": "wins", "last": 2},
    "pruning": {"trials": 2},
    "random_trials": 3,
}


def facts(sweep):
    """All but the times."""
    rows = [{key: value for key, value in row.items() if key not in ("seconds", "folder")} for row in sweep.rows()]
    return rows, sweep.importances


def test_a_sweep_of_four_trials_in_ten_lines(tmp_path):
    sweep = inarow.sweep(
        {
            "base": "tictactoe-q",
            "trials": 4,
            "settings": {"phases.0.episodes": 600},
            "search": {"alpha": {"low": 0.05, "high": 0.9, "log": True}},
        },
        out=tmp_path / "sweep",
    )
    assert [trial.state for trial in sweep.trials] == ["complete"] * 4
    assert sweep.best.value == max(trial.value for trial in sweep.trials)
    assert sweep.best.settings == {"phases.0.episodes": 600, **sweep.best.parameters, "seed": sweep.best.number}
    assert sweep.best.agent().decide(inarow.Position.start("tictactoe")).action in range(9)
    assert inarow.load_run(sweep.best.folder).config["alpha"] == sweep.best.parameters["alpha"]
    frame = sweep.to_frame()
    assert list(frame["number"]) == [0, 1, 2, 3]
    assert set(frame["alpha"].between(0.05, 0.9)) == {True}
    sweep.plot(tmp_path / "sweep.svg")
    assert (tmp_path / "sweep.svg").read_text().count("alpha") > 0


def test_the_same_seed_finds_the_same_and_another_something_else(tmp_path):
    one, same, other = (
        inarow.sweep(BY_CURVE, out=tmp_path / name, seed=seed) for name, seed in (("a", 3), ("b", 3), ("c", 4))
    )
    assert facts(one) == facts(same)
    assert {trial.state for trial in one.trials} == {"complete", "pruned"}
    assert one.trials[0].parameters != other.trials[0].parameters


@pytest.mark.parametrize("moment", ["training", "evaluation"])
def test_an_interrupted_sweep_continues_as_if_nothing_had_happened(tmp_path, monkeypatch, moment):
    unbroken = inarow.sweep(BY_CURVE, out=tmp_path / "unbroken")
    name = "_value" if moment == "evaluation" else "_is_behind"
    original, calls = getattr(sweep_trial, name), []

    def interrupt_late(*arguments, **options):
        calls.append(0)
        if len(calls) == (2 if moment == "evaluation" else 10):
            raise KeyboardInterrupt
        return original(*arguments, **options)

    monkeypatch.setattr(sweep_trial, name, interrupt_late)
    with pytest.raises(inarow.Interrupted, match="the same command continues") as stop:
        inarow.sweep(BY_CURVE, out=tmp_path / "broken")
    assert len(stop.value.result.trials) == 1
    assert (tmp_path / "broken" / "trial-0001" / "config.json").exists()
    assert facts(inarow.sweep(BY_CURVE, out=tmp_path / "broken")) == facts(unbroken)


def test_more_trials_extend_a_sweep_and_a_finished_one_trains_nothing(tmp_path, monkeypatch):
    whole = inarow.sweep(BY_CURVE, out=tmp_path / "whole")
    inarow.sweep(BY_CURVE, out=tmp_path / "parts", trials=3)
    assert facts(inarow.sweep(BY_CURVE, out=tmp_path / "parts")) == facts(whole)
    monkeypatch.delattr(sweep_trial, "start_run")
    assert facts(inarow.sweep(BY_CURVE, out=tmp_path / "parts", trials=2)) == facts(whole)


def test_several_workers_find_the_same_as_long_as_values_are_drawn_at_random(tmp_path):
    one, two = (inarow.sweep(SMALL, out=tmp_path / str(workers), workers=workers) for workers in (1, 2))
    assert facts(one) == facts(two)


def test_optuna_reads_the_study(tmp_path):
    sweep = inarow.sweep(BY_CURVE, out=tmp_path)
    study = optuna.load_study(study_name="sweep", storage=f"sqlite:///{tmp_path / 'study.sqlite'}")
    assert study.best_value == sweep.best.value
    assert study.best_params == sweep.best.parameters
    pruned = [trial for trial in study.trials if trial.state == optuna.trial.TrialState.PRUNED]
    assert len(pruned) == [trial.state for trial in sweep.trials].count("pruned")


def test_the_printed_command_trains_the_same_agent(tmp_path):
    sweep = inarow.sweep({**SMALL, "trials": 2, "settings": {"phases.0.episodes": 600}}, out=tmp_path / "sweep")
    words = shlex.split(sweep.command)
    assert words[:3] == ["inarow", "train", "tictactoe-q"]
    result = command(*words[1:], "--out", str(tmp_path / "again"))
    assert result.returncode == 0, result.stderr
    tables = [QTable.load(folder / "table.npz")[0] for folder in (sweep.best.folder, tmp_path / "again")]
    assert np.array_equal(*(table.values[: len(table)] for table in tables))


# --- pruning ---


def test_trials_are_stopped_where_optunas_median_pruner_stops_them():
    chance = random.Random(1)
    for direction in ("maximize", "minimize"):
        for _ in range(40):
            least, warm_up = chance.randrange(1, 4), chance.randrange(3)
            finished = [
                {step: chance.random() for step in range(chance.randrange(1, 6)) if chance.random() < 0.9}
                for _ in range(chance.randrange(5))
            ]
            pruner = optuna.pruners.MedianPruner(n_startup_trials=least, n_warmup_steps=warm_up)
            study = optuna.create_study(direction=direction, pruner=pruner)
            for points in finished:
                study.add_trial(optuna.trial.create_trial(value=0.0, intermediate_values=points))
            trial, points = study.ask(), {}
            pruning = Pruning(trials=least, points=warm_up)
            task = sweep_trial.TrialTask(
                number=0,
                document={},
                folder=Path(),
                objective=None,
                pruning=pruning,
                medians=medians(finished, pruning),
                seed=0,
            )
            for step in range(7):
                points[step] = chance.random()
                trial.report(points[step], step)
                is_gain = direction == "maximize"
                assert sweep_trial._is_behind(points, step, task, is_gain=is_gain) == trial.should_prune()


def test_a_pruned_trial_keeps_its_run_and_has_no_value(tmp_path):
    sweep = inarow.sweep(BY_CURVE, out=tmp_path)
    pruned = [trial for trial in sweep.trials if trial.state == "pruned"]
    assert {trial.value for trial in pruned} == {None}
    assert all(len(trial.run().curve) >= 1 for trial in pruned)
    assert pruned
    assert not {trial.number for trial in pruned} & {trial.number for trial in sweep.ranking}
    unpruned = inarow.sweep({**BY_CURVE, "pruning": {"enabled": False}}, out=tmp_path / "unpruned")
    assert {trial.state for trial in unpruned.trials} == {"complete"}


# --- objectives ---


def test_a_match_can_be_the_objective(tmp_path):
    objective = {"kind": "score", "opponent": "random", "games": 40}
    sweep = inarow.sweep({**SMALL, "trials": 2, "objective": objective}, out=tmp_path)
    board = inarow.TIC_TAC_TOE
    match = inarow.play_match(sweep.best.run().agent_string, "random", board, games=40, progress=False)
    assert sweep.best.value == match.summary.score
    assert sweep.objective == "score against random"


def test_what_is_small_is_best_where_the_objective_says_so(tmp_path):
    objective = {"kind": "curve", "column": "losses", "direction": "minimize"}
    sweep = inarow.sweep({**SMALL, "trials": 3, "objective": objective}, out=tmp_path / "losses")
    last = [trial.run().curve.points[-1]["losses"] for trial in sweep.trials]
    assert [trial.value for trial in sweep.trials] == last
    assert sweep.best.value == min(last)
    regret = inarow.sweep({**SMALL, "objective": {"kind": "grade", "figure": "mean_regret"}}, out=tmp_path / "regret")
    assert [trial.value for trial in regret.ranking] == sorted(trial.value for trial in regret.trials)


def test_other_learners_are_tuned_in_the_same_way(tmp_path):
    network = {"choices": [[4], [8]]}
    deep = {
        "base": "4x4x4-dqn",
        "trials": 2,
        "settings": {"episodes": 20, "batch": 10, "network.dense": [8]},
        "search": {"network.filters": network, "epochs": {"low": 1, "high": 3}},
        "objective": {"kind": "curve", "column": "reward"},
    }
    found = inarow.sweep(deep, out=tmp_path / "deep")
    assert [trial.state for trial in found.trials] == ["complete"] * 2, found.trials
    assert all(trial.parameters["network.filters"] in network["choices"] for trial in found.trials)
    assert {type(trial.parameters["epochs"]) for trial in found.trials} == {int}
    alphazero = {
        "config": tomllib.loads((ROOT / "tests/reliability/alphazero.toml").read_text()),
        "trials": 2,
        "settings": {"iterations": 1, "workers": 1},
        "search": {"learning.rate": {"low": 1e-4, "high": 1e-2, "log": True}},
        "objective": {"kind": "curve", "column": "search_accuracy"},
    }
    found = inarow.sweep(alphazero, out=tmp_path / "alphazero")
    assert [trial.state for trial in found.trials] == ["complete"] * 2, found.trials
    assert found.command is None  # the config has no name
    assert found.best.agent(simulations=10).name.startswith("alphazero:")


# --- failures ---


def test_a_failed_trial_is_recorded_and_the_sweep_continues(tmp_path):
    """Negamax needs draws that are worth nothing, the other target does not."""
    config = {
        **SMALL,
        "search": {"target": {"choices": ["negamax", "own-turn"]}, "rewards.draw": {"low": 0.0, "high": 0.5}},
        "trials": 6,
    }
    sweep = inarow.sweep(config, out=tmp_path)
    states = {trial.parameters["target"]: trial.state for trial in sweep.trials}
    assert states == {"negamax": "failed", "own-turn": "complete"}
    failed = next(trial for trial in sweep.trials if trial.state == "failed")
    assert "negamax needs zero-sum rewards" in failed.error
    assert "\n" not in failed.error
    assert facts(inarow.sweep(config, out=tmp_path)) == facts(sweep)


def test_a_sweep_without_a_complete_trial_says_why_it_has_no_best_one(tmp_path):
    objective = {"kind": "score", "opponent": "random", "games": 2, "agent": {"colour": "red"}}
    sweep = inarow.sweep({**SMALL, "trials": 2, "objective": objective}, out=tmp_path)
    assert [trial.state for trial in sweep.trials] == ["failed"] * 2
    with pytest.raises(ConfigError, match=r"no trial .* is complete; the first failure: .*colour"):
        _ = sweep.best
    assert sweep.to_dict()["best"] is None


def test_a_full_disk_stops_the_sweep_and_fails_no_trial(tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as change:
        change.setattr(sweep_trial, "_value", full)
        with pytest.raises(TaskError, match="'trial 0' failed: No space left on device"):
            inarow.sweep(SMALL, out=tmp_path)
    assert [trial.state for trial in inarow.sweep(SMALL, out=tmp_path).trials] == ["complete"] * 4


def test_a_folder_belongs_to_one_sweep_and_one_process(tmp_path):
    inarow.sweep({**SMALL, "trials": 1}, out=tmp_path / "sweep")
    with pytest.raises(ConfigError, match="has a sweep with another config"):
        inarow.sweep(SMALL, out=tmp_path / "sweep", seed=1)
    with (
        exclusive_folder(tmp_path / "sweep", ConfigError()),
        pytest.raises(ConfigError, match="in use by another sweep"),
    ):
        inarow.sweep(SMALL, out=tmp_path / "sweep")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").touch()
    with pytest.raises(ConfigError, match="is not empty and has no sweep"):
        inarow.sweep(SMALL, out=tmp_path / "notes")


def test_a_damaged_study_is_an_error_in_one_line(tmp_path):
    inarow.sweep({**SMALL, "trials": 1}, out=tmp_path)
    (tmp_path / "study.sqlite").write_bytes(b"garbage" * 1000)
    with pytest.raises(StoreError, match="it is damaged or read-only") as failure:
        inarow.sweep(SMALL, out=tmp_path)
    assert "\n" not in str(failure.value)


def test_without_optuna_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'inarow\[sweep\]'"):
        inarow.sweep(SMALL, out=tmp_path / "sweep")
    assert not (tmp_path / "sweep").exists()


# --- configs ---

BAD: dict[str, tuple[dict[str, object], str]] = {
    "unknown key": ({"colour": 1}, "unknown field `colour`"),
    "unknown setting to search": ({"search": {"alfa": {"low": 0.1, "high": 0.2}}}, "unknown field `alfa`"),
    "unknown fixed setting": ({"settings": {"phases.0.games": 3}}, "unknown field `games`"),
    "no place": ({"settings": {"phases.x": 3}}, "does not exist in the config"),
    "low above high": ({"search": {"alpha": {"low": 0.5, "high": 0.2}}}, "low = 0.5 is not below high = 0.2"),
    "no number": ({"search": {"alpha": {"low": float("nan"), "high": 1.0}}}, "is not below"),
    "infinite": ({"search": {"alpha": {"low": 0.5, "high": float("inf")}}}, "must be below"),
    "no high": ({"search": {"alpha": {"low": 0.5}}}, "it needs low and high, or choices"),
    "both": ({"search": {"alpha": {"low": 0.5, "choices": [1, 2]}}}, "choices exclude low"),
    "one choice": ({"search": {"alpha": {"choices": [0.5]}}}, "length >= 2"),
    "the same twice": ({"search": {"alpha": {"choices": [0.5, 0.5]}}}, "occurs twice"),
    "logarithm of nothing": ({"search": {"alpha": {"low": 0, "high": 1, "log": True}}}, "log needs low > 0"),
    "a step too far": ({"search": {"alpha": {"low": 0.1, "high": 0.2, "step": 1.0}}}, "step = 1.0 is not between"),
    "a value that the learner refuses": (
        {"search": {"alpha": {"low": 0.5, "high": 2.0}}},
        "at the highest values of `search`: .*<= 1",
    ),
    "nothing to search": ({"search": {}}, "length >= 1"),
    "no base": ({"base": None}, "it needs either `base` or `config`"),
    "unknown base": ({"base": "chess"}, "there is no preset 'chess'"),
    "a seed to search": ({"search": {"seed": {"low": 0, "high": 9}}}, "seeded by the `seed` of the sweep"),
    "searched and fixed": ({"settings": {"alpha": 0.3}}, "alpha is in both `settings` and `search`"),
    "unknown objective": ({"objective": {"kind": "luck"}}, "Invalid value 'luck'"),
    "a column that the learner has not": (
        {"objective": {"kind": "curve", "column": "search_accuracy"}},
        "the curve of q has no column 'search_accuracy'; columns are phase",
    ),
    "a column to prune by that the learner has not": ({"pruning": {"column": "loss"}}, "has no column 'loss'"),
    "unknown opponent": ({"objective": {"kind": "score", "opponent": "nobody"}}, "there is no agent 'nobody'"),
    "odd games": ({"objective": {"kind": "score", "opponent": "random", "games": 3}}, "it must be even"),
    "an opponent that runs code": (
        {"objective": {"kind": "score", "opponent": "kaggle:file=agent.py"}},
        "allow that with --allow-agent-files",
    ),
    "unknown suite": (
        {"objective": {"kind": "grade", "suite": "nowhere.npz"}},
        "nowhere.npz is not a suite: No such file",
    ),
    "several boards": (
        {"base": "universal", "settings": {}, "search": {"learning.rate": {"low": 0.1, "high": 0.2}}},
        "the run has several boards",
    ),
    "no trials": ({"trials": 0}, ">= 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_config_is_refused_in_one_line_before_anything_is_written(tmp_path, name):
    change, reason = BAD[name]
    with pytest.raises(InarowError, match=reason) as failure:
        inarow.sweep({**SMALL, **change}, out=tmp_path / "sweep")
    assert "\n" not in str(failure.value)
    assert not (tmp_path / "sweep").exists()


def test_a_run_on_several_boards_needs_a_board_to_be_graded_on():
    search = {"learning.rate": {"low": 0.001, "high": 0.002}}
    with pytest.raises(ConfigError, match="set `board`"):
        plan_sweep({"base": "universal", "search": search})
    plan_sweep({"base": "universal", "search": search, "objective": {"kind": "grade", "board": "tictactoe"}})


def test_tables_and_dotted_keys_name_the_same_places(tmp_path):
    config = tmp_path / "config.toml"
    config.write_text(
        'base = "tictactoe-q"\n[settings.exploration]\nfloor = 0.1\n'
        "[search]\nexploration.start = { low = 0.2, high = 0.4 }\n"
    )
    plan = plan_sweep(config)
    assert plan.config.settings == {"exploration.floor": 0.1}
    assert plan.document_of(2, {"exploration.start": 0.3})["exploration"] == {"floor": 0.1, "start": 0.3}
    assert plan.document_of(2, {})["seed"] == 2
    assert "exploration" in plan.document
    assert "start" not in plan.document["exploration"]


def test_whole_bounds_give_whole_numbers():
    assert Dimension(low=1, high=9).is_whole
    assert Dimension(low=1, high=9, step=2).is_whole
    assert not Dimension(low=1.0, high=9).is_whole
    assert not Dimension(low=1, high=9, step=0.5).is_whole


def test_the_documentation_runs(tmp_path, monkeypatch):
    page = (ROOT / "docs/howto/tune.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (tmp_path / "docs/howto").mkdir(parents=True)
    shutil.copy(ROOT / "docs/howto/sweep.toml", tmp_path / "docs/howto")
    monkeypatch.chdir(tmp_path)
    exec(block, {})
    assert (tmp_path / "sweep.svg").exists()
    assert (tmp_path / "curves.png").exists()


def test_the_config_on_the_page_is_the_one_beside_it():
    """And is valid."""
    page = (ROOT / "docs/howto/tune.md").read_text()
    shown = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert tomllib.loads(shown[0]) == tomllib.loads((ROOT / "docs/howto/sweep.toml").read_text())
    config = {**tomllib.loads(shown[0]), **tomllib.loads(shown[1])}
    assert plan_sweep(config).config.pruning.column == "reward"
