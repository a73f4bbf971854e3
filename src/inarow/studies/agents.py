"""Agents as their authors published them, faults included, under the name of their study.

The registry loads this table as a plug-in (entry point `inarow.agents`); no other package depends on it.
"""

from __future__ import annotations

from inarow.agents.registry import AgentKind
from inarow.agents.simple import NoParameters
from inarow.studies.gupta_shah_2022 import agents as gupta_shah
from inarow.studies.harman import agents as harman
from inarow.studies.kumbhakern_2025 import agents as kumbhakern
from inarow.studies.paranji_2025 import agents as paranji

KINDS = (
    AgentKind(
        "paranji-2025/minimax",
        "as published: believes it is the first player, sees no diagonals, a win is worth 1",
        paranji.ParanjiMinimaxParameters,
        paranji.ParanjiMinimax,
    ),
    AgentKind(
        "paranji-2025/winblock",
        "as published: believes it is the first player, so the second never blocks",
        NoParameters,
        paranji.ParanjiWinBlock,
    ),
    AgentKind(
        "paranji-2025/q",
        "as published: a table that only knows winning moves of the first player; trains before its first move",
        paranji.ParanjiQParameters,
        paranji.ParanjiQ,
    ),
    AgentKind(
        "kumbhakern-2025/window",
        "as published: a 4x4 table behind windows, which may choose a full column; trains before its first move",
        kumbhakern.PublishedWindowParameters,
        kumbhakern.build_published_window,
    ),
    AgentKind(
        "harman/mcts",
        "as published: maximises for both sides, does not notice a finished game in its tree",
        harman.HarmanMctsParameters,
        harman.HarmanMcts,
    ),
    AgentKind(
        "harman/q",
        "as published: a table trained as second player against harman/mcts; trains before its first move",
        harman.HarmanQParameters,
        harman.HarmanQ,
    ),
    AgentKind(
        "gupta-shah-2022/minimax",
        "as submitted: four plies, shallow bound, a line counts as a window",
        NoParameters,
        gupta_shah.GuptaShahMinimax,
    ),
)
