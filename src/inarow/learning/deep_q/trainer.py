"""Deep Q-learning, batch by batch.

A batch consists of games with a fixed net. After it, each move of the learner gets a target,

    y = q + alpha * (r + gamma * max Q(next turn) - q),

where q is the net's value of the board after the move. For the last move of a game there is no next turn and r is the
reward of the result; for others r is `rewards.step`. With `trace` > 0, max Q(next turn) is mixed with the target of the
next move in the game. For shaping see `potential.py`. The net is fitted to these targets, with `replay` also to those
of earlier moves. The net that plays a batch also gives its targets, so it is a target network renewed after each batch.
The result of a `Trainer` depends only on its config, and on the processor unless `arithmetic` is portable.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from inarow.errors import ConfigError, MissingExtraError, raised_as
from inarow.games.notation import format_moves
from inarow.learning.config import to_config
from inarow.learning.deep_q import boards
from inarow.learning.deep_q.config import PAST, DeepQConfig, Side
from inarow.learning.deep_q.opponents import make_opponents
from inarow.learning.deep_q.play import Choose, PlayedGames, Reward, check_finite, choose_best, play_games
from inarow.learning.deep_q.pool import PastSelves
from inarow.learning.deep_q.portable import PortableNet, PortableTrainedNet
from inarow.learning.deep_q.potential import make_potential
from inarow.learning.deep_q.replay import KeptMoves
from inarow.learning.devices import CPU, Device
from inarow.learning.exploration.last_choices import LastChoices
from inarow.learning.exploration.plain_explorer import make_explorer
from inarow.learning.learner import MakeOpponent, NetworkFactory
from inarow.learning.net_file import Net, NetAbout, to_bytes
from inarow.learning.pretrained import DEEP_Q
from inarow.learning.run_folder import PlayedGame

_POINTS = {boards.WON: 1, boards.DRAWN: 0, boards.LOST: -1}
_RESULTS = {"wins": boards.WON, "draws": boards.DRAWN, "losses": boards.LOST}
_WEIGHTS, _EXPLORING, _OPPONENTS, _ORDER, _TEST, _REPLAY, _MIRROR = range(
    7
)  # random streams, each spawning one per group of games
_KEYS, _FLAGS = "flags.keys", "flags.flags"  # keys of a checkpoint, in addition to the weights


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A batch of training. Rates and means are over its games, the last four fields over the training so far."""

    episode: int  # the last one of the batch
    episodes: int
    reward: float
    wins: float
    draws: float
    losses: float
    plies: float
    loss: float  # mean squared error in the last epoch of the fit
    states: int  # positions in which the learner was to move
    iterations: float | None  # see `exploration.explorer.Metrics`
    oracle_calls: int
    decisions: int


