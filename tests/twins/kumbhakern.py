"""The learner of kumbhakern-2025, slow and obvious, on lists of lists. Draws its chance in the order of the kernel."""

import numpy as np

from inarow.games.spec import GameSpec
from tests.twins import reference

SPEC = GameSpec(4, 4, 4)


class Twin:
    """Plays phases as `training.PublishedTrainer`; `table` is {(learner 1 or 2, cells): four values}."""

    def __init__(self, rng: np.random.Generator, random_starts: float) -> None:
        self.table: dict[tuple, list[float]] = {}
        self.rng = rng
        self.random_starts = random_starts

    def run(self, split: float, opponent: str, episodes: int, log: int) -> list[float]:
        frozen = {key: values[:] for key, values in self.table.items()}
        epsilon, best, rewards, curve = 0.8, -np.inf, [], []
        for number in range(episodes):
            rewards.append(self.episode(number, epsilon, split, opponent, frozen))
            if (number + 1) % log == 0:
                mean = sum(rewards[-log:]) / log
                epsilon *= 0.9 if mean - best > -0.005 else 1.01
                epsilon = min(max(epsilon, 0.05), 0.8)
                best = max(best, mean)
                curve.append(mean)
        return curve

    def episode(self, number: int, epsilon: float, split: float, opponent: str, frozen: dict) -> float:
        learner = 3 - (number % 2 + 1)
        cells = self.start()
        is_self = self.rng.random() >= split
        mover, total = 1, 0.0
        while True:
            state = (learner, freeze(cells))
            values = self.table.setdefault(state, [0.0] * 4)
            if mover == learner or is_self:
                action = self.any_action(cells) if self.rng.random() < epsilon else self.best_action(cells, values)
            elif opponent == "random":
                action = self.any_action(cells)
            else:
                asked = learner if opponent == "serves the learner" else mover
                action = self.best_action(cells, frozen.get((asked, freeze(cells)), [0.0] * 4))
            place = reference.landing(cells, action, SPEC)
            cells = reference.play(cells, action, mover, SPEC)
            reward, future = 0.0, 0.0
            is_won = reference.has_line(cells, mover, SPEC)
            is_over = is_won or not reference.legal_actions(cells, SPEC)
            if is_won:
                reward = 1.0 if mover == learner else -1.0
            elif not is_over:
                if mover == learner:
                    reward = 0.1 * block_weight(cells, *place)
                future = max(self.table.setdefault((learner, freeze(cells)), [0.0] * 4))
            values[action] += 0.05 * (reward + 0.9 * future - values[action])
            total += reward
            if is_over:
                return total
            mover = 3 - mover

    def start(self) -> reference.Cells:
        if self.random_starts == 0.0 or self.rng.random() >= self.random_starts:
            return reference.empty(SPEC)
        while True:
            cells = reference.empty(SPEC)
            for row in (3, 2, 1, 0):
                for column in range(4):
                    if row == 3 or cells[row + 1][column]:
                        draw = self.rng.random()
                        cells[row][column] = 0 if draw < 0.5 else 1 if draw < 0.75 else 2
            if reference.legal_actions(cells, SPEC):  # nobody has a line and there is room
                return cells

    def any_action(self, cells: reference.Cells) -> int:
        while True:
            action = int(self.rng.random() * 4)
            if reference.landing(cells, action, SPEC):
                return action

    def best_action(self, cells: reference.Cells, values: list[float]) -> int:
        legal = reference.legal_actions(cells, SPEC)
        best = max(values[action] for action in legal)
        equals = [action for action in legal if values[action] >= best - 1e-5]
        return equals[int(self.rng.random() * len(equals))]


def freeze(cells: reference.Cells) -> tuple:
    return tuple(map(tuple, cells))


def block_weight(cells: reference.Cells, row: int, column: int) -> float:
    """Of the stone on (row, column), placed last."""
    other = 3 - cells[row][column]
    weight, half = 0.0, 0
    for down, right in reference.DIRECTIONS:
        count, open_ends = 0, 0
        for sign in (1, -1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < 4 and 0 <= c < 4 and cells[r][c] == other:
                count += 1
                r, c = r + sign * down, c + sign * right
            if 0 <= r < 4 and 0 <= c < 4 and reference.landing(cells, c, SPEC) == (r, c):
                open_ends += 1
        if count == 3 or (count == 2 and open_ends == 2):
            weight += 1.0
        elif count == 2 and open_ends == 1:
            half += 1
    return weight + 0.5 * half if half >= 2 else weight
