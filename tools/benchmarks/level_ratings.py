"""Writes the ratings of the levels of `solver` from a tournament to the data of the package.

Run the tournament, then this script on its results:

    inarow tournament random solver:level={1..9} solver --games 400 --seed 1 --out build/levels
    python tools/benchmarks/level_ratings.py build/levels/results.json

It writes `src/inarow/agents/level_ratings.json` and prints the table of `docs/agents.md`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from inarow.agents.levels import LEVELS, LevelRating, LevelRatings, RatingSource
from inarow.agents.registry import parse_agent
from inarow.agents.solver import SolverParameters

TARGET = Path(__file__).parents[2] / "src/inarow/agents/level_ratings.json"


def read(results: dict[str, Any]) -> LevelRatings:
    """The ratings of the levels in the results of a tournament."""
    levels = {level: row for row in results["standings"] if (level := level_of(row["agent"]))}
    agents = [results["anchor"], *(levels[level]["agent"] for level in sorted(levels))]
    (games,) = {match["games"] for match in results["matches"]}
    return LevelRatings(
        source=RatingSource(
            command=f"inarow tournament {' '.join(agents)} --games {games} --seed {results['seed']}",
            board=results["board"],
            games=games,
            seed=results["seed"],
            anchor=results["anchor"],
        ),
        levels=tuple(
            LevelRating(
                level, round(row["elo"], 2), (round(row["elo_interval"][0], 2), round(row["elo_interval"][1], 2))
            )
            for level, row in sorted(levels.items())
        ),
    )


def level_of(agent: str) -> int | None:
    """The level of an agent string; None unless it is a solver."""
    parameters = parse_agent(agent)[1]
    return parameters.level if isinstance(parameters, SolverParameters) else None


def markdown(ratings: LevelRatings) -> str:
    """The table of the docs."""
    lines = ["| level | simulations | temperature | Elo | 95 % interval |", "|--:|--:|--:|--:|--:|"]
    for row in ratings.levels:
        level = LEVELS.get(row.level)
        how = f"{level.simulations:,} | {level.temperature:g}" if level else "perfect | "
        low, high = row.interval
        lines.append(f"| {row.level} | {how} | {row.elo:.0f} | {low:.0f} to {high:.0f} |")
    return "\n".join(lines)


def main() -> None:
    """Reads the results given on the command line, writes the data, prints the table."""
    ratings = read(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    TARGET.write_bytes(msgspec.json.format(msgspec.json.encode(ratings), indent=2) + b"\n")
    print(markdown(ratings))


if __name__ == "__main__":
    main()
