"""What the paper lacks: games of the windowed agent on the whole board, and what they show of its windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.arena.openings import find_openings, usual_plies
from inarow.arena.statistics import half_points
from inarow.games.record import GameRecord
from inarow.games.spec import CONNECT_FOUR

OPPONENTS = ("random", "winblock", *(f"minimax:depth={depth}" for depth in (1, 2, 3, 4)))
SIDES = ("first", "second")
_PERCENT = 100.0


@dataclass(slots=True)
class _Tally:
    """Of games on one side of the board."""

    half_points: list[int] = field(default_factory=list)
    illegal: int = 0
    windows: int = 0
    unseen: int = 0

    def add(self, record: GameRecord, side: int) -> None:
        self.half_points.append(half_points(record, side))
        self.illegal += record.termination == "illegal move" and record.winner != side
        for ply in record.plies[(side - 1 - record.opening) % 2 :: 2]:
            assert ply.details is not None
            self.windows += ply.details["windows"]
            self.unseen += ply.details["unseen"]

    def figures(self) -> dict[str, float]:
        games = len(self.half_points)
        return {
            "wins": _PERCENT * self.half_points.count(2) / games,
            "draws": _PERCENT * self.half_points.count(1) / games,
            "illegal": _PERCENT * self.illegal / games,
            "unseen": _PERCENT * self.unseen / self.windows if self.windows else 0.0,
        }


def play_opponents(agent: Agent, games: int, streams: Sequence[np.random.SeedSequence]) -> dict[str, float]:
    """Figures in percent, named `6x7 OPPONENT.SIDE.WHAT`: wins, draws, games lost by an illegal move, and windows
    that were never met in training. `games` (even) a pairing, in pairs from balanced openings with sides
    swapped; one stream for each opponent.
    """
    figures = {}
    for opponent, stream in zip(OPPONENTS, streams, strict=True):
        for side, tally in zip(SIDES, _play(agent, opponent, games // 2, stream), strict=True):
            figures.update({f"6x7 {opponent}.{side}.{name}": value for name, value in tally.figures().items()})
    return figures


def _play(agent: Agent, opponent: str, pairs: int, stream: np.random.SeedSequence) -> tuple[_Tally, _Tally]:
    """What the agent made of the first side and of the second."""
    plies = usual_plies(CONNECT_FOUR, pairs, "balanced")
    openings = find_openings(CONNECT_FOUR, pairs, "balanced", seed=int(stream.generate_state(1)[0]), plies=plies)
    tallies = _Tally(), _Tally()
    for opening, seed in zip(openings, stream.spawn(pairs), strict=True):
        for side, game_seed in zip((1, 2), seed.spawn(2), strict=True):
            other = make_agent(opponent, seed=game_seed)
            players = (agent, other) if side == 1 else (other, agent)
            tallies[side - 1].add(play_game(*players, CONNECT_FOUR, opening=opening), side)
    return tallies
