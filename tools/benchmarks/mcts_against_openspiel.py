"""Strength of `mcts` against OpenSpiel's C++ MCTSBot at equal simulations, in paired games.

Run: `python tools/benchmarks/mcts_against_openspiel.py > tools/benchmarks/mcts_against_openspiel.json`
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

import pyspiel

from inarow.agents.agent import Decision
from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.arena.match import summarise
from inarow.arena.openings import random_openings
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR

SIMULATIONS, GAMES, SEED = 1000, 400, 1


class OpenSpielMcts:
    """The bot with its default settings: c = sqrt 2, random rollouts, no proofs."""

    name = f"OpenSpiel MCTSBot, {SIMULATIONS} simulations"

    def __init__(self, seed: int) -> None:
        self._game = pyspiel.load_game("connect_four")
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        self._bot = pyspiel.MCTSBot(self._game, evaluator, 2**0.5, SIMULATIONS, 1000, False, seed, False)

    def decide(self, position: Position) -> Decision:
        state = self._game.new_initial_state()
        for action in position.actions:
            state.apply_action(action)
        return Decision(action=self._bot.step(state))


def main() -> None:
    """Plays both variants, with proofs and without, and prints their summaries as JSON."""
    results = []
    for text in (f"mcts:simulations={SIMULATIONS},solve=false", f"mcts:simulations={SIMULATIONS}"):
        records = []
        for number, opening in enumerate(random_openings(CONNECT_FOUR, GAMES // 2, seed=SEED)):
            for swapped in (False, True):
                seed = 2 * number + swapped
                players = [make_agent(text, seed=seed), OpenSpielMcts(seed)]
                first, second = reversed(players) if swapped else players
                records.append(play_game(first, second, opening=opening, seed=SEED))
            print(f"\r{text}: {len(records)} of {GAMES} games", end="", file=sys.stderr)
        print(file=sys.stderr)
        results.append(asdict(summarise(records)))
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
