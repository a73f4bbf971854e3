"""Slow, obvious twins of the kernels, on lists of lists. Never optimise this file.

A board is `cells[row][column]`, row 0 on top, with 0 empty, 1 first side, 2 second side.
"""

from __future__ import annotations

import math

import numpy as np

from inarow.games.spec import GameSpec

Cells = list[list[int]]

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def empty(spec: GameSpec) -> Cells:
    return [[0] * spec.columns for _ in range(spec.rows)]


def landing(cells: Cells, action: int, spec: GameSpec) -> tuple[int, int] | None:
    """(row, column) of the stone that `action` plays; None if there is no room."""
    if not spec.gravity:
        row, column = divmod(action, spec.columns)
        return (row, column) if cells[row][column] == 0 else None
    for row in reversed(range(spec.rows)):
        if cells[row][action] == 0:
            return row, action
    return None


def legal_actions(cells: Cells, spec: GameSpec) -> list[int]:
    if has_line(cells, 1, spec) or has_line(cells, 2, spec):
        return []
    return [action for action in range(spec.actions) if landing(cells, action, spec) is not None]


def play(cells: Cells, action: int, side: int, spec: GameSpec) -> Cells:
    row, column = landing(cells, action, spec)
    after = [line[:] for line in cells]
    after[row][column] = side
    return after


def has_line(cells: Cells, side: int, spec: GameSpec) -> bool:
    for row in range(spec.rows):
        for column in range(spec.columns):
            for down, right in DIRECTIONS:
                line = [(row + i * down, column + i * right) for i in range(spec.inarow)]
                if all(0 <= r < spec.rows and 0 <= c < spec.columns and cells[r][c] == side for r, c in line):
                    return True
    return False


def winning_cells(cells: Cells, side: int, spec: GameSpec) -> set[tuple[int, int]]:
    """Empty cells, reachable or not, on which one more stone of `side` is part of a new line."""
    found = set()
    for row in range(spec.rows):
        for column in range(spec.columns):
            if cells[row][column] == 0:
                after = [line[:] for line in cells]
                after[row][column] = side
                if has_line_through(after, row, column, spec):
                    found.add((row, column))
    return found


def has_line_through(cells: Cells, row: int, column: int, spec: GameSpec) -> bool:
    side = cells[row][column]
    for down, right in DIRECTIONS:
        for shift in range(spec.inarow):
            line = [(row + (i - shift) * down, column + (i - shift) * right) for i in range(spec.inarow)]
            if all(0 <= r < spec.rows and 0 <= c < spec.columns and cells[r][c] == side for r, c in line):
                return True
    return False


def count_sequences(spec: GameSpec, depth: int, cells: Cells | None = None, ply: int = 0) -> int:
    cells = empty(spec) if cells is None else cells
    if ply == depth:
        return 1
    return sum(
        count_sequences(spec, depth, play(cells, action, 1 + ply % 2, spec), ply + 1)
        for action in legal_actions(cells, spec)
    )


# --- Heuristics and minimax ---

WINDOW_WORTHS = {3: {1: 0.2, 2: 0.6}, 4: {1: 0.1, 2: 0.3, 3: 0.8}}


def window_worth(stones: int, inarow: int) -> float:
    """Of an open window: as published for three and four, for others by the curve of four, in whole hundredths."""
    if inarow in WINDOW_WORTHS:
        return WINDOW_WORTHS[inarow][stones]
    curve = [0, 10, 30, 80, 130]  # hundredths, at no quarter of the window filled, one, ...
    quarters = 4 * stones / inarow
    before = int(quarters)
    return round(curve[before] + (quarters - before) * (curve[before + 1] - curve[before])) / 100


def windows(spec: GameSpec) -> list[list[tuple[int, int]]]:
    """Every place for a line."""
    found = []
    for row in range(spec.rows):
        for column in range(spec.columns):
            for down, right in DIRECTIONS:
                line = [(row + i * down, column + i * right) for i in range(spec.inarow)]
                if all(0 <= r < spec.rows and 0 <= c < spec.columns for r, c in line):
                    found.append(line)
    return found


def open_windows(cells: Cells, side: int, spec: GameSpec) -> list[int]:
    """For each window in which only `side` has stones, how many; lines are left out."""
    counts = []
    for window in windows(spec):
        stones = [cells[row][column] for row, column in window]
        if 0 < stones.count(side) < spec.inarow and not stones.count(3 - side):
            counts.append(stones.count(side))
    return counts


def heuristic(name: str, cells: Cells, side: int, spec: GameSpec) -> float:
    """The worth of a position to `side`."""
    own, other = open_windows(cells, side, spec), open_windows(cells, 3 - side, spec)
    if name == "windows":
        size = spec.inarow
        return sum(window_worth(count, size) for count in own) - sum(window_worth(count, size) for count in other)
    if name == "powers":
        return float(sum(1000 ** (i - 1) for i in own if i > 1) - sum(2000 ** (i - 1) for i in other if i > 1))
    signs = [[{0: 0, side: 1, 3 - side: -1}[cell] for cell in line] for line in cells]
    total, size = 0, spec.inarow
    for row in range(spec.rows - size + 1):
        for column in range(spec.columns - size + 1):
            square = [line[column : column + size] for line in signs[row : row + size]]
            sums = [sum(line) for line in square] + [sum(line) for line in zip(*square, strict=True)]
            sums += [sum(square[i][i] for i in range(size)), sum(square[i][size - 1 - i] for i in range(size))]
            total += 2 * max(sums) if max(sums) > 1 else 0
            total += 2 * min(sums) if min(sums) < -1 else 0
    return float(total)


