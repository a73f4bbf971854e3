"""The training of kumbhakern-2025 without its faults.

The same phases, rates and rewards, but a move is worth its reward less the best of the opponent's replies,
whoever made it (`negamax`, see `learning/tabular/episode.py`): both sides play for themselves, and the frozen
opponent is a frozen opponent.
"""

from __future__ import annotations

from inarow.learning.tabular.config import Exploration, Phase, QConfig, Rewards
from inarow.studies.kumbhakern_2025.episode import ALPHA, BLOCK, GAMMA
from inarow.studies.kumbhakern_2025.training import GENERATIONS, LOG, WINDOW


def corrected_config(episodes: int, random_starts: float, seed: int) -> QConfig:
    """So many episodes a phase. Random starts are what some random legal moves lead to."""
    return QConfig(
        board=str(WINDOW),
        phases=(
            Phase(episodes=episodes, opponent="random", random_starts=random_starts),
            Phase(episodes=episodes, opponent="self", random_starts=random_starts),
            Phase(
                episodes=episodes,
                opponent="frozen",
                self_play=0.3,
                random_starts=random_starts,
                generations=GENERATIONS,
            ),
        ),
        seed=seed,
        alpha=ALPHA,
        gamma=GAMMA,
        symmetry=False,
        rewards=Rewards(block=BLOCK),
        exploration=Exploration(start=0.8, floor=0.05, rule="adaptive"),
        report=LOG,
        memory=256,
    )
