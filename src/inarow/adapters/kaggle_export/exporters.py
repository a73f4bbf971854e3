"""From agents to the source of a file: its modules, and the expression that creates its player."""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from inarow.adapters.kaggle_export.player.net import OPERATORS, Operation, packed_array
from inarow.adapters.kaggle_export.player.q_table import packed
from inarow.agents.alphazero import USUAL_SIMULATIONS as USUAL_NET_SIMULATIONS
from inarow.agents.alphazero import AlphaZeroParameters
from inarow.agents.dqn import DqnParameters
from inarow.agents.levels import TOP_LEVEL
from inarow.agents.mcts import USUAL_SIMULATIONS, HybridParameters, MctsParameters, TreeParameters
from inarow.agents.minimax import USUAL_DEPTH, MinimaxParameters
from inarow.agents.q import QParameters
from inarow.agents.registry import parse_agent
from inarow.agents.simple import NoParameters
from inarow.agents.solver import SolverParameters
from inarow.errors import KaggleFileError, MissingExtraError
from inarow.games import CONNECT_FOUR, GameSpec
from inarow.learning import pretrained
from inarow.learning.deep_q.play import NetValues
from inarow.learning.net_file import read_net
from inarow.learning.tabular.lookup import TableValues, load_values
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.tree.config import SearchConfig
from inarow.studies.gupta_shah_2022.agents import (
    PUBLISHED_SEARCH,
    SUBMITTED_DEPTH,
    PublishedAlphaZeroParameters,
    submitted_heuristic,
)

_PACKAGE = "inarow.adapters.kaggle_export.player"
_WIDTH = 110
_UNLIMITED = 10**9
PERFECT_MODULES = ("base", "q_table", "outcome", "perfect")
_TIME_NOTE = "It stops after half of actTimeout, with the best move found so far."
_FIXED: dict[str, dict[str, list[Any]]] = {
    "Conv": {"strides": [[1, 1]], "dilations": [[1, 1]], "group": [1], "auto_pad": [b"NOTSET"], "kernel_shape": []},
    "Gemm": {"alpha": [1.0], "beta": [1.0], "transA": [0]},
}
"""Attributes that our operators do not have, with the values that they imply; an empty list allows any value."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a file."""

    modules: tuple[str, ...]
    player: str  # the Python expression that creates the player
    note: str = ""  # a remark for users of the file


def parts_of(agent: str, spec: GameSpec) -> Parts:
    """The parts for an agent string; for some agents they depend on the board. Raises KaggleFileError."""
    kind, parameters = parse_agent(agent)
    return parts_for(kind.name, parameters, spec)


def parts_for(name: str, parameters: Any, spec: GameSpec) -> Parts:
    """The same for the name of an agent and its parameters."""
    if not spec.gravity:
        raise KaggleFileError(f"Kaggle's ConnectX has gravity; {spec} has none")
    if name not in _EXPORTERS:
        reason = "a file can only use the standard library and NumPy"
        raise KaggleFileError(
            f"{name} cannot be exported: {reason}; agents that can be exported are {', '.join(_EXPORTERS)}"
        )
    return _EXPORTERS[name](parameters, spec)


def _call(name: str, **settings: object) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in settings.items())})"


def _simple(parameters: Any, spec: GameSpec, *, wins: bool, blocks: bool) -> Parts:
    epsilon = getattr(parameters, "epsilon", 0.0)  # random has none
    return Parts(("base", "simple"), _call("SimplePlayer", wins=wins, blocks=blocks, epsilon=epsilon))


def _window_worths(name: str, spec: GameSpec) -> dict[str, list[int]]:
    """The value of a window by its number of stones, for the board of the file."""
    if name == "squares":
        raise KaggleFileError("the heuristic squares cannot be exported; windows and powers can")
    heuristic = make_heuristic(name, spec)
    if heuristic.part is not None:
        raise KaggleFileError(f"the heuristic {name} cannot be exported; windows and powers can")
    weights = heuristic.weights
    return {side: [int(worth) for worth in getattr(weights, side)[: spec.inarow]] for side in ("own", "other")}


def _minimax(parameters: MinimaxParameters, spec: GameSpec) -> Parts:
    depth = _UNLIMITED if parameters.depth == "none" else _budget(parameters.depth, parameters, USUAL_DEPTH)
    worths = _window_worths(parameters.heuristic, spec)
    player = _call("MinimaxPlayer", depth=depth, **worths, draws=parameters.tie == "random")
    return Parts(("base", "minimax"), player, _TIME_NOTE)


