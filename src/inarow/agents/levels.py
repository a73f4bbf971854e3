"""Opponents for people: ten levels from beginner to perfect play.

Levels 1 to 9 run a Monte Carlo tree search and draw a move by visits: fewer simulations and a higher temperature make a
level weaker. Level 10 is the solver, which is deterministic. Their strength was measured in a tournament:
`tools/benchmarks/level_ratings.py` writes `level_ratings.json`.
"""

from dataclasses import replace
from functools import lru_cache
from importlib.resources import files

import msgspec
from msgspec import Struct, structs

from inarow.agents.agent import Decision, ParameterisedAgent, Watcher, watch_results
from inarow.agents.mcts import tree_decision
from inarow.agents.simple import with_temperature
from inarow.games import Position
from inarow.search.limits import NO_LIMITS, Limits
from inarow.search.tree.search import TreeSearch

TOP_LEVEL = 10


class Level(Struct, frozen=True):
    """The settings of a level."""

    simulations: int
    temperature: float
    """Moves are drawn with probabilities proportional to visits ** (1 / temperature); 0 plays the most visited move."""


LEVELS: dict[int, Level] = {
    1: Level(7, 1.0),
    2: Level(30, 0.9),
    3: Level(60, 0.7),
    4: Level(110, 0.6),
    5: Level(200, 0.5),
    6: Level(400, 0.4),
    7: Level(1_000, 0.3),
    8: Level(4_000, 0.2),
    9: Level(20_000, 0.0),
}


class LevelRating(Struct, frozen=True):
    """The measured strength of a level, on the scale of its tournament."""

    level: int
    elo: float
    interval: tuple[float, float]  # of 95 %


class RatingSource(Struct, frozen=True):
    """The tournament in which the levels were rated."""

    command: str
    board: str
    games: int  # per pair of agents
    seed: int
    anchor: str  # the agent whose rating is 0


class LevelRatings(Struct, frozen=True):
    """The measured strength of all levels."""

    source: RatingSource
    levels: tuple[LevelRating, ...]  # by level, all of them


@lru_cache(maxsize=1)
def level_ratings() -> LevelRatings:
    """The ratings that ship with the package."""
    return msgspec.json.decode((files("inarow.agents") / "level_ratings.json").read_bytes(), type=LevelRatings)


class LevelAgent(ParameterisedAgent[Level]):
    """Plays one of the levels below the top."""

    _search: TreeSearch | None = None

    def decide(self, position: Position, *, limits: Limits | None = None, watch: Watcher | None = None) -> Decision:
        """Runs the simulations of the level. Of the limits, only `seconds` and `cancelled` have an effect."""
        if self._search is None or self._search.spec != position.spec:
            self._search = TreeSearch(position.spec, self._rng)
        own = replace(limits or NO_LIMITS, simulations=self._parameters.simulations, nodes=None, depth=None)
        result = self._search.search(position, limits=own, watch=watch_results(watch, tree_decision))
        decision = tree_decision(result)
        if self._parameters.temperature == 0 or decision.visits is None:
            return decision
        policy = with_temperature(decision.visits, self._parameters.temperature)
        action = int(self._rng.choice(len(policy), p=policy))
        return structs.replace(decision, action=action, policy=tuple(policy.tolist()))
