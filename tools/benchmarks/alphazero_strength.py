"""The strength of an AlphaZero net on Connect Four, measured by perfect play.

    python tools/benchmarks/alphazero_strength.py [NET] > tools/benchmarks/alphazero_strength.json

NET is a file or the name of a shipped net (connect4). Measures critical positions of the standard suite; hard
positions, which are quiet and come from nearly perfect play; games against the exact solver from all 57 openings of up
to two plies, on both sides; games from the empty board, where the solver breaks ties at random.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.arena.grading import Grade, grade
from inarow.arena.statistics import wilson_interval
from inarow.arena.suite import ILLEGAL, Suite, exact_scores
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR
from inarow.games.symmetry import canonical_key
from inarow.search.solver.api import solver_for
from inarow.workers import open_pool

SEED, WORKERS = 5, 2
HARD_POSITIONS, HARD_NOISE, HARD_PLIES = 500, 0.15, (2, 26)
GAMES_FROM_EMPTY_BOARD = 20
BANDS = ((0, 3), (4, 7), (8, 15), (16, 41))
PERFECT = "solver:tie=random"


def main() -> None:
    """Prints all measurements as JSON."""
    net = sys.argv[1] if len(sys.argv) > 1 else "connect4"
    agents = {number: f"alphazero:net={net},simulations={number}" for number in (0, 64, 400, 800)}
    graded = {number: grade(agents[number], workers=WORKERS) for number in (0, 64, 800)}
    _say("the standard suite is graded")
    hard = hard_suite()
    on_hard = {number: grade(make_agent(agents[number]), suite=hard) for number in (0, 400)}
    _say("hard positions are graded")
    result = {
        "net": net,
        "standard suite, critical positions": {_label(number): _critical(each) for number, each in graded.items()},
        "hard positions": {
            _label(number): _share(round((each.outcome_accuracy or 0) * len(hard)), len(hard))
            for number, each in on_hard.items()
        },
        "against the solver": from_openings(agents[800]),
        "first against the solver from the empty board": from_empty_board(agents[800]),
        "seconds of one core for a decision": decision_seconds(agents[800], hard),
    }
    print(json.dumps(result, indent=2))


def hard_suite() -> Suite:
    """Critical positions without a threat of one stone, from perfect play with some random moves."""
    rng = np.random.default_rng(SEED)
    solver, perfect = solver_for(CONNECT_FOUR), make_agent(PERFECT, seed=SEED)
    found: dict[int, tuple[Position, list[int]]] = {}
    while len(found) < HARD_POSITIONS:
        position = _noisy_position(perfect, int(rng.integers(HARD_PLIES[0], HARD_PLIES[1] + 1)), rng)
        if position.is_over or position.winning_actions() or position.winning_actions(of_opponent=True):
            continue
        scores = exact_scores(position, solver)
        if len({np.sign(score) for score in scores if score != ILLEGAL}) > 1:
            found[canonical_key(position)] = position, scores
    positions, rows = zip(*found.values(), strict=True)
    return Suite("hard", CONNECT_FOUR, positions, np.array(rows, np.int8), {})


def _noisy_position(player: Agent, ply: int, rng: np.random.Generator) -> Position:
    position = Position.start()
    while position.ply < ply and not position.is_over:
        is_noise = rng.random() < HARD_NOISE
        position = position.play(
            int(rng.choice(position.legal_actions)) if is_noise else player.decide(position).action
        )
    return position


@dataclass(frozen=True, slots=True)
class _Game:
    agent: str
    opening: str
    side: int
    seed: int


def from_openings(agent: str, seed: int = SEED) -> dict[str, Any]:
    """Games that the agent would not lose with perfect play: the number in which it kept their value, by side."""
    openings = ["".join(moves) for plies in range(3) for moves in product("1234567", repeat=plies)]
    games = [_Game(agent, opening, side, seed) for opening in openings for side in (1, 2)]
    with open_pool(WORKERS) as pool:
        results = list(pool.map(_against_solver, games))
    found: dict[str, Any] = {"openings": len(openings)}
    for side, name in ((1, "first"), (2, "second"), (None, "both")):
        held = [
            result >= expected
            for game, (expected, result) in zip(games, results, strict=True)
            if expected >= 0 and side in (None, game.side)
        ]
        found[name] = _share(sum(held), len(held))
    found["lost"] = [
        f"{game.opening or 'empty'} as {'first' if game.side == 1 else 'second'}"
        for game, (expected, result) in zip(games, results, strict=True)
        if 0 <= expected > result
    ]
    return found


def from_empty_board(agent: str) -> dict[str, Any]:
    """Wins as first player, each game with its own seed."""
    games = [_Game(agent, "", 1, SEED + number) for number in range(GAMES_FROM_EMPTY_BOARD)]
    with open_pool(WORKERS) as pool:
        results = list(pool.map(_against_solver, games))
    return _share(sum(result == 1 for _, result in results), len(results))


def _against_solver(game: _Game) -> tuple[int, int]:
    """(expected, found): the value of the opening and the result, for the agent: 1, 0 or -1."""
    opening = Position.parse(game.opening)
    value = int(np.sign(solver_for(CONNECT_FOUR).solve(opening).score or 0))
    expected = value if opening.side_to_move == game.side else -value
    players = [_made(game.agent, game.seed), make_agent(PERFECT, seed=game.seed)]
    record = play_game(*(players if game.side == 1 else reversed(players)), opening=opening)
    result = 0 if record.winner is None else 1 if record.winner == game.side else -1
    return expected, result


@lru_cache(maxsize=1)
def _made(agent: str, seed: int) -> Agent:
    return make_agent(agent, seed=seed)


def decision_seconds(agent: str, suite: Suite) -> dict[str, float]:
    """CPU time of decisions, each by a new agent."""
    player = make_agent(agent)
    player.decide(Position.start())
    times = []
    for position in (Position.start(), *suite.positions[:50]):
        clock = time.process_time()
        player.decide(position)
        times.append(time.process_time() - clock)
    return {"median": round(float(np.median(times)), 3), "longest": round(max(times), 3)}


def _critical(graded: Grade) -> dict[str, Any]:
    """Shares for all plies and for each range of plies."""
    bands = {}
    for low, high in BANDS:
        plies = [each for each in graded.by_ply if low <= each.ply <= high and each.critical]
        hits = sum(round((each.critical_accuracy or 0) * each.critical) for each in plies)
        bands[f"plies {low}-{high}"] = _share(hits, sum(each.critical for each in plies))
    return {"all": _share(round((graded.critical_accuracy or 0) * graded.critical), graded.critical), **bands}


def _share(hits: int, number: int) -> dict[str, Any]:
    low, high = wilson_interval(hits / number, number)
    return {
        "percent": round(100 * hits / number, 1),
        "interval": [round(100 * low, 1), round(100 * high, 1)],
        "hits": hits,
        "of": number,
    }


def _label(simulations: int) -> str:
    return f"{simulations} simulations" if simulations else "net alone"


def _say(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    main()
