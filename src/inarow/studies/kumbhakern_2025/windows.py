"""What limits play by windows: the values behind them, how they are combined, or their size.

Each source of values is graded with every way to combine the windows of a column and to break ties, and plays games
with three of them. Figures: `6x7 RULE.NAME`, accuracies of a rule; `6x7 OPPONENT.SIDE.NAME` of games.
"""

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal, get_args

from msgspec.structs import replace

from inarow.agents.registry import make_agent
from inarow.agents.window import Aggregate, Ties, WindowAgent, WindowValues, shipped_window_values
from inarow.arena.grading import Grade, grade
from inarow.games import CONNECT_FOUR, GameSpec
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
        values, figures = self.source.values(trial), dict[str, float]()
        for rule in RULES:
            graded = grade(WindowAgent(ON_BOARD, values, *rule), CONNECT_FOUR)
            figures |= accuracy_figures(graded, f"{rule_name(rule)}.") | _sizes(graded)
        return Measured(figures)


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


def _sizes(graded: Grade) -> dict[str, float]:
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
    repeated = partial(Repeated, variants=only, stage=1)

    def size(source: Source) -> dict[str, int]:
        if not source.is_trained:
            return {}
        usual = _NET_EPISODES if source.kind == "net" else _TABLE_EPISODES
        return {"episodes": _QUICK_EPISODES if is_quick else usual}

    graded = (EXACT[0], NETS[0]) if is_quick else SOURCES
    played = (EXACT[0],) if is_quick else PLAYERS
    games = {"games": 10 if is_quick else 100}
    return [
        *(repeated(WindowAccuracy(each), 5 if each.is_trained and not is_quick else 1, size(each)) for each in graded),
        *(
            repeated(WindowGames(each, rule), 1 if is_quick else 5, size(each) | games)
            for each in played
            for rule in (PLAYED[-1:] if is_quick else PLAYED)
        ),
        repeated(ReflexGames(), 1 if is_quick else 5, games),
    ]
