"""The experiments of kumbhakern-2025.

Figures, rates in percent: `PHASE.first`, `.last`, `.max` of the curve of mean rewards; `after PHASE.wins`,
`.losses`, `.draws` of test games on 4x4 against random moves; `perfect.losses` etc. of games against perfect play;
`4x4.NAME` and `6x7.NAME` accuracy against perfect play; `6x7 OPPONENT.SIDE.NAME` of games on the whole board: wins,
draws, games lost by an illegal move, and windows that were never met in training.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent
from inarow.agents.window import WindowAgent
from inarow.arena.game import play_game
from inarow.arena.grading import Accuracy, Choices, grade
from inarow.arena.openings import find_openings, usual_plies
from inarow.arena.suite import ILLEGAL, Suite, exhaustive_suite
from inarow.arena.tally import half_points
from inarow.games import CONNECT_FOUR, GameRecord
from inarow.games.layout import layout_of
from inarow.learning.tabular.config import Exploration, QConfig, Rewards
from inarow.learning.tabular.config import Phase as QPhase
from inarow.learning.tabular.lookup import TableValues
from inarow.learning.tabular.q_table import QTable
from inarow.learning.tabular.trainer import Trainer
from inarow.studies.comparison import PERCENT
from inarow.studies.experiment import Measured, Scale, Trial
from inarow.studies.kumbhakern_2025 import RATES, agents
from inarow.studies.kumbhakern_2025.agents import GENERATIONS, RANDOM, WINDOW, PublishedTrainer, phases
from inarow.studies.play import TablePlayer, accuracy_figures
from inarow.studies.study import Repeated

PHASES = tuple(phase.name for phase in phases(RANDOM, GENERATIONS))
OPPONENTS = ("random", "winblock", *(f"minimax:depth={depth}" for depth in (1, 2, 3, 4)))
SIDES = ("first", "second")
BASELINE_AGENTS = ("random", "winblock")
CURVE = "mean reward"
ON_BOARD = "windows-of-the-run"
"""Name of the agents of runs. It must not be an agent string: `grade` would create another agent from it."""
_READINGS = {agents.FROZEN_FOR_LEARNER: "the learner", agents.FROZEN_FOR_ITSELF: "itself"}

Stages = Iterator[tuple[str, list[float]]]  # the phases by name with their curves, as they finish


@dataclass(frozen=True, slots=True)
class Training:
    """All phases with their test games, then the accuracy of the table on its own board and with windows."""

    with_starts: bool  # whether half of the episodes begin with a random board

    @property
    def name(self) -> str:
        return "with random starts" if self.with_starts else "without random starts"

    def run(self, trial: Trial) -> Measured:
        size = trial.size
        training, testing, perfect, *opponents = trial.random_streams(3 + len(OPPONENTS))
        stages, table, on_window, on_board = self._learner(trial, training)
        figures: dict[str, float] = {}
        curve: list[float] = []
        for (name, means), stream in zip(stages, testing.spawn(len(PHASES)), strict=True):
            curve += _logged(means)
            figures |= _ends(name, means)
            other = make_agent("random", seed=stream)
            figures |= _play_on_window(f"after {name}", on_window, other, size["test games"])
        other = make_agent("solver:tie=random", seed=perfect)
        figures |= _play_on_window("perfect", on_window, other, size["perfect games"])
        exact = table_accuracy(table, exhaustive_suite(WINDOW), is_published=trial.is_published)
        figures |= accuracy_figures(exact, "4x4.")
        figures |= accuracy_figures(grade(on_board, CONNECT_FOUR), "6x7.")
        figures |= play_on_board(on_board, size["games"], opponents)
        return Measured(figures, {CURVE: [(float(number), mean) for number, mean in enumerate(curve, start=1)]})

    def _learner(self, trial: Trial, stream: np.random.SeedSequence) -> tuple[Stages, QTable, Agent, Agent]:
        """(A training that runs as its stages are consumed, its table, players for the small and for the whole
        board).
        """
        episodes, random_starts = trial.size["episodes"], 0.5 if self.with_starts else 0.0
        if trial.is_published:
            published = PublishedTrainer(np.random.default_rng(stream), random_starts=random_starts)
            table, stages = published.table, _published_stages(published, episodes, RANDOM, GENERATIONS)
            on_window = TablePlayer("table", partial(agents.published_values, table))
            return stages, table, on_window, agents.PublishedWindowAgent(ON_BOARD, lambda: table)
        config = corrected_config(episodes, random_starts, int(stream.generate_state(1)[0]))
        trainer = Trainer(config)
        values, stages = TableValues(trainer.table, config), _corrected_stages(trainer, episodes)
        on_window = TablePlayer("table", values.values)
        return stages, trainer.table, on_window, WindowAgent(ON_BOARD, values)


@dataclass(frozen=True, slots=True)
class Reading:
    """The first generation of the last phase, against another possible reading of the published opponent."""

    opponent: int

    @property
    def name(self) -> str:
        return f"frozen, serves {_READINGS[self.opponent]}"

    def run(self, trial: Trial) -> Measured:
        trainer = PublishedTrainer(np.random.default_rng(trial.random_streams(1)[0]))
        figures: dict[str, float] = {}
        for name, means in _published_stages(trainer, trial.size["episodes"], self.opponent, 1):
            figures |= _ends(name, means)
        return Measured(figures)


@dataclass(frozen=True, slots=True)
class PretrainedTable:
    """The agent `window` with inarow's own table, which plays 4x4 almost perfectly: the best case for windows."""

    name: str = "table of inarow"

    def run(self, trial: Trial) -> Measured:
        agent = make_agent("window")
        figures = play_on_board(agent, trial.size["games"], trial.random_streams(len(OPPONENTS)))
        return Measured(figures | accuracy_figures(grade(agent, CONNECT_FOUR), "6x7."))


