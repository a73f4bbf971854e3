"""Small real results for the tests of the report."""

from itertools import combinations
from pathlib import Path

from inarow.arena.match import play_match
from inarow.arena.store import Store
from inarow.arena.store_schema import AgentIdentity, MatchEntry
from inarow.games.spec import GameSpec

GRADE = {
    "positions": 100,
    "critical": 40,
    "outcome_accuracy": 0.75,
    "critical_accuracy": 0.5,
    "optimal_accuracy": 0.25,
    "mean_regret": 1.5,
    "intervals": {"outcome_accuracy": [0.66, 0.83]},
    "by_ply": [{"ply": ply, "positions": 10, "outcome_accuracy": 0.7 + ply / 100} for ply in range(4, 12)],
}


def make_store(path: Path, *agents: str, board: str = "connect4", games: int = 4) -> Path:
    """A store in which each agent met each."""
    with Store(path) as store:
        for a, b in combinations(map(AgentIdentity.parse, agents), 2):
            match_id = store.add_match(MatchEntry(key=f"{a.name} {b.name} {board}", board=board, a=a, b=b, seed=1))
            played = play_match(a.name, b.name, GameSpec.parse(board), games=games, seed=1).records
            store.add_games(match_id, enumerate(played))
    return path
