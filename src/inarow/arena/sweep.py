"""Sweeps: a search for good settings of a learner, by Optuna. The only file that imports optuna.

    sweep.json     the config of the sweep, which marks the folder as one
    study.sqlite   the finished trials, as an Optuna study
    trial-N        the run of trial N

Suggestions are computed in memory, from the finished trials and a random stream for each number, so that a sweep with
one worker gives the same result after any interruption. A trial is stored when it is finished; an unfinished trial
resumes from its last checkpoint.
"""

from __future__ import annotations

import json
import sqlite3
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from inarow.arena.sweep_config import CurveObjective, GradeObjective, Objective, SweepPlan, plan_sweep
from inarow.arena.sweep_result import Sweep, Trial
from inarow.arena.sweep_trial import State, TrialOutcome, TrialTask, medians, run_trial
from inarow.errors import ConfigError, Interrupted, MissingExtraError, StoreError, raised_as
from inarow.learning.config import MAX_BYTES
from inarow.storage.atomic import atomic_write
from inarow.storage.inputs import read_input
from inarow.storage.locks import LOCK_FILE, exclusive_folder
from inarow.workers import Progress, Workers, check_workers, interrupts_deferred, open_pool

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

_CONFIG, _STUDY, _NAME = "sweep.json", "study.sqlite", "sweep"
_STATES: dict[State, str] = {"complete": "COMPLETE", "pruned": "PRUNED", "failed": "FAIL"}
_SHOWN_TRIALS = 10


def sweep(
    config: str | Path | Mapping[str, object],
    *,
    out: Path | str | None = None,
    trials: int | None = None,
    seed: int | None = None,
    workers: Workers = 1,
    allow_agent_files: bool = False,
    progress: bool | Progress = True,
) -> Sweep:
    """Searches for good settings: trains with values suggested by Optuna, and evaluates the trained agents.

    `config` is a TOML file or its content (see `SweepConfig`); `trials` and `seed` replace those in it. The folder
    `out` (default `sweeps/NAME`) gets a run folder for each trial. The same call resumes a sweep; with more `trials`,
    it extends the sweep.

    With one worker the trials depend only on config and seed, if the learner is reproducible. With several workers,
    suggestions depend on the order in which trials finish. On a cluster all nodes must share the folder.

    A trial that fails is recorded. Raises InarowError, and Interrupted with the sweep so far on Ctrl-C.
    """
    plan = plan_sweep(config, trials=trials, seed=seed, allow_agent_files=allow_agent_files)
    check_workers(workers)
    _load_optuna()
    folder = Path("sweeps") / plan.name if out is None else Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    refusal = f"{folder} is in use by another sweep; wait for it, or choose another folder"
    with exclusive_folder(folder, ConfigError(refusal)):
        _claim(folder, plan)
        return _SweepWork(folder, plan, workers, allow_agent_files).run(progress)


def _claim(folder: Path, plan: SweepPlan) -> None:
    """Marks a new folder as that of the sweep; raises ConfigError if it has other content."""
    path, identity = folder / _CONFIG, plan.identity()
    if path.exists():
        with raised_as(ConfigError, f"{path} cannot be read", ValueError):
            known = json.loads(read_input(path, MAX_BYTES, ConfigError))
        if known != identity:
            raise ConfigError(f"{folder} has a sweep with another config; choose another folder")
        return
    if any(path.name != LOCK_FILE for path in folder.iterdir()):
        raise ConfigError(f"{folder} is not empty and has no sweep; choose another folder")
    with atomic_write(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(identity)) + b"\n")


