"""The games of harman: training, evaluation, tree searches among themselves.

Figures: `wins`, `draws`, `losses` in percent of the games and `reward` a game, of the learner, or of
the side that moves first between tree searches, under the name of what was played; points of the
learning curve by the first episode of their window; `accuracy` in percent of all positions of a board.
"""

from __future__ import annotations

import time
from itertools import product

import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.games.spec import GameSpec
from inarow.learning.tabular.config import Exploration, Phase, QConfig, Rewards
from inarow.learning.tabular.q_table import QTable
from inarow.learning.tabular.trainer import Trainer
from inarow.studies.experiment import Experiment, Measured
from inarow.studies.harman import q_training as learner
from inarow.studies.harman.published import published
from inarow.studies.harman.table_player import TablePlayer, grade_table

PLAYOUTS = (40, 10)
MARKS = (4_500, 10_000, 50_000)
"""Episodes at which the published curve was read."""
_SMALL = "3x5x4"
"""The board on which every position can be graded."""
_PERCENT = 100.0
_CURVE_POINTS = 100


def train_and_test(spec: GameSpec, playouts: int, experiment: Experiment) -> Measured:
    """A table trained against a tree search, then tested against the same."""
    if experiment.variant == "as-published":
        return _as_published(spec, playouts, experiment)
    return _corrected(spec, playouts, experiment)


