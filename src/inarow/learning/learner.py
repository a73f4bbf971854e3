"""The learner contract: the interface by which the command line, the web lab and scripts train any kind of agent.

The key `learner` of a config names a registered learner. A learner starts or resumes a `Run` in a folder; the run
trains, reports progress and writes a file from which an agent plays. `arena/training.py` provides the services.

To add a learner, subclass `Learner` and `Run` and call `register_learner`. An installed package uses the entry point
group `inarow.learners` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import numpy as np

from inarow.errors import ConfigError, shown, unknown
from inarow.games import GameSpec, Position
from inarow.learning.config import ConfigPart, Document, add_presets, learner_of
from inarow.plugins import load_plugins
from inarow.workers import Cluster

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from torch.nn import Module

    from inarow.search.tree.config import SearchConfig
    from inarow.search.tree.evaluation import Evaluate

ConfigT = TypeVar("ConfigT", bound=ConfigPart)
_SHOWN_POINTS = 12
_BARS = "▁▂▃▄▅▆▇█"
_SPARKLINE_WIDTH = 60


# --- Arguments of learners ---


class _Choice(Protocol):
    @property
    def action(self) -> int: ...


class Opponent(Protocol):
    """Any agent."""

    def decide(self, position: Position) -> _Choice: ...


MakeOpponent = Callable[[str, np.random.SeedSequence], Opponent]
"""Creates an agent from an agent string and a seed; raises InvalidAgentError."""


class Grade(Protocol):
    """Accuracy of a network on fixed positions."""

    @property
    def description(self) -> str:
        """A readable description of the positions."""

    def __call__(self, evaluate: Evaluate, simulations: int, config: SearchConfig = ..., /) -> tuple[float, float]:
        """(Accuracy without search, accuracy with this many simulations); `config` replaces the usual settings."""


NetworkFactory = Callable[..., "Module"]
"""Creates a torch module. Called with the keyword arguments `planes`, the number of input planes, and `spec`, the
board, if it accepts them."""
CheckAgent = Callable[[str], str]  # returns the agent string to use instead of the given one; raises InarowError
CheckFile = Callable[[str, str], str]  # the same for a file, with the config key that names it


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Functions of higher packages for learners, and settings. A learner ignores those that it does not need."""

    make_opponent: MakeOpponent | None = None
    make_grade: Callable[[Sequence[GameSpec]], Grade | None] | None = None
    """The grade for the boards of a run; None if no positions distinguish networks."""
    cluster: Cluster | None = None  # where games are played, instead of local processes
    network: NetworkFactory | None = None  # creates the network to train, instead of the learner's own
    device: str = "cpu"  # device of networks: auto, cpu, cuda or mps; see `devices.py`


# --- Reports of runs ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The progress of a run."""

    done: int
    total: int
    unit: str  # the unit of both in the plural, such as episodes
    seconds_left: float | None = None  # estimated; None if the run does not know
    point: object = None  # the latest point of the curve, None before the first
    memory: Mapping[str, int] = field(default_factory=dict)  # bytes by use


Watch = Callable[[Progress], None]
"""Called several times a second during training. An exception stops the run, which saves its progress."""


