"""The learner contract: how the command line, the web lab and scripts train agents, whatever learns.

The key `learner` of a config names a learner of the registry. A learner starts or resumes a `Run` in a folder; the run
trains, reports progress and leaves a file from which an agent plays. `arena/training.py` provides the services.

To add a learner, subclass `Learner` and `Run` and call `register_learner`; an installed package names its learners in
the entry point group `inarow.learners` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import numpy as np

from inarow.errors import ConfigError, shown
from inarow.games import GameSpec, Position
from inarow.learning.config import ConfigPart, Document, add_presets, learner_of
from inarow.plugins import load_plugins
from inarow.workers import Cluster

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from torch.nn import Module

    from inarow.search.tree.evaluation import Evaluate

ConfigT = TypeVar("ConfigT", bound=ConfigPart)
_SHOWN_POINTS = 12
_BARS = "▁▂▃▄▅▆▇█"
_SPARKLINE_WIDTH = 60


# --- What a learner is given ---


class _Choice(Protocol):
    @property
    def action(self) -> int: ...


class Opponent(Protocol):
    """Any agent."""

    def decide(self, position: Position) -> _Choice: ...


MakeOpponent = Callable[[str, np.random.SeedSequence], Opponent]
"""Makes the agent of an agent string and a seed; raises InvalidAgentError."""


class Grade(Protocol):
    """Accuracy of a network on fixed positions."""

    @property
    def description(self) -> str:
        """What the positions are, for people."""

    def __call__(self, evaluate: Evaluate, simulations: int, /) -> tuple[float, float]:
        """Without search, and with this many simulations."""


NetworkFactory = Callable[..., "Module"]
"""Makes a module of torch; called with those of the keywords `planes`, the number of input planes, and `spec`, the
board, that it takes."""
CheckAgent = Callable[[str], str]  # returns the agent string that may be used for another one; raises InarowError
CheckFile = Callable[[str, str], str]  # the same for a file and the key of the config that names it


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What learners use from packages above this one. A learner ignores what it does not need."""

    make_opponent: MakeOpponent | None = None
    make_grade: Callable[[Sequence[GameSpec]], Grade | None] | None = None
    """For the boards of a run; None where no positions distinguish networks."""
    cluster: Cluster | None = None  # where to play, instead of local processes
    network: NetworkFactory | None = None  # makes the network to train, instead of the learner's own
    device: str = "cpu"  # where networks compute: auto, cpu, cuda or mps; see `devices.py`


# --- What a run reports ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is."""

    done: int
    total: int
    unit: str  # of both, in the plural: episodes, for example
    seconds_left: float | None = None  # estimated; None if the run does not know
    point: object = None  # the latest point of the curve, None before the first
    memory: Mapping[str, int] = field(default_factory=dict)  # bytes by use


Watch = Callable[[Progress], None]
"""Called several times a second during training. An exception stops the run, which saves what it has learnt."""