def minimax(name: str, cells: Cells, side: int, depth: int, spec: GameSpec, root: int, ply: int) -> tuple[str, float]:
    """The value for `root`: ("win" | "loss", ply of the end) or ("open", heuristic or 0 for a draw)."""
    values = []
    for action in legal_actions(cells, spec):
        after = play(cells, action, side, spec)
        if has_line(after, side, spec):
            values.append(("win" if side == root else "loss", ply + 1))
        elif ply + 1 == spec.cells:
            values.append(("open", 0.0))
        elif depth == 1:
            values.append(("open", heuristic(name, after, root, spec)))
        else:
            values.append(minimax(name, after, 3 - side, depth - 1, spec, root, ply + 1))
    return max(values, key=rank) if side == root else min(values, key=rank)


def rank(value: tuple[str, float]) -> tuple[int, float]:
    """Orders values of `minimax`: fast wins over slow wins over open results over slow losses."""
    kind, number = value
    return {"win": (1, -number), "open": (0, number), "loss": (-1, number)}[kind]


# --- The Q-learner of paranji-2025 ---


class ParanjiLearner:
    """Learns as its authors wrote it, call by call, faults included."""

    def __init__(self) -> None:
        self.table: dict[tuple, dict[int, float]] = {}  # (cells, side to move) -> action -> value
        self.epsilon = 0.3
        self.state = self.action = None  # what it remembers of its last move

    def learn(self, reward: float, after: tuple | None) -> None:
        """`after` is None at the end of a game."""
        if self.state is None or self.action is None:
            return  # after a game this is always so, hence no loss and no draw is ever learned
        best_after = max(self.table[after].values()) if after in self.table else 0.0
        values = self.table.setdefault(self.state, {})
        value = values.get(self.action, 0.0)
        values[self.action] = value + 0.1 * (reward + 0.9 * best_after - value)
        self.state, self.action = after, None
        if after is None:
            self.epsilon = max(0.01, self.epsilon * 0.995)


def paranji_q_table(
    spec: GameSpec, episodes: int, rng: np.random.Generator, opponent_blocks: bool
) -> dict[tuple, dict[int, float]]:
    """The table of the learner after this number of games against the default agent, which may know how to block."""
    learner = ParanjiLearner()
    for _ in range(episodes):
        cells, side, winner = empty(spec), 1, 0
        learner.state = learner.action = None
        while legal := legal_actions(cells, spec):
            mover = side
            if mover == 1:
                learner.state = _state(cells, side)
                known = learner.table.get(learner.state, {}) if rng.random() >= learner.epsilon else {}
                chosen = learner.action = _pick_best([(each, known.get(each, 0.0)) for each in legal], rng)
            else:
                wins = [each for each in legal if has_line(play(cells, each, 2, spec), 2, spec)]
                if opponent_blocks and not wins:
                    wins = [each for each in legal if has_line(play(cells, each, 1, spec), 1, spec)]
                chosen = wins[0] if wins else _pick_best([(each, 0.0) for each in legal], rng)
            cells, side = play(cells, chosen, mover, spec), 3 - mover
            winner = mover if has_line(cells, mover, spec) else 0
            if mover == 1:
                learner.learn(1.0 if winner else 0.0, _state(cells, side) if legal_actions(cells, spec) else None)
        learner.learn({1: 1.0, 2: -1.0, 0: 0.2}[winner], None)
    return learner.table


def _state(cells: Cells, side: int) -> tuple:
    return tuple(map(tuple, cells)), side


def _pick_best(values: list[tuple[int, float]], rng: np.random.Generator) -> int:
    """Uniformly one of the greatest, drawing once for each but the first of them."""
    chosen, equals, best = -1, 0, -math.inf
    for action, value in values:
        if value > best:
            chosen, equals, best = action, 1, value
        elif value == best:
            equals += 1
            if rng.random() * equals < 1.0:
                chosen = action
    return chosen


def block_weight(cells: Cells, row: int, column: int, opponent: int, spec: GameSpec) -> float:
    """kumbhakern-2025: what the stone on (row, column) is worth as a block of the opponent."""
    weight, single_ended = 0.0, 0
    for down, right in DIRECTIONS:
        length, open_ends = 0, 0
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < spec.rows and 0 <= c < spec.columns and cells[r][c] == opponent:
                length += 1
                r, c = r + sign * down, c + sign * right
            if 0 <= r < spec.rows and 0 <= c < spec.columns:
                open_ends += any(landing(cells, action, spec) == (r, c) for action in range(spec.actions))
        if length >= spec.inarow - 1 or (length == spec.inarow - 2 and open_ends == 2):
            weight += 1.0
        elif length == spec.inarow - 2 and open_ends == 1:
            single_ended += 1
    return weight + 0.5 * single_ended if single_ended >= 2 else weight
