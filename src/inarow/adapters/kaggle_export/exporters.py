"""From agents to the source of a file: the modules that it needs, and the expression that makes its player."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from inarow.adapters.kaggle_export.player.net import OPERATORS, Operation, packed_array
from inarow.adapters.kaggle_export.player.q_table import packed
from inarow.agents.alphazero import USUAL_SIMULATIONS as USUAL_NET_SIMULATIONS
from inarow.agents.alphazero import AlphaZeroParameters
from inarow.agents.dqn import DqnParameters
from inarow.agents.mcts import USUAL_SIMULATIONS, HybridParameters, MctsParameters
from inarow.agents.minimax import USUAL_DEPTH, MinimaxParameters
from inarow.agents.q import QParameters
from inarow.agents.registry import parse_agent
from inarow.agents.simple import ReflexParameters
from inarow.errors import KaggleFileError, MissingExtraError
from inarow.games.spec import GameSpec
from inarow.learning.net_file import read_net
from inarow.learning.pretrained import (
    DEEP_Q,
    default_alphazero_net,
    default_deep_q_net,
    find_net,
    net_path,
    shipped_table,
)
from inarow.learning.tabular.lookup import TableValues, load_values
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.tree.config import SearchConfig

_PACKAGE = "inarow.adapters.kaggle_export.player"
_WIDTH = 110
_UNLIMITED = 10**9
_TIME_NOTE = "It stops after half of actTimeout, with the best move found so far."
_FIXED: dict[str, dict[str, list[Any]]] = {
    "Conv": {"strides": [[1, 1]], "dilations": [[1, 1]], "group": [1], "auto_pad": [b"NOTSET"], "kernel_shape": []},
    "Gemm": {"alpha": [1.0], "beta": [1.0], "transA": [0]},
}
"""Attributes that our operators lack, with the values that they imply; an empty list allows any value."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a file."""

    modules: tuple[str, ...]
    player: str
    """The Python expression that makes the player."""
    note: str = ""
    """A remark for users of the file."""


def parts_of(agent: str, spec: GameSpec) -> Parts:
    """The parts for an agent string; the board matters to some agents. Raises KaggleFileError."""
    kind, parameters = parse_agent(agent)
    return parts_for(kind.name, parameters, spec)


def parts_for(name: str, parameters: Any, spec: GameSpec) -> Parts:
    """The same for the name of an agent and its parameters."""
    if not spec.gravity:
        raise KaggleFileError(f"Kaggle's ConnectX has gravity, {spec} has none")
    if name not in _EXPORTERS:
        reason = "a file has only the standard library and NumPy"
        raise KaggleFileError(f"{name} cannot be exported: {reason}; these can: {', '.join(_EXPORTERS)}")
    return _EXPORTERS[name](parameters, spec)


def _call(name: str, **settings: object) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in settings.items())})"


def _simple(wins: bool, blocks: bool) -> Callable[[Any, GameSpec], Parts]:
    def export(parameters: Any, spec: GameSpec) -> Parts:
        epsilon = parameters.epsilon if isinstance(parameters, ReflexParameters) else 0.0
        return Parts(("base", "simple"), _call("SimplePlayer", wins=wins, blocks=blocks, epsilon=epsilon))

    return export


def _window_worths(name: str, spec: GameSpec) -> dict[str, list[int]]:
    """The worth of a window by its number of stones, for the board of the file."""
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
    return Parts(("base", "minimax"), player, _TIME_NOTE)


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
    return Parts(("base", "minimax", "mcts"), _call("MctsPlayer", **settings), _TIME_NOTE)


def _q(parameters: QParameters, spec: GameSpec) -> Parts:
    path = shipped_table(spec) if parameters.table == "auto" else Path(parameters.table)
    table = load_values(path)
    board = table.spec
    if not board.gravity:
        raise KaggleFileError(f"Kaggle's ConnectX has gravity, the table is for {board}")
    keys, choices, mirrors = _best_columns(table)
    size = f"rows={board.rows}, columns={board.columns}, inarow={board.inarow}"
    player = f"TablePlayer({size}, mirrors={mirrors!r}, keys={text_literal(keys)}, choices={text_literal(choices)})"
    return Parts(("base", "q_table"), player, f"It plays {board} only.")


def _best_columns(table: TableValues) -> tuple[str, str, bool]:
    """(packed keys, packed sets of best columns, whether positions share rows with their mirror images)."""
    spec = table.spec
    if not (spec.gravity and spec.fits_word):
        raise KaggleFileError(f"a table of {spec} cannot be exported: its keys are not positions")
    keys, values = table.rows()
    order = np.argsort(keys)
    keys, values = keys[order], values[order]
    # A column is full when the marker above its stones, the topmost bit of a key, is above the board.
    stride = spec.rows + 1
    tops = keys[:, None] >> np.arange(spec.rows, stride * spec.columns, stride, dtype=np.uint64)
    legal = (tops & np.uint64(1)) == 0
    best = np.where(legal, values, -np.inf)
    is_best = legal & (best == best.max(axis=1, keepdims=True))
    sets = (is_best.astype(np.uint64) << np.arange(spec.columns, dtype=np.uint64)).sum(axis=1)
    return packed(keys.tolist()), packed(sets.tolist()), bool(table.config.symmetry)