@dataclass(frozen=True, slots=True)
class CurveTable:
    """The learning curve as text."""

    headings: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    caption: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedAgent:
    """What a run leaves."""

    agent: str  # agent string
    board: str
    side: Literal["first", "second"] = "second"  # the side to try it on
    is_exportable: bool = False  # whether `inarow export kaggle` accepts it


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The figures of a run. As JSON, the facts and the details are one object."""

    facts: dict[str, Any]  # one line of text
    details: dict[str, Any]
    notes: tuple[str, ...] = ()  # sentences, for text only


# --- The contract ---


class Run(Protocol):
    """A training run in a folder. Subclasses inherit the methods with a body."""

    folder: Path
    log: Sequence[str] = ()  # lines so far for a log, where no live table can be shown

    @property
    def config(self) -> ConfigPart: ...

    @property
    def curve(self) -> Sequence[Any]:
        """Dataclass instances, one per point."""

    @property
    def progress(self) -> Progress: ...

    @property
    def title(self) -> str:
        """What is trained, in a few words."""
        return f"training in {self.folder}"

    def table(self) -> CurveTable:
        """The curve for a terminal; called several times a second, possibly from another thread."""
        points = list(self.curve[-_SHOWN_POINTS:])
        headings = tuple(each.name for each in fields(points[-1])) if points else ()
        return CurveTable(headings, [[_cell(value) for value in asdict(point).values()] for point in points])

    def train(self, watch: Watch | None = None) -> TrainedAgent:
        """Trains to the end. Whatever stops it, the run can be resumed from its last checkpoint. Raises ConfigError if
        another process uses the folder or has trained there since the run was opened.
        """

    def report(self) -> Report:
        """The figures of a finished run; may play test games."""
        return Report(facts={"folder": str(self.folder)}, details={"curve": list(self.curve)})


class Learner(Protocol[ConfigT]):
    """A kind of learner. Subclasses inherit the members with a value or a body."""

    name: str  # the value of the key `learner` in its configs
    config: type[ConfigT]
    product: str  # the file in the folder of a run from which the agent plays
    point: type[DataclassInstance] | None = None  # the points of its curves, if known before there is one
    can_extend: bool = False  # whether `resume` accepts settings
    can_use_cluster: bool = False
    can_use_network: bool = False  # whether it trains a network of the user

    def agent(self, product: Path | str) -> str:
        """The agent string that plays from a product file."""

    def start(self, config: ConfigT, folder: Path, services: Services) -> Run:
        """A new run. Raises ConfigError if the folder has one, any other InarowError before it creates the folder."""

    def resume(self, folder: Path, settings: Sequence[str], services: Services) -> Run:
        """The run of a folder at its last checkpoint, changed by settings `key=value`; raises InarowError."""

    def checked(self, document: Document, config: ConfigT, check_agent: CheckAgent, check_file: CheckFile) -> Document:
        """The document with each agent string and file passed through a check, by which the web lab confines runs."""
        return document


# --- The registry ---

_registered: dict[str, Learner[Any]] = {}


def register_learner(learner: Learner[Any], presets: Mapping[str, Path] | None = None) -> None:
    """Adds a learner, with TOML files as presets by name; raises ConfigError if a name is taken."""
    if learner.name in learners():
        raise ConfigError(f"there is a learner {shown(learner.name)} already; choose another name")
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
        raise ConfigError(f"{source}: there is no learner {shown(name)}; learners are {', '.join(known)}{broken}")
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
    """Learners of installed packages, and what is wrong with those that cannot be loaded."""
    return load_plugins("inarow.learners", lambda learner: learner.name)


def check_network(learner: Learner[Any], network: NetworkFactory | None) -> None:
    """Raises ConfigError if a network of the user is given that is not callable, or to a learner that trains none."""
    if network is not None and not callable(network):
        raise ConfigError(f"network is {shown(repr(network))}, not a class or a function; sizes are network__KEY=...")
    if network is not None and not learner.can_use_network:
        able = ", ".join(each.name for each in learners().values() if each.can_use_network)
        raise ConfigError(f"the learner {learner.name} trains no network of yours; learners that do: {able}")


def check_module(recorded: str | None, factory: NetworkFactory | None) -> None:
    """Raises ConfigError unless the network of a run, which its config records, is the one that is given."""
    given = None if factory is None else module_name(factory)
    if recorded == given:
        return
    if recorded is None:
        raise ConfigError(f"the run has the network of inarow; resume it without network={given}")
    if given is None:
        raise ConfigError(f"the network of the run is a module of yours, {recorded}: pass it from Python as network=")
    raise ConfigError(f"the network of the run is {recorded}, not {given}")


def module_name(factory: NetworkFactory) -> str:
    """What a config records about a factory."""
    if isinstance(factory, partial):
        return module_name(factory.func)
    return str(getattr(factory, "__name__", type(factory).__name__))


# --- Text ---


def sparkline(values: Sequence[float]) -> str:
    """The course of values in one line of at most 60 characters."""
    step = -(-len(values) // _SPARKLINE_WIDTH)
    means = [sum(values[at : at + step]) / len(values[at : at + step]) for at in range(0, len(values), step)]
    low, high = min(means), max(means)
    scale = (len(_BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(_BARS[round((mean - low) * scale)] for mean in means)


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}" if isinstance(value, float) else str(value)
