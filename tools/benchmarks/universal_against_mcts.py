"""The net `universal` against `mcts` at equal simulations, in paired games, on boards of its training and others.

    python tools/benchmarks/universal_against_mcts.py [NET] > tools/benchmarks/universal_against_mcts.json

NET is a file or the name of a shipped net (universal).
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from inarow.arena.match import play_match
from inarow.games.spec import GameSpec
from inarow.learning.pretrained import find_net

BOARDS = ("6x7x4", "5x5x4", "7x8x4", "8x8x5")
SIMULATIONS, GAMES, SEED, WORKERS = 200, 200, 0, 2


def main() -> None:
    """Prints the summaries as JSON. The config of the net lists the boards excluded from its training."""
    net = sys.argv[1] if len(sys.argv) > 1 else "universal"
    unseen = find_net(net).about.config["boards"]["unseen"]
    results = []
    for board in (*BOARDS, *unseen):
        agents = (f"alphazero:net={net},simulations={SIMULATIONS}", f"mcts:simulations={SIMULATIONS}")
        match = play_match(*agents, GameSpec.parse(board), games=GAMES, seed=SEED, workers=WORKERS)
        results.append({"learnt": board not in unseen, **asdict(match.summary)})
        print(f"{board}: {match.summary.score:.1%} {match.summary.score_interval}", file=sys.stderr)
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
