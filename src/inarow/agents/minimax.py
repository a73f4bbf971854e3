"""Agents with minimax search and a heuristic."""

from functools import partial
from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct

from inarow.agents.agent import Decision, ParameterisedAgent, Seconds, Watcher, watch_results
from inarow.games import GameSpec, Position
from inarow.search.limits import Limits
from inarow.search.minimax.heuristics import heuristic_digest, heuristic_names, make_heuristic
from inarow.search.minimax.minimax import Minimax, MinimaxResult, forced_end
from inarow.search.minimax.negamax import FLAT_WIN, negamax_search

MINIMAX_LIMITS = ("nodes", "depth", "seconds")
USUAL_DEPTH = 4

Depth = Annotated[int, Meta(ge=1, le=256)]
HeuristicChoice = Annotated[
    str,
    Meta(
        description="evaluation of positions at the depth limit",
        extra={"choices": heuristic_names, "part": "heuristic"},
    ),
]


class MinimaxParameters(Struct, frozen=True, kw_only=True):
    depth: Annotated[
        Depth | Literal["none", "auto"],
        Meta(description="search depth in plies; none: to the end; auto: 4, or no limit if seconds are given"),
    ] = "auto"
    seconds: Annotated[Seconds, Meta(description="time per move, by iterative deepening; not reproducible")] = "none"
    heuristic: HeuristicChoice = "windows"
    prune: Annotated[bool, Meta(description="use alpha-beta cut-offs, which do not change the move")] = True
    tie: Annotated[Literal["first", "random"], Meta(description="choice among equally good moves")] = "first"
    memory: Annotated[int, Meta(ge=0, le=4096, description="megabytes for a transposition table; 0: none")] = 0


class MinimaxAgent(ParameterisedAgent[MinimaxParameters]):
    """Plays the best move of a minimax search. A forced win is better than any heuristic value, and an earlier win is
    better than a later one; a forced loss is delayed as long as possible.
    """

    _search: Minimax | None = None

    def decide(self, position: Position, *, limits: Limits | None = None, watch: Watcher | None = None) -> Decision:
        used = self._limits.replaced_by(limits, MINIMAX_LIMITS)
        result = self._search_on(position.spec).search(
            position, used, watch=watch_results(watch, partial(minimax_decision, position))
        )
        action, best = result.action, result.best
        if self._parameters.tie == "random":
            action = best[int(self._rng.random() * len(best))]
        return minimax_decision(position, result, action)

    def check_board(self, spec: GameSpec) -> None:
        make_heuristic(self._parameters.heuristic, spec)

    @property
    def _limits(self) -> Limits:
        depth, seconds = self._parameters.depth, self._parameters.seconds
        if depth == "auto":
            depth = USUAL_DEPTH if seconds == "none" else "none"
        return Limits(depth=None if depth == "none" else depth, seconds=None if seconds == "none" else seconds)

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


def minimax_hash(parameters: MinimaxParameters) -> str | None:
    """A digest of the registered heuristic, if any."""
    return heuristic_digest(parameters.heuristic)


class NegamaxParameters(Struct, frozen=True, kw_only=True):
    depth: Annotated[Depth, Meta(description="search depth in plies")] = 2
    omega: Annotated[float, Meta(ge=0, le=1, description="probability of a randomised move")] = 0.3


class NegamaxAgent(ParameterisedAgent[NegamaxParameters]):
    """The randomised negamax of santos-2025, with the heuristic `squares`.

    With probability `omega`, drawn before the search, it plays a random move of positive value, or any move if none
    is positive, unless a move forces a win or a loss within its depth. Otherwise it plays the first best move. A
    draw has the value 0; the source evaluates it by the heuristic, which can decide between two moves but not change
    a result.
    """

    def __init__(self, name: str, parameters: NegamaxParameters, rng: np.random.Generator) -> None:
        super().__init__(name, parameters, rng)
        self._searches: dict[bool, Minimax] = {}

    def decide(self, position: Position, *, limits: Limits | None = None, watch: Watcher | None = None) -> Decision:
        randomised = self._rng.random() < self._parameters.omega
        used = Limits(depth=self._parameters.depth).replaced_by(limits, MINIMAX_LIMITS)
        search = self._search_on(position.spec, prune=not randomised)
        result = search.search(position, used, watch=watch_results(watch, partial(minimax_decision, position)))
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
            search = self._searches[prune] = negamax_search(spec, prune=prune)
        return search


def _randomised_choices(result: MinimaxResult) -> list[int]:
    """The actions from which a randomised move is drawn, given the values of all moves."""
    values = {action: value for action, value in enumerate(result.values) if value is not None}
    if max(values.values()) >= FLAT_WIN or min(values.values()) <= -FLAT_WIN:
        return [result.action]
    return [action for action, value in values.items() if value > 0] or list(values)


def minimax_decision(position: Position, result: MinimaxResult, action: int | None = None) -> Decision:
    """The result of a minimax search as a decision for `action`, by default for its best action.

    `value` is 1 or -1 for a forced end, otherwise a monotone map of the heuristic to (-1, 1), not a probability.
    `scores` are set if every legal move was searched without cut-offs.
    """
    end = forced_end(result.value)
    squashed = result.value / (1 + abs(result.value))
    known = all(result.values[legal] is not None for legal in position.legal_actions)
    return Decision(
        action=result.action if action is None else action,
        value=squashed if end is None else float(np.sign(result.value)),
        scores=result.values if known else None,
        nodes=result.nodes,
        depth=result.depth,
        details=None if end is None else {"ends_in": end - position.ply},
    )
