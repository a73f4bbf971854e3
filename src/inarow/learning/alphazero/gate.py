"""A match between two networks, which decides whether the newer one plays from now on."""

from __future__ import annotations

import numpy as np

from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.alphazero.config import GateConfig
from inarow.search.tree.config import SearchConfig
from inarow.search.tree.evaluation import Evaluate
from inarow.search.tree.search import NetSearch

_OPENING_PLIES = 4
_OPENING_TRIES = 100
_MEMORY = 32 << 20


def passes_gate(
    spec: GameSpec,
    challenger: Evaluate,
    defender: Evaluate,
    gate: GateConfig,
    search: SearchConfig,
    rng: np.random.Generator,
) -> bool:
    """Whether the challenger wins often enough; a match without a decided game is not enough."""
    wins, losses = play_match(spec, challenger, defender, gate.games, gate.simulations, search, rng)
    return wins + losses > 0 and wins >= gate.threshold * (wins + losses)


def play_match(
    spec: GameSpec,
    challenger: Evaluate,
    defender: Evaluate,
    games: int,
    simulations: int,
    search: SearchConfig,
    rng: np.random.Generator,
) -> tuple[int, int]:
    """(Wins, losses) of the challenger in games from random openings, each opening played with both sides."""
    players = [NetSearch(spec, each, search, games=games, memory=_MEMORY) for each in (challenger, defender)]
    openings = [_opening(spec, rng) for _ in range(-(-games // 2))]
    positions = [openings[game // 2] for game in range(games)]
    while any(not position.is_over for position in positions):
        for number, player in enumerate(players):
            turn = [
                game
                for game, position in enumerate(positions)
                if not position.is_over and (position.ply + game) % 2 == number
            ]
            for game, result in zip(
                turn, player.search_many([positions[game] for game in turn], simulations), strict=True
            ):
                positions[game] = positions[game].play(result.action)
    is_first = [(game % 2 == 0) for game in range(games)]
    wins = sum(position.winner == 2 - first for position, first in zip(positions, is_first, strict=True))
    losses = sum(position.winner == 1 + first for position, first in zip(positions, is_first, strict=True))
    return wins, losses


def _opening(spec: GameSpec, rng: np.random.Generator) -> Position:
    """A few random moves after which no move wins at once; the empty board if none are found."""
    for _ in range(_OPENING_TRIES):
        position = Position.start(spec)
        for _ in range(min(_OPENING_PLIES, spec.cells // 4)):
            if not position.is_over:
                position = position.play(rng.choice(position.legal_actions))
        if not position.is_over and not position.winning_actions():
            return position
    return Position.start(spec)
