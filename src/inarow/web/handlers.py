"""Handlers of requests about positions: the decision of an agent, exact scores, the review of a game.

They run in search processes; `report` passes intermediate results to the client.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from inarow.agents.agent import Decision
from inarow.agents.registry import make_agent
from inarow.arena.review import review_move
from inarow.games import GameSpec, Position
from inarow.search.limits import Limits
from inarow.search.solver.api import shipped_book
from inarow.search.solver.solution import Analysis
from inarow.search.solver.solver import Solver
from inarow.search.tree.search import TreeSearch
from inarow.web.messages import Hint, Review, Think
from inarow.web.pool_worker import Reporter

_SOLVER_MEMORY = 128 << 20
_HINT_SECONDS, _ESTIMATE_SECONDS = 12.0, 3.0  # time limits of the solver, and of an estimate after it
_SOLVING_SECONDS, _REVIEW_SECONDS = 35.0, 45.0
"""Time limits in the review of a game: of the solver, and in total. Positions without time for the solver get an
estimate; they share the remaining time.
"""
_UNSURE_SECONDS = 1.5  # time limit for a position on a board that may be too hard
_LEAST_SECONDS = (
    0.05  # minimum for a position on other boards: easy ones are solved even when the total time is used up
)
_HINT_SIMULATIONS, _REVIEW_SIMULATIONS = 20_000, 4000  # maximum, for an estimate if there is no exact score


def think(request: Think, report: Reporter) -> dict[str, Any]:
    """The decision of an agent with all of its data; see `Decision`."""
    position = Position.parse(request.moves, GameSpec.parse(request.board))
    # A game has one seed, and each ply its own stream, so that a repeated request has the same answer.
    agent = make_agent(request.agent, seed=np.random.SeedSequence(request.seed, spawn_key=(position.ply,)))
    clock = time.perf_counter()
    decision = agent.decide(
        position,
        limits=Limits(cancelled=report.is_cancelled),
        watch=lambda known: report.at_times(_evidence(known, position, clock)),
    )
    position.play(decision.action)  # raises if it is illegal
    return _evidence(decision, position, clock)


def hint(request: Hint, report: Reporter) -> dict[str, Any]:
    """The exact score of every action, or an estimate of its value if that takes too long."""
    position = Position.parse(request.moves, GameSpec.parse(request.board))
    analysis, judged = _judgement(position, _limits(position.spec, _HINT_SECONDS, report), report.at_times)
    if analysis.score is not None:
        return judged
    return judged | _estimate(position, _HINT_SIMULATIONS, report, until=time.perf_counter() + _ESTIMATE_SECONDS)


def review(request: Review, report: Reporter) -> dict[str, Any]:
    """A review of every move of a game, from last to first: late positions are easy and help with earlier ones."""
    end = Position.parse(request.moves, GameSpec.parse(request.board))
    clock = time.perf_counter()
    plies: list[dict[str, Any]] = []
    for position, action in reversed(list(zip(end.line(), end.actions, strict=False))):
        left = min(_HINT_SECONDS, clock + _SOLVING_SECONDS - time.perf_counter())
        analysis, judged = _judgement(position, _limits(end.spec, left, report), None)
        if analysis.score is None:
            now = time.perf_counter()
            until = now + (clock + _REVIEW_SECONDS - now) / (position.ply + 1)
            judged |= _estimate(position, _REVIEW_SIMULATIONS, report, until=until)
        verdict = review_move(position, action, analysis)
        plies.append({**judged, "action": action, "label": verdict.label, "after": verdict.after, "loss": verdict.loss})
        report(plies[-1])
    return {"plies": plies[::-1]}


def _judgement(
    position: Position, limits: Limits, report: Callable[[dict[str, Any]], None] | None
) -> tuple[Analysis, dict[str, Any]]:
    """The analysis of an unfinished position, also as JSON; `exact` says whether the solver found its score."""

    def watch(known: Analysis) -> None:
        if report is not None and known.score is not None:
            report({"ply": position.ply, "exact": True, "scores": known.scores, "score": None, "best": []})

    analysis = _solver(position.spec).analyse(position, limits=limits, watch=watch)
    found = msgspec.to_builtins(replace(analysis, position=None))
    del found["position"]
    known = {"ply": position.ply, "exact": analysis.score is not None, **found}
    return analysis, {**known, "values": None, "value": None}


def _estimate(position: Position, simulations: int, report: Reporter, *, until: float) -> dict[str, Any]:
    """The values of a tree search, which ends early if it is cancelled or `time.perf_counter()` reaches `until`."""
    search = TreeSearch(position.spec, np.random.default_rng(0), memory=16 << 20)
    stop = Limits(simulations=simulations, cancelled=lambda: report.is_cancelled() or time.perf_counter() >= until)
    tree = search.search(position, limits=stop)
    return {"value": tree.value, "values": tree.values, "visits": tree.visits, "best": [tree.action]}


@lru_cache(maxsize=1)
def _solver(spec: GameSpec) -> Solver:
    """A solver with a small table, cached until another board is requested."""
    return Solver(spec, memory=_SOLVER_MEMORY, book=shipped_book(spec))


def _limits(spec: GameSpec, seconds: float, report: Reporter) -> Limits:
    is_sure = (spec.gravity and spec.fits_word) or spec.cells <= 16
    seconds = max(seconds, _LEAST_SECONDS) if is_sure else min(seconds, _UNSURE_SECONDS)
    return Limits(seconds=max(seconds, 0.0), cancelled=report.is_cancelled)


def _evidence(decision: Decision, position: Position, clock: float) -> dict[str, Any]:
    known = {name: value for name, value in msgspec.structs.asdict(decision).items() if value is not None}
    return {**known, "ply": position.ply, "seconds": round(time.perf_counter() - clock, 4)}
