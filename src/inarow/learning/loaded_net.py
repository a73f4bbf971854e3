"""Nets for users: `load_net` reads a net, `predict` evaluates positions."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from inarow.errors import FinishedGameError, NetError, did_you_mean, shown
from inarow.games import Board, GameSpec, Position
from inarow.learning.deep_q.play import load_net_values
from inarow.learning.net_file import ANY_BOARD, Net, net_evaluator, open_net
from inarow.learning.pretrained import ALPHAZERO, DEEP_Q, shipped_nets
from inarow.search.tree.evaluation import PLAYABLE, planes_of

NetKind = Literal["alphazero", "deep-q"]
_KINDS: tuple[NetKind, ...] = ("alphazero", "deep-q")
_CHUNK = 512  # positions per call of the net, which bounds the memory
_NET = "net.onnx"  # in the folder of a run

Positions = Position | str | Sequence[Position | str]


class LoadedNet:
    """A net, ready to evaluate positions. Created by `load_net`."""

    def __init__(self, path: Path, kind: NetKind, net: Net) -> None:
        self.path, self.kind, self._net = path, kind, net
        self._evaluate = net_evaluator(net)
        self._moves = load_net_values(path) if kind == DEEP_Q else None

    def __repr__(self) -> str:
        return f"<{self.kind} net for {self.board or 'any board'}: {self.path}>"

    @property
    def board(self) -> GameSpec | None:
        """The board that it was trained on; None if it plays boards of any size."""
        return None if self._net.about.board == ANY_BOARD else GameSpec.parse(self._net.about.board)

    @property
    def about(self) -> dict[str, Any]:
        """The metadata of its training: `config`, `seed`, `inarow` (the version), `provenance`."""
        about = self._net.about
        return {name: getattr(about, name) for name in ("config", "seed", "inarow", "provenance")}

    def predict(self, positions: Positions, *, board: Board | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(Policies float32 [n, actions], values float32 [n] in [-1, 1] for the side to move) of positions of one
        board, or of move strings on the net's board or on `board`. A single position counts as a sequence of one.

        These are the outputs of the net, without search or tactics. The policy of AlphaZero is the softmax of the net's
        logits at the playable cells (temperature 1; a search divides the logits by 1.8 first), 0 for illegal actions.
        Deep Q-learning has values of moves but no policy: the value is the largest of them divided by the reward for a
        win, clipped to [-1, 1], and the policy is 1 for the first best action.

        Raises FinishedGameError, which names the index of a finished position, NotationError, and NetError for a wrong
        board.
        """
        found = self._read(positions, board)
        if not found:
            spec = self._spec(board)
            return np.zeros((0, spec.actions if spec else 0), np.float32), np.zeros(0, np.float32)
        ask = self._ask_alphazero if self.kind == ALPHAZERO else self._ask_deep_q
        answers = [ask(found[first : first + _CHUNK]) for first in range(0, len(found), _CHUNK)]
        policies, values = (np.concatenate(parts) for parts in zip(*answers, strict=True))
        return policies, values

    def _spec(self, board: Board | None) -> GameSpec | None:
        return self.board if board is None else GameSpec.parse(board)

    def _read(self, positions: Positions, board: Board | None) -> list[Position]:
        """Checked positions of one board."""
        spec = self._spec(board)
        given = [positions] if isinstance(positions, Position | str) else positions
        found = []
        for index, each in enumerate(given):
            if isinstance(each, str):
                if spec is None:
                    raise NetError("the net plays any board: give board= for move strings")
                each = Position.parse(each, spec)
            if each.is_over:
                raise FinishedGameError(f"position {index} is over after {shown(each.moves)}: it cannot be evaluated")
            found.append(each)
        for other in {each.spec for each in found}:
            self._net.check_board(other)
            if other != (spec or found[0].spec):
                raise NetError(f"positions of {spec or found[0].spec} and {other}: evaluate one board per call")
        return found

    def _ask_alphazero(self, positions: Sequence[Position]) -> tuple[np.ndarray, np.ndarray]:
        planes = np.stack([planes_of(each) for each in positions])
        logits, values = self._evaluate(planes)
        logits = np.where(planes[:, PLAYABLE] > 0, logits, -np.inf)
        weights = np.exp(logits - logits.max(axis=(1, 2), keepdims=True))
        # Row by row from the top, cells are the actions; with gravity a column has one playable cell.
        by_action = weights.sum(axis=1) if positions[0].spec.gravity else weights.reshape(len(weights), -1)
        return by_action / by_action.sum(axis=1, keepdims=True), np.clip(values, -1, 1)

    def _ask_deep_q(self, positions: Sequence[Position]) -> tuple[np.ndarray, np.ndarray]:
        assert self._moves is not None
        found = self._moves.values_of(positions)
        policies = np.zeros(found.shape, np.float32)
        policies[np.arange(len(found)), found.argmax(axis=1)] = 1
        return policies, np.clip(found.max(axis=1) / self._moves.win_reward, -1, 1).astype(np.float32)


def load_net(name_or_path: str | Path, kind: NetKind | Literal["auto"] = "auto") -> LoadedNet:
    """A net by its name (`connect4`, `universal`, `santos-2025-first-quantum`), by the folder of a training run, or by
    an `.onnx` file written by `inarow train`. Names of nets that ship with inarow come first. With a `kind`, nets of
    other kinds are rejected. Raises NetError.
    """
    if kind not in ("auto", *_KINDS):
        raise NetError(f"there is no kind of net {shown(str(kind))}; kinds are auto, {', '.join(_KINDS)}")
    path = _path_of(name_or_path)
    net = open_net(path, None if kind == "auto" else kind)
    for known in _KINDS:
        if net.about.kind == known:
            return LoadedNet(path, known, net)
    raise NetError(f"{path} is a net of {shown(net.about.kind)}; load_net reads nets of {' and '.join(_KINDS)}")


def _path_of(name_or_path: str | Path) -> Path:
    """The path of the net's file; raises NetError."""
    shipped = {name: path for kind in _KINDS for name, path in shipped_nets(kind).items()}
    if isinstance(name_or_path, str) and name_or_path in shipped:
        return shipped[name_or_path]
    path = Path(name_or_path)
    if path.is_dir():
        if not (path / _NET).is_file():
            raise NetError(f"{path} has no file {_NET}: it is not the folder of a run of {' or '.join(_KINDS)}")
        return path / _NET
    if path.suffix != ".onnx":
        raise NetError(
            f"there is no net {shown(str(name_or_path))}{did_you_mean(str(name_or_path), shipped)}; "
            f"give the folder of a run, an .onnx file, or a net that ships "
            f"with inarow: {', '.join(shipped)}"
        )
    return path
