"""The tree search and the learner of harman, slow and obvious: boards are lists of rows, row 0 on top,
keys are the strings of the published program. Chance is drawn in the order in which the kernels do.
"""

import math


def drop(cells, column, side):
    """The row that a stone comes to lie in; the cells change."""
    for row in reversed(range(len(cells))):
        if cells[row][column] == 0:
            cells[row][column] = side
            return row
    return 0  # a full column: the program continues as if its top stone had been placed


def makes_line(cells, row, column, side):
    """Whether three neighbours in a line of the cell belong to the side."""
    for down, right in ((1, 1), (1, -1), (0, 1), (1, 0)):
        for before in range(4):
            places = [(row + k * down, column + k * right) for k in range(-before, 4 - before) if k != 0]
            if all(0 <= r < len(cells) and 0 <= c < len(cells[0]) and cells[r][c] == side for r, c in places):
                return True
    return False


def is_full(cells):
    return 0 not in cells[0]


def legal(cells):
    return [column for column, top in enumerate(cells[0]) if top == 0]


class Node:
    def __init__(self, cells):
        self.cells = cells
        self.visits = self.total = 0
        self.children = {}

    def expand(self, side):
        for column in legal(self.cells):
            after = [list(row) for row in self.cells]
            drop(after, column, side)
            self.children[column] = Node(after)


def pick(items, rng):
    """Uniformly one, by a draw for each."""
    chosen = None
    for count, item in enumerate(items, start=1):
        if rng.random() * count < 1.0:
            chosen = item
    return chosen


def tree_search(cells, player, playouts, rng, c=2.0):
    """The visits of the root's children, one for each column."""

    def side_at(level):
        return player if level % 2 == 0 else 3 - player

    def build(node, level):
        if level < 4:
            node.expand(side_at(level))
            for child in node.children.values():
                build(child, level + 1)

    root = Node(cells)
    build(root, 0)
    for _ in range(playouts):
        path = [root]
        while path[-1].children:
            path.append(select(path[-1], c, rng))
        level = len(path) - 1
        path[-1].expand(side_at(level))
        result = play_on([list(row) for row in path[-1].cells], side_at(level), player, rng)
        for node in path:
            node.visits += 1
            node.total += result
    return [root.children[column].visits if column in root.children else 0 for column in range(len(cells[0]))]


def select(node, c, rng):
    unseen = [child for child in node.children.values() if child.visits == 0]
    if unseen:
        # the kernel meets visited children first or last, but draws for the unseen only
        return pick(unseen, rng)
    return max(
        node.children.values(),
        key=lambda child: (
            child.total / child.visits + c * math.sqrt(math.log(node.visits) / child.visits),
            child.visits,
        ),
    )


def play_on(cells, side, player, rng):
    """1, 0 or -1 for the player, of random moves."""
    columns = len(cells[0])
    while True:
        column = columns - 1
        if not is_full(cells):
            column = int(rng.random() * columns)
            while cells[0][column] != 0:
                column = int(rng.random() * columns)
        row = drop(cells, column, side)
        if makes_line(cells, row, column, side):
            return 1 if side == player else -1
        if is_full(cells):
            return 0
        side = 3 - side


class Learner:
    """One game of the Q player, which is player 2."""

    def __init__(self, values, alpha=0.6, gamma=0.8, epsilon=0.1):
        self.values, self.alpha, self.gamma, self.epsilon = values, alpha, gamma, epsilon
        self.last = None
        self.reward = 0.0

    def enter(self, cells):
        for column in legal(cells):
            if key_of(cells, column) not in self.values:
                image = mirror_key(cells, column)
                self.values.setdefault(image, 0.0)
                self.values[key_of(cells, column)] = self.values[image]

    def learn(self, cells, column, reward, future, *, to_mirror):
        value = self.values[key_of(cells, column)]
        value += self.alpha * (reward + self.gamma * future - value)
        self.values[key_of(cells, column)] = value
        if to_mirror:
            self.values[mirror_key(cells, column)] = value
        self.reward += reward

    def move(self, cells, rng):
        """Returns (cells after its move, column, row)."""
        self.enter(cells)
        known = {column: self.values[key_of(cells, column)] for column in legal(cells)}
        best = max(known.values())
        column = pick_best(known, rng)
        if rng.random() < self.epsilon:
            column = int(rng.random() * len(cells[0]))
            while cells[0][column] != 0:
                column = int(rng.random() * len(cells[0]))
        if self.last is not None:
            self.learn(*self.last, -1.0, best, to_mirror=True)
        self.last = cells, column
        after = [list(row) for row in cells]
        return after, column, drop(after, column, 2)

    def end(self, reward, *, by_opponent):
        if by_opponent:
            self.enter([list(row) for row in self.after])
        self.learn(*self.last, reward, 0.0, to_mirror=not by_opponent)


def key_of(cells, column):
    return "".join(str(cell) for row in cells for cell in row) + str(column)


def mirror_key(cells, column):
    return key_of([list(reversed(row)) for row in cells], len(cells[0]) - 1 - column)


def pick_best(known, rng):
    """Uniformly one of the greatest, drawing once for each but the first of them."""
    chosen, equals, best = -1, 0, -math.inf
    for column, value in known.items():
        if value > best:
            chosen, equals, best = column, 1, value
        elif value == best:
            equals += 1
            if rng.random() * equals < 1.0:
                chosen = column
    return chosen


def play_episode(rows, columns, values, playouts, rng):
    """The reward of one game against the tree search, which moves first."""
    cells = [[0] * columns for _ in range(rows)]
    learner = Learner(values)
    while True:
        visits = tree_search(cells, 1, playouts, rng)
        column = visits.index(max(visits))
        cells = [list(row) for row in cells]
        row = drop(cells, column, 1)
        if makes_line(cells, row, column, 1) or is_full(cells):
            learner.end(-50.0 if makes_line(cells, row, column, 1) else -10.0, by_opponent=True)
            return learner.reward
        cells, column, row = learner.move(cells, rng)
        learner.after = cells
        if makes_line(cells, row, column, 2) or is_full(cells):
            learner.end(50.0 if makes_line(cells, row, column, 2) else -10.0, by_opponent=False)
            return learner.reward


def train(rows, columns, episodes, playouts, rng):
    """(Values by key, rewards of the games)."""
    values = {}
    return values, [play_episode(rows, columns, values, playouts, rng) for _ in range(episodes)]
