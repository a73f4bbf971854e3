"""Positions for grading the network of a training run while it learns, for any board.

For a board with a suite these are critical positions of the suite, in which some move does not keep the outcome. For
others positions are generated:

- **endgames**: late positions of random games that the solver solves with few nodes; also critical;
- **double threats**, if there are not enough endgames (large boards, no gravity): after exactly one move the next
  stone wins, whatever the opponent does. A slower win counts as a miss.

In both, neither side has an immediate win, which a search finds without its network. The positions depend only on the
board; generating them takes seconds at most.
"""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from inarow.arena.suite import ILLEGAL, Suite, find_suite
from inarow.errors import InarowError
from inarow.games import GameSpec, Position
from inarow.search.limits import Limits
from inarow.search.solver.solver import Solver

ENDGAMES, DOUBLE_THREATS = "endgames", "double threats"
_MOST, _ENOUGH = 250, 50  # positions
_EMPTY_CELLS = 8, 18  # minimum and maximum of an endgame
_NODES = 2_000  # of the solver for an endgame
_ALL_NODES = 400_000  # for all endgames: seconds on boards that are slow to solve
_ENDGAME_EFFORT, _THREAT_EFFORT = 400_000, 1_500_000  # limits of the moves examined in random games
_MEMORY = 8 << 20  # of the solver
_QUIET_PER_GAME = 4


@lru_cache(maxsize=8)
def curve_suite(spec: GameSpec) -> Suite:
    """At most 250 positions, always the same ones; empty if no position of the board distinguishes networks."""
    try:
        return _critical(find_suite(None, spec))
    except InarowError:  # too large to score
        endgames = _suite(ENDGAMES, spec, _endgames(spec))
    if len(endgames) >= _ENOUGH:
        return endgames
    threats = _suite(DOUBLE_THREATS, spec, _double_threats(spec))
    return max(threats, endgames, key=len)


def description(suite: Suite) -> str:
    """A readable description of the positions: `250 endgames on 8x9x5`."""
    if suite.name in (ENDGAMES, DOUBLE_THREATS):
        return f"{len(suite)} {suite.name} on {suite.spec}"
    return f"{len(suite)} critical positions of the {suite.name} suite of {suite.spec}"


def _critical(suite: Suite) -> Suite:
    """A sample of the critical positions."""
    return suite.part(np.sort(np.random.default_rng(0).permutation(suite.critical_places())[:_MOST]))


# --- Generated positions ---

_Row = dict[int, int]  # outcomes by legal action, for the side to move


def _suite(name: str, spec: GameSpec, found: Iterator[tuple[Position, _Row]]) -> Suite:
    """A suite of the first positions found, with outcomes as scores."""
    rows: dict[Position, _Row] = {}
    for position, row in found:
        rows[position] = row
        if len(rows) == _MOST:
            break
    scores = np.full((len(rows), spec.actions), ILLEGAL, np.int8)
    for number, row in enumerate(rows.values()):
        scores[number, list(row)] = list(row.values())
    return Suite(name, spec, tuple(rows), scores, {})


def _endgames(spec: GameSpec) -> Iterator[tuple[Position, _Row]]:
    rng, solver = np.random.default_rng(0), Solver(spec, memory=_MEMORY)
    effort = nodes = 0
    fewest, most = (min(empty, spec.cells) for empty in _EMPTY_CELLS)
    while effort < _ENDGAME_EFFORT and nodes < _ALL_NODES:
        last = spec.cells - int(rng.integers(fewest, most + 1))
        position: Position | None = Position.start(spec)
        while position is not None and position.ply < last:
            effort += len(position.legal_actions)
            position = _after_a_safe_move(position, rng)
        effort += 1
        if position is not None and not _is_sharp(position):
            row, used = _outcomes(position, solver)
            nodes += used
            if row and min(row.values()) < max(row.values()):
                yield position, row


def _after_a_safe_move(position: Position, rng: np.random.Generator) -> Position | None:
    """The position after a random move that neither ends the game nor lets the opponent end it; None if there
    is none.
    """
    wins = position.winning_actions()
    for action in rng.permutation(position.legal_actions).tolist():
        if action not in wins:
            after = position.play(action)
            if not after.is_over and not after.winning_actions():
                return after
    return None


def _outcomes(position: Position, solver: Solver) -> tuple[_Row, int]:
    """(The outcome of every legal action, empty if that takes too many nodes; the number of nodes.)"""
    row, nodes = {}, 0
    for action in position.legal_actions:
        after = position.play(action)
        if after.is_over:  # drawn: neither side can win at once
            row[action] = 0
            continue
        solution = solver.solve(after, weak=True, limits=Limits(nodes=max(1, _NODES - nodes)))
        nodes += solution.nodes
        if solution.outcome is None:
            return {}, nodes
        row[action] = -solution.outcome
    return row, nodes


def _double_threats(spec: GameSpec) -> Iterator[tuple[Position, _Row]]:
    rng, effort = np.random.default_rng(0), 0
    while effort < _THREAT_EFFORT:
        position, line = Position.start(spec), list[Position]()
        while not position.is_over:
            line.append(position)
            legal = position.legal_actions
            effort += len(legal)
            position = position.play(legal[int(rng.integers(len(legal)))])
        quiet = (each for each in reversed(line) if not _is_sharp(each))
        for each, _ in zip(quiet, range(_QUIET_PER_GAME), strict=False):
            legal = each.legal_actions
            wins = [action for action in legal if _wins_next(each.play(action))]
            effort += len(legal)
            if len(wins) == 1 and len(legal) > 1:
                yield each, {action: int(action in wins) for action in legal}


def _wins_next(after: Position) -> bool:
    """Whether the side that has just moved wins with its next stone, whatever the opponent does."""
    if after.is_over or after.winning_actions():
        return False
    threats = after.winning_actions(of_opponent=True)
    if len(threats) > 1:
        return True
    replies = (after.play(reply) for reply in threats or after.legal_actions)
    return all(not reply.is_over and reply.winning_actions() for reply in replies)


def _is_sharp(position: Position) -> bool:
    """Whether a side could win at once."""
    return bool(position.winning_actions() or position.winning_actions(of_opponent=True))
