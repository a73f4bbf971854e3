"""Agents as their authors published them, faults included, under the name of their study.

The registry loads this table as a plug-in (entry point `inarow.agents`); no other package depends on it.
"""

import tomllib
from importlib.resources import files
from typing import Any

from inarow.agents.kind import AgentKind
from inarow.agents.mcts import TREE_LIMITS
from inarow.agents.simple import NoParameters
from inarow.studies.gupta_shah_2022 import agents as gupta_shah
from inarow.studies.harman import agents as harman
from inarow.studies.kumbhakern_2025 import agents as kumbhakern
from inarow.studies.paranji_2025 import agents as paranji

_BUILDERS: dict[str, tuple[Any, ...]] = {  # what follows name and summary in `AgentKind`
    "paranji-2025/minimax": (paranji.ParanjiMinimaxParameters, paranji.ParanjiMinimax),
    "paranji-2025/winblock": (NoParameters, paranji.ParanjiWinBlock),
    "paranji-2025/q": (paranji.ParanjiQParameters, paranji.ParanjiQ),
    "kumbhakern-2025/window": (kumbhakern.PublishedWindowParameters, kumbhakern.build_published_window),
    "harman/mcts": (harman.HarmanMctsParameters, harman.HarmanMcts),
    "harman/q": (harman.HarmanQParameters, harman.HarmanQ, harman.table_hash),
    "gupta-shah-2022/minimax": (NoParameters, gupta_shah.GuptaShahMinimax),
    "gupta-shah-2022/alphazero": (
        gupta_shah.PublishedAlphaZeroParameters,
        gupta_shah.GuptaShahAlphaZero,
        gupta_shah.published_net_hash,
        TREE_LIMITS,
    ),
}
_SUMMARIES = tomllib.loads((files("inarow.studies") / "agents.toml").read_text(encoding="utf-8"))
KINDS = tuple(AgentKind(name, _SUMMARIES[name], *builder) for name, builder in _BUILDERS.items())
