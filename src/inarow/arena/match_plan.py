"""The plan of a match: agents, board and openings.

Every game has its own random streams and new agents, so a game depends only on its plan and its number.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace

import numpy as np

from inarow.agents.agent import Agent, check_board
from inarow.agents.registry import make_agent
from inarow.arena.game import check_seed
from inarow.arena.openings import OpeningSource, find_openings, opening_source, usual_plies
from inarow.arena.store_schema import AgentIdentity, MatchEntry, to_json
from inarow.errors import InvalidLimitError
from inarow.games import CONNECT_FOUR, GameRecord, GameSpec
from inarow.version import __version__

MAX_GAMES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSettings:
    """The settings of matches; raises InvalidLimitError for values out of range."""

    games: int = 100
    """The number of games per pair of agents, even. A shorter match consists of the first games of a longer one."""
    seed: int = 0
    openings: OpeningSource = "balanced"
    opening_plies: int | None = None
    """The number of moves in the opening; None chooses a number for the board."""
    move_seconds: float | None = None
    """The time limit of a decision; exceeding it loses the game."""

    def __post_init__(self) -> None:
        if not 2 <= self.games <= MAX_GAMES or self.games % 2:
            raise InvalidLimitError(
                f"games is {self.games}; it must be even, 2 to {MAX_GAMES}: each opening is played twice"
            )
        check_seed(self.seed)
        if self.move_seconds is not None and not 0 < self.move_seconds < float("inf"):
            raise InvalidLimitError(f"move-seconds is {self.move_seconds:g}; it must be above 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan(MatchSettings):
    """All data that determines the games of a match; `plan_match` creates valid plans."""

    a: str  # agent string, in its shortest form
    b: str
    spec: GameSpec
    opening_plies: int

    def in_order(self) -> MatchPlan:
        """The same match with its agents sorted by name. Matches are played and stored in this order; otherwise
        deterministic agents would play the same games in two matches.
        """
        a, b = sorted((self.a, self.b))
        return replace(self, a=a, b=b)

    def seen_by_a(self, records: Iterable[GameRecord]) -> list[GameRecord]:
        """Whole pairs of games of `in_order`, where a moves first in the first game of each pair."""
        records = list(records)
        if self.a <= self.b:
            return records
        pairs = zip(records[1::2], records[::2], strict=False)  # a game without its pair is dropped and played again
        return [record for pair in pairs for record in pair]

    def entry(self) -> MatchEntry:
        """The match for the store, with a key derived from the data that determines its games."""
        a, b = (AgentIdentity.parse(agent) for agent in sorted((self.a, self.b)))
        settings = {"openings": self.openings, "move_seconds": self.move_seconds, "version": __version__}
        decisive = (str(self.spec), a, b, self.seed, self.opening_plies, settings)
        return MatchEntry(hashlib.blake2b(to_json(decisive).encode(), digest_size=16).hexdigest(), *decisive)

    def players(self, pair: int, game: int) -> tuple[Agent, Agent]:
        """New agents for a game, the first side first. All agents of matches are created here."""
        first, second = (
            make_agent(agent, seed=np.random.SeedSequence(self.seed, spawn_key=(pair, game, side)))
            for side, agent in enumerate((self.b, self.a) if game else (self.a, self.b))
        )
        return first, second


def plan_match(a: str, b: str, spec: GameSpec = CONNECT_FOUR, settings: MatchSettings | None = None) -> MatchPlan:
    """A checked plan; raises InarowError, also if an agent cannot play the board."""
    settings = settings or MatchSettings()
    agents = make_agent(a), make_agent(b)
    for agent in agents:
        check_board(agent, spec)
    plies = settings.opening_plies
    if plies is None:
        plies = usual_plies(spec, settings.games // 2, settings.openings)
    source = opening_source(spec, settings.openings, plies)
    find_openings(spec, 1, source, seed=settings.seed, plies=plies)  # raises if there are none
    resolved = asdict(settings) | {"openings": source, "opening_plies": plies}
    return MatchPlan(a=agents[0].name, b=agents[1].name, spec=spec, **resolved)
