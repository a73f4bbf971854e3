"""Tabular Q-learning that can be stopped and continued after any episode.

What a `Trainer` learns depends on its config alone, not on how often it was stopped or watched.
"""

import re
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from inarow.games import GameSpec, Position
from inarow.games.kernels import bits_of, compiled_layout, new_record
from inarow.learning.learner import MakeOpponent, Opponent
from inarow.learning.tabular import episode
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.q_table import QTable, add_row
from inarow.search.tree.config import Uct
from inarow.search.tree.memory import ROLLOUT_SLOT_BYTES, make_rollout_tree
from inarow.search.tree.rollouts import RandomRollout, RolloutContext

_COMPILED = {"self": episode.SELF, "frozen": episode.FROZEN, "random": episode.RANDOM, "winblock": episode.WINBLOCK}
_SIDES = {"first": 0, "second": 1, "alternating": 2}


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Some episodes of one generation."""

    phase: int
    generation: int
    episode: int  # the last of them, counted over all phases
    episodes: int
    reward: float  # the learner's, on average over these episodes, as the rates that follow
    wins: float
    draws: float
    losses: float
    epsilon: float  # after the last of them
    rows: int


class Trainer:
    """Learns as its config says; `table` holds what it has learnt so far."""

    def __init__(self, config: QConfig, make_opponent: MakeOpponent | None = None) -> None:
        """`make_opponent` is needed for phases whose opponent has no compiled form."""
        self.config = config
        self.table = QTable(config.spec, memory=config.memory << 20)
        self.curve: list[CurvePoint] = []
        self.phase = self.generation = self.episodes = 0
        self.frozen = self.table.values[:0]
        """The values of the first rows when the generation began, if its opponent is frozen."""
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
            if self._rules.opponent == episode.OTHER:
                self._play_against(phase.opponent, wanted)
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
            episodes -= episode.play_episodes(self._course, self.table.arrays, self.frozen, search, self._rng, episodes)

    def _play_against(self, text: str, episodes: int) -> None:
        """Against an agent, a new one for each episode."""
        assert self._make_opponent is not None
        for _ in range(episodes):
            key = self.phase, self.generation, int(self._progress.episode)
            opponent = self._make_opponent(text, np.random.SeedSequence(self.config.seed, spawn_key=key))
            self.table.reserve()
            with np.errstate(over="ignore"):  # keys are mixed modulo 2^64
                _play_episode(opponent, self._course, self.table, self._rng)

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
        self.curve.append(
            CurvePoint(
                phase=self.phase,
                generation=self.generation,
                episode=self.episodes,
                episodes=games,
                reward=mean,
                **{name: count / games for name, count in counts.items()},
                epsilon=float(progress.epsilon),
                rows=len(self.table),
            )
        )
        progress.reward = progress.wins = progress.draws = progress.losses = 0

    def _begin_generation(self) -> None:
        """The next one, if there is one."""
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
        rules.opponent, rules.simulations = compiled_opponent(phase.opponent)
        rules.side, rules.self_play, rules.random_starts = _SIDES[phase.side], phase.self_play, phase.random_starts

    def state(self) -> dict[str, object]:
        """Its progress as JSON; with `table` and `frozen` all that `restore` needs."""
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
        }

    def restore(self, state: dict[str, Any], table: QTable) -> None:
        """Continues from a `state`. `table` must have the memory of the config; the caller fills `frozen`."""
        self.table = table
        self.phase, self.generation, self.episodes = state["phase"], state["generation"], state["episodes"]
        self._begin_generation()
        self.frozen = table.values[:0]  # not the rows of now: the generation began with fewer
        self._best = -np.inf if state["best"] is None else state["best"]
        for name in _KEPT:
            setattr(self._progress, name, state["progress"][name])
        self._rng.bit_generator.state = state["random"]
        self.curve = [CurvePoint(**point) for point in state["curve"]]


_KEPT = ("episode", "epsilon", "reward", "wins", "draws", "losses")
"""What an episode leaves behind in `episode.Progress`."""


def compiled_opponent(text: str) -> tuple[int, int]:
    """(The code of an opponent in compiled episodes, simulations); `episode.OTHER` for what has no such code."""
    if text in _COMPILED:
        return _COMPILED[text], 0
    tree = re.fullmatch(r"mcts:simulations=([1-9]\d{0,5})", text)
    return (episode.MCTS, int(tree[1])) if tree else (episode.OTHER, 0)


def _play_episode(opponent: Opponent, course: episode.Course, table: QTable, rng: np.random.Generator) -> None:
    """One episode as `episode.play_episodes` plays it, with the moves of `opponent`. The table has room for it."""
    layout, rules, progress = course.layout, course.rules, course.progress
    arrays = table.arrays
    position = _random_start(table.spec, rules, rng)
    learner = episode.begin_episode(rules, progress)
    is_self = rules.self_play > 0 and rng.random() < rules.self_play
    reward = last = 0.0
    while True:
        side = position.ply & 1
        action = -1 if is_self or side == learner else opponent.decide(position).action
        if action < 0 or rules.negamax:
            stones, mask = bits_of(position, layout)
            key, mirrored = episode.find_slots(stones, mask, rules, layout)
            place = add_row(key, *arrays[:4]), mirrored
            action = episode.take_turn(course, table.values, table.visits, mask, side, place, action, rng)
        cell = position.landing_cell(action)
        position = position.play(action)
        if position.is_over:
            is_won = position.winner is not None
            episode.finish(side, is_won, course, table.values, table.visits)
            if side == learner or rules.negamax:
                reward += last
            reward += episode.count_result(side == learner, is_won, rules, progress)
            break
        given = episode.reward_move(*bits_of(position, layout), cell, side, course)
        if side == learner:
            reward += last
            last = given
    episode.end_episode(reward, rules, progress)


def _random_start(spec: GameSpec, rules: episode.Rules, rng: np.random.Generator) -> Position:
    position = Position.start(spec)
    if rules.random_starts > 0 and rng.random() < rules.random_starts:
        for _ in range(int(rng.random() * spec.cells)):
            after = position.play(position.legal_actions[int(rng.random() * len(position.legal_actions))])
            if after.is_over:
                break
            position = after
    return position
