"""The five players of gupta-shah-2022 as agent strings.

as published   what the authors submitted: `gupta-shah-2022/minimax`; tree searches that play the move of the
               highest total score and know no proofs; three moves of a rollout by minimax
corrected      what their paper describes: minimax of five plies, for which a finished game outranks every
               heuristic; the most visited move; whole rollouts by minimax

The submitted hybrid judges finished games by its heuristic, as the submitted minimax does. In rollouts of two plies
that decides only among moves all of which lose, so the ordinary `hybrid` stands for it.
"""

from __future__ import annotations

import math
import re

from inarow.agents.alphazero import AlphaZeroParameters, net_hash
from inarow.games.spec import CONNECT_FOUR
from inarow.learning.alphazero.shipped import find_net
from inarow.studies.experiment import Experiment, Variant
from inarow.studies.gupta_shah_2022.published import published
from inarow.studies.study import Setting

NET = "net"
NET_CONTENT = "net content"
ALPHAZERO_SIMULATIONS = 100
"""Not published. With these a move takes about as long here as one of the two other searches."""
_TIMED_MEMORY = 1024
"""Megabytes: room for the tree of five seconds."""


def _resolve_net(name: str) -> dict[str, str]:
    """Raises NetError if there is no such net for this board."""
    find_net(name).check_board(CONNECT_FOUR)
    return {NET: name, NET_CONTENT: net_hash(AlphaZeroParameters(net=name))}


NET_SETTING = Setting("connect4", _resolve_net)


def agent_string(player: str, experiment: Experiment, *, seconds: float | None = None) -> str:
    """The agent that plays in an experiment, or the same search with a limit of time; `alphazero` with the net of
    the experiment's settings.
    """
    if player == "alphazero":
        name = f"alphazero:simulations={ALPHAZERO_SIMULATIONS},net={experiment.settings[NET]}"
    else:
        name = known_agent(player, experiment.variant)
    if seconds is None:
        return name
    memory = "" if player == "alphazero" else f",memory={_TIMED_MEMORY}"
    return re.sub(r"simulations=\d+", f"seconds={seconds}{memory}", name, count=1)


def known_agent(player: str, variant: Variant) -> str:
    """All players but `alphazero`, which needs a net."""
    is_published = variant == "as-published"
    if player == "greedy":
        return "greedy"
    if player == "minimax":
        return "gupta-shah-2022/minimax" if is_published else "minimax:depth=5,heuristic=powers,tie=random"
    limit = f"simulations={published().simulations[player]}"
    final = "score" if is_published else "visits"
    if player == "mcts":
        return f"mcts:{limit},c={math.sqrt(2)},final={final},solve=false"
    return f"hybrid:{limit},informed={3 if is_published else 'all'},final={final},solve=false"