def _as_published(spec: GameSpec, playouts: int, experiment: Experiment) -> Measured:
    size, streams = experiment.size, [np.random.default_rng(stream) for stream in experiment.random_streams(5)]
    table = QTable(spec)
    clock = time.perf_counter()
    trained = learner.play_as_published(table, size["episodes"], playouts=playouts, rng=streams[0])
    seconds = time.perf_counter() - clock
    average = moving_average(trained.rewards, published().window)
    figures = {"rows": float(len(table)), **_curve_figures(average)}
    for name, tested, rng in (("test", table, streams[1]), ("untrained", QTable(spec), streams[2])):
        games = learner.play_as_published(tested, size["games"], playouts=playouts, rng=rng, alpha=0.0, epsilon=0.0)
        figures.update(_rates(name, games.results), **{f"{name}.reward": float(games.rewards.mean())})
    player = TablePlayer("Q", table, streams[3], shares_mirror=False)
    figures.update(_test("uct", player, 2, f"mcts:simulations={playouts}", spec, experiment, 4))
    if str(spec) == _SMALL:
        sides = grade_table(table, streams[3], shares_mirror=False)
        figures["second.accuracy"] = _PERCENT * (sides["second"].outcome_accuracy or 0.0)
    step = max(1, len(average) // _CURVE_POINTS)
    points = [(float(at), round(float(average[at]), 3)) for at in range(0, len(average), step)]
    return Measured(figures, {"reward": points}, {"training": round(seconds, 3)})


def _corrected(spec: GameSpec, playouts: int, experiment: Experiment) -> Measured:
    """The same numbers against a tree search without faults, on one side and then on the other."""
    episodes, opponent = experiment.size["episodes"], f"mcts:simulations={playouts}"
    config = QConfig(
        board=str(spec),
        seed=experiment.seed,
        target="own-turn",
        alpha=learner.ALPHA,
        gamma=learner.GAMMA,
        rewards=Rewards(win=learner.WIN, loss=learner.LOSS, draw=learner.DRAW, step=learner.STEP),
        exploration=Exploration(start=learner.EPSILON, floor=learner.EPSILON),
        phases=tuple(Phase(episodes=episodes, opponent=opponent, side=side) for side in ("second", "first")),
        report=published().window,
    )
    trainer = Trainer(config)
    clock = time.perf_counter()
    trainer.run(config.episodes)
    seconds = time.perf_counter() - clock
    rng = np.random.default_rng(experiment.random_streams(1)[0])
    player = TablePlayer("Q", trainer.table, rng, shares_mirror=True)
    figures = {"rows": float(len(trainer.table))}
    for name, side, stream in (("test", 2, 1), ("first", 1, 2)):
        figures.update(_test(name, player, side, opponent, spec, experiment, stream))
    if str(spec) == _SMALL:
        figures.update(_accuracies(trainer.table, rng))
    points = [
        (float(point.episode - point.episodes), round(point.reward, 3)) for point in trainer.curve if point.phase == 0
    ]
    return Measured(figures, {"reward": points}, {"training": round(seconds, 3)})


def train_by_self_play(spec: GameSpec, experiment: Experiment) -> Measured:
    """The negamax learner, with nobody but itself to learn from."""
    size = experiment.size
    phase = Phase(episodes=size["episodes"], random_starts=0.2)
    config = QConfig(board=str(spec), seed=experiment.seed, alpha=1.0, phases=(phase,))
    trainer = Trainer(config)
    clock = time.perf_counter()
    trainer.run(config.episodes)
    seconds = time.perf_counter() - clock
    rng = np.random.default_rng(experiment.random_streams(1)[0])
    player = TablePlayer("Q", trainer.table, rng, shares_mirror=True)
    figures = {"rows": float(len(trainer.table))}
    for stream, (side, playouts) in enumerate(product((2, 1), PLAYOUTS), start=1):
        name = f"{'first' if side == 1 else 'second'} {playouts}"
        figures.update(_test(name, player, side, f"mcts:simulations={playouts}", spec, experiment, stream))
    if str(spec) == _SMALL:
        figures.update(_accuracies(trainer.table, rng))
    return Measured(figures, {}, {"training": round(seconds, 3)})


def play_tree_searches(spec: GameSpec, experiment: Experiment) -> Measured:
    """Tree searches of 40 and of 10 playouts, each against each on both sides; as published also
    against those without faults.
    """
    ours = {f"{playouts}": f"mcts:simulations={playouts}" for playouts in PLAYOUTS}
    theirs = {f"{playouts}": f"harman/mcts:playouts={playouts}" for playouts in PLAYOUTS}
    contestants = theirs if experiment.variant == "as-published" else ours
    pairings = list(product(contestants, contestants))
    agents: dict[str, tuple[str, str]] = {f"{a}-{b}": (contestants[a], contestants[b]) for a, b in pairings}
    if experiment.variant == "as-published":
        for name in theirs:
            agents[f"{name}-uct {name}"] = theirs[name], ours[name]
            agents[f"uct {name}-{name}"] = ours[name], theirs[name]
    figures: dict[str, float] = {}
    streams = iter(experiment.random_streams(2 * len(agents)))
    for pairing, (first, second) in agents.items():
        players = make_agent(first, seed=next(streams)), make_agent(second, seed=next(streams))
        results, _ = _play(*players, spec, experiment.size["games"], side=1)
        figures.update(_rates(pairing, results))
    return Measured(figures)


def moving_average(values: np.ndarray, window: int) -> np.ndarray:
    """The mean of each window, by its first value; [N - window + 1]. Of all if there are too few."""
    window = min(window, len(values))
    sums = np.concatenate(([0.0], np.cumsum(values)))
    average: np.ndarray = (sums[window:] - sums[:-window]) / window
    return average


def _curve_figures(average: np.ndarray) -> dict[str, float]:
    """Those that the curve is long enough for."""
    figures = {"start": float(average[0]), "peak": float(average.max()), "end": float(average[-1])}
    figures.update({f"at {mark}": float(average[mark]) for mark in MARKS if mark < len(average)})
    if (average > 0).any():
        figures["crosses zero"] = float(np.argmax(average > 0))
    return figures


def _accuracies(table: QTable, rng: np.random.Generator) -> dict[str, float]:
    graded = grade_table(table, rng, shares_mirror=True)
    return {f"{side}.accuracy": _PERCENT * (each.outcome_accuracy or 0.0) for side, each in graded.items()}


def _test(
    name: str, player: Agent, side: int, opponent: str, spec: GameSpec, experiment: Experiment, stream: int
) -> dict[str, float]:
    """Figures of the player on side 1 or 2, by name; each `stream` is other chance."""
    other = make_agent(opponent, seed=experiment.random_streams(stream + 1)[stream])
    players = (player, other) if side == 1 else (other, player)
    results, rewards = _play(*players, spec, experiment.size["games"], side=side)
    return {**_rates(name, results), f"{name}.reward": float(rewards.mean())}


def _play(first: Agent, second: Agent, spec: GameSpec, games: int, *, side: int) -> tuple[np.ndarray, np.ndarray]:
    """(1, 0, -1; reward) of each game, for side 1 or 2."""
    results, rewards = np.zeros(games, np.int64), np.zeros(games)
    for number in range(games):
        record = play_game(first, second, spec)
        if record.fault is not None:
            raise RuntimeError(f"{first.name} against {second.name}: {record.fault}")
        moves = (len(record.plies) + 2 - side) // 2
        if record.winner is not None:
            results[number] = learner.WON if record.winner == side else learner.LOST
        ends = {learner.WON: learner.WIN, learner.DRAWN: learner.DRAW, learner.LOST: learner.LOSS}
        rewards[number] = ends[int(results[number])] + learner.STEP * (moves - 1)
    return results, rewards


def _rates(name: str, results: np.ndarray) -> dict[str, float]:
    kinds = (("wins", learner.WON), ("draws", learner.DRAWN), ("losses", learner.LOST))
    return {f"{name}.{kind}": _PERCENT * float((results == result).mean()) for kind, result in kinds}