def _mcts(parameters: MctsParameters | HybridParameters, spec: GameSpec) -> Parts:
    _check_built_in(parameters.rule, "uct", "selection rule")
    if isinstance(parameters, MctsParameters):
        _check_built_in(parameters.leaf, "random", "leaf evaluator")
    settings: dict[str, object] = {
        "simulations": _budget(parameters.simulations, parameters, USUAL_SIMULATIONS),
        "exploration": parameters.c,
        "by_points": parameters.final == "score",
        "solve": parameters.solve,
    }
    if isinstance(parameters, HybridParameters):
        if parameters.place != "rollout":
            raise KaggleFileError(f"hybrid:place={parameters.place} cannot be exported; place=rollout can")
        informed = spec.cells if isinstance(parameters.informed, str) else parameters.informed
        settings |= {"informed": informed, "depth": parameters.depth, **_window_worths(parameters.heuristic, spec)}
    return Parts(("base", "minimax", "mcts"), _call("MctsPlayer", **settings), _TIME_NOTE)


def _check_built_in(name: str, built_in: str, word: str) -> None:
    if name != built_in:
        raise KaggleFileError(f"the {word} {name} cannot be exported; {built_in} can")


def _budget(wanted: int | str, parameters: MinimaxParameters | TreeParameters | AlphaZeroParameters, usual: int) -> int:
    """The given number; by default `usual`, or no limit if seconds are the limit."""
    if isinstance(wanted, int):
        return wanted
    return usual if parameters.seconds == "none" else _UNLIMITED


def _size(board: GameSpec, thing: str) -> str:
    """The arguments for the board of a table or net."""
    if not board.gravity:
        raise KaggleFileError(f"Kaggle's ConnectX has gravity; the {thing} is for {board}")
    return f"rows={board.rows}, columns={board.columns}, inarow={board.inarow}"


def _q(parameters: QParameters, spec: GameSpec) -> Parts:
    table = load_values(pretrained.shipped_table(spec) if parameters.table == "auto" else Path(parameters.table))
    size, (keys, choices) = _size(table.spec, "table"), map(text_literal, _best_columns(table))
    player = f"TablePlayer({size}, mirrors={bool(table.config.symmetry)}, keys={keys}, choices={choices})"
    return Parts(("base", "q_table"), player, f"It only plays {table.spec}.")


def _best_columns(table: TableValues) -> tuple[str, str]:
    """(packed keys, packed sets of best columns)."""
    spec = table.spec
    if not spec.fits_word:
        raise KaggleFileError(f"a table of {spec} cannot be exported: its keys are hashes")
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
    return packed(keys.tolist()), packed(sets.tolist())


def _dqn(parameters: DqnParameters, spec: GameSpec) -> Parts:
    if parameters.net == "auto":  # one for each side
        paths, board = [pretrained.default_deep_q_net(spec, side) for side in (0, 1)], spec
    else:
        paths = [pretrained.net_path(parameters.net, pretrained.DEEP_Q)]
        net = pretrained.find_net(parameters.net, pretrained.DEEP_Q)
        board = GameSpec.parse(net.about.board)
        if NetValues(net).potential is not None:
            raise KaggleFileError("a net trained with rewards.shaping cannot be exported: it plays with a heuristic")
    player = f"DqnPlayer({_size(board, 'net')}, nets=[{', '.join(map(net_expression, paths))}])"
    return Parts(("base", "net", "dqn"), player, f"It only plays {board}, and needs NumPy.")


def _alphazero(parameters: AlphaZeroParameters, spec: GameSpec) -> Parts:
    _check_built_in(parameters.rule, "puct", "selection rule")
    if parameters.root != "puct" or parameters.temperature > 0:
        raise KaggleFileError("alphazero can only be exported with root=puct and temperature=0")
    name = pretrained.default_alphazero_net(spec) if parameters.net == "auto" else parameters.net
    pretrained.find_net(name).check_board(spec)
    return _net_search(parameters, name, SearchConfig(root="puct", tactics=parameters.tactics))


def _published_alphazero(parameters: PublishedAlphaZeroParameters, spec: GameSpec) -> Parts:
    pretrained.find_net(parameters.net).check_board(spec)
    return _net_search(parameters.usual, parameters.net, PUBLISHED_SEARCH)


