"""How far a run is, and what follows from that: the time left, simulations, points of its curve."""

from __future__ import annotations

from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.run_state import RunState

_POINTS = 12
"""Points of the curve, at least, about."""
_LONGEST_POINT = 300.0
_USUAL_GAME = 0.6
"""How much of the board a game fills, before there is a game to look at."""


def progress(config: AlphaZeroConfig, state: RunState) -> float:
    """How much of the budget is spent, from 0 to 1."""
    if config.minutes is not None:
        return min(1.0, state.seconds / (60 * config.minutes))
    assert config.iterations is not None
    part = min(1.0, state.games_of_iteration / config.iteration_games)
    return min(1.0, (state.iterations + part) / config.iterations)


def is_finished(config: AlphaZeroConfig, state: RunState) -> bool:
    """Whether the budget is spent. Iterations count when they are over."""
    if config.minutes is not None:
        return progress(config, state) >= 1.0
    return state.iterations >= (config.iterations or 0)


def seconds_left(config: AlphaZeroConfig, state: RunState) -> float | None:
    """Until the budget is spent, if all goes on as so far; None at the very beginning."""
    done = progress(config, state) or _guessed_progress(config, state)
    return state.seconds * (1 - done) / done if done > 0 else None


def _guessed_progress(config: AlphaZeroConfig, state: RunState) -> float:
    """By simulations, while no game has ended yet."""
    cells = sum(spec.cells for spec in config.specs) / len(config.specs)
    games = (config.iterations or 0) * config.iteration_games
    simulations = games * config.selfplay.simulations * cells * _USUAL_GAME
    return min(1.0, state.simulations / simulations) if simulations else 0.0


def simulations_now(config: AlphaZeroConfig, state: RunState) -> int:
    """Of a search in self-play."""
    first, last = config.selfplay.first_simulations, config.selfplay.simulations
    return round(first + (last - first) * progress(config, state))


def point_is_due(config: AlphaZeroConfig, state: RunState, since: float) -> bool:
    """Whether the curve should get a point, so many seconds of training after the last one."""
    if config.minutes is not None:
        return since >= min(_LONGEST_POINT, 60 * config.minutes / _POINTS)
    assert config.iterations is not None
    iteration = state.curve[-1].iteration if state.curve else 0
    return since >= _LONGEST_POINT or _POINTS * (state.iterations - iteration) >= config.iterations
