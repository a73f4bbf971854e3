"""The games of paranji-2025: every agent against every other, and one agent at several depths.

Figures are named by agent or pairing (`first-second`): `wins` and `draws` in percent of the games,
`moves` a game, `nodes` a game of an agent over the games it began, `first` and `second` nodes a game
of each side of a pairing. Moves and nodes of an agent are means over its pairings as first player.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial

import msgspec
import numpy as np

from inarow.agents.agent import Agent, Decision
from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.tabular.q_table import QTable
from inarow.studies.experiment import Experiment, Measured
from inarow.studies.paranji_2025.corrected_q import CorrectedQ, train_corrected
from inarow.studies.paranji_2025.published import AGENTS, PAIRINGS

_PERCENT = 100.0
DEPTHS = range(1, 6)
WITHOUT_CHANCE = ("minimax", "alphabeta")
"""They search, and give the same answer whenever asked."""
_Memory = dict[Position, tuple[Decision, float]]
"""By position: a decision and the seconds it took."""


def play_round_robin(spec: GameSpec, experiment: Experiment) -> Measured:
    """Every agent against every other, on both sides, `games` games each."""
    games, episodes = experiment.size["games"], experiment.size["episodes"]
    streams = experiment.random_streams(2 * len(PAIRINGS))
    memory: dict[str, _Memory] = {agent: {} for agent in WITHOUT_CHANCE}
    curves: dict[str, list[tuple[float, float]]] = {}
    make = partial(_published_agent, episodes, experiment.seed)
    if experiment.variant == "corrected":
        trainer = train_corrected(spec, episodes, experiment.seed)
        curves = {
            "q.wins": [(float(point.episode), round(_PERCENT * point.wins, 2)) for point in trainer.curve],
            "q.losses": [(float(point.episode), round(_PERCENT * point.losses, 2)) for point in trainer.curve],
        }
        make = partial(_corrected_agent, spec, trainer.table)
    found = {}
    for number, (first, second) in enumerate(PAIRINGS):
        players = [
            _Metered(make(agent, stream), spec, memory.get(agent))
            for agent, stream in zip((first, second), streams[2 * number : 2 * number + 2], strict=True)
        ]
        found[first, second] = _play_pairing(spec, games, *players)
    return msgspec.structs.replace(_summarise(games, found), curves=curves)


def _published_agent(episodes: int, training_seed: int, agent: str, seed: np.random.SeedSequence) -> Agent:
    strings = {
        "default": "paranji-2025/winblock",
        "minimax": "paranji-2025/minimax:prune=false",
        "alphabeta": "paranji-2025/minimax",
        "q": f"paranji-2025/q:episodes={episodes},training_seed={training_seed}",
    }
    return make_agent(strings[agent], seed=seed)


def _corrected_agent(spec: GameSpec, table: QTable, agent: str, seed: np.random.SeedSequence) -> Agent:
    if agent == "q":
        return CorrectedQ(table, np.random.default_rng(seed))
    minimax = f"minimax:depth={'3' if spec.gravity else 'none'},heuristic=windows"
    strings = {"default": "winblock", "minimax": f"{minimax},prune=false", "alphabeta": minimax}
    return make_agent(strings[agent], seed=seed)


def play_depth_test(spec: GameSpec, experiment: Experiment) -> Measured:
    """Alpha-beta of each depth, moving first, against the default agent as it should be.

    The published test is the only one in which the default agent was told its side.
    """
    games = experiment.size["games"]
    figures, timings = {}, {}
    name = "paranji-2025/minimax" if experiment.variant == "as-published" else "minimax"
    for depth, stream in zip(DEPTHS, experiment.random_streams(len(DEPTHS)), strict=True):
        first = _Metered(make_agent(f"{name}:depth={depth}"), spec)
        tally = _play_pairing(spec, games, first, _Metered(make_agent("winblock", seed=stream), spec))
        figures[f"depth {depth}.nodes"] = tally.first_nodes / games
        figures[f"depth {depth}.wins"] = _PERCENT * tally.wins / games
        timings[f"depth {depth}.seconds"] = _microseconds(tally.first_seconds / games)
    return Measured(figures, {}, timings)


def play_listed_training(spec: GameSpec, experiment: Experiment) -> Measured:
    """The Q agent, trained as the listed commands have it, against the default agent."""
    games, episodes = experiment.size["games"], experiment.size["episodes"]
    streams = experiment.random_streams(2)
    learner = f"paranji-2025/q:episodes={episodes},opponent_blocks=true,training_seed={experiment.seed}"
    players = (make_agent(learner, seed=streams[0]), make_agent("paranji-2025/winblock", seed=streams[1]))
    tally = _play_pairing(spec, games, *(_Metered(player, spec) for player in players))
    totals = {"wins": _PERCENT * tally.wins, "draws": _PERCENT * tally.draws, "moves": tally.moves}
    return Measured({name: total / games for name, total in totals.items()})


class _Metered:
    """An agent whose nodes and seconds add up. With a memory, a position that it has decided in is
    not searched again and costs what it cost then; only for agents without chance.
    """

    def __init__(self, agent: Agent, spec: GameSpec, memory: _Memory | None = None) -> None:
        agent.decide(Position.start(spec))  # loads kernels and trains before the clock runs
        self.name = agent.name
        self._agent = agent
        self._memory = memory
        self.nodes = 0
        self.seconds = 0.0

    def decide(self, position: Position) -> Decision:
        known = None if self._memory is None else self._memory.get(position)
        if known is None:
            clock = time.perf_counter()
            decision = self._agent.decide(position)
            known = decision, time.perf_counter() - clock
            if self._memory is not None:
                self._memory[position] = known
        self.nodes += known[0].nodes or 0
        self.seconds += known[1]
        return known[0]


@dataclass(slots=True)
class _Tally:
    wins: int = 0
    draws: int = 0
    losses: int = 0
    moves: int = 0
    first_nodes: int = 0
    second_nodes: int = 0
    first_seconds: float = 0.0


def _play_pairing(spec: GameSpec, games: int, first: _Metered, second: _Metered) -> _Tally:
    tally = _Tally()
    for _ in range(games):
        record = play_game(first, second, spec)
        if record.fault is not None:
            raise RuntimeError(f"{first.name} against {second.name}: {record.fault}")
        tally.wins += record.winner == 1
        tally.draws += record.winner is None
        tally.losses += record.winner == 2
        tally.moves += len(record.plies)
    tally.first_nodes, tally.second_nodes, tally.first_seconds = first.nodes, second.nodes, first.seconds
    return tally


def _summarise(games: int, found: dict[tuple[str, str], _Tally]) -> Measured:
    figures: dict[str, float] = {}
    timings: dict[str, float] = {}
    for (first, second), tally in found.items():
        totals = {"wins": _PERCENT * tally.wins, "draws": _PERCENT * tally.draws, "moves": tally.moves}
        if first in WITHOUT_CHANCE:
            totals["first"] = tally.first_nodes
        if second in WITHOUT_CHANCE:
            totals["second"] = tally.second_nodes
        figures.update({f"{first}-{second}.{name}": total / games for name, total in totals.items()})
    for agent in AGENTS:
        begun = [tally for (first, _), tally in found.items() if first == agent]
        followed = [tally for (_, second), tally in found.items() if second == agent]
        played = games * (len(begun) + len(followed))
        wins = sum(tally.wins for tally in begun) + sum(tally.losses for tally in followed)
        draws = sum(tally.draws for tally in begun + followed)
        figures[f"{agent}.wins"] = _PERCENT * wins / played
        figures[f"{agent}.draws"] = _PERCENT * draws / played
        figures[f"{agent}.moves"] = float(np.mean([tally.moves for tally in begun])) / games
        if agent in WITHOUT_CHANCE:
            figures[f"{agent}.nodes"] = float(np.mean([tally.first_nodes for tally in begun])) / games
        timings[f"{agent}.seconds"] = _microseconds(sum(tally.first_seconds for tally in begun) / len(begun) / games)
    return Measured(figures, {}, timings)


def _microseconds(seconds: float) -> float:
    """As exact as a clock is here."""
    return round(seconds, 6)