def _net_search(parameters: AlphaZeroParameters, net_name: str, config: SearchConfig) -> Parts:
    settings: dict[str, object] = {
        "simulations": _budget(parameters.simulations, parameters, USUAL_NET_SIMULATIONS),
        "exploration": config.exploration,
        "first_play": config.first_play if config.unvisited == "parent" else None,
        "softness": config.softness,
        "tactics": config.tactics,
    }
    net = net_expression(pretrained.net_path(net_name))
    player = f"{_call('AlphaZeroPlayer', **settings)[:-1]}, net={net})"
    return Parts(("base", "minimax", "mcts", "net", "alphazero"), player, f"{_TIME_NOTE} It needs NumPy.")


def _published_minimax(parameters: NoParameters, spec: GameSpec) -> Parts:
    weights = submitted_heuristic(spec).weights
    worths = {side: [int(worth) for worth in getattr(weights, side)[: spec.inarow + 1]] for side in ("own", "other")}
    player = _call("ShallowPlayer", depth=SUBMITTED_DEPTH, **worths)
    return Parts(("base", "minimax", "shallow"), player, _TIME_NOTE)


def _solver(parameters: SolverParameters, spec: GameSpec) -> Parts:
    if parameters.level != TOP_LEVEL:
        raise KaggleFileError("solver can only be exported at its top level, which is perfect")
    if spec != CONNECT_FOUR:
        raise KaggleFileError(f"solver can only be exported for {CONNECT_FOUR}, not for {spec}")
    return perfect_parts(shipped_moves())


def shipped_moves() -> dict[int, int]:
    """The columns to play in the positions, as by `outcome.key_of`, that the search of the perfect file does not
    decide.
    """
    place = files("inarow.adapters.kaggle_export") / "perfect_moves.npz"
    with as_file(place) as path, np.load(path, allow_pickle=False) as arrays:
        return dict(zip(arrays["keys"].tolist(), arrays["columns"].tolist(), strict=True))


def perfect_parts(moves: Mapping[int, int]) -> Parts:
    """The perfect player of 6x7x4 with these moves."""
    keys = sorted(moves)
    texts = [text_literal(packed(numbers)) for numbers in (keys, [moves[key] for key in keys])]
    note = "It keeps the outcome of every position that it can meet from the empty board."
    return Parts(PERFECT_MODULES, f"PerfectPlayer(keys={texts[0]}, columns={texts[1]})", note)


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
    "random": partial(_simple, wins=False, blocks=False),
    "greedy": partial(_simple, wins=True, blocks=False),
    "winblock": partial(_simple, wins=True, blocks=True),
    "minimax": _minimax,
    "mcts": _mcts,
    "hybrid": _mcts,
    "q": _q,
    "dqn": _dqn,
    "alphazero": _alphazero,
    "gupta-shah-2022/minimax": _published_minimax,
    "gupta-shah-2022/alphazero": _published_alphazero,
    "solver": _solver,
}


# --- Joining the modules of `player` to one file ---


def assemble(modules: Sequence[str], *, title: str, entry: str) -> str:
    """The source of a file: a docstring, the modules in this order, and `entry`, which creates `agent`.

    A module must follow those from which it imports. Imports stay at their places in the modules, so that the first
    module starts the clock before NumPy is loaded.
    """
    # As an ASCII literal: the path of an agent's file may contain quotes and backslashes.
    head, imported = f"{title!a}\n\nfrom __future__ import annotations", {"from __future__ import annotations"}
    sources = [(files(_PACKAGE) / f"{module}.py").read_text(encoding="utf-8") for module in modules]
    return "\n\n\n".join([head, *(_body(source, imported) for source in sources), entry]) + "\n"


def text_literal(text: str) -> str:
    """A long text as Python source, on many lines."""
    lines = [text[at : at + _WIDTH] for at in range(0, len(text), _WIDTH)] or [""]
    return "(\n" + "\n".join(f"    {line!r}" for line in lines) + "\n)"


def _body(source: str, imported: set[str]) -> str:
    """A module with its docstring as a comment, without imports from this folder and without those in `imported`, to
    which its other imports are added.
    """
    tree, lines = ast.parse(source), source.splitlines()
    comment = [f"# {line}".rstrip() for line in (ast.get_docstring(tree) or "").splitlines()]
    for node in (tree.body[0], *(each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom))):
        text = ast.unparse(node)
        is_own = text.startswith(f"from {_PACKAGE}")
        assert not (is_own and " as " in text), "a name must be the same in the joined file"
        if is_own or text in imported or node is tree.body[0]:
            end = node.end_lineno or node.lineno
            lines[node.lineno - 1 : end] = [""] * (end - node.lineno + 1)
        imported.add(text)
    return "\n".join(comment) + "\n\n" + re.sub(r"\n{4,}", "\n\n\n", "\n".join(lines)).strip()