@dataclass(frozen=True, slots=True)
class CurveTable:
    """The learning curve as text."""

    headings: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    caption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedAgent:
    """The result of a run."""

    agent: str  # agent string
    board: str
    side: Literal["first", "second"] = "second"  # the side that it should play
    is_exportable: bool = False  # whether `inarow export kaggle` accepts it


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The figures of a run. As JSON, the facts and the details are one object."""

    facts: dict[str, Any]  # one line of text
    details: dict[str, Any]
    notes: tuple[str, ...] = ()  # sentences, for text output only


# --- The contract ---


class Run(Protocol):
    """A training run in a folder. Subclasses inherit the methods that have a body."""

    folder: Path
    log: Sequence[str] = ()  # lines so far, for a log where no live table can be shown

    @property
    def config(self) -> ConfigPart: ...

    @property
    def curve(self) -> Sequence[Any]:
        """Dataclass instances, one per point."""

    @property
    def progress(self) -> Progress: ...

    @property
    def title(self) -> str:
        """A short description of the run."""
        return f"training in {self.folder}"

    def table(self) -> CurveTable:
        """The curve for a terminal; called several times a second, possibly from another thread."""
        points = list(self.curve[-_SHOWN_POINTS:])
        headings = tuple(each.name for each in fields(points[-1])) if points else ()
        return CurveTable(headings, [[_cell(value) for value in asdict(point).values()] for point in points])

    def train(self, watch: Watch | None = None) -> TrainedAgent:
        """Trains to the end. An interrupted run can be resumed from its last checkpoint. Raises ConfigError if another
        process uses the folder or has trained there since the run was opened.
        """

    def report(self) -> Report:
        """The figures of a finished run; may play test games."""
        return Report(facts={"folder": str(self.folder)}, details={"curve": list(self.curve)})


class Learner(Protocol[ConfigT]):
    """A kind of learner. Subclasses inherit the members with a value or a body."""

    name: str  # the value of the key `learner` in its configs
    config: type[ConfigT]
    product: str  # name of the file in a run's folder from which the agent plays
    point: type[DataclassInstance] | None = None  # type of the points of its curves, if known in advance
    can_extend: bool = False  # whether `resume` accepts settings
    can_use_cluster: bool = False
    can_use_network: bool = False  # whether it can train the user's network

    def agent(self, product: Path | str) -> str:
        """The agent string of a product file."""

    def start(self, config: ConfigT, folder: Path, services: Services) -> Run:
        """A new run. Raises ConfigError if the folder has a run; any other InarowError is raised before it creates the
        folder.
        """

    def resume(self, folder: Path, settings: Sequence[str], services: Services) -> Run:
        """The run of a folder at its last checkpoint, changed by settings `key=value`; raises InarowError."""

    def checked(self, document: Document, config: ConfigT, check_agent: CheckAgent, check_file: CheckFile) -> Document:
        """The document with each agent string and file replaced by the result of its check; the web lab restricts runs
        with it.
        """
        return document


# --- The registry ---

_registered: dict[str, Learner[Any]] = {}


def register_learner(learner: Learner[Any], presets: Mapping[str, Path] | None = None) -> None:
    """Adds a learner, with TOML files as presets by name; raises ConfigError if a name is taken."""
    if learner.name in learners():
        raise ConfigError(f"there is already a learner {shown(learner.name)}; choose another name")
    add_presets(presets or {})
    _registered[learner.name] = learner


def learners() -> Mapping[str, Learner[Any]]:
    """All learners by name: those of inarow, of installed packages, and those registered in this process."""
    own, offered = _own(), _plugins()[0]
    return {**own, **{name: learner for name, learner in offered.items() if name not in own}, **_registered}


def find_learner(document: Document, source: str = "config") -> Learner[Any]:
    """The learner of a document; raises ConfigError, which names `source`."""
    name, known = learner_of(document), learners()
    if name is None:
        raise ConfigError(f"{source}: the key learner is missing; learners are {', '.join(known)}")
    if name not in known:
        broken = "".join(f"; {problem}" for problem in _plugins()[1].values())
        raise ConfigError(f"{source}: {unknown('learner', name, known)}{broken}")
    return known[name]


@lru_cache(maxsize=1)
def _own() -> Mapping[str, Learner[Any]]:
    from inarow.learning.alphazero.learner import AlphaZeroLearner
    from inarow.learning.deep_q.run import DeepQLearner
    from inarow.learning.tabular.run import QLearner

    own: tuple[Learner[Any], ...] = (QLearner(), DeepQLearner(), AlphaZeroLearner())
    return {learner.name: learner for learner in own}


@lru_cache(maxsize=1)
def _plugins() -> tuple[Mapping[str, Learner[Any]], Mapping[str, str]]:
    """Learners of installed packages, and error messages for those that cannot be loaded, by name."""
    return load_plugins("inarow.learners", lambda learner: learner.name)


def check_network(learner: Learner[Any], network: NetworkFactory | None) -> None:
    """Raises ConfigError if the user passes a network that is not callable, or that the learner cannot train."""
    if network is not None and not callable(network):
        raise ConfigError(f"network is {shown(repr(network))}, not a class or a function; sizes are network__KEY=...")
    if network is not None and not learner.can_use_network:
        able = ", ".join(each.name for each in learners().values() if each.can_use_network)
        raise ConfigError(f"the learner {learner.name} cannot train your network; learners that can: {able}")


def check_module(recorded: str | None, factory: NetworkFactory | None) -> None:
    """Raises ConfigError unless `factory` is the network of a run, which its config records."""
    given = None if factory is None else module_name(factory)
    if recorded == given:
        return
    if recorded is None:
        raise ConfigError(f"the run uses inarow's own network; resume it without network={given}")
    if given is None:
        raise ConfigError(f"the run uses your network {recorded}: resume it from Python with network=")
    raise ConfigError(f"the run uses the network {recorded}, not {given}")


def module_name(factory: NetworkFactory) -> str:
    """The name of a factory for the config."""
    if isinstance(factory, partial):
        return module_name(factory.func)
    return str(getattr(factory, "__name__", type(factory).__name__))


# --- Text ---


def sparkline(values: Sequence[float]) -> str:
    """The values as a line of at most 60 block characters."""
    step = -(-len(values) // _SPARKLINE_WIDTH)
    means = [sum(values[at : at + step]) / len(values[at : at + step]) for at in range(0, len(values), step)]
    low, high = min(means), max(means)
    scale = (len(_BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(_BARS[round((mean - low) * scale)] for mean in means)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}" if isinstance(value, float) else str(value)
