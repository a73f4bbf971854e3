"""Agents that look ahead and judge what they see by a heuristic."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import numpy as np

from inarow.agents.agent import Decision, Watch
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.search.minimax.heuristics import HeuristicName, make_heuristic
from inarow.search.minimax.minimax import Minimax, MinimaxResult, forced_end
from inarow.search.minimax.negamax import FLAT_WIN

USUAL_DEPTH = 4

Depth = Annotated[int, msgspec.Meta(ge=1, le=256)]
HeuristicChoice = Annotated[HeuristicName, msgspec.Meta(description="how positions at the depth limit are judged")]


class MinimaxParameters(msgspec.Struct, frozen=True, kw_only=True):
    depth: Annotated[
        Depth | Literal["none", "auto"],
        msgspec.Meta(description="plies to look ahead; none: to the end; auto: 4, or no limit if seconds are given"),
    ] = "auto"
    seconds: Annotated[
        Annotated[float, msgspec.Meta(gt=0, le=3600)] | Literal["none"],
        msgspec.Meta(description="time for a move: deepens until it is over; not reproducible"),
    ] = "none"
    heuristic: HeuristicChoice = "windows"
    prune: Annotated[bool, msgspec.Meta(description="alpha-beta cut-offs; the move is the same without")] = True
    tie: Annotated[Literal["first", "random"], msgspec.Meta(description="which of several best moves")] = "first"
    memory: Annotated[
        int, msgspec.Meta(ge=0, le=4096, description="megabytes for a transposition table; 0 does without")
    ] = 0


class MinimaxAgent:
    """Plays the best move of a minimax search. A forced win outranks every heuristic, and the sooner
    the better; a forced loss comes as late as possible.
    """

    def __init__(self, name: str, parameters: MinimaxParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._parameters = parameters
        self._rng = rng
        self._search: Minimax | None = None

    def decide(self, position: Position) -> Decision:
        search, wanted = self._search_on(position.spec), self._parameters
        depth = None if isinstance(wanted.depth, str) else wanted.depth
        if wanted.seconds != "none":
            result = search.deepen(position, seconds=wanted.seconds, depth=depth)
        else:
            result = search.search(position, USUAL_DEPTH if wanted.depth == "auto" else depth)
        return self._decision(position, result)

    def decide_watched(self, position: Position, watch: Watch | None) -> Decision:
        """The same action, found by deepening ply by ply, so that there is something to tell on the way."""
        if watch is None:
            return self.decide(position)
        search, wanted = self._search_on(position.spec), self._parameters
        depth = None if isinstance(wanted.depth, str) else wanted.depth
        if wanted.depth == "auto" and wanted.seconds == "none":
            depth = USUAL_DEPTH
        result = search.deepen(
            position,
            seconds=None if wanted.seconds == "none" else wanted.seconds,
            depth=depth,
            watch=lambda known: watch(minimax_decision(position, known, known.action)),
        )
        return self._decision(position, result)

    def check_board(self, spec: GameSpec) -> None:
        make_heuristic(self._parameters.heuristic, spec)

    def _decision(self, position: Position, result: MinimaxResult) -> Decision:
        action, best = result.action, result.best
        if self._parameters.tie == "random":
            action = best[int(self._rng.random() * len(best))]
        return minimax_decision(position, result, action)

    def _search_on(self, spec: GameSpec) -> Minimax:
        if self._search is None or self._search.spec != spec:
            wanted = self._parameters
            self._search = Minimax(
                spec,
                make_heuristic(wanted.heuristic, spec),
                prune=wanted.prune,
                all_best=wanted.tie == "random",
                memory=wanted.memory << 20,
            )
        return self._search


class NegamaxParameters(msgspec.Struct, frozen=True, kw_only=True):
    depth: Annotated[Depth, msgspec.Meta(description="plies to look ahead")] = 2
    omega: Annotated[float, msgspec.Meta(ge=0, le=1, description="chance of a randomised move")] = 0.3


class NegamaxAgent:
    """The randomised negamax of santos-2025, with the heuristic `squares`.

    With chance `omega`, drawn before it searches, it plays a randomised move: if nobody can win
    within its depth whatever it plays, any move of positive value, or if there is none any move.
    In all other cases it plays the first best move. A drawn game counts 0; the source judges it
    by the heuristic, which can decide between two moves but not change a result.
    """

    def __init__(self, name: str, parameters: NegamaxParameters, rng: np.random.Generator) -> None:
        self.name = name
        self._depth, self._omega = parameters.depth, parameters.omega
        self._rng = rng
        self._searches: dict[bool, Minimax] = {}

    def decide(self, position: Position) -> Decision:
        randomised = self._rng.random() < self._omega
        result = self._search_on(position.spec, prune=not randomised).search(position, self._depth)
        action = result.action
        if randomised:
            choices = _randomised_choices(result)
            action = choices[int(self._rng.random() * len(choices))]
        return minimax_decision(position, result, action)

    def check_board(self, spec: GameSpec) -> None:
        make_heuristic("squares", spec)

    def _search_on(self, spec: GameSpec, *, prune: bool) -> Minimax:
        search = self._searches.get(prune)
        if search is None or search.spec != spec:
            wins = np.full(spec.cells + 1, FLAT_WIN)
            order = np.arange(spec.actions)
            search = Minimax(spec, make_heuristic("squares", spec), prune=prune, order=order, wins=wins)
            self._searches[prune] = search
        return search


def _randomised_choices(result: MinimaxResult) -> list[int]:
    """What a randomised move is drawn from, given the values of all moves."""
    values = {action: value for action, value in enumerate(result.values) if value is not None}
    if max(values.values()) >= FLAT_WIN or min(values.values()) <= -FLAT_WIN:
        return [result.action]
    return [action for action, value in values.items() if value > 0] or list(values)


def minimax_decision(position: Position, result: MinimaxResult, action: int) -> Decision:
    """What a minimax search tells about its choice.

    `value` is 1 or -1 for a forced end, else a monotone picture of the heuristic in (-1, 1), not a
    probability. `scores` are there where every legal move was searched without cut-offs.
    """
    end = forced_end(result.value)
    squashed = result.value / (1 + abs(result.value))
    known = all(result.values[legal] is not None for legal in position.legal_actions)
    return Decision(
        action=action,
        value=squashed if end is None else float(np.sign(result.value)),
        scores=result.values if known else None,
        nodes=result.nodes,
        depth=result.depth,
        details=None if end is None else {"ends_in": end - position.ply},
    )