@dataclass(frozen=True, slots=True)
class Baselines:
    """The accuracy of agents without a table, on both boards."""

    name: str = "baselines"

    def run(self, trial: Trial) -> Measured:
        figures: dict[str, float] = {}
        for agent in BASELINE_AGENTS:
            for board, spec in (("4x4", WINDOW), ("6x7", CONNECT_FOUR)):
                suite = exhaustive_suite(spec) if spec == WINDOW else None
                player = make_agent(agent, seed=trial.random_streams(1)[0])
                figures |= accuracy_figures(grade(player, spec, suite=suite), f"{agent} on {board}.")
        return Measured(figures)


TRAININGS = (Training(with_starts=False), Training(with_starts=True))
READINGS = tuple(Reading(opponent) for opponent in _READINGS)


def experiments(scale: Scale) -> list[Repeated]:
    is_quick = scale == "quick"
    runs, few_runs = (2, 1) if is_quick else (10, 5)
    counts = {"test games": 1000, "perfect games": 40 if is_quick else 100, "games": 40 if is_quick else 200}
    without_starts, with_starts = TRAININGS
    return [
        Repeated(without_starts, runs, {"episodes": 200_000, **counts}),
        *(Repeated(each, few_runs, {"episodes": 200_000}, variants=("as-published",)) for each in READINGS),
        # 500,000 episodes is the number in the authors' repository since the commit that added random starts
        Repeated(with_starts, few_runs, {"episodes": 200_000 if is_quick else 500_000, **counts}),
        Repeated(PretrainedTable(), few_runs, {"games": counts["games"]}, variants=("corrected",)),
        Repeated(Baselines(), 1 if is_quick else 2, {}, variants=("corrected",)),
    ]


def corrected_config(episodes: int, random_starts: float, seed: int) -> QConfig:
    """The training without its faults, with `episodes` episodes per phase.

    The same phases, rates and rewards, but the value of a move is its reward minus the value of the opponent's best
    reply (`negamax`, see `learning/tabular/episode.py`): each side plays for itself, and the frozen opponent is really
    frozen. Random starts are made by random legal moves.
    """
    phase = partial(QPhase, episodes=episodes, random_starts=random_starts)
    last = phase(opponent="frozen", self_play=0.3, generations=GENERATIONS)
    return QConfig(
        board=str(WINDOW),
        phases=(phase(opponent="random"), phase(opponent="self"), last),
        seed=seed,
        alpha=agents.ALPHA,
        gamma=agents.GAMMA,
        symmetry=False,
        rewards=Rewards(block=agents.BLOCK),
        exploration=Exploration(start=0.8, floor=0.05, rule="adaptive"),
        report=agents.LOG,
        memory=256,
    )


