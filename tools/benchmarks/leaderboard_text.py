"""The text of the leaderboard, with all figures computed from its data."""

from __future__ import annotations

from typing import Any

DEPTH = {depth: f"minimax:depth={depth}" for depth in (2, 4)}
TREE = {simulations: f"mcts:simulations={simulations}" for simulations in (100, 1000)}
INFORMED, FULLY_INFORMED = "hybrid:simulations=100", "hybrid:simulations=100,informed=all"
POWERS, SQUARES = (f"{DEPTH[4]},heuristic={name}" for name in ("powers", "squares"))
PUBLISHED = {
    "paranji-2025/minimax": DEPTH[2],
    "paranji-2025/winblock": "winblock",
    "harman/mcts": TREE[100],
    "gupta-shah-2022/minimax": POWERS,
}
"""Published agents with their faults, and a similar agent without them at about the same cost."""
NETS = "dqn:net=santos-2025-"
TEACHER = "negamax"
"""The opponent against which these nets were trained, from the start of the game."""


class Figures:
    """Figures of single agents and pairs from the results of a tournament."""

    def __init__(self, results: dict[str, Any]) -> None:
        self._matches = results["matches"]
        self.rows = {row["agent"]: row for row in results["standings"]}

    def gain(self, start: str, end: str) -> str:
        """Elo from one agent to another."""
        return f"{self.rows[end]['elo'] - self.rows[start]['elo']:+.0f}"

    def score(self, agent: str, opponent: str) -> str:
        """The score of `agent` against `opponent`."""
        (match,) = (match for match in self._matches if {match["a"], match["b"]} == {agent, opponent})
        return f"{match['score'] if match['a'] == agent else 1 - match['score']:.1%}"

    def side(self, agent: str, side: str) -> str:
        """The score of `agent` on one side."""
        counts = self.rows[agent][side]
        return f"{(counts['wins'] + counts['draws'] / 2) / counts['games']:.1%}"


def remarks(results: dict[str, Any]) -> str:
    """The remarks as Markdown lists."""
    figures = Figures(results)
    gain, score, side = figures.gain, figures.score, figures.side
    solver = figures.rows["solver"]
    published = "\n".join(
        f"  - `{agent}`: {gain(other, agent)} Elo against `{other}`, {score(agent, other)} head to head;"
        f" {side(agent, 'as_first')} as first, {side(agent, 'as_second')} as second."
        for agent, other in PUBLISHED.items()
    )
    nets = "\n".join(
        f"  - `{agent.removeprefix(NETS)}`: {side(agent, 'as_first')} as first, {side(agent, 'as_second')} as second;"
        f" {score(agent, TEACHER)} against `{TEACHER}`."
        for agent in figures.rows
        if agent.startswith(NETS)
    )
    return f"""\
- **Perfect play** loses {solver["losses"]} of {solver["games"]} games, since the openings are exact draws, and wins
  {solver["wins"] / solver["games"]:.1%}. It wins only after a mistake: among moves that keep a draw it takes the one
  nearest to the centre and sets no traps, so a higher score against weak opponents is possible.
- **Depth**: from 2 to 4 plies `minimax` gains {gain(DEPTH[2], DEPTH[4])} Elo; head to head, 4 plies score
  {score(DEPTH[4], DEPTH[2])} against 2.
- **Heuristics** at 4 plies, compared with `windows`: `powers` {gain(DEPTH[4], POWERS)} Elo,
  `squares` {gain(DEPTH[4], SQUARES)}.
- **Simulations**: from 100 to 1,000 `mcts` gains {gain(TREE[100], TREE[1000])} Elo.
- **Informed rollouts** at 100 simulations: three informed moves are worth {gain(TREE[100], INFORMED)} Elo,
  rollouts informed to the end {gain(TREE[100], FULLY_INFORMED)}. Head to head they score
  {score(INFORMED, TREE[100])} and {score(FULLY_INFORMED, TREE[100])} against random rollouts, and take more time.
- **Agents as published**, each compared with an agent of a similar budget without the published faults:
{published}
- **Nets of santos-2025** (`{NETS}...`) learned one side of the game, from the empty board, against one
  opponent, `{TEACHER}`. Here they also play the other side, from openings of six stones that they hardly know:
{nets}
"""
