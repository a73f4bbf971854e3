"""Questions about positions: what an agent decides, what perfect play is, how good a game was.

They run in search processes; `say` is told what is known so far.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from inarow.agents.agent import Decision, decide_watched
from inarow.agents.registry import make_agent
from inarow.arena.review import review_move
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.limits import Limits
from inarow.search.solver.api import shipped_book
from inarow.search.solver.solution import Analysis
from inarow.search.solver.solver import Solver
from inarow.search.tree.mcts import TreeSearch
from inarow.web.messages import Hint, Review, Think
from inarow.web.pool_worker import Reporter

_SOLVER_MEMORY = 128 << 20
_HINT_SECONDS = 12.0
_SOLVING_SECONDS, _REVIEW_SECONDS = 35.0, 45.0
"""In the review of a whole game: for the solver, and for everything. Positions for which the solver has nothing left
get an estimate, and these share the time that is left.
"""
_UNSURE_SECONDS = 1.5
"""For a position on a board that nobody promises to solve."""
_LEAST_SECONDS = 0.05
"""For a position on any other: an easy one is solved even when the time of the review is up."""
_HINT_SIMULATIONS, _REVIEW_SIMULATIONS = 20_000, 4000
"""For an estimate, where there is no exact score; in a review at most so many."""
_SAY_EVERY = 0.1
_kept: dict[GameSpec, Solver] = {}


def think(request: Think, say: Reporter) -> dict[str, Any]:
    """What an agent decides, with everything that it knows; see `Decision`."""
    position = Position.parse(request.moves, GameSpec.parse(request.board))
    # A game has one seed and each of its plies a stream, so that a question asked again has the same answer.
    agent = make_agent(request.agent, seed=np.random.SeedSequence(request.seed, spawn_key=(position.ply,)))
    clock = time.perf_counter()
    slowly = _seldom(say)
    decision = decide_watched(agent, position, lambda known: slowly(_evidence(known, position, clock)))
    position.play(decision.action)  # raises what is wrong with it
    return _evidence(decision, position, clock)


def hint(request: Hint, say: Reporter) -> dict[str, Any]:
    """The score of every action: exact, or where that takes too long an estimate of its value."""
    position = Position.parse(request.moves, GameSpec.parse(request.board))
    judged = _judgement(position, _limits(position.spec, _HINT_SECONDS, say), say)
    return judged if judged["exact"] else judged | _estimate(position, _HINT_SIMULATIONS, say)


def review(request: Review, say: Reporter) -> dict[str, Any]:
    """Every move of a game, last one first: late positions are easy and help with earlier ones."""
    end = Position.parse(request.moves, GameSpec.parse(request.board))
    clock = time.perf_counter()
    plies: list[dict[str, Any]] = []
    for ply in reversed(range(end.ply)):
        position = Position.start(end.spec)
        for action in end.actions[:ply]:
            position = position.play(action)
        left = min(_HINT_SECONDS, clock + _SOLVING_SECONDS - time.perf_counter())
        judged = _judgement(position, _limits(end.spec, left, say), None)
        if not judged["exact"]:
            now = time.perf_counter()
            until = now + (clock + _REVIEW_SECONDS - now) / (ply + 1)
            judged |= _estimate(position, _REVIEW_SIMULATIONS, say, until=until)
        plies.append({**judged, **_verdict(position, end.actions[ply], judged)})
        say(plies[-1])
    return {"plies": plies[::-1]}


def _judgement(position: Position, limits: Limits, say: Reporter | None) -> dict[str, Any]:
    """The analysis of an unfinished position; `exact` says whether the solver found its score."""
    scores: list[int | None] = [None] * position.spec.actions

    def one_more(action: int, solution: Any) -> None:
        scores[action] = None if solution.score is None else -solution.score
        if say is not None:
            say({"ply": position.ply, "exact": True, "scores": scores, "score": None, "best": []})

    analysis = _solver(position.spec).analyse(position, limits=limits, progress=one_more)
    is_exact = analysis.score is not None
    return {"ply": position.ply, "exact": is_exact, **msgspec.to_builtins(analysis), "values": None, "value": None}


def _estimate(position: Position, simulations: int, say: Reporter, *, until: float = math.inf) -> dict[str, Any]:
    """What a tree search thinks of an unfinished position, with fewer simulations if it is cancelled, or if
    `time.perf_counter()` comes to `until`.
    """
    search = TreeSearch(position.spec, np.random.default_rng(0), memory=16 << 20)
    tree = search.search(
        position, simulations=simulations, cancelled=lambda: say.is_cancelled() or time.perf_counter() >= until
    )
    return {"value": tree.value, "values": tree.values, "visits": tree.visits, "best": [tree.action]}


def _verdict(position: Position, action: int, judged: dict[str, Any]) -> dict[str, Any]:
    """What the move that was played did to the score."""
    analysis = msgspec.convert({name: judged[name] for name in Analysis.__dataclass_fields__}, Analysis)
    verdict = review_move(position, action, analysis)
    return {"action": action, "label": verdict.label, "after": verdict.after, "loss": verdict.loss}


def _solver(spec: GameSpec) -> Solver:
    """A solver of modest size, kept while its board is asked about."""
    if spec not in _kept:
        _kept.clear()
        _kept[spec] = Solver(spec, memory=_SOLVER_MEMORY, book=shipped_book(spec))
    return _kept[spec]


def _limits(spec: GameSpec, seconds: float, say: Reporter) -> Limits:
    is_sure = (spec.gravity and spec.fits_word) or spec.cells <= 16
    seconds = max(seconds, _LEAST_SECONDS) if is_sure else min(seconds, _UNSURE_SECONDS)
    return Limits(seconds=max(seconds, 0.0), cancelled=say.is_cancelled)


def _evidence(decision: Decision, position: Position, clock: float) -> dict[str, Any]:
    known = {name: value for name, value in msgspec.structs.asdict(decision).items() if value is not None}
    return {**known, "ply": position.ply, "seconds": round(time.perf_counter() - clock, 4)}


def _seldom(say: Reporter) -> Callable[[dict[str, Any]], None]:
    """Passes on at most ten messages a second, the first at once."""
    last = 0.0

    def perhaps(known: dict[str, Any]) -> None:
        nonlocal last
        say.go_on()
        if time.perf_counter() - last >= _SAY_EVERY:
            last = time.perf_counter()
            say(known)

    return perhaps
