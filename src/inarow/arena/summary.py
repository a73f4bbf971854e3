"""The result of a match from a's perspective, and its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inarow.arena.sprt import Sprt, SprtResult
from inarow.arena.tally import Tally
from inarow.games.record import GameRecord, Ply

_FIGURES = (
    *("score", "score_interval", "elo", "elo_interval", "los", "pairs"),
    *("openings", "opening_plies", "plies_per_game", "cost", "seed", "sprt"),
)
"""Of a `MatchSummary`, after its counts."""


@dataclass(frozen=True, slots=True)
class AgentCost:
    """What an agent spent, and its games lost by a fault."""

    seconds_per_move: float | None
    nodes_per_move: float | None
    """None for an agent that counts no nodes."""
    illegal_moves: int
    crashes: int
    time_outs: int

    @property
    def faults(self) -> dict[str, int]:
        return {"illegal_moves": self.illegal_moves, "crashes": self.crashes, "time_outs": self.time_outs}


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSummary(Tally):
    """The tally of a match from a's view, and what its games cost."""

    a: str
    b: str
    board: str
    openings: int
    """Distinct openings."""
    opening_plies: int
    plies_per_game: float
    cost: dict[str, AgentCost]
    """Under `a` and `b`."""
    seed: int | None
    sprt: SprtResult | None = None
    """State of the sequential test, if there was one."""

    def to_dict(self) -> dict[str, Any]:
        """Intervals hold 95 %; an infinite Elo difference is None."""
        names = {"a": self.a, "b": self.b, "board": self.board}
        return {**names, **Tally.to_dict(self), **{name: getattr(self, name) for name in _FIGURES}}


def summarise(records: Sequence[GameRecord], sprt: Sprt | None = None) -> MatchSummary:
    """The summary of pairs of games: a is the first side in the even records, b in the odd ones."""
    tally = Tally.of_pairs(records)
    actions = [record.actions for record in records]
    return MatchSummary(
        as_first=tally.as_first,
        as_second=tally.as_second,
        pairs=tally.pairs,
        a=records[0].first,
        b=records[0].second,
        board=records[0].board,
        openings=len({moves[: records[0].opening] for moves in actions}),
        opening_plies=records[0].opening,
        plies_per_game=sum(map(len, actions)) / len(records),
        cost={"a": _cost(records, 0), "b": _cost(records, 1)},
        seed=records[0].seed,
        sprt=None if sprt is None else sprt.result(tally.pairs),
    )


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
