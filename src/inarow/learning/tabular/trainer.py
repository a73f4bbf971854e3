"""Tabular Q-learning as a process that can be stopped and continued after any episode.

What a `Trainer` learns follows from its config alone: not from how often it was stopped, nor from
who looked on.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from inarow.games.kernels import compiled_layout
from inarow.learning.tabular import episode
from inarow.learning.tabular.agent_episodes import Opponent, play_against
from inarow.learning.tabular.config import Phase, QConfig
from inarow.learning.tabular.q_table import QTable
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.minimax.minimax import make_walk
from inarow.search.tree.mcts import USUAL_EXPLORATION
from inarow.search.tree.memory import SLOT_BYTES, make_tree
from inarow.search.tree.uct import PLAN

MakeOpponent = Callable[[str, np.random.SeedSequence], Opponent]
"""From an agent string and a seed to somebody to play against."""

_COMPILED = {"self": episode.SELF, "frozen": episode.FROZEN, "random": episode.RANDOM, "winblock": episode.WINBLOCK}
_SIDES = {"first": 0, "second": 1, "alternating": 2}


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A stretch of episodes of one generation."""

    phase: int
    generation: int
    episode: int
    """Of all phases, at the end of the stretch."""
    episodes: int
    reward: float
    """The learner's, on average over the stretch, as the rates that follow."""
    wins: float
    draws: float
    losses: float
    epsilon: float
    """At the end of the stretch."""
    rows: int


