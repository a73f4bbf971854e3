"""The config of a sweep, from TOML or as data; unknown keys are errors."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from inarow.agents.kind import format_value
from inarow.agents.registry import make_agent, parse_agent
from inarow.arena.grading import ACCURACIES
from inarow.arena.match_plan import MAX_GAMES, MatchSettings
from inarow.arena.suite import find_suite
from inarow.errors import ConfigError, InvalidAgentError, did_you_mean, raised_as, shown
from inarow.games import GameSpec
from inarow.learning.config import MAX_BYTES, ConfigPart, Document, find_document, to_config, with_values
from inarow.learning.learner import find_learner
from inarow.storage.inputs import read_input

Key = Annotated[str, Meta(pattern=r"^[a-z_]+(\.([0-9]+|[a-z_]+))*$")]
"""A key in the config of a run, as in `--set`."""
Direction = Literal["maximize", "minimize"]
AgentParameters = dict[str, int | float | bool | str]
_STRENGTH = (
    "search_accuracy"  # a column to prune by; rewards are unsuitable, since the opponent may be the learner itself
)
_LEAVES = ("low", "high", "choices")


class Dimension(ConfigPart, frozen=True, kw_only=True):
    """The values of one setting: numbers from low to high, integers if low, high and step are; or choices."""

    low: int | float | None = None
    high: int | float | None = None
    log: Annotated[bool, Meta(description="draw on a logarithmic scale")] = False
    step: Annotated[int | float | None, Meta(description="distance between values from low to high")] = None
    choices: Annotated[tuple[Any, ...], Meta(min_length=2, max_length=1000)] | None = None

    def __post_init__(self) -> None:
        if self.choices is not None:
            if self.low is not None or self.high is not None or self.step is not None or self.log:
                raise ValueError("choices exclude low, high, step and log")
            if len(set(self.encoded_choices)) < len(self.choices):
                raise ValueError("a choice occurs twice")
            return
        if self.low is None or self.high is None:
            raise ValueError("it needs low and high, or choices")
        if not self.low < self.high:  # rejects nan as well
            raise ValueError(f"low = {self.low} is not below high = {self.high}")
        if self.log and (self.low <= 0 or self.step is not None):
            raise ValueError("log needs low > 0 and no step")
        if self.step is not None and not 0 < self.step <= self.high - self.low:
            raise ValueError(f"step = {self.step} is not between 0 and high - low")
        if not abs(self.low) + abs(self.high) < 1e300:
            raise ValueError("low and high must be below 1e300")

    @property
    def is_whole(self) -> bool:
        return isinstance(self.low, int) and isinstance(self.high, int) and not isinstance(self.step, float)

    @property
    def encoded_choices(self) -> tuple[str, ...]:
        """The choices as JSON: a choice may be a list."""
        return tuple(json.dumps(choice, sort_keys=True, default=str) for choice in self.choices or ())

    @property
    def ends(self) -> tuple[object, object]:
        """The first and the last value."""
        return (self.low, self.high) if self.choices is None else (self.choices[0], self.choices[-1])


class GradeObjective(ConfigPart, frozen=True, kw_only=True, tag_field="kind", tag="grade"):
    """A figure of the grade of the trained agent."""

    figure: Literal["outcome_accuracy", "critical_accuracy", "optimal_accuracy", "mean_regret"] = "critical_accuracy"
    suite: Annotated[str | None, Meta(description="standard, exhaustive or a file; default as for `grade`")] = None
    positions: Annotated[
        int,
        Meta(
            ge=1,
            le=10**7,
            description="size of the fixed random sample of positions; for critical_accuracy, of critical positions",
        ),
    ] = 500
    board: Annotated[str | None, Meta(description="board string, for a run on several boards")] = None
    agent: Annotated[AgentParameters, Meta(description="parameters of the trained agent")] = msgspec.field(
        default_factory=dict
    )

    @property
    def direction(self) -> Direction:
        return "maximize" if self.figure in ACCURACIES else "minimize"


class ScoreObjective(ConfigPart, frozen=True, kw_only=True, tag_field="kind", tag="score"):
    """The score of the trained agent in a match."""

    opponent: Annotated[str, Meta(description="agent string")]
    games: Annotated[
        int, Meta(ge=2, le=MAX_GAMES, description="an even number; each opening is played on both sides")
    ] = 200
    board: Annotated[str | None, Meta(description="board string, for a run on several boards")] = None
    agent: Annotated[AgentParameters, Meta(description="parameters of the trained agent")] = msgspec.field(
        default_factory=dict
    )

    @property
    def direction(self) -> Direction:
        return "maximize"


class CurveObjective(ConfigPart, frozen=True, kw_only=True, tag_field="kind", tag="curve"):
    """A column of the learning curve."""

    column: str
    last: Annotated[int, Meta(ge=1, le=10**6, description="number of points at the end to average")] = 1
    direction: Direction = "maximize"


Objective = GradeObjective | ScoreObjective | CurveObjective


class Pruning(ConfigPart, frozen=True, kw_only=True):
    """Stops a trial whose best point so far is worse than the median of the finished trials at the same point."""

    enabled: bool = True
    column: Annotated[
        str | None, Meta(description="column of the curve (default: the objective's column, or search_accuracy)")
    ] = None
    direction: Direction | None = None
    trials: Annotated[int, Meta(ge=1, description="complete trials before any trial is stopped")] = 5
    points: Annotated[int, Meta(ge=0, description="first points of the curve at which no trial is stopped")] = 1

    def rule(self, objective: Objective, columns: tuple[str, ...]) -> tuple[str | None, Direction]:
        """(The column to prune by, of a curve with these columns; None if trials are not pruned; its direction)."""
        column, direction = self.column, self.direction or "maximize"
        if column is None and isinstance(objective, CurveObjective):
            column, direction = objective.column, self.direction or objective.direction
        if column is None and _STRENGTH in columns:
            column = _STRENGTH
        return column if self.enabled else None, direction


class SweepConfig(ConfigPart, frozen=True, kw_only=True):
    """A search for good settings."""

    search: Annotated[dict[Key, Dimension], Meta(min_length=1, max_length=100, description="settings that vary")]
    base: Annotated[str | None, Meta(description="preset or TOML file of the runs")] = None
    config: Annotated[Document | None, Meta(description="the config of the runs, instead of `base`")] = None
    trials: Annotated[int, Meta(ge=1, le=100_000, description="number of training runs")] = 20
    seed: Annotated[int, Meta(ge=0, le=2**62, description="random seed; trial N trains with seed + N")] = 0
    settings: Annotated[dict[Key, Any], Meta(description="settings for all trials")] = msgspec.field(
        default_factory=dict
    )
    objective: Objective = GradeObjective()
    pruning: Pruning = Pruning()
    random_trials: Annotated[int, Meta(ge=1, description="finished trials before the sampler uses their results")] = 10

    def __post_init__(self) -> None:
        if (self.base is None) == (self.config is None):
            raise ValueError("it needs either `base` or `config`")
        if "seed" in self.search or "seed" in self.settings:
            raise ValueError("trials are seeded by the `seed` of the sweep")
        if twice := sorted(self.search.keys() & self.settings.keys()):
            raise ValueError(f"{twice[0]} is in both `settings` and `search`")


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """A checked config and the config of its runs; created by `plan_sweep`."""

    config: SweepConfig
    document: Document
    """The config of the runs with the fixed settings."""
    name: str

    def document_of(self, number: int, values: Mapping[str, object]) -> Document:
        """The config of a trial."""
        return changed(self.document, {**values, "seed": self.config.seed + number})

    def identity(self) -> Document:
        """The data that must be equal for a call to resume a sweep, as JSON."""
        config = msgspec.to_builtins(self.config)
        identity = {key: value for key, value in config.items() if key not in ("trials", "config")}
        found: Document = msgspec.json.decode(msgspec.json.encode({**identity, "document": self.document}))
        return found


def plan_sweep(
    config: str | Path | Mapping[str, object],
    *,
    trials: int | None = None,
    seed: int | None = None,
    allow_agent_files: bool = False,
) -> SweepPlan:
    """A plan from a TOML file or its content, checked as far as possible without training; raises InarowError."""
    source = str(config) if isinstance(config, (str, Path)) else "config"
    document = _read(source) if isinstance(config, (str, Path)) else deepcopy(dict(config))
    document |= {key: value for key, value in (("trials", trials), ("seed", seed)) if value is not None}
    for key, leaves in (("search", _LEAVES), ("settings", ())):
        if isinstance(part := document.get(key), Mapping):
            document[key] = _flat(part, leaves)
    checked = to_config(document, SweepConfig, source)
    of_runs = find_document(checked.base) if checked.base is not None else deepcopy(checked.config or {})
    name = Path(source if source.endswith(".toml") else checked.base or source).stem
    plan = SweepPlan(checked, changed(of_runs, checked.settings), name)
    _check_values(plan, source)
    _check_objective(plan, source, allow_agent_files)
    return plan


def changed(document: Document, values: Mapping[str, object]) -> Document:
    """A copy with these values set; raises ConfigError."""
    return with_values(deepcopy(document), {key.replace(".", "__"): value for key, value in values.items()})


def setting_text(key: str, value: object) -> str:
    """`key=value` for `--set`."""
    return f"{key}={json.dumps(value) if isinstance(value, (list, tuple, str)) else format_value(value)}"


def _read(name: str) -> Document:
    if not name.endswith(".toml"):
        raise ConfigError(f"a sweep needs a .toml file; {shown(name)} is not one")
    content = read_input(Path(name), MAX_BYTES, ConfigError)
    with raised_as(ConfigError, f"{name} is not TOML", ValueError, RecursionError):
        return tomllib.loads(content.decode())


def _flat(part: Mapping[str, object], leaves: tuple[str, ...], prefix: str = "") -> Document:
    """Nested tables as one table with dotted keys; a table that contains one of `leaves` is a value."""
    found: Document = {}
    for key, value in part.items():
        if isinstance(value, Mapping) and value and not value.keys() & set(leaves):
            found |= _flat(value, leaves, f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = value
    return found


def _check_values(plan: SweepPlan, source: str) -> None:
    """Checks that the config is valid with all first and with all last values."""
    learner = find_learner(plan.document, source)
    for end, name in enumerate(("lowest", "highest")):
        values = {key: dimension.ends[end] for key, dimension in plan.config.search.items()}
        to_config(plan.document_of(0, values), learner.config, f"{source}, at the {name} values of `search`")


def _check_objective(plan: SweepPlan, source: str, allow_agent_files: bool) -> None:
    objective, learner = plan.config.objective, find_learner(plan.document, source)
    columns = () if learner.point is None else tuple(each.name for each in fields(learner.point))
    column = objective.column if isinstance(objective, CurveObjective) else None
    for wanted in filter(None, (column, plan.config.pruning.column)):
        if columns and wanted not in columns:
            meant = f"{shown(wanted)}{did_you_mean(wanted, columns)}; columns are {', '.join(columns)}"
            raise ConfigError(f"{source}: the curve of {learner.name} has no column {meant}")
    if isinstance(objective, CurveObjective):
        return
    board = objective.board or plan.document.get("board")
    if not isinstance(board, str):
        raise ConfigError(f"{source}: the run has several boards; set `board` in [objective]")
    spec = GameSpec.parse(board)
    if isinstance(objective, GradeObjective):
        find_suite(objective.suite, spec)
        return
    MatchSettings(games=objective.games)
    if parse_agent(objective.opponent)[0].runs_code and not allow_agent_files:
        raise InvalidAgentError(
            f"the opponent {shown(objective.opponent)} executes a file; allow that with --allow-agent-files"
        )
    make_agent(objective.opponent)
