"""The result of a match, from a's view: the JSON that others rely on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inarow.arena.sprt import Sprt, SprtResult
from inarow.arena.statistics import (
    Interval,
    elo,
    half_points,
    likelihood_of_superiority,
    pair_score,
    score_interval,
)
from inarow.games.record import GameRecord, Ply


@dataclass(frozen=True, slots=True)
class SideResult:
    """How a did on one side of the board."""

    games: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class AgentCost:
    """What an agent spent, and what it lost other than by the rules."""

    seconds_per_move: float | None
    nodes_per_move: float | None
    """None for an agent that counts no nodes."""
    illegal_moves: int
    crashes: int
    time_outs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSummary:
    """Counts and rates of a match. Intervals hold 95 %; an infinite Elo difference is None."""

    a: str
    b: str
    board: str
    games: int
    distinct_games: int
    """Games that differ in their moves or in who moved first."""
    wins: int
    draws: int
    losses: int
    as_first: SideResult
    as_second: SideResult
    score: float
    score_interval: Interval
    elo: float | None
    elo_interval: tuple[float | None, float | None]
    los: float
    """Likelihood that a is the stronger one."""
    pairs: tuple[int, int, int, int, int]
    """Pairs in which a made 0, 1/2, 1, 3/2, 2 points."""
    openings: int
    """Distinct openings."""
    opening_plies: int
    plies_per_game: float
    cost: dict[str, AgentCost]
    """Under `a` and `b`."""
    seed: int | None
    sprt: SprtResult | None = None
    """Where the sequential test stands, if there was one."""


def summarise(records: Sequence[GameRecord], sprt: Sprt | None = None) -> MatchSummary:
    """The summary of pairs of games: a is the first side in the even records, b in the odd ones."""
    points = [half_points(record, 1 + number % 2) for number, record in enumerate(records)]
    actions = [record.actions for record in records]
    pairs = [0] * 5
    for one, other in zip(points[::2], points[1::2], strict=True):
        pairs[one + other] += 1
    sides = [_side_result(points[side::2]) for side in (0, 1)]
    interval = score_interval(pairs)
    score = pair_score(pairs)
    return MatchSummary(
        a=records[0].first,
        b=records[0].second,
        board=records[0].board,
        games=len(records),
        distinct_games=len({(number % 2, record.moves) for number, record in enumerate(records)}),
        wins=points.count(2),
        draws=points.count(1),
        losses=points.count(0),
        as_first=sides[0],
        as_second=sides[1],
        score=score,
        score_interval=interval,
        elo=elo(score),
        elo_interval=(elo(interval[0]), elo(interval[1])),
        los=likelihood_of_superiority(pairs),
        pairs=(pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]),
        openings=len({moves[: records[0].opening] for moves in actions}),
        opening_plies=records[0].opening,
        plies_per_game=sum(map(len, actions)) / len(records),
        cost={"a": _cost(records, 0), "b": _cost(records, 1)},
        seed=records[0].seed,
        sprt=None if sprt is None else sprt.result(pairs),
    )


def _side_result(points: Sequence[int]) -> SideResult:
    return SideResult(len(points), points.count(2), points.count(1), points.count(0))


def _cost(records: Sequence[GameRecord], player: int) -> AgentCost:
    """The cost of a (player 0) or b (player 1)."""
    plies: list[Ply] = []
    faults: list[str] = []
    for number, record in enumerate(records):
        side = 1 + (number + player) % 2
        plies += record.plies[(side - 1 - record.opening) % 2 :: 2]
        if record.fault is not None and record.winner != side:
            faults.append(record.termination)
    nodes = [ply.nodes for ply in plies if ply.nodes is not None]
    return AgentCost(
        seconds_per_move=sum(ply.seconds or 0.0 for ply in plies) / len(plies) if plies else None,
        nodes_per_move=sum(nodes) / len(nodes) if nodes else None,
        illegal_moves=faults.count("illegal move"),
        crashes=faults.count("crash"),
        time_outs=faults.count("time-out"),
    )
