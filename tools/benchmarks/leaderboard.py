"""Writes the leaderboard page `docs/explanation/leaderboard.md` and its data from the folder of a tournament.

Run the tournament with the command that the page names and `--out build/leaderboard`, then

    python tools/benchmarks/leaderboard.py build/leaderboard

Agents without a grade in its results store are graded first, on the standard suite; that takes a few minutes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
from leaderboard_text import remarks

from inarow.arena.grading import grade
from inarow.arena.leaderboard import Standing
from inarow.arena.store import Store
from inarow.arena.store_schema import AgentIdentity
from inarow.games.spec import GameSpec
from inarow.report.data import read_leaderboard
from inarow.report.markup import MINUS, elo, elo_interval, percent, seconds
from inarow.report.tables import Table, write_csv

DOCS = Path(__file__).parents[2] / "docs"
HEADINGS = ("#", "agent", "Elo", "as first", "as second", "outcome accuracy", "time per move")


def add_missing_grades(store: Store, board: str, agents: list[str]) -> None:
    """Grades agents without a grade in the store, and stores the grades."""
    graded = {entry.agent for entry in store.grades(board)}
    for agent in agents:
        identity = AgentIdentity.parse(agent)
        if identity not in graded:
            print(f"grading {agent}", file=sys.stderr)
            made = grade(agent, GameSpec.parse(board))
            store.add_grade(identity, board, made.suite, msgspec.to_builtins(made))


def table(rows: list[dict[str, Any]], known: dict[str, Standing]) -> str:
    """The leaderboard in Markdown."""
    cells = [
        (
            str(place),
            row["agent"],
            f"{elo(row['elo'])} ({elo_interval(row['elo_interval'])})",
            side_score(row["as_first"]),
            side_score(row["as_second"]),
            accuracy(known[row["agent"]]),
            seconds(known[row["agent"]].seconds_per_move or 0.0),
        )
        for place, row in enumerate(rows, start=1)
    ]
    return Table(HEADINGS, tuple(cells)).to_markdown()


def side_score(side: dict[str, int]) -> str:
    return percent((side["wins"] + side["draws"] / 2) / side["games"])


def accuracy(agent: Standing) -> str:
    """Outcome accuracy with its interval."""
    assert agent.grade is not None
    assert agent.grade.outcome_accuracy is not None
    low, high = agent.grade.intervals["outcome_accuracy"] or (0.0, 0.0)
    return f"{percent(agent.grade.outcome_accuracy)} ({low * 100:.1f} to {high * 100:.1f})"


def command(results: dict[str, Any]) -> str:
    """The command that plays this tournament again."""
    (games,) = {match["games"] for match in results["matches"]}
    agents = sorted(row["agent"] for row in results["standings"])
    return f"inarow tournament {' '.join(agents)} --games {games} --seed {results['seed']}"


def page(results: dict[str, Any], known: dict[str, Standing]) -> str:
    """The whole page."""
    games, advantage = results["matches"][0]["games"], results["advantage"]
    low, high = results["advantage_interval"]
    return f"""\
# Leaderboard

{len(results["standings"])} agents on {results["board"]}. Every pair of agents plays {games} games from balanced
openings, each opening twice with swapped sides: {results["games"]:,} games, {results["distinct_games"]:,} of them
distinct.

{table(results["standings"], known)}
- **Elo**, with its 95 % interval, is fitted to all games at once ([ratings](statistics.md#ratings));
  `{results["anchor"]}` is 0. In these openings the first move is worth {advantage:.0f} Elo ({low:.0f} to {high:.0f}).
- **As first, as second**: the score on that side; a draw counts half.
- **Outcome accuracy**: how often a move keeps win, draw or loss on the [standard suite](grades.md#suites),
  with its 95 % interval.
- **Time per move**: the median of all decisions in these games, which shared two cores with other work.

## What it shows

{remarks(results)}
## How to repeat it

```sh
{command(results)} --workers 2 --out build/leaderboard
python tools/benchmarks/leaderboard.py build/leaderboard    # grades the agents and writes this page
```

The data: [all matches](../leaderboard/results.json) and [the table](../leaderboard/leaderboard.csv).
""".replace(MINUS, "-")


def main() -> None:
    """Writes the page and its data from the folder given on the command line."""
    folder = Path(sys.argv[1])
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    with Store(folder / "lab.sqlite") as store:
        add_missing_grades(store, results["board"], [row["agent"] for row in results["standings"]])
        leaderboard = read_leaderboard(store, results["board"])
    known = {standing.agent: standing for standing in leaderboard.standings()}
    (DOCS / "leaderboard").mkdir(exist_ok=True)
    (DOCS / "leaderboard" / "results.json").write_text(json.dumps(results) + "\n", encoding="utf-8")
    with (DOCS / "leaderboard" / "leaderboard.csv").open("w", encoding="utf-8") as file:
        write_csv(leaderboard, file)
    (DOCS / "explanation" / "leaderboard.md").write_text(page(results, known), encoding="utf-8")


if __name__ == "__main__":
    main()
