"""The experiments of paranji-2025: a round robin, one agent at several depths, and another training.

Figures are named by agent or pairing (`first-second`): `wins` and `draws` in percent of the games,
`moves` per game, `nodes` per game of an agent over the games that it began, `first` and `second`: nodes per game of
each side of a pairing. Moves and nodes of an agent are means over its pairings as first player.
"""

import time
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from inarow.agents.agent import Agent, Decision, ImmediateAgent
from inarow.agents.registry import make_agent
from inarow.games import CONNECT_FOUR, GameSpec, Position
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.q_table import QTable
from inarow.learning.tabular.trainer import Trainer
from inarow.studies.comparison import PERCENT
from inarow.studies.experiment import Measured, Scale, Trial
from inarow.studies.paranji_2025 import AGENTS, BOARDS, PAIRINGS, SEARCHERS
from inarow.studies.play import TablePlayer, play_sound_game, values_by_position
from inarow.studies.study import Repeated

DEPTHS = range(1, 6)
_EPISODES = {"tictactoe": 5_000, "connect4": 50_000}
_CURVE_POINTS = 20
_Memory = dict[Position, tuple[Decision, float]]  # by position: a decision and its time in seconds


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Every agent against every other, on both sides, `games` games each."""

    board: str

    @property
    def name(self) -> str:
        return f"{self.board} round robin"

    def run(self, trial: Trial) -> Measured:
        games, episodes, spec = trial.size["games"], trial.size["episodes"], GameSpec.parse(self.board)
        streams = iter(trial.random_streams(2 * len(PAIRINGS)))
        memory: dict[str, _Memory] = {agent: {} for agent in SEARCHERS}
        curves: dict[str, list[tuple[float, float]]] = {}
        make = partial(_published_agent, episodes, trial.seed)
        if not trial.is_published:
            trainer = train_corrected(spec, episodes, trial.seed)
            for name in ("wins", "losses"):
                points = [(float(each.episode), round(PERCENT * getattr(each, name), 2)) for each in trainer.curve]
                curves[f"q.{name}"] = points
            make = partial(_corrected_agent, spec, trainer.table)
        found = {}
        for pairing in PAIRINGS:
            players = [_Metered(make(agent, next(streams)), spec, memory.get(agent)) for agent in pairing]
            found[pairing] = _play_pairing(spec, games, *players)
        return replace(_summarise(games, found), curves=curves)


@dataclass(frozen=True, slots=True)
class ListedTraining:
    """The Q agent, trained by the commands in the report, against the default agent."""

    board: str

    @property
    def name(self) -> str:
        return f"{self.board} training as listed"

    def run(self, trial: Trial) -> Measured:
        games, episodes, spec = trial.size["games"], trial.size["episodes"], GameSpec.parse(self.board)
        learner = f"paranji-2025/q:episodes={episodes},opponent_blocks=true,training_seed={trial.seed}"
        agents = zip((learner, "paranji-2025/winblock"), trial.random_streams(2), strict=True)
        players = [_Metered(make_agent(agent, seed=stream), spec) for agent, stream in agents]
        return Measured(_play_pairing(spec, games, *players).figures(games))


@dataclass(frozen=True, slots=True)
class DepthTest:
    """Alpha-beta at each depth, moving first, against the default agent without its fault.

    The published test is the only one in which the default agent knew its side.
    """

    name: str = "connect4 depth test"

    def run(self, trial: Trial) -> Measured:
        games, spec, figures, timings = trial.size["games"], CONNECT_FOUR, {}, {}
        name = "paranji-2025/minimax" if trial.is_published else "minimax"
        for depth, stream in zip(DEPTHS, trial.random_streams(len(DEPTHS)), strict=True):
            first = _Metered(make_agent(f"{name}:depth={depth}"), spec)
            tally = _play_pairing(spec, games, first, _Metered(make_agent("winblock", seed=stream), spec))
            figures[f"depth {depth}.nodes"] = tally.first / games
            figures[f"depth {depth}.wins"] = PERCENT * tally.wins / games
            timings[f"depth {depth}.seconds"] = round(tally.seconds / games, 6)  # microseconds
        return Measured(figures, {}, timings)


def experiments(scale: Scale) -> list[Repeated]:
    runs = 4 if scale == "quick" else 20
    sizes = {board: {"games": 100, "episodes": _EPISODES[board]} for board in reversed(BOARDS)}  # the longest first
    return [
        *(Repeated(RoundRobin(board), runs, size) for board, size in sizes.items()),
        *(Repeated(ListedTraining(board), runs, size, variants=("as-published",)) for board, size in sizes.items()),
        Repeated(DepthTest(), 20 if scale == "quick" else 40, {"games": 1}),
    ]


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
        return corrected_q(table, np.random.default_rng(seed))
    minimax = f"minimax:depth={'3' if spec.gravity else 'none'},heuristic=windows"
    strings = {"default": "winblock", "minimax": f"{minimax},prune=false", "alphabeta": minimax}
    return make_agent(strings[agent], seed=seed)


def corrected_q(table: QTable, rng: np.random.Generator) -> TablePlayer:
    return TablePlayer("paranji-2025 corrected Q", partial(values_by_position, table), rng)


def train_corrected(spec: GameSpec, episodes: int, seed: int) -> Trainer:
    """The Q-learner as described in the report, trained; its curve has at least twenty points."""
    config = msgspec.toml.decode((files(__package__) / "corrected.toml").read_bytes(), type=QConfig)
    (phase,) = config.phases
    phases, report = (replace(phase, episodes=episodes),), max(1, episodes // _CURVE_POINTS)
    trainer = Trainer(replace(config, board=str(spec), phases=phases, seed=seed, report=report))
    trainer.run(episodes)
    return trainer


class _Metered(ImmediateAgent):
    """An agent with counters of nodes and seconds. With a memory, for deterministic agents, a repeated position is not
    searched again; its earlier cost is counted.
    """

    def __init__(self, agent: Agent, spec: GameSpec, memory: _Memory | None = None) -> None:
        agent.decide(Position.start(spec))  # loads kernels and trains before the time is measured
        self.name, self._agent, self._memory = agent.name, agent, memory
        self.nodes, self.seconds = 0, 0.0

    def _decide(self, position: Position) -> Decision:
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


class _Tally(NamedTuple):
    wins: int
    draws: int
    losses: int
    moves: int
    first: int  # nodes
    second: int
    seconds: float  # of the first

    def figures(self, games: int) -> dict[str, float]:
        return {"wins": PERCENT * self.wins / games, "draws": PERCENT * self.draws / games, "moves": self.moves / games}


def _play_pairing(spec: GameSpec, games: int, first: _Metered, second: _Metered) -> _Tally:
    records = [play_sound_game(first, second, spec) for _ in range(games)]
    wins, draws, losses = (sum(record.winner == winner for record in records) for winner in (1, None, 2))
    moves = sum(len(record.plies) for record in records)
    return _Tally(wins, draws, losses, moves, first.nodes, second.nodes, first.seconds)


def _summarise(games: int, found: dict[tuple[str, str], _Tally]) -> Measured:
    figures: dict[str, float] = {}
    timings: dict[str, float] = {}
    for (first, second), tally in found.items():
        nodes = {"first": tally.first / games, "second": tally.second / games}
        counted = {side: nodes[side] for side, agent in zip(nodes, (first, second), strict=True) if agent in SEARCHERS}
        figures |= {f"{first}-{second}.{name}": value for name, value in (tally.figures(games) | counted).items()}
    for agent in AGENTS:
        begun = [tally for (first, _), tally in found.items() if first == agent]
        followed = [tally for (_, second), tally in found.items() if second == agent]
        played = games * (len(begun) + len(followed))
        wins = sum(tally.wins for tally in begun) + sum(tally.losses for tally in followed)
        figures[f"{agent}.wins"] = PERCENT * wins / played
        figures[f"{agent}.draws"] = PERCENT * sum(tally.draws for tally in begun + followed) / played
        figures[f"{agent}.moves"] = float(np.mean([tally.moves for tally in begun])) / games
        if agent in SEARCHERS:
            figures[f"{agent}.nodes"] = float(np.mean([tally.first for tally in begun])) / games
        timings[f"{agent}.seconds"] = round(sum(tally.seconds for tally in begun) / len(begun) / games, 6)
    return Measured(figures, {}, timings)