class _SweepWork:
    """The trials of a sweep in its folder, which must be locked."""

    def __init__(self, folder: Path, plan: SweepPlan, workers: Workers, allow_agent_files: bool) -> None:
        self._folder, self._plan, self._workers = folder, plan, workers
        self._allow_agent_files = allow_agent_files
        self._study = _Study(folder / _STUDY, plan, is_parallel=workers != 1)
        self._points = dict(self._study.complete_points())
        self._trials = {number: self._trial(number, frozen) for number, frozen in self._study.finished()}

    def run(self, progress: bool | Progress) -> Sweep:
        """Runs the missing trials."""
        from inarow.terminal import number_table, progress_bar

        total = self._plan.config.trials
        missing = [number for number in range(total) if number not in self._trials]

        def draw() -> Any:
            sweep = self._sweep({})
            names = ("trial", "state", _objective_name(self._plan.config.objective), *self._plan.config.search)
            rows = (trial_cells(trial) for trial in sweep.trials[-_SHOWN_TRIALS:])
            best = sweep.ranking[:1]
            caption = f"best so far: trial {best[0].number}, {best[0].value:.4g}" if best else None
            return number_table(*names, rows=rows, words=("state",), caption=caption)

        if missing:
            with progress_bar(f"sweep of {self._plan.name}", draw, is_shown=progress) as advance:
                try:
                    self._run(missing, lambda: advance(len(self._trials), total))
                except KeyboardInterrupt:
                    found = self._sweep(self._study.importances()) if self._trials else None
                    text = f"stopped after {len(self._trials)} of {total} trials; the same command continues"
                    raise Interrupted(text, found) from None
        return self._sweep(self._study.importances())

    def _run(self, numbers: list[int], advance: Callable[[], None]) -> None:
        advance()
        with open_pool(self._workers, tasks=len(numbers)) as pool:
            for task, outcome in pool.as_completed(run_trial, self._tasks(numbers)):
                with interrupts_deferred():
                    frozen = self._study.tell(task.number, outcome)
                    self._trials[task.number] = self._trial(task.number, frozen)
                    if outcome.state == "complete":
                        self._points[task.number] = outcome.points
                advance()

    def _tasks(self, numbers: list[int]) -> Iterator[TrialTask]:
        """Tasks, each created when a worker is free, from the trials finished by then."""
        config = self._plan.config
        for number in numbers:
            values = self._study.ask(number)
            yield TrialTask(
                number=number,
                document=self._plan.document_of(number, values),
                folder=self._run_folder(number).absolute(),  # workers of a cluster have another working directory
                objective=config.objective,
                pruning=config.pruning,
                medians=medians(list(self._points.values()), config.pruning),
                seed=config.seed,
                allow_agent_files=self._allow_agent_files,
            )

    def _run_folder(self, number: int) -> Path:
        return self._folder / f"trial-{number:04}"

    def _trial(self, number: int, frozen: FrozenTrial) -> Trial:
        config = self._plan.config
        state = next(state for state, name in _STATES.items() if name == frozen.state.name)
        parameters = self._study.values(frozen.params)
        return Trial(
            number=number,
            state=state,
            value=frozen.value if state == "complete" else None,
            parameters=parameters,
            settings={**config.settings, **parameters, "seed": config.seed + number},
            folder=self._run_folder(number),
            seconds=frozen.user_attrs["seconds"],
            error=frozen.user_attrs["error"],
        )

    def _sweep(self, importances: dict[str, float]) -> Sweep:
        config = self._plan.config
        return Sweep(
            folder=self._folder,
            base=config.base,
            objective=_objective_name(config.objective),
            direction=config.objective.direction,
            trials=tuple(trial for _, trial in sorted(self._trials.copy().items())),
            importances=importances,
        )


def trial_cells(trial: Trial) -> tuple[str, ...]:
    """Number, state, value and parameters of a trial as text."""
    value = "-" if trial.value is None else f"{trial.value:.4f}"
    parameters = (f"{each:.4g}" if isinstance(each, float) else str(each) for each in trial.parameters.values())
    return str(trial.number), trial.state, value, *parameters


def _objective_name(objective: Objective) -> str:
    if isinstance(objective, GradeObjective):
        return objective.figure
    return objective.column if isinstance(objective, CurveObjective) else f"score against {objective.opponent}"


# --- Optuna ---


def _load_optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise MissingExtraError("optuna", "sweep") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    return optuna