@dataclass(frozen=True, slots=True)
class TestResult:
    """The results of greedy games."""

    games: int
    wins: int
    draws: int
    losses: int
    plies: float


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a trainer."""

    state: dict[str, Any]  # JSON
    arrays: dict[str, np.ndarray]


class Trainer:
    """Trains a net according to its config."""

    def __init__(
        self,
        config: DeepQConfig,
        make_opponent: MakeOpponent | None = None,
        *,
        factory: NetworkFactory | None = None,
        device: Device = CPU,
    ) -> None:
        """`make_opponent` is for opponents without a compiled form; `factory` creates the network recorded in the
        config. Raises MissingExtraError without torch or onnx, NetError for an invalid network, ConfigError and
        InvalidLimitError for an unknown exploration rule or heuristic.
        """
        try:
            from inarow.learning.deep_q import network
        except ImportError as error:
            raise MissingExtraError(error.name or "torch", "train") from None
        self.config, self._make_opponent, self._device = config, make_opponent, device
        self.episodes = 0
        self.curve: list[CurvePoint] = []
        self.last_games: list[PlayedGame] = []  # of the last batch
        self.explorer = make_explorer(config.spec, config.policy)
        rng = np.random.default_rng(self._stream(_WEIGHTS, 0))
        if self._is_portable and (factory is not None or device != CPU):
            raise ConfigError("arithmetic is portable: it needs the CPU and the built-in network")
        made = network.make_network(config, rng, factory)
        self._trained: network.TrainedNet | PortableTrainedNet = network.TrainedNet(config, made, device)
        self._model = self._trained.model
        if self._is_portable:
            self._trained = PortableTrainedNet(config, self._trained.weights())
        self._kept = KeptMoves(config.replay, config.spec.rows, config.spec.columns)
        self._potential = make_potential(config)
        self.past: PastSelves | None = None  # if they are opponents
        if any(part.agent == PAST for part in config.mix):
            first = self._trained.weights()
            self.past = PastSelves(config.pool, first, lambda past: self._net(past, "a past self"))

    @property
    def _is_portable(self) -> bool:
        return self.config.arithmetic == "portable"

    @property
    def is_finished(self) -> bool:
        return self.episodes == self.config.episodes

    def run_batch(self) -> None:
        """Plays the next batch and learns from it. Raises ConfigError if the net diverges; after that the trainer must
        be restored.
        """
        config, net = self.config, self.net()
        end = min(self.episodes + config.batch, config.episodes)
        starts = range(self.episodes, end, config.lockstep)
        slices = [each for first in starts for each in _slices(first, min(config.lockstep, end - first), config.side)]
        groups = [self._play_group(net, *each) for each in slices]
        planes = np.concatenate([group.planes for group in groups])
        targets = np.concatenate([self.targets(group) for group in groups]).astype(np.float32)
        loss = self._fit(planes, targets)
        if self.past is not None and self.past.is_due(self.episodes, end):
            self.past.add(self._trained.weights())
        self.episodes = end
        self.last_games = [game for group in groups for game in self._described(group)]
        self._report(groups, loss)

    def _fit(self, planes: np.ndarray, targets: np.ndarray) -> float:
        """Fits the net to the moves of a batch and to kept ones; returns the loss."""
        config, wanted = self.config, targets
        order, replay, mirror = (
            np.random.default_rng(self._stream(purpose, self.episodes)) for purpose in (_ORDER, _REPLAY, _MIRROR)
        )
        fitted = planes
        if config.replay.size:
            fitted, wanted = self._kept.extended(planes, targets, replay)
            self._kept.add(planes, targets)
        if config.mirror:
            is_reflected = mirror.random(len(fitted)) < 0.5
            fitted = np.where(is_reflected[:, None, None], fitted[:, :, ::-1], fitted)
        loss = self._trained.fit(fitted, wanted, order)
        check_finite(loss)
        return loss

    def _play_group(self, net: Net, first: int, count: int, side: int) -> PlayedGames:
        """Plays `count` games after episode `first` in lockstep; each with the heat of its own episode."""
        rng = np.random.default_rng(self._stream(_EXPLORING, first))
        heat = self.explorer.heat(first + 1 + np.arange(count))
        last = LastChoices(count, self.config.spec) if self.explorer.wants_rewards else None

        def explore(keys: np.ndarray, legal: np.ndarray, values: np.ndarray, games: np.ndarray) -> np.ndarray:
            chosen = self.explorer.choose(keys, legal, values, heat[games], rng)
            if last is not None:
                last.keep(games, keys, legal, chosen)
            return chosen

        def reward(games: np.ndarray, results: np.ndarray) -> None:
            if last is not None:
                rewards = np.where(results == boards.ONGOING, self.config.rewards.step, self._rewards(results))
                self.explorer.reward(*last.taken(games, rewards))

        return self._play(net, explore, count, self._stream(_OPPONENTS, first), side, reward=reward)

    def test(self, games: int, side: Side | None = None, opponent: str | None = None) -> TestResult:
        """Plays games without exploration, on the learner's side or `side`, against the opponents of the training or
        against `opponent`. Repeated calls give the same result.
        """
        net, parts = self.net(), _slices(0, games, side or self.config.side)
        against = self.config if opponent is None else replace(self.config, opponent=opponent, opponents=())
        played = [
            self._play(net, choose_best, count, self._stream(_TEST, first), side, against)
            for first, count, side in parts
        ]
        results = np.concatenate([each.results for each in played])
        wins, draws, losses = (int((results == each).sum()) for each in _RESULTS.values())
        return TestResult(games, wins, draws, losses, float(np.concatenate([each.plies for each in played]).mean()))

    def _play(
        self,
        net: Net,
        choose: Choose,
        count: int,
        seed: np.random.SeedSequence,
        side: int,
        against: DeepQConfig | None = None,
        reward: Reward | None = None,
    ) -> PlayedGames:
        """`against` is the config of the opponents."""
        config = self.config
        opponents = make_opponents(against or config, count, seed, self._make_opponent, self._past_nets)
        return play_games(net, config.spec, opponents, choose, count, side, potential=self._potential, reward=reward)

    def _past_nets(self) -> Sequence[Net]:
        assert self.past is not None
        return self.past.nets()

    def _described(self, played: PlayedGames) -> Iterator[PlayedGame]:
        spec, is_second = self.config.spec, played.side == 1
        for result, plies, actions in zip(played.results, played.plies, played.actions, strict=True):
            points = _POINTS[int(result)]
            yield PlayedGame(str(spec), 0, -points if is_second else points, format_moves(actions[:plies], spec))

    def targets(self, played: PlayedGames) -> np.ndarray:
        """The target values of the moves of some games, float64 [moves]."""
        config, rewards = self.config, self._rewards(played.results)[played.games]
        is_last = np.isnan(played.futures)
        futures = self._traced(played, rewards) if config.trace else played.futures
        followed = np.where(is_last, rewards, config.rewards.step + config.gamma * futures) - played.potentials
        alpha = np.where(is_last, 1.0, config.alpha) if config.terminal == "reward" else config.alpha
        values = played.values - played.potentials
        return np.asarray(values + alpha * (followed - values))

    def _traced(self, played: PlayedGames, rewards: np.ndarray) -> np.ndarray:
        """The best values of next turns mixed with what followed in the game: NaN for last moves, float64 [moves]."""
        config, futures = self.config, played.futures.copy()
        following = np.full(len(played.results), np.nan)  # by game: the return of its next move
        for move in reversed(range(len(futures))):  # moves of a game are in order
            game = played.games[move]
            if np.isnan(futures[move]):
                following[game] = rewards[move]
            else:
                futures[move] += config.trace * (following[game] - futures[move])
                following[game] = config.rewards.step + config.gamma * futures[move]
        return futures

    def _rewards(self, results: np.ndarray) -> np.ndarray:
        """The rewards of results."""
        rewards, by_result = self.config.rewards, np.zeros(4)
        by_result[[boards.WON, boards.DRAWN, boards.LOST]] = rewards.win, rewards.draw, rewards.loss
        return np.asarray(by_result[results])

    def _report(self, groups: Sequence[PlayedGames], loss: float) -> None:
        results = np.concatenate([group.results for group in groups])
        moves = np.concatenate([np.bincount(group.games, minlength=len(group.results)) for group in groups])
        rewards = self._rewards(results) + self.config.rewards.step * (moves - 1)
        metrics = self.explorer.metrics
        self.curve.append(
            CurvePoint(
                episode=self.episodes,
                episodes=len(results),
                reward=float(rewards.mean()),
                **{name: float((results == each).mean()) for name, each in _RESULTS.items()},
                plies=float(np.concatenate([group.plies for group in groups]).mean()),
                loss=loss,
                states=metrics.states,
                iterations=metrics.iterations,
                oracle_calls=metrics.oracle_calls,
                decisions=metrics.decisions,
            )
        )

    def checkpoint(self) -> Checkpoint:
        """The state that `restore` needs. Call it only between two batches."""
        counts, keys, flags = self.explorer.state()
        state = {
            "config": msgspec.to_builtins(self.config),
            "episodes": self.episodes,
            "counts": counts,
            "curve": msgspec.to_builtins(self.curve),
        }
        arrays = {**self._trained.state(), _KEYS: keys, _FLAGS: flags}
        if self.config.replay.size:
            arrays |= self._kept.state()
        if self.past is not None:
            state["pool"] = len(self.past)
            arrays |= self.past.state()
        return Checkpoint(state, arrays)

    def restore(self, checkpoint: Checkpoint, source: str) -> None:
        """Continues from a checkpoint of the same config; raises ConfigError, which names `source`."""
        state, arrays = checkpoint.state, checkpoint.arrays
        if to_config(state.get("config"), DeepQConfig, source) != self.config:
            raise ConfigError(f"{source} does not belong to the config beside it")
        with raised_as(ConfigError, f"{source} is not a checkpoint"):
            self.curve = msgspec.convert(state["curve"], list[CurvePoint])
            self.explorer.restore(state["counts"], arrays[_KEYS], arrays[_FLAGS])
            self._trained.restore(arrays)
            if self.config.replay.size:
                self._kept.restore(arrays)
            if self.past is not None:
                self.past.restore(state["pool"], arrays)
            self.episodes = int(state["episodes"])

    def net(self) -> Net:
        """The current net, ready to play."""
        return self._net(self._trained.weights(), "the net")

    def _net(self, weights: dict[str, np.ndarray], source: str) -> Net:
        if self._is_portable:
            return PortableNet(weights, self._about())
        return Net(self._content(weights), source, self._device)

    def net_content(self, **provenance: Any) -> bytes:
        """The content of a net file; `provenance` is added to the provenance that the trainer records."""
        return self._content(self._trained.weights(), **provenance)

    def _content(self, weights: dict[str, np.ndarray], **provenance: Any) -> bytes:
        return to_bytes(self._model(weights), self._about(**provenance))

    def _about(self, **provenance: Any) -> NetAbout:
        config = self.config
        made, provenance = msgspec.to_builtins(config), {"episodes": self.episodes, **provenance}
        return NetAbout(kind=DEEP_Q, board=str(config.spec), config=made, seed=config.seed, provenance=provenance)

    def _stream(self, purpose: int, episode: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.config.seed, spawn_key=(purpose, episode))


def _slices(first: int, count: int, side: str) -> list[tuple[int, int, int]]:
    """`count` games after episode `first` as groups (episodes before it, number of games, the learner's side)."""
    if side != "alternating":
        return [(first, count, 0 if side == "first" else 1)]
    if count == 1:
        return [(first, 1, first % 2)]
    half = (count + 1) // 2
    return [(first, half, 0), (first + half, count - half, 1)]
