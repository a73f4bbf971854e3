"""What limits play by windows: the values behind them, how they are combined, or their size.

Each source of values is graded with every way to combine the windows of a column and to break ties, and plays games
with three of them. Figures: `6x7 RULE.NAME`, accuracies of a rule; `6x7 OPPONENT.SIDE.NAME` of games.
"""

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal, get_args

import numpy as np
from msgspec.structs import replace

from inarow.agents.registry import make_agent
from inarow.agents.simple import reflex_action
from inarow.agents.window import (
    Aggregate,
    Ties,
    WindowAgent,
    WindowValues,
    best_column,
    combined,
    shipped_window_values,
    votes_of,
)
from inarow.arena.grading import Accuracy, Choices, grade
from inarow.arena.suite import find_suite
from inarow.games import CONNECT_FOUR, GameSpec, Position
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.lookup import TableValues
from inarow.learning.tabular.trainer import Trainer
from inarow.learning.windows.exact import ExactWindows
from inarow.learning.windows.net_training import NetTraining, train_window_net
from inarow.studies.experiment import Measured, Scale, Trial
from inarow.studies.kumbhakern_2025.runs import ON_BOARD, OPPONENTS, corrected_config, play_on_board
from inarow.studies.play import accuracy_figures
from inarow.studies.study import Repeated

Rule = tuple[Aggregate, Ties]
RULES: tuple[Rule, ...] = tuple((aggregate, ties) for ties in get_args(Ties) for aggregate in get_args(Aggregate))
PLAYED: tuple[Rule, ...] = (("max", "left"), ("sum", "centre"), ("absmax", "centre"))
"""The published rule, and the two that an audit found best: chosen before any game of this comparison."""
_TABLE_EPISODES, _NET_EPISODES = 200_000, 1_000_000  # per phase; in all
_QUICK_EPISODES = 50_000


@dataclass(frozen=True, slots=True)
class Source:
    """Where the values of windows come from."""

    kind: Literal["table of inarow", "trained on random boards", "exact", "net"]
    size: str = "4x4"

    @property
    def name(self) -> str:
        return f"{self.kind} {self.size}" if self.kind in ("exact", "net") else self.kind

    @property
    def is_trained(self) -> bool:
        """Whether runs differ."""
        return self.kind in ("trained on random boards", "net")

    @property
    def window(self) -> GameSpec:
        return GameSpec.parse(f"{self.size}x{CONNECT_FOUR.inarow}")

    def values(self, trial: Trial) -> WindowValues:
        """The values for a trial; training depends only on its seed and its number of episodes."""
        if not self.is_trained:
            return _fixed_values(self)
        return _trained_values(self, trial.size["episodes"], trial.random_seed(name=self.name))


@lru_cache(maxsize=1)  # one at a time: exact values may take a gigabyte
def _fixed_values(source: Source) -> WindowValues:
    return ExactWindows(source.window) if source.kind == "exact" else shipped_window_values(CONNECT_FOUR)


@lru_cache(maxsize=3)  # the accuracy and the games of a seed use the same training
def _trained_values(source: Source, episodes: int, seed: int) -> WindowValues:
    if source.kind == "net":
        return train_window_net(NetTraining(board=str(source.window), episodes=episodes, seed=seed))
    config = boards_config(episodes, seed)
    trainer = Trainer(config)
    trainer.run(config.episodes)
    return TableValues(trainer.table, config)


def boards_config(episodes: int, seed: int) -> QConfig:
    """The corrected training with random starts that are boards, as in the authors' program, either side to move."""
    config = corrected_config(episodes, 0.5, seed)
    return replace(config, phases=tuple(replace(phase, starts="boards") for phase in config.phases))


