"""Selection rules and leaf evaluators that users register by name: functions of a few numbers or of a board.

A rule is `(parent: NodeStats, child: NodeStats) -> bound`, the priority of a child; see
`selection.py`. A leaf evaluator is `(board, ply) -> result`, the expected result from -1 to 1 for the side to move
after `ply` moves of a game that is not over. Its board is int8 [rows, columns], row 0 on top, with 1 for stones of the
side to move, -1 for those of the opponent and 0 for empty cells.

A function that is compiled by `numba.njit` becomes part of the compiled search; with any other function the whole
search runs as plain Python, hundreds of times slower, with the same result. The low-level forms, NamedTuples with a
function registered by `implements`, have parameters and get the full state; they can be registered by name as well.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, overload

import numpy as np

from inarow.games import GameSpec
from inarow.games.bits import Bits
from inarow.games.kernels import compiled_layout
from inarow.games.layout import Layout
from inarow.plugins import share, source_digest
from inarow.search.plugged import (
    Part,
    check_known,
    check_name,
    fill_board,
    implementation_of,
    make_part,
    part_of,
    scratch_board,
)
from inarow.search.tree.rollouts import Rollouts
from inarow.search.tree.selection import NodeStats

RuleFunction = Callable[[NodeStats, NodeStats], float]
LeafFunction = Callable[[np.ndarray, int], float]

_FunctionT = TypeVar("_FunctionT", bound=Callable[..., Any])
_RULE, _LEAF = "selection rule", "leaf evaluator"
_BUILT_IN_RULES = ("uct", "puct")  # of rollout trees, and of network trees
_BUILT_IN_LEAF = "random"

_rules: dict[str, Any] = {}  # NamedTuples
_leaves: dict[str, Any] = {}  # `BoardLeaf`s, or NamedTuples


@dataclass(frozen=True, slots=True)
class BoardLeaf:
    """A leaf evaluator made of a function of a board."""

    part: Part

    def leaf(self, spec: GameSpec, *, wide: bool | None = None) -> Any:
        """The NamedTuple for one thread."""
        return self.part.kind(scratch_board(compiled_layout(spec, wide=wide)))


# --- Selection rules ---


@overload
def register_rule(name: str) -> Callable[[_FunctionT], _FunctionT]: ...


@overload
def register_rule(name: str, rule: tuple[Any, ...]) -> None: ...


def register_rule(name: str, rule: tuple[Any, ...] | None = None) -> Callable[[_FunctionT], _FunctionT] | None:
    """A decorator that registers a function as a selection rule of tree searches, also for agent strings. Replaces an
    earlier one of that name; raises InvalidLimitError for an invalid name. If `rule` is given, a NamedTuple whose type
    is registered by `implements`, it is registered instead, and the return value is None.
    """
    check_name(_RULE, name, _BUILT_IN_RULES)
    if rule is None:
        return lambda function: _register_rule_function(name, function)
    implementation_of(type(rule))
    _rules[name] = rule
    share(_RULE, name, register_rule, name, rule)
    return None


def _register_rule_function(name: str, function: _FunctionT) -> _FunctionT:
    def bound_of(rule: Any, parent: NodeStats, child: NodeStats) -> float:
        bound: float = function(parent, child)
        if not bound > -np.inf:
            raise ValueError("it must return a number greater than minus infinity")
        return bound

    _rules[name] = make_part(_RULE, name, function, bound_of).kind()
    share(_RULE, name, _register_rule_function, name, function)
    return function


def rule_names(built_in: str) -> tuple[str, ...]:
    """The names of the rules for a kind of tree; `built_in` is its own rule."""
    return built_in, *_rules


def make_rule(name: str) -> Any:
    """The rule `name` for `TreeSearch` or `NetSearch`; None for a built-in rule. Raises InvalidLimitError."""
    if name in _BUILT_IN_RULES:
        return None
    check_known(_RULE, name, (*_BUILT_IN_RULES, *_rules))
    return _rules[name]


def rule_digest(name: str) -> str | None:
    """A digest of the source of a registered rule and its parameters; None for a built-in rule."""
    return None if name in _BUILT_IN_RULES else _digest(_rules[name])


# --- Leaf evaluators ---


@overload
def register_leaf(name: str) -> Callable[[_FunctionT], _FunctionT]: ...


@overload
def register_leaf(name: str, leaf: tuple[Any, ...]) -> None: ...


def register_leaf(name: str, leaf: tuple[Any, ...] | None = None) -> Callable[[_FunctionT], _FunctionT] | None:
    """A decorator that registers a function as a leaf evaluator of `mcts`, also for agent strings. Replaces an earlier
    one of that name; raises InvalidLimitError for an invalid name. If `leaf` is given, a NamedTuple whose type is
    registered by `implements`, it is registered instead, and the return value is None.
    """
    check_name(_LEAF, name, (_BUILT_IN_LEAF,))
    if leaf is None:
        return lambda function: _register_leaf_function(name, function)
    implementation_of(type(leaf))
    _leaves[name] = leaf
    share(_LEAF, name, register_leaf, name, leaf)
    return None


def _register_leaf_function(name: str, function: _FunctionT) -> _FunctionT:
    def result_of(
        leaf: Any, layout: Layout, stones: Bits, mask: Bits, ply: int, heights: np.ndarray, rng: np.random.Generator
    ) -> float:
        fill_board(leaf.board, stones, mask ^ stones, layout)
        result = float(function(leaf.board, ply))
        if not abs(result) <= 1.0:
            raise ValueError("it must return a number from -1 to 1")
        return result

    part = make_part(_LEAF, name, function, result_of, "board")
    part.kind.is_fractional = True
    _leaves[name] = BoardLeaf(part)
    share(_LEAF, name, _register_leaf_function, name, function)
    return function


def leaf_names() -> tuple[str, ...]:
    """The names that `make_leaf` accepts."""
    return _BUILT_IN_LEAF, *_leaves


def make_leaf(name: str) -> Any:
    """The leaf evaluator `name` for `TreeSearch`; raises InvalidLimitError."""
    check_known(_LEAF, name, leaf_names())
    return Rollouts() if name == _BUILT_IN_LEAF else _leaves[name]


def is_fractional(name: str) -> bool:
    """Whether the results of a leaf evaluator may be fractions."""
    leaf = make_leaf(name)
    return isinstance(leaf, BoardLeaf) or bool(getattr(leaf, "is_fractional", False))


def leaf_digest(name: str) -> str | None:
    """A digest of the source of a registered leaf evaluator and its parameters; None for a built-in one."""
    return None if name == _BUILT_IN_LEAF else _digest(_leaves[name])


def _digest(registered: Any) -> str:
    if isinstance(registered, BoardLeaf):
        return source_digest(registered.part.function)
    part = part_of(registered)
    if part is not None:
        return source_digest(part.function)
    return f"{source_digest(implementation_of(type(registered)))}{tuple(registered)!r}"