def _published_stages(trainer: PublishedTrainer, episodes: int, opponent: int, generations: int) -> Stages:
    for phase in phases(opponent, generations):
        yield phase.name, trainer.run(phase, episodes)


def _corrected_stages(trainer: Trainer, episodes: int) -> Stages:
    for name in PHASES:
        points = len(trainer.curve)
        trainer.run(episodes)
        yield name, [point.reward for point in trainer.curve[points:]]


def _logged(means: list[float]) -> list[float]:
    """The points that the published program wrote: all except the last of a phase."""
    return means[:-1] or means


def _ends(phase: str, means: list[float]) -> dict[str, float]:
    points = _logged(means)
    return {f"{phase}.first": points[0], f"{phase}.last": points[-1], f"{phase}.max": max(points)}


def table_accuracy(table: QTable, suite: Suite, *, is_published: bool) -> Accuracy:
    """The accuracy of a `TablePlayer` without a random stream on a suite of the table's board.

    Keys are those of `published_values`, or of a trainer without symmetry.
    """
    layout, sides = layout_of(suite.spec), 2 if is_published else 1
    keys = [agents.learner_key(each.stones, each.mask, each.ply % sides, layout) for each in suite.positions]
    rows = table.find(np.array(keys, np.uint64))
    values = np.where((rows >= 0)[:, None], table.values[rows], 0.0)
    actions = np.where(suite.scores != ILLEGAL, values, -np.inf).argmax(axis=1)
    return Accuracy(**Choices.of(suite, actions).figures())


def _play_on_window(name: str, agent: Agent, other: Agent, games: int) -> dict[str, float]:
    """Wins, losses and draws of games from the empty board, with alternating sides."""
    results = []
    for game in range(games):
        players = (agent, other) if game % 2 == 0 else (other, agent)
        winner = play_game(*players, WINDOW).winner
        results.append("draws" if winner is None else "wins" if winner == 1 + game % 2 else "losses")
    return {f"{name}.{each}": PERCENT * results.count(each) / games for each in RATES}


def _side_figures(records: Sequence[GameRecord], side: int) -> dict[str, float]:
    """The figures of games on the whole board, for side 1 or 2."""
    points = [half_points(record, side) for record in records]
    illegal = sum(record.termination == "illegal move" and record.winner != side for record in records)
    plies = [ply for record in records for ply in record.plies[(side - 1 - record.opening) % 2 :: 2]]
    windows, unseen = (sum((ply.details or {}).get(what, 0) for ply in plies) for what in ("windows", "unseen"))
    counts = {"wins": points.count(2), "draws": points.count(1), "illegal": illegal}
    rates = {name: PERCENT * count / len(records) for name, count in counts.items()}
    return {**rates, "unseen": PERCENT * unseen / windows if windows else 0.0}


def play_on_board(agent: Agent, games: int, streams: Sequence[np.random.SeedSequence]) -> dict[str, float]:
    """Plays `games` (even) per pairing, in pairs from balanced openings with swapped sides; one stream per opponent."""
    figures, pairs = {}, games // 2
    plies = usual_plies(CONNECT_FOUR, pairs, "balanced")
    for opponent, stream in zip(OPPONENTS, streams, strict=True):
        openings = find_openings(CONNECT_FOUR, pairs, "balanced", seed=int(stream.generate_state(1)[0]), plies=plies)
        records: dict[int, list[GameRecord]] = {1: [], 2: []}
        for opening, seed in zip(openings, stream.spawn(pairs), strict=True):
            for side, game_seed in zip((1, 2), seed.spawn(2), strict=True):
                other = make_agent(opponent, seed=game_seed)
                players = (agent, other) if side == 1 else (other, agent)
                records[side].append(play_game(*players, CONNECT_FOUR, opening=opening))
        for name, (side, played) in zip(SIDES, records.items(), strict=True):
            found = _side_figures(played, side)
            figures.update({f"6x7 {opponent}.{name}.{what}": value for what, value in found.items()})
    return figures