@dataclass(frozen=True, slots=True)
class WindowAccuracy:
    """The accuracy of a source of values by every rule on the standard suite."""

    source: Source

    @property
    def name(self) -> str:
        return f"accuracy of windows: {self.source.name}"

    def run(self, trial: Trial) -> Measured:
        values, suite = self.source.values(trial), find_suite(None, CONNECT_FOUR)
        actions = np.array([_actions(position, values) for position in suite.positions], np.int64)
        figures: dict[str, float] = {}
        for number, rule in enumerate(RULES):
            graded = Accuracy(**Choices.of(suite, actions[:, number]).figures())
            figures |= accuracy_figures(graded, f"{rule_name(rule)}.") | _sizes(graded)
        return Measured(figures)


def _actions(position: Position, values: WindowValues) -> list[int]:
    """The actions of a `WindowAgent` by each rule; windows are looked up only once."""
    votes = votes_of(position, values)
    if not votes.values:
        return [reflex_action(position)] * len(RULES)
    return [best_column(combined(votes, aggregate), ties, position.spec) for aggregate, ties in RULES]


@dataclass(frozen=True, slots=True)
class WindowGames:
    """Games of a source of values by one rule on the whole board."""

    source: Source
    rule: Rule

    @property
    def name(self) -> str:
        return f"games of windows: {self.source.name}, {rule_name(self.rule)}"

    def run(self, trial: Trial) -> Measured:
        agent = WindowAgent(ON_BOARD, self.source.values(trial), *self.rule)
        streams = trial.random_streams(len(OPPONENTS), name="games of windows")  # the same openings for all
        return Measured(play_on_board(agent, trial.size["games"], streams))


@dataclass(frozen=True, slots=True)
class ReflexGames:
    """The same games and the accuracy of `winblock`, which has no values and looks one move ahead."""

    name: str = "games of winblock"

    def run(self, trial: Trial) -> Measured:
        *streams, own, graded = trial.random_streams(len(OPPONENTS) + 2, name="games of windows")
        agent = make_agent("winblock", seed=own)
        accuracy = grade(make_agent("winblock", seed=graded), CONNECT_FOUR)
        figures = accuracy_figures(accuracy, "winblock.") | _sizes(accuracy)
        return Measured(figures | play_on_board(agent, trial.size["games"], streams))


def rule_name(rule: Rule) -> str:
    return f"{rule[0]}, {rule[1]}"


def _sizes(graded: Accuracy) -> dict[str, float]:
    return {"positions": float(graded.positions), "critical": float(graded.critical)}


TABLE, TRAINED = Source("table of inarow"), Source("trained on random boards")
EXACT = tuple(Source("exact", size) for size in ("4x4", "5x4", "4x5", "6x4", "5x5"))
NETS = Source("net"), Source("net", "5x5")
SOURCES = (TABLE, TRAINED, *EXACT, *NETS)
PLAYERS = (TABLE, TRAINED, EXACT[0], EXACT[3], NETS[0])
"""The sources that play games: the shipped table, and one of each kind, with windows as high as the board."""


def window_experiments(scale: Scale) -> list[Repeated]:
    """Sources without randomness are graded once; their games differ by openings and opponents."""
    only: tuple[Literal["corrected"]] = ("corrected",)
    is_quick = scale == "quick"
    repeated = partial(Repeated, variants=only)
    long = EXACT[-1], NETS[-1]  # planned last

    def size(source: Source) -> dict[str, int]:
        if not source.is_trained:
            return {}
        usual = _NET_EPISODES if source.kind == "net" else _TABLE_EPISODES
        return {"episodes": _QUICK_EPISODES if is_quick else usual}

    graded = (EXACT[0], NETS[0]) if is_quick else SOURCES
    played = (EXACT[0],) if is_quick else PLAYERS
    games = {"games": 10 if is_quick else 100}
    runs = {each: 5 if each.is_trained and not is_quick else 1 for each in graded}
    return [
        *(repeated(WindowAccuracy(each), runs[each], size(each), stage=2 if each in long else 1) for each in graded),
        *(
            repeated(WindowGames(each, rule), 1 if is_quick else 5, size(each) | games, stage=1)
            for each in played
            for rule in (PLAYED[-1:] if is_quick else PLAYED)
        ),
        repeated(ReflexGames(), 1 if is_quick else 5, games, stage=1),
    ]
