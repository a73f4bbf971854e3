"""From agents to the parts of a file: which modules it needs, and what makes its player."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inarow.adapters.kaggle_export.assemble import text_literal
from inarow.adapters.kaggle_export.net_graph import net_expression
from inarow.adapters.kaggle_export.table import best_columns
from inarow.agents.alphazero import USUAL_SIMULATIONS as USUAL_NET_SIMULATIONS
from inarow.agents.alphazero import AlphaZeroParameters
from inarow.agents.dqn import DqnParameters
from inarow.agents.mcts import USUAL_SIMULATIONS, HybridParameters, MctsParameters
from inarow.agents.minimax import USUAL_DEPTH, MinimaxParameters
from inarow.agents.q import QParameters
from inarow.agents.registry import parse_agent
from inarow.agents.simple import ReflexParameters
from inarow.errors import KaggleFileError
from inarow.games.spec import GameSpec
from inarow.learning.alphazero import shipped as alphazero_nets
from inarow.learning.alphazero.search_config import SearchConfig
from inarow.learning.deep_q.shipped import net_path, usual_net
from inarow.learning.deep_q.values import KIND
from inarow.learning.net_file import load_net
from inarow.learning.tabular.lookup import load_values, shipped_table
from inarow.search.minimax.heuristics import HeuristicName, make_heuristic

_BASE = ("clock", "rules")
_UNLIMITED = 10**9
_TIME_NOTE = "It stops after half of actTimeout, with what it knows by then."


@dataclass(frozen=True, slots=True)
class Parts:
    """What a file is made of."""

    modules: tuple[str, ...]
    player: str
    """The Python expression that makes the player."""
    note: str = ""
    """What users of the file should know."""


def parts_of(agent: str, spec: GameSpec) -> Parts:
    """For an agent string, on a board where the agent depends on it; raises KaggleFileError if it cannot be done."""
    kind, parameters = parse_agent(agent)
    return parts_for(kind.name, parameters, spec)


def parts_for(name: str, parameters: Any, spec: GameSpec) -> Parts:
    """The same for the name of an agent and its parameters."""
    if not spec.gravity:
        raise KaggleFileError(f"Kaggle's ConnectX has gravity, {spec} has none")
    export = _EXPORTERS.get(name)
    if export is None:
        raise KaggleFileError(
            f"{name} cannot be exported: a file has only the standard library and NumPy; "
            f"these can: {', '.join(_EXPORTERS)}"
        )
    return export(parameters, spec)


def _call(name: str, **settings: object) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in settings.items())})"


def _simple(wins: bool, blocks: bool) -> Callable[[Any, GameSpec], Parts]:
    def export(parameters: Any, spec: GameSpec) -> Parts:
        epsilon = parameters.epsilon if isinstance(parameters, ReflexParameters) else 0.0
        player = _call("SimplePlayer", wins=wins, blocks=blocks, epsilon=epsilon)
        return Parts((*_BASE, "simple", "entry"), player)

    return export


def _window_worths(name: HeuristicName, spec: GameSpec) -> dict[str, list[int]]:
    """What a window is worth by its stones, for the board of the file."""
    if name == "squares":
        raise KaggleFileError("the heuristic squares cannot be exported; windows and powers can")
    weights = make_heuristic(name, spec).weights[0]
    worths = {"own": weights.own, "other": weights.other}
    return {side: [int(worth) for worth in worths[side][: spec.inarow]] for side in worths}


def _minimax(parameters: MinimaxParameters, spec: GameSpec) -> Parts:
    depth: int = _UNLIMITED
    if isinstance(parameters.depth, int):
        depth = parameters.depth
    elif parameters.depth == "auto" and parameters.seconds == "none":
        depth = USUAL_DEPTH
    worths = _window_worths(parameters.heuristic, spec)
    player = _call("MinimaxPlayer", depth=depth, **worths, draws=parameters.tie == "random")
    return Parts((*_BASE, "windows", "minimax", "entry"), player, _TIME_NOTE)


def _mcts(parameters: MctsParameters, spec: GameSpec) -> Parts:
    simulations = parameters.simulations
    if isinstance(simulations, str):
        simulations = USUAL_SIMULATIONS if parameters.seconds == "none" else _UNLIMITED
    settings: dict[str, object] = {
        "simulations": simulations,
        "exploration": parameters.c,
        "by_points": parameters.final == "score",
        "solve": parameters.solve,
    }
    if isinstance(parameters, HybridParameters):
        informed = spec.cells if isinstance(parameters.informed, str) else parameters.informed
        settings |= {"informed": informed, "depth": parameters.depth, **_window_worths(parameters.heuristic, spec)}
    player = _call("MctsPlayer", **settings)
    return Parts((*_BASE, "windows", "minimax", "mcts", "entry"), player, _TIME_NOTE)


def _q(parameters: QParameters, spec: GameSpec) -> Parts:
    path = shipped_table(spec) if parameters.table == "auto" else Path(parameters.table)
    keys, choices, mirrors = best_columns(load_values(path))
    board = load_values(path).spec
    if not board.gravity:
        raise KaggleFileError(f"Kaggle's ConnectX has gravity, the table is for {board}")
    size = f"rows={board.rows}, columns={board.columns}, inarow={board.inarow}"
    player = f"TablePlayer({size}, mirrors={mirrors!r}, keys={text_literal(keys)}, choices={text_literal(choices)})"
    return Parts((*_BASE, "q_table", "entry"), player, f"It plays {board} only.")


def _dqn(parameters: DqnParameters, spec: GameSpec) -> Parts:
    if parameters.net == "auto":  # one for each side
        paths, board = [usual_net(spec, side) for side in (0, 1)], spec
    else:
        paths = [net_path(parameters.net)]
        board = GameSpec.parse(load_net(paths[0], KIND).about.board)
    if not board.gravity:
        raise KaggleFileError(f"Kaggle's ConnectX has gravity, the net is for {board}")
    size = f"rows={board.rows}, columns={board.columns}, inarow={board.inarow}"
    nets = ", ".join(net_expression(path) for path in paths)
    player = f"DqnPlayer({size}, nets=[{nets}])"
    return Parts((*_BASE, "net", "dqn", "entry"), player, f"It plays {board} only, and needs NumPy.")


def _alphazero(parameters: AlphaZeroParameters, spec: GameSpec) -> Parts:
    if parameters.root != "puct" or parameters.temperature > 0:
        raise KaggleFileError("alphazero can be exported with root=puct and temperature=0 only")
    name = alphazero_nets.usual_net(spec) if parameters.net == "auto" else parameters.net
    alphazero_nets.find_net(name).check_board(spec)
    simulations = parameters.simulations
    if isinstance(simulations, str):
        simulations = USUAL_NET_SIMULATIONS if parameters.seconds == "none" else _UNLIMITED
    rules = SearchConfig(root="puct")
    names = ("exploration", "first_play", "softness")
    settings = ", ".join(f"{name}={getattr(rules, name)!r}" for name in names)
    net = net_expression(alphazero_nets.net_path(name))
    player = f"AlphaZeroPlayer(simulations={simulations}, {settings}, net={net})"
    modules = (*_BASE, "windows", "minimax", "mcts", "threats", "net", "alphazero", "entry")
    return Parts(modules, player, f"{_TIME_NOTE} It needs NumPy.")


_EXPORTERS: Mapping[str, Callable[[Any, GameSpec], Parts]] = {
    "random": _simple(wins=False, blocks=False),
    "greedy": _simple(wins=True, blocks=False),
    "winblock": _simple(wins=True, blocks=True),
    "minimax": _minimax,
    "mcts": _mcts,
    "hybrid": _mcts,
    "q": _q,
    "dqn": _dqn,
    "alphazero": _alphazero,
}