def _dqn(parameters: DqnParameters, spec: GameSpec) -> Parts:
    if parameters.net == "auto":  # one for each side
        paths, board = [default_deep_q_net(spec, side) for side in (0, 1)], spec
    else:
        paths = [net_path(parameters.net, DEEP_Q)]
        board = GameSpec.parse(find_net(parameters.net, DEEP_Q).about.board)
    if not board.gravity:
        raise KaggleFileError(f"Kaggle's ConnectX has gravity, the net is for {board}")
    size = f"rows={board.rows}, columns={board.columns}, inarow={board.inarow}"
    player = f"DqnPlayer({size}, nets=[{', '.join(net_expression(path) for path in paths)}])"
    return Parts(("base", "net", "dqn"), player, f"It plays {board} only, and needs NumPy.")


def _alphazero(parameters: AlphaZeroParameters, spec: GameSpec) -> Parts:
    if parameters.root != "puct" or parameters.temperature > 0:
        raise KaggleFileError("alphazero can be exported with root=puct and temperature=0 only")
    name = default_alphazero_net(spec) if parameters.net == "auto" else parameters.net
    find_net(name).check_board(spec)
    simulations = parameters.simulations
    if isinstance(simulations, str):
        simulations = USUAL_NET_SIMULATIONS if parameters.seconds == "none" else _UNLIMITED
    rules = SearchConfig(root="puct")
    settings = ", ".join(f"{key}={getattr(rules, key)!r}" for key in ("exploration", "first_play", "softness"))
    player = f"AlphaZeroPlayer(simulations={simulations}, {settings}, net={net_expression(net_path(name))})"
    return Parts(("base", "minimax", "mcts", "net", "alphazero"), player, f"{_TIME_NOTE} It needs NumPy.")


# --- Nets ---


def net_expression(path: Path) -> str:
    """A call of `NumpyNet` with the operations and weights of a file; raises KaggleFileError for other operations."""
    try:
        import onnx
        from onnx import numpy_helper
    except ImportError:
        raise MissingExtraError("onnx", "train") from None
    graph = onnx.load_model_from_string(read_net(path)).graph
    operations = [_operation(node, onnx.helper.get_attribute_value) for node in graph.node]
    constants = ", ".join(
        f"{constant.name!r}: ({kind!r}, {shape!r}, {text_literal(text)})"
        for constant in graph.initializer
        for kind, shape, text in [packed_array(numpy_helper.to_array(constant))]
    )
    names = {constant.name for constant in graph.initializer}
    inputs = [each.name for each in graph.input if each.name not in names]
    return f"NumpyNet({inputs!r}, {[each.name for each in graph.output]!r}, {operations!r}, {{{constants}}})"


def _operation(node: Any, value_of: Any) -> Operation:
    if node.op_type not in OPERATORS or len(node.output) != 1:
        raise KaggleFileError(f"a net with the operation {node.op_type} cannot be exported")
    attributes = {}
    for attribute in node.attribute:
        value = value_of(attribute)
        allowed = _FIXED.get(node.op_type, {}).get(attribute.name)
        if allowed is None:
            attributes[attribute.name] = list(value) if isinstance(value, (list, tuple)) else value
        elif allowed and value not in allowed:
            raise KaggleFileError(f"{node.op_type} with {attribute.name} {value} cannot be exported")
    if node.op_type == "Conv":
        attributes.setdefault("pads", [0, 0, 0, 0])
    return node.op_type, list(node.input), node.output[0], attributes


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


# --- Joining the modules of `player` to one file ---


def assemble(modules: Sequence[str], *, title: str, entry: str) -> str:
    """The source of a file: a docstring, the modules in this order, and `entry`, which makes `agent`.

    A module comes after those that it imports from. Imports stay where a module has them, so that what the
    first module does, starting the clock, comes before NumPy is loaded.
    """
    imported = {"from __future__ import annotations"}
    bodies: list[str] = []
    for module in modules:
        source = (files(_PACKAGE) / f"{module}.py").read_text(encoding="utf-8")
        bodies.append(_body(source, imported))
    # As a literal of ASCII: the path of an agent's file may hold quotes and backslashes.
    head = f"{title!a}\n\nfrom __future__ import annotations"
    return "\n\n\n".join([head, *bodies, entry]) + "\n"


def text_literal(text: str) -> str:
    """A long text as Python source, on many lines."""
    lines = [text[at : at + _WIDTH] for at in range(0, len(text), _WIDTH)] or [""]
    return "(\n" + "\n".join(f"    {line!r}" for line in lines) + "\n)"


def _body(source: str, imported: set[str]) -> str:
    """A module with its docstring as a comment, without imports from this folder and without those in
    `imported`, to which its other ones are added.
    """
    lines = source.splitlines()
    tree = ast.parse(source)
    comment = [f"# {line}".rstrip() for line in (ast.get_docstring(tree) or "").splitlines()]
    for node in tree.body:
        is_docstring = node is tree.body[0] and isinstance(node, ast.Expr)
        if not is_docstring and not (isinstance(node, (ast.Import, ast.ImportFrom)) and _is_known(node, imported)):
            continue
        assert node.end_lineno is not None
        lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    body = re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip()
    return "\n".join(comment) + "\n\n" + body


def _is_known(node: ast.Import | ast.ImportFrom, imported: set[str]) -> bool:
    """Whether the joined file has these names already."""
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_PACKAGE):
        assert all(alias.asname is None for alias in node.names), "a name must be the same in the joined file"
        return True
    text = ast.unparse(node)
    is_known = text in imported
    imported.add(text)
    return is_known
