"""Tabular Q-learning that can be stopped and continued after any episode.

The result of a `Trainer` depends only on its config, not on interruptions or watchers.
"""

import re
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from inarow.errors import ConfigError
from inarow.games.kernels import compiled_layout, new_record
from inarow.learning.exploration.explorer import Explorer
from inarow.learning.exploration.plain_explorer import is_compiled, make_explorer
from inarow.learning.learner import MakeOpponent
from inarow.learning.tabular import episode
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.plain_episode import PolicyMoves, Reply, compiled_reply, play_episode
from inarow.learning.tabular.q_table import QTable
from inarow.search.tree.config import Uct
from inarow.search.tree.memory import ROLLOUT_SLOT_BYTES, make_rollout_tree
from inarow.search.tree.rollouts import RandomRollout, RolloutContext

_MOST_HEATS = 4096  # maximum episodes per kernel call with a policy
_COMPILED = {"self": episode.SELF, "frozen": episode.FROZEN, "random": episode.RANDOM, "winblock": episode.WINBLOCK}
_SIDES = {"first": 0, "second": 1, "alternating": 2}


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of the curve: some episodes of one generation."""

    phase: int
    generation: int
    episode: int  # number of the last of them, over all phases
    episodes: int
    reward: float  # mean reward of the learner over these episodes, as are the following rates
    wins: float
    draws: float
    losses: float
    epsilon: float  # after the last of them; with a policy, 0 unless its rule is epsilon-greedy
    rows: int


@dataclass(frozen=True, slots=True)
class PolicyPoint(CurvePoint):
    """A point of the curve with a policy. Its additional fields are over the training so far; see
    `exploration.explorer.Metrics`.
    """

    iterations: float | None
    oracle_calls: int
    decisions: int


class Trainer:
    """Trains according to its config; `table` holds the values learnt so far."""

    def __init__(self, config: QConfig, make_opponent: MakeOpponent | None = None) -> None:
        """`make_opponent` is needed for phases whose opponent has no compiled form. Raises ConfigError if the rule of
        the policy does not exist, or if random boards, which need not be positions, are for an agent or such a rule.
        """
        self.config = config
        self.explorer = make_explorer(config.spec, config.policy) if config.policy else None
        for phase in config.phases:
            is_plain = compiled_opponent(phase.opponent)[0] == episode.OTHER or not is_compiled(self.explorer)
            if phase.starts == "boards" and is_plain:
                raise ConfigError(
                    "starts = boards needs an opponent among self, frozen, random, winblock and mcts:simulations=N, and"
                    " a rule of inarow: other agents and rules expect positions of the game"
                )
        self.point_type: type[CurvePoint] = PolicyPoint if config.policy else CurvePoint
        self.table = QTable(config.spec, memory=config.memory << 20)
        self.curve: list[CurvePoint] = []
        self.phase = self.generation = self.episodes = 0
        self.frozen = self.table.values[:0]
        """The values of the first rows at the start of the generation, if its opponent is frozen."""
        self._best = -np.inf
        self._make_opponent = make_opponent
        self._rng = np.random.default_rng(config.seed)
        self._progress, self._rules = new_record(episode.Progress), new_record(episode.Rules)
        self._course = episode.Course(compiled_layout(config.spec), self._rules, self._progress)
        simulations = max(compiled_opponent(phase.opponent)[1] for phase in config.phases)
        tree = make_rollout_tree((simulations + 2) * config.spec.actions * ROLLOUT_SLOT_BYTES)
        self._search = RolloutContext(compiled_layout(config.spec), tree, Uct(), RandomRollout(), True)
        self._begin_generation()

    @property
    def is_finished(self) -> bool:
        return self.phase == len(self.config.phases)

    def run(self, episodes: int) -> None:
        """Trains for this many more episodes, or to the end."""
        while episodes > 0 and not self.is_finished:
            progress, phase = self._progress, self.config.phases[self.phase]
            until_report = self.config.report - progress.episode % self.config.report
            wanted = int(min(episodes, until_report, phase.episodes - progress.episode))
            if self._rules.opponent == episode.OTHER or not is_compiled(self.explorer):
                self._play_plainly(phase.opponent, wanted)
            else:
                self._play(wanted)
            episodes -= wanted
            self.episodes += wanted
            if wanted == until_report or progress.episode == phase.episodes:
                self._report()
            if progress.episode == phase.episodes:
                self.generation += 1
                if self.generation == phase.generations:
                    self.phase, self.generation = self.phase + 1, 0
                self._begin_generation()

    def _play(self, episodes: int) -> None:
        search = self._search if self._rules.opponent == episode.MCTS else None
        while episodes > 0:
            self.table.reserve()
            exploring, count = None, episodes
            if isinstance(self.explorer, Explorer):  # always, if there is one
                count = min(episodes, _MOST_HEATS)
                heat = self.explorer.heat(self._progress.episode + 1 + np.arange(count))
                exploring = episode.Exploring(self.explorer.arrays_for(self.config.spec.cells), heat)
            course, table, rng = self._course, self.table.arrays, self._rng
            episodes -= episode.play_episodes(course, table, self.frozen, search, exploring, rng, count)

    def _play_plainly(self, text: str, episodes: int) -> None:
        """Plays against an agent, a new one for each episode, or by a rule that is not compiled."""
        layout = self._course.layout
        for _ in range(episodes):
            self.table.reserve()
            number, explore = int(self._progress.episode) + 1, None
            with np.errstate(over="ignore"):  # keys are mixed modulo 2^64
                if self.explorer is not None:
                    explore = PolicyMoves(self.explorer, number, self.table.values, layout, self._rng)
                play_episode(self._reply(text), explore, self._course, self.table, self._rng)

    def _reply(self, text: str) -> Reply | None:
        """The opponent of the next episode."""
        if self._rules.opponent != episode.OTHER:
            return compiled_reply(self._course, self.table, self.frozen, self._search, self._rng)
        assert self._make_opponent is not None
        key = self.phase, self.generation, int(self._progress.episode)
        opponent = self._make_opponent(text, np.random.SeedSequence(self.config.seed, spawn_key=key))
        return lambda position: opponent.decide(position).action

    def _report(self) -> None:
        """Adds a point to the curve and applies the adaptive rule to it."""
        progress, exploration = self._progress, self.config.exploration
        counts = {name: int(getattr(progress, name)) for name in ("wins", "draws", "losses")}
        games = sum(counts.values())
        mean = float(progress.reward) / games
        if exploration.rule == "adaptive":
            progress.epsilon *= 0.9 if mean - self._best > -0.005 else 1.01
            progress.epsilon = min(max(progress.epsilon, exploration.floor), exploration.start)
        self._best = max(self._best, mean)
        costs: dict[str, Any] = {}
        if self.explorer is not None:
            metrics = self.explorer.metrics
            costs = {name: getattr(metrics, name) for name in ("iterations", "oracle_calls", "decisions")}
        self.curve.append(
            self.point_type(
                phase=self.phase,
                generation=self.generation,
                episode=self.episodes,
                episodes=games,
                reward=mean,
                **{name: count / games for name, count in counts.items()},
                epsilon=self._epsilon(),
                rows=len(self.table),
                **costs,
            )
        )
        progress.reward = progress.wins = progress.draws = progress.losses = 0

    def _epsilon(self) -> float:
        progress, policy = self._progress, self.config.policy
        if self.explorer is None or policy is None:
            return float(progress.epsilon)
        return float(self.explorer.heat(np.array([progress.episode]))[0]) if policy.rule == "epsilon-greedy" else 0.0

    def _begin_generation(self) -> None:
        """Begins the next generation, if there is one."""
        if self.is_finished:
            self.frozen = self.frozen[:0]
            return
        self._progress.episode = 0
        self._progress.epsilon = self.config.exploration.start
        self._best = -np.inf
        self._set_rules()
        rows = len(self.table) if self._rules.opponent == episode.FROZEN else 0
        self.frozen = self.table.values[:rows].copy()

    def _set_rules(self) -> None:
        config, rules, phase = self.config, self._rules, self.config.phases[self.phase]
        rules.alpha, rules.gamma = config.alpha, config.gamma
        for name in config.rewards.__struct_fields__:
            setattr(rules, name, getattr(config.rewards, name))
        is_geometric = config.exploration.rule == "geometric"
        rules.epsilon_decay = config.exploration.decay if is_geometric else 1.0
        rules.epsilon_floor = config.exploration.floor if is_geometric else 0.0
        rules.negamax, rules.mirror = config.target == "negamax", config.symmetry
        rules.symmetric_actions = config.symmetric_actions
        rules.opponent, rules.simulations = compiled_opponent(phase.opponent)
        rules.side, rules.self_play, rules.random_starts = _SIDES[phase.side], phase.self_play, phase.random_starts
        rules.boards = phase.starts == "boards"

    def state(self) -> dict[str, object]:
        """The progress as JSON; `restore` also needs `table`, `frozen` and the flags of `explorer`."""
        progress = self._progress
        return {
            "phase": self.phase,
            "generation": self.generation,
            "episodes": self.episodes,
            "frozen_rows": len(self.frozen),
            "best": None if self._best == -np.inf else self._best,
            "progress": {name: getattr(progress, name).item() for name in _KEPT},
            "random": self._rng.bit_generator.state,
            "curve": [asdict(point) for point in self.curve],
            **({} if self.explorer is None else {"explorer": self.explorer.state()[0]}),
        }

    def restore(self, state: dict[str, Any], table: QTable) -> None:
        """Continues from a `state`. `table` must have the memory of the config; the caller fills `frozen` and restores
        the explorer.
        """
        self.table = table
        self.phase, self.generation, self.episodes = state["phase"], state["generation"], state["episodes"]
        self._begin_generation()
        self.frozen = table.values[:0]  # without the current number of rows: the generation began with fewer
        self._best = -np.inf if state["best"] is None else state["best"]
        for name in _KEPT:
            setattr(self._progress, name, state["progress"][name])
        self._rng.bit_generator.state = state["random"]
        self.curve = [self.point_type(**point) for point in state["curve"]]


_KEPT = ("episode", "epsilon", "reward", "wins", "draws", "losses")
"""The fields of `episode.Progress` that persist between episodes."""


def compiled_opponent(text: str) -> tuple[int, int]:
    """(The code of an opponent in compiled episodes, simulations); `episode.OTHER` for all others."""
    if text in _COMPILED:
        return _COMPILED[text], 0
    tree = re.fullmatch(r"mcts:simulations=([1-9]\d{0,5})", text)
    return (episode.MCTS, int(tree[1])) if tree else (episode.OTHER, 0)