class _Study:
    """Suggests values. Finished trials are stored in a file, in the order of their ends, with their numbers."""

    def __init__(self, path: Path, plan: SweepPlan, *, is_parallel: bool) -> None:
        self._optuna, self._plan, self._path, self._is_parallel = _load_optuna(), plan, path, is_parallel
        self._distributions = {key: self._distribution(each) for key, each in plan.config.search.items()}
        direction = plan.config.objective.direction
        with raised_as(StoreError, f"{path} cannot be opened", reason="it is damaged or read-only"):
            # By a creator, because the folder's name may have characters with a meaning in a URL.
            connect = {"creator": lambda: sqlite3.connect(path, check_same_thread=False)}
            storage = self._optuna.storages.RDBStorage("sqlite:///study.sqlite", engine_kwargs=connect)
            self._stored = self._optuna.create_study(
                storage=storage, study_name=_NAME, direction=direction, load_if_exists=True
            )
            trials = sorted((trial.user_attrs["trial"], trial) for trial in self._stored.get_trials())
        self._memory = self._optuna.create_study(direction=direction)
        self._memory.add_trials([trial for _, trial in trials])
        self._finished: dict[int, FrozenTrial] = dict(trials)
        self._asked: dict[int, Any] = {}

    def finished(self) -> list[tuple[int, FrozenTrial]]:
        return list(self._finished.items())

    def complete_points(self) -> Iterator[tuple[int, dict[int, float]]]:
        """Number and points of each complete trial."""
        for number, trial in self._finished.items():
            if trial.state.name == "COMPLETE":
                yield number, {step: self._sign * value for step, value in trial.intermediate_values.items()}

    def ask(self, number: int) -> dict[str, object]:
        """The values of a trial."""
        entropy = np.random.SeedSequence(self._plan.config.seed, spawn_key=(number,))
        self._memory.sampler = self._optuna.samplers.TPESampler(
            seed=int(entropy.generate_state(1)[0]),
            n_startup_trials=self._plan.config.random_trials,
            constant_liar=self._is_parallel,  # otherwise concurrent trials would be too similar
        )
        self._asked[number] = self._memory.ask(self._distributions)
        return self.values(self._asked[number].params)

    def tell(self, number: int, outcome: TrialOutcome) -> FrozenTrial:
        """Stores a finished trial; raises StoreError."""
        trial = self._asked.pop(number)
        for step, value in outcome.points.items():
            trial.report(self._sign * value, step)
        for name, attribute in (("trial", number), ("seconds", outcome.seconds), ("error", outcome.error)):
            trial.set_user_attr(name, attribute)
        state = self._optuna.trial.TrialState[_STATES[outcome.state]]
        frozen: FrozenTrial = self._memory.tell(trial, outcome.value, state=state)
        with raised_as(StoreError, f"{self._path} cannot be written", reason="the disk may be full"):
            self._stored.add_trial(frozen)
        self._finished[number] = frozen
        return frozen

    def values(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Optuna's parameters as settings, in the order of the config."""
        search = self._plan.config.search
        return {key: parameters[key] if search[key].choices is None else json.loads(parameters[key]) for key in search}

    def importances(self) -> dict[str, float]:
        """The importances of the parameters, largest first; empty if they cannot be estimated."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", "The number of trials is too small")  # Optuna would return equal shares
            try:
                found = self._optuna.importance.get_param_importances(self._memory)
            except (RuntimeError, ValueError, UserWarning):  # too few trials, or all with the same value
                return {}
        return {key: float(share) for key, share in found.items() if np.isfinite(share)}

    @property
    def _sign(self) -> int:
        """-1 if trials are pruned by a column whose direction is opposite to that of the objective: Optuna compares
        pruned trials by their points and complete trials by their values, in one direction.
        """
        config = self._plan.config
        _, direction = config.pruning.rule(config.objective, ())
        return 1 if direction == config.objective.direction else -1

    def _distribution(self, dimension: Any) -> Any:
        kinds = self._optuna.distributions
        if dimension.choices is not None:
            return kinds.CategoricalDistribution(dimension.encoded_choices)
        kind = kinds.IntDistribution if dimension.is_whole else kinds.FloatDistribution
        step = dimension.step or (1 if dimension.is_whole else None)
        return kind(dimension.low, dimension.high, log=dimension.log, step=step)
