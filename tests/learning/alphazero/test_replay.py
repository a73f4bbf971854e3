"""Examples: what goes in comes out, as the network takes it."""

import numpy as np
import pytest

from inarow.games.bits import WORDS
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.learning.alphazero.replay import Replay
from inarow.learning.alphazero.selfplay import Examples
from tests.twins.alphazero import plain_planes

SMALL, WIDE = GameSpec(4, 5, 3), GameSpec(9, 9, 4)


def walk(spec: GameSpec, count: int, seed: int = 0) -> list[Position]:
    rng = np.random.default_rng(seed)
    found, position = [], Position.start(spec)
    while len(found) < count:
        found.append(position)
        position = position.play(rng.choice(position.legal_actions))
        if position.is_over:
            position = Position.start(spec)
    return found


def examples_of(positions: list[Position], first_value: int = 0) -> Examples:
    """All weight on the last legal action, values that tell the examples apart."""
    spec = positions[0].spec
    words = 1 if spec.fits_word else WORDS

    def bits(numbers: list[int]) -> np.ndarray:
        return np.array([[number >> 64 * word & 2**64 - 1 for word in range(words)] for number in numbers], np.uint64)

    policies = np.zeros((len(positions), spec.actions), np.float32)
    for row, position in enumerate(positions):
        policies[row, position.legal_actions[-1]] = 1
    values = np.arange(first_value, first_value + len(positions), dtype=np.float32)
    return Examples(bits([p.stones for p in positions]), bits([p.mask for p in positions]), policies, values)


@pytest.mark.parametrize("spec", [CONNECT_FOUR, TIC_TAC_TOE, WIDE])
def test_batches_are_the_examples_or_their_mirror_images(spec):
    positions = walk(spec, 30)
    replay = Replay([spec], 100)
    replay.add(spec, examples_of(positions))
    for mirror in (False, True):
        batch = replay.draw(60, 100, np.random.default_rng(0), mirror=mirror)
        assert not batch.is_mixed
        mirrored = 0
        for planes, policy, value in zip(batch.planes, batch.policies, batch.values, strict=True):
            position = positions[int(value)]
            cell = position.layout.row_and_column(position.landing_cell(position.legal_actions[-1]))
            expected = plain_planes(position)
            is_mirror = not (np.array_equal(planes, expected) and policy[cell] == 1)
            if is_mirror:
                planes, policy = planes[:, :, ::-1], policy[:, ::-1]
            assert np.array_equal(planes, expected)
            assert policy[cell] == policy.sum() == 1
            mirrored += is_mirror
        assert (10 < mirrored < 50) if mirror else mirrored == 0


def test_boards_of_several_sizes_lie_in_the_corner():
    specs = [SMALL, CONNECT_FOUR, WIDE]
    replay = Replay(specs, 100)
    for number, spec in enumerate(specs):
        replay.add(spec, examples_of(walk(spec, 10), 10 * number))
    batch = replay.draw(200, 100, np.random.default_rng(0), mirror=False)
    assert batch.is_mixed
    assert batch.planes.shape == (200, 9, 9, 9)
    for planes, policy, value in zip(batch.planes, batch.policies, batch.values, strict=True):
        spec = specs[int(value) // 10]
        position = walk(spec, 10)[int(value) % 10]
        inside = planes[:, : spec.rows, : spec.columns]
        assert np.array_equal(inside, plain_planes(position))
        assert planes.sum() == inside.sum()
        assert policy[: spec.rows, : spec.columns].sum() == policy.sum() == 1


def test_only_the_newest_are_kept_and_drawn():
    replay = Replay([SMALL], 20)
    for start in range(0, 50, 10):
        replay.add(SMALL, examples_of(walk(SMALL, 10), start))
    assert (len(replay), replay.seen) == (20, 50)
    rng = np.random.default_rng(0)
    assert set(replay.draw(500, 1000, rng, mirror=True).values.tolist()) == set(range(30, 50))
    assert set(replay.draw(500, 5, rng, mirror=True).values.tolist()) == set(range(45, 50))


def test_a_replay_comes_back_as_it_was():
    replay, again = Replay([SMALL, CONNECT_FOUR], 20), Replay([SMALL, CONNECT_FOUR], 20)
    replay.add(SMALL, examples_of(walk(SMALL, 15)))
    replay.add(CONNECT_FOUR, examples_of(walk(CONNECT_FOUR, 10)))
    again.restore(replay.state())
    batches = [each.draw(50, 20, np.random.default_rng(1), mirror=True) for each in (replay, again)]
    assert np.array_equal(batches[0].planes, batches[1].planes)
    assert replay.seen == again.seen == 25


@pytest.mark.parametrize(
    "changes",
    [
        {"values": np.zeros(3, np.float32)},
        {"policies": np.zeros((15, 2), np.float32)},
        {"mask": np.zeros((15, 1), np.int64)},
        {"board": np.full(15, 7, np.int16)},
    ],
)
def test_another_state_is_refused(changes):
    replay = Replay([SMALL], 20)
    replay.add(SMALL, examples_of(walk(SMALL, 15)))
    with pytest.raises(ValueError, match="examples"):
        Replay([SMALL], 20).restore({**replay.state(), **changes})
