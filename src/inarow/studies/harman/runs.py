"""The experiments of harman: training and evaluation, self-play, tree searches against each other.

Figures: `wins`, `draws`, `losses` in percent of the games and mean `reward`, of the learner, or of the first side
in games between tree searches, with a prefix for the kind of games; points of the learning curve by the first
episode of their window; `accuracy` in percent of all positions of a board.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent
from inarow.arena.grading import Accuracy, Choices
from inarow.arena.suite import ILLEGAL, exhaustive_suite
from inarow.errors import InvalidStudyError, shown
from inarow.games import GameSpec
from inarow.learning.tabular.config import Exploration, Phase, QConfig, Rewards
from inarow.learning.tabular.lookup import TableValues
from inarow.learning.tabular.q_table import QTable
from inarow.learning.tabular.trainer import Trainer
from inarow.studies.comparison import PERCENT
from inarow.studies.experiment import Measured, Scale, Trial
from inarow.studies.harman import agents as learner
from inarow.studies.harman import published
from inarow.studies.play import TablePlayer, play_sound_game, values_by_position
from inarow.studies.study import Repeated, Setting

BOARDS = ("3x5x4", "4x5x4", "6x5x4")
PLAYOUTS = (40, 10)
MAP_PLAYOUTS = (5, 10, 15, 20, 40, 80)
FINER_PLAYOUTS = (11, 12, 13, 14)  # on 3x5x4; added after 31 runs of the map had been seen
MAP = (*product(BOARDS, MAP_PLAYOUTS), *product(BOARDS[:1], FINER_PLAYOUTS))
CLOSEST = "3x5x4", 13  # of the map to the picture
TABLES, _DISCARD, _SAVE = "tables", "none", "save"
MARKS = (4_500, 10_000, 50_000)  # episodes at which the published curve was read
_GRADED = GameSpec.parse("3x5x4")  # the board small enough to grade every position
_CURVE_POINTS = 100


@dataclass(frozen=True, slots=True)
class AgainstTreeSearch:
    """A table trained and tested against a tree search."""

    board: str
    playouts: int

    @property
    def name(self) -> str:
        return f"{self.board} against {self.playouts}"

    def run(self, trial: Trial) -> Measured:
        spec = GameSpec.parse(self.board)
        return self._as_published(spec, trial) if trial.is_published else self._corrected(spec, trial)

    def _as_published(self, spec: GameSpec, trial: Trial) -> Measured:
        size, streams = trial.size, [np.random.default_rng(stream) for stream in trial.random_streams(5)]
        table, playouts = QTable(spec), self.playouts
        clock = time.perf_counter()
        trained = learner.play_as_published(table, size["episodes"], playouts=playouts, rng=streams[0])
        seconds = time.perf_counter() - clock
        average = moving_average(trained.rewards, published().window)
        figures = {"rows": float(len(table)), **_curve_figures(average)}
        saved = self._saved(table, trial)  # the test changes the table
        for name, tested, rng in (("test", table, streams[1]), ("untrained", QTable(spec), streams[2])):
            games = learner.play_as_published(tested, size["games"], playouts=playouts, rng=rng, alpha=0.0, epsilon=0.0)
            figures.update(_rates(name, games.results), **{f"{name}.reward": float(games.rewards.mean())})
        player = TablePlayer("Q", partial(values_by_position, table), streams[3])
        figures.update(_test("uct", player, 2, f"mcts:simulations={playouts}", spec, trial, 4))
        if spec == _GRADED:
            sides = grade_table(table, streams[3], shares_mirror=False)
            figures["second.accuracy"] = PERCENT * (sides["second"].outcome_accuracy or 0.0)
        return Measured(figures, {"reward": _curve_points(average)}, {"training": round(seconds, 3)}, saved)

    def _saved(self, table: QTable, trial: Trial) -> dict[str, bytes]:
        """The file of a trained table, by name, if the user asked for it."""
        if trial.settings.get(TABLES) != _SAVE:
            return {}
        with TemporaryDirectory() as folder:
            path = Path(folder) / "table.npz"
            learner.save_table(path, table, episodes=trial.size["episodes"], playouts=self.playouts)
            return {f"tables/{self.board}-against-{self.playouts}-seed-{trial.seed}.npz": path.read_bytes()}

    def _corrected(self, spec: GameSpec, trial: Trial) -> Measured:
        """The same figures against a tree search without faults, for both sides."""
        episodes, opponent = trial.size["episodes"], f"mcts:simulations={self.playouts}"
        config = QConfig(
            board=str(spec),
            seed=trial.seed,
            target="own-turn",
            symmetric_actions=True,
            alpha=learner.ALPHA,
            gamma=learner.GAMMA,
            rewards=Rewards(win=learner.WIN, loss=learner.LOSS, draw=learner.DRAW, step=learner.STEP),
            exploration=Exploration(start=learner.EPSILON, floor=learner.EPSILON),
            phases=tuple(Phase(episodes=episodes, opponent=opponent, side=side) for side in ("second", "first")),
            report=published().window,
        )
        tests = (("test", 2, opponent), ("first", 1, opponent))
        trainer, figures, timings = _train_and_test(config, tests, trial)
        curve = [point for point in trainer.curve if point.phase == 0]
        points = [(float(point.episode - point.episodes), round(point.reward, 3)) for point in curve]
        return Measured(figures, {"reward": points}, timings)


@dataclass(frozen=True, slots=True)
class TrainingOnly:
    """A table trained as published, for the map of boards and playouts: its learning curve and no test."""

    board: str
    playouts: int

    @property
    def name(self) -> str:
        return f"{self.board} against {self.playouts}, training only"

    def run(self, trial: Trial) -> Measured:
        table, rng = QTable(GameSpec.parse(self.board)), np.random.default_rng(trial.random_streams(1)[0])
        clock = time.perf_counter()
        trained = learner.play_as_published(table, trial.size["episodes"], playouts=self.playouts, rng=rng)
        seconds = time.perf_counter() - clock
        average = moving_average(trained.rewards, published().window)
        figures = {"rows": float(len(table)), **_curve_figures(average)}
        return Measured(figures, {"reward": _curve_points(average)}, {"training": round(seconds, 3)})


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """The negamax learner, trained only against itself."""

    board: str

    @property
    def name(self) -> str:
        return f"{self.board} self-play"

    def run(self, trial: Trial) -> Measured:
        phase = Phase(episodes=trial.size["episodes"], random_starts=0.2)
        config = QConfig(board=self.board, seed=trial.seed, alpha=1.0, phases=(phase,))
        contests = product((("second", 2), ("first", 1)), PLAYOUTS)
        tests = [(f"{name} {each}", side, f"mcts:simulations={each}") for (name, side), each in contests]
        _, figures, timings = _train_and_test(config, tests, trial)
        return Measured(figures, {}, timings)


@dataclass(frozen=True, slots=True)
class TreeSearches:
    """Matches between tree searches of 40 and of 10 playouts, on both sides; as published also against searches
    without faults.
    """

    name: str = "6x5x4 tree searches"

    def run(self, trial: Trial) -> Measured:
        ours = {f"{playouts}": f"mcts:simulations={playouts}" for playouts in PLAYOUTS}
        theirs = {f"{playouts}": f"harman/mcts:playouts={playouts}" for playouts in PLAYOUTS}
        tested = theirs if trial.is_published else ours
        agents = {f"{a}-{b}": (tested[a], tested[b]) for a, b in product(tested, tested)}
        if trial.is_published:
            for name in theirs:
                agents[f"{name}-uct {name}"] = theirs[name], ours[name]
                agents[f"uct {name}-{name}"] = ours[name], theirs[name]
        figures: dict[str, float] = {}
        streams = iter(trial.random_streams(2 * len(agents)))
        for pairing, (first, second) in agents.items():
            players = make_agent(first, seed=next(streams)), make_agent(second, seed=next(streams))
            results, _ = _play(*players, GameSpec.parse("6x5x4"), trial.size["games"], side=1)
            figures.update(_rates(pairing, results))
        return Measured(figures)


def _resolve_tables(choice: str) -> dict[str, str]:
    """Nothing by default, so that results with and without the files have different keys."""
    if choice not in (_DISCARD, _SAVE):
        raise InvalidStudyError(f"tables of harman are {_DISCARD} or {_SAVE}, not {shown(choice)}")
    return {TABLES: _SAVE} if choice == _SAVE else {}


TABLES_SETTING = Setting(_DISCARD, _resolve_tables)


def experiments(scale: Scale) -> list[Repeated]:
    is_quick = scale == "quick"
    runs, episodes = (2, 15_000) if is_quick else (10, 50_000)
    figure_size = {"games": 100, "episodes": 51_000 if is_quick else 100_000}
    in_figure = [AgainstTreeSearch("4x5x4", 40), AgainstTreeSearch("4x5x4", 10)]
    """The published picture of 100,000 episodes may be of these."""
    others = [AgainstTreeSearch(board, playouts) for playouts in PLAYOUTS for board in ("6x5x4", "3x5x4")]
    on_map = [TrainingOnly(*cell) for cell in MAP if cell[1] not in PLAYOUTS]
    closest = [Repeated(AgainstTreeSearch(*CLOSEST), runs, figure_size, ("as-published",), settings=(TABLES,))]
    if is_quick:
        on_map, closest = [TrainingOnly(*CLOSEST)], []
    self_play_size = {"games": 100, "episodes": 500_000 if is_quick else 4_000_000}
    return [  # the longest first
        *(Repeated(each, runs, figure_size, settings=(TABLES,)) for each in in_figure),
        *(Repeated(each, runs, {"games": 100, "episodes": episodes}, settings=(TABLES,)) for each in others),
        *(Repeated(SelfPlay(board), runs, self_play_size, variants=("corrected",)) for board in ("4x5x4", "3x5x4")),
        Repeated(TreeSearches(), runs, {"games": 100}),
        *(Repeated(each, min(runs, 5), {"episodes": episodes}, variants=("as-published",)) for each in on_map),
        *closest,
    ]


def _train_and_test(
    config: QConfig, tests: Sequence[tuple[str, int, str]], trial: Trial
) -> tuple[Trainer, dict[str, float], dict[str, float]]:
    """(A finished trainer, figures, timings); a test is (name, side of the learner, opponent)."""
    trainer = Trainer(config)
    clock = time.perf_counter()
    trainer.run(config.episodes)
    seconds = time.perf_counter() - clock
    rng = np.random.default_rng(trial.random_streams(1)[0])
    player = TablePlayer("Q", TableValues(trainer.table, config).values, rng)
    figures = {"rows": float(len(trainer.table))}
    for stream, (name, side, opponent) in enumerate(tests, start=1):
        figures.update(_test(name, player, side, opponent, config.spec, trial, stream))
    if config.spec == _GRADED:
        graded = grade_table(trainer.table, rng, shares_mirror=True)
        figures |= {f"{side}.accuracy": PERCENT * (each.outcome_accuracy or 0.0) for side, each in graded.items()}
    return trainer, figures, {"training": round(seconds, 3)}


def _test(
    name: str, player: Agent, side: int, opponent: str, spec: GameSpec, trial: Trial, stream: int
) -> dict[str, float]:
    """Figures of the player on side 1 or 2, by name; the opponent uses the random stream number `stream`."""
    other = make_agent(opponent, seed=trial.random_streams(stream + 1)[stream])
    players = (player, other) if side == 1 else (other, player)
    results, rewards = _play(*players, spec, trial.size["games"], side=side)
    return {**_rates(name, results), f"{name}.reward": float(rewards.mean())}


def _play(first: Agent, second: Agent, spec: GameSpec, games: int, *, side: int) -> tuple[np.ndarray, np.ndarray]:
    """(1, 0, -1; reward) of each game, for side 1 or 2."""
    ends = {learner.WON: learner.WIN, learner.DRAWN: learner.DRAW, learner.LOST: learner.LOSS}
    results, rewards = np.zeros(games, np.int64), np.zeros(games)
    for number in range(games):
        record = play_sound_game(first, second, spec)
        moves = (len(record.plies) + 2 - side) // 2
        if record.winner is not None:
            results[number] = learner.WON if record.winner == side else learner.LOST
        rewards[number] = ends[int(results[number])] + learner.STEP * (moves - 1)
    return results, rewards


def _rates(name: str, results: np.ndarray) -> dict[str, float]:
    kinds = (("wins", learner.WON), ("draws", learner.DRAWN), ("losses", learner.LOST))
    return {f"{name}.{kind}": PERCENT * float((results == result).mean()) for kind, result in kinds}


def moving_average(values: np.ndarray, window: int) -> np.ndarray:
    """The mean of each window, by its first value; [N - window + 1]. The mean of all if there are too few."""
    window = min(window, len(values))
    sums = np.concatenate(([0.0], np.cumsum(values)))
    average: np.ndarray = (sums[window:] - sums[:-window]) / window
    return average


def _curve_figures(average: np.ndarray) -> dict[str, float]:
    """The figures for which the curve is long enough."""
    figures = {"start": float(average[0]), "peak": float(average.max()), "end": float(average[-1])}
    figures.update({f"at {mark}": float(average[mark]) for mark in MARKS if mark < len(average)})
    if (average > 0).any():
        figures["crosses zero"] = float(np.argmax(average > 0))
    return figures


def _curve_points(average: np.ndarray) -> list[tuple[float, float]]:
    step = max(1, len(average) // _CURVE_POINTS)
    return [(float(at), round(float(average[at]), 3)) for at in range(0, len(average), step)]


def grade_table(table: QTable, rng: np.random.Generator, *, shares_mirror: bool) -> dict[str, Accuracy]:
    """The accuracy of a table in all positions of its (small) board, by side: `first` and `second`.

    `shares_mirror`: a position and its mirror image share one row, as in the corrected learner.
    """
    suite = exhaustive_suite(table.spec)
    keys = np.array([position.key for position in suite.positions], np.uint64)
    images = np.array([position.mirror().key for position in suite.positions], np.uint64)
    is_mirrored = (images < keys) & shares_mirror
    rows = table.find(np.where(is_mirrored, images, keys))
    values = np.where(rows[:, None] >= 0, table.values[rows], 0.0)
    values = np.where(is_mirrored[:, None], values[:, ::-1], values)
    values = np.where(suite.scores != ILLEGAL, values, -np.inf)
    chances = np.where(values == values.max(axis=1, keepdims=True), rng.random(values.shape), -1.0)
    return Choices.of(suite, chances.argmax(axis=1)).by_side()