class Trainer:
    """Learns as its config says; `table` is what it has learnt so far."""

    def __init__(self, config: QConfig, make_opponent: MakeOpponent | None = None) -> None:
        """`make_opponent` serves phases whose opponent has no compiled form."""
        self.config = config
        self.table = QTable(config.spec, memory=config.memory << 20)
        self.curve: list[CurvePoint] = []
        self.phase = self.generation = 0
        self.episodes = 0
        self.frozen = self.table.values[:0]
        """The values of the first rows when the generation began, if its opponent is frozen."""
        self._best = -np.inf
        self._make_opponent = make_opponent
        self._rng = np.random.default_rng(config.seed)
        self._layout = compiled_layout(config.spec)
        self._progress: Any = np.zeros(1, episode.PROGRESS).view(np.recarray)
        self._rules: Any = np.zeros(1, episode.RULES).view(np.recarray)
        self._search = _search_parts(config)
        self._begin_generation()

    @property
    def is_finished(self) -> bool:
        return self.phase == len(self.config.phases)

    def run(self, episodes: int) -> None:
        """Trains for so many episodes more, or to the end."""
        while episodes > 0 and not self.is_finished:
            progress, phase = self._progress[0], self.config.phases[self.phase]
            until_report = self.config.report - progress.episode % self.config.report
            wanted = int(min(episodes, until_report, phase.episodes - progress.episode))
            self._play(wanted)
            episodes -= wanted
            self.episodes += wanted
            if wanted == until_report or progress.episode == phase.episodes:
                self._report()
            if progress.episode == phase.episodes:
                self._end_generation()

    def _play(self, episodes: int) -> None:
        phase, table = self.config.phases[self.phase], self.table
        has_tree = self._rules[0].opponent == episode.MCTS
        search: tuple[Any, Any, Any, Any, Any] = self._search if has_tree else (None, None, None, None, None)
        if self._rules[0].opponent == episode.OTHER:
            assert self._make_opponent is not None
            for _ in range(episodes):
                key = self.phase, self.generation, int(self._progress[0].episode)
                opponent = self._make_opponent(phase.opponent, np.random.SeedSequence(self.config.seed, spawn_key=key))
                table.reserve()
                play_against(opponent, self._rules[0], self._progress[0], table, self._rng)
            return
        while episodes > 0:
            table.reserve()
            episodes -= episode.play_episodes(
                self._layout,
                self._rules[0],
                self._progress[0],
                table.index,
                table.old_index,
                table.keys,
                table.values,
                table.visits,
                table.state,
                self.frozen,
                *search,
                self._rng,
                episodes,
            )

    def _report(self) -> None:
        """Adds a point to the curve, and lets the adaptive rule judge by it."""
        progress, exploration = self._progress[0], self.config.exploration
        games = int(progress.wins + progress.draws + progress.losses)
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
                wins=progress.wins.item() / games,
                draws=progress.draws.item() / games,
                losses=progress.losses.item() / games,
                epsilon=float(progress.epsilon),
                rows=len(self.table),
            )
        )
        progress.reward = progress.wins = progress.draws = progress.losses = 0

    def _end_generation(self) -> None:
        self.generation += 1
        if self.generation == self.config.phases[self.phase].generations:
            self.phase, self.generation = self.phase + 1, 0
        if self.is_finished:
            self.frozen = self.frozen[:0]
        else:
            self._begin_generation()

    def _begin_generation(self) -> None:
        self._progress[0].episode = 0
        self._progress[0].epsilon = self.config.exploration.start
        self._best = -np.inf
        self._set_rules(self.config.phases[self.phase])
        rows = len(self.table) if self._rules[0].opponent == episode.FROZEN else 0
        self.frozen = self.table.values[:rows].copy()

    def _set_rules(self, phase: Phase) -> None:
        config, rules = self.config, self._rules[0]
        rules.alpha, rules.gamma = config.alpha, config.gamma
        for name, value in _items(config.rewards):
            setattr(rules, name, value)
        is_geometric = config.exploration.rule == "geometric"
        rules.epsilon_decay = config.exploration.decay if is_geometric else 1.0
        rules.epsilon_floor = config.exploration.floor if is_geometric else 0.0
        rules.negamax, rules.mirror = config.target == "negamax", config.symmetry
        rules.opponent, rules.simulations = compiled_opponent(phase.opponent)
        rules.side, rules.self_play, rules.random_starts = _SIDES[phase.side], phase.self_play, phase.random_starts

    def state(self) -> dict[str, object]:
        """Where it is, as JSON; with `table` and `frozen` all that `restore` needs."""
        progress = self._progress[0]
        return {
            "phase": self.phase,
            "generation": self.generation,
            "episodes": self.episodes,
            "frozen_rows": len(self.frozen),
            "best": None if self._best == -np.inf else self._best,
            "progress": {name: progress[name].item() for name in _KEPT},
            "random": self._rng.bit_generator.state,
            "curve": [asdict(point) for point in self.curve],
        }

    def restore(self, state: dict[str, Any], table: QTable) -> None:
        """Goes on from a `state`. `table` must have the memory of the config; `frozen` is left without rows, for the
        caller to fill.
        """
        self.table = table
        self.phase, self.generation, self.episodes = state["phase"], state["generation"], state["episodes"]
        if not self.is_finished:
            self._begin_generation()
        self.frozen = table.values[:0]  # not the rows of now: the generation began with fewer
        self._best = -np.inf if state["best"] is None else state["best"]
        for name in _KEPT:
            setattr(self._progress[0], name, state["progress"][name])
        self._rng.bit_generator.state = state["random"]
        self.curve = [CurvePoint(**point) for point in state["curve"]]


_KEPT = ("episode", "epsilon", "reward", "wins", "draws", "losses")
"""What an episode leaves behind in `episode.PROGRESS`."""


def _search_parts(config: QConfig) -> tuple[Any, Any, Any, Any, Any]:
    """What `episode.play_episodes` needs for an opponent that grows trees."""
    spec = config.spec
    simulations = max(compiled_opponent(phase.opponent)[1] for phase in config.phases)
    plan: Any = np.zeros(1, PLAN).view(np.recarray)
    plan[0].exploration, plan[0].solve = USUAL_EXPLORATION, 1
    heuristic, walk = make_heuristic("windows", spec), make_walk(spec, prune=True, all_best=True)
    tree = make_tree((simulations + 2) * spec.actions * SLOT_BYTES)
    return tree, plan[0], heuristic.starts, heuristic.weights[0], walk[0]


def compiled_opponent(text: str) -> tuple[int, int]:
    """(The code of an opponent in compiled episodes, simulations); `episode.OTHER` for what has no such code."""
    if text in _COMPILED:
        return _COMPILED[text], 0
    tree = re.fullmatch(r"mcts:simulations=([1-9]\d{0,5})", text)
    return (episode.MCTS, int(tree[1])) if tree else (episode.OTHER, 0)


def _items(part: Any) -> list[tuple[str, float]]:
    return [(name, getattr(part, name)) for name in part.__struct_fields__]
