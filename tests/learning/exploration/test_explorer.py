"""Flags and counts against plain dicts, over games."""

import numpy as np
import pytest

from inarow.games.kernels import bits_of, compiled_layout, hash_key
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.learning.exploration.action_sets import rows_of
from inarow.learning.exploration.config import Policy
from inarow.learning.exploration.explorer import Explorer, FlagTable, Metrics, updated_flags
from tests.twins.exploration import bits


def random_position(spec, rng):
    while True:
        position = Position.start(spec)
        for _ in range(int(rng.integers(0, spec.cells))):
            if not position.is_over:
                position = position.play(int(rng.choice(position.legal_actions)))
        if not position.is_over:
            return position


def numbered(flags):
    """The flags of a table as an integer: an integer, or five words."""
    return flags if isinstance(flags, int) else sum(word << 64 * place for place, word in enumerate(flags))


def flags_twin(flags, legal, action, value):
    if len(legal) == 1:
        return flags
    flags = flags - {action} if value < 0 else flags | {action}
    return flags or set(legal) - {action}


@pytest.mark.parametrize("board", ["6x7x4", "tictactoe", "12x12x5", "8x8x4/free", "15x15x5/free"])
@pytest.mark.parametrize("rule", ["classical", "quantum"])
def test_flags_follow_the_values_of_chosen_actions(board, rule):
    spec = GameSpec.parse(board)
    rng = np.random.default_rng(3)
    positions = [random_position(spec, rng) for _ in range(12)]
    explorer = Explorer(spec, Policy(rule=rule))
    expected, rounds = {}, 0
    for episode in range(1, 160):
        position = positions[int(rng.integers(len(positions)))]
        values = rng.normal(size=spec.actions)
        before = expected.get(position.key, set(position.legal_actions))
        action = explorer.choose_in(position, values, episode, rng)
        spent = explorer.metrics.rounds - rounds
        rounds += spent
        assert action in position.legal_actions
        assert 1 <= spent <= 5
        assert action in before or spent == 5
        expected[position.key] = flags_twin(before, position.legal_actions, action, values[action])
    assert len(explorer.table) == explorer.metrics.states == len(expected)
    keys, flags = explorer.table.entries()
    assert sorted(map(numbered, flags.tolist())) == sorted(bits(actions) for actions in expected.values())
    assert explorer.table.find(keys).tolist() == flags.tolist()
    again = FlagTable.from_entries(spec, keys, flags)
    assert len(again) == len(keys)
    assert again.find(keys[::-1]).tolist() == flags[::-1].tolist()


def test_a_table_grows_and_keeps_all():
    explorer = Explorer(CONNECT_FOUR, Policy(rule="classical", rounds=1))
    rng = np.random.default_rng(1)
    keys = rng.permutation(20_000).astype(np.uint64)
    values = np.zeros((len(keys), 7))
    values[:, 2] = -1.0
    legal = np.full(len(keys), bits(range(7)))
    for part in np.split(np.arange(len(keys)), [3, 500, 9000]):
        actions = explorer.choose(keys[part], legal[part], values[part], np.full(len(part), 1e9), rng)
        assert (explorer.table.find(keys[part]) == np.where(actions == 2, bits([0, 1, 3, 4, 5, 6]), 127)).all()
    assert len(explorer.table) == len(keys)
    assert (explorer.table.find(np.array([20_000, 2**63], np.uint64)) == 0).all()


def test_the_last_flag_leaves_all_others():
    assert updated_flags(bits([3]), bits([1, 3, 5]), 3, -0.1) == bits([1, 5])
    assert updated_flags(bits([1]), bits([1, 3, 5]), 3, 0.0) == bits([1, 3])
    assert updated_flags(bits([1, 5]), bits([1, 3, 5]), 3, -0.1) == bits([1, 5])
    assert updated_flags(bits([4]), bits([4]), 4, -1.0) == bits([4])


def test_draws_without_a_hit_are_carried_over():
    """Three decisions of 5, 2 and 4 draws, of which the first ends without a flagged action: the list
    of santos-2025 is then [7, 4].
    """
    metrics = Metrics(decisions=3, rounds=11, oracle_calls=22, hits=2, waiting=0, states=3)
    assert metrics.iterations == np.mean([7, 4])
    waiting = Metrics(decisions=4, rounds=16, oracle_calls=22, hits=2, waiting=5, states=3)
    assert waiting.iterations == np.mean([7, 4])
    assert Metrics(decisions=0, rounds=0, oracle_calls=0, hits=0, waiting=0, states=0).iterations is None


def test_iterations_are_those_of_the_published_counter():
    """A counter that goes up with every draw, is noted and set back at every hit."""
    explorer = Explorer(CONNECT_FOUR, Policy(rounds=2))
    rng = np.random.default_rng(2)
    noted, counter = [], 0
    position = Position.start()
    for episode in range(1, 300):
        before = explorer.table.find(np.array([position.key], np.uint64))[0] or 127
        rounds = explorer.metrics.rounds
        action = explorer.choose_in(position, rng.normal(-0.5, 1, 7), 10**6, rng)
        counter += explorer.metrics.rounds - rounds
        if before >> action & 1:
            noted.append(counter)
            counter = 0
        assert explorer.metrics.decisions == episode
    assert counter == explorer.metrics.waiting
    assert max(noted) > 2
    assert explorer.metrics.iterations == pytest.approx(np.mean(noted))


def test_epsilon_greedy_is_random_first_and_takes_the_first_of_the_best_later():
    explorer = Explorer(CONNECT_FOUR, Policy(rule="epsilon-greedy"))
    rng = np.random.default_rng(4)
    position = Position.parse("111111")
    values = np.array([9.0, 0, 1, 1, 0, 0, 0])
    first = [explorer.choose_in(position, values, 1, rng) for _ in range(3000)]
    counts = np.bincount(first, minlength=7)
    assert counts[0] == 0
    assert counts[1:].min() > 400
    later = [explorer.choose_in(position, values, 10**40, rng) for _ in range(1000)]
    assert np.mean(np.array(later) == 2) == pytest.approx(1 - 1 / np.log(1e40) * 5 / 6, abs=0.02)
    assert explorer.metrics.states == 1


def test_the_same_seed_gives_the_same_choices():
    def choices():
        explorer, rng = Explorer(TIC_TAC_TOE, Policy()), np.random.default_rng(8)
        values = np.linspace(-1, 1, 9)
        return [explorer.choose_in(Position.start(TIC_TAC_TOE), values, 50, rng) for _ in range(50)]

    assert choices() == choices()


def queried_twin(probabilities, legal, flags, rng, decisions):
    """The mean number of different actions that plain draws ask until one is flagged."""
    counts = []
    for _ in range(decisions):
        asked = set()
        while not asked & flags:
            asked.add(int(rng.choice(len(probabilities), p=probabilities)))
        counts.append(len(asked))
    return np.mean(counts)


@pytest.mark.parametrize("board", ["6x7x4", "15x15x5/free"])
def test_decisions_are_recorded(board):
    spec, rng = GameSpec.parse(board), np.random.default_rng(6)
    explorer, position = Explorer(spec, Policy(rule="classical")), Position.start(spec)
    values = np.linspace(-1, 0.5, spec.actions)
    trace = explorer.record(40)
    flags = set(position.legal_actions)
    for number in range(50):
        before = set(flags)
        action = explorer.choose_in(position, values, 10**6, rng)  # the temperature is 0.2
        flags = flags_twin(flags, position.legal_actions, action, values[action])
        if number < 40:
            weights = np.exp(values / 0.2)
            probabilities = weights / weights.sum()
            assert trace[number, 0] == spec.actions
            assert trace[number, 1] == pytest.approx(probabilities[sorted(before)].sum())
    assert trace[0, 2] == 1
    expected = queried_twin(probabilities, flags, before, rng, 4000) if spec.actions < 10 else trace[-1, 2]
    assert trace[-1, 2] == pytest.approx(expected, rel=0.05)


def test_recording_draws_no_random_numbers():
    def choices(decisions):
        explorer, rng = Explorer(TIC_TAC_TOE, Policy()), np.random.default_rng(8)
        explorer.record(decisions)
        values = np.linspace(-1, 1, 9)
        return [explorer.choose_in(Position.start(TIC_TAC_TOE), values, 50, rng) for _ in range(50)]

    assert choices(0) == choices(20)


# --- Flags by reward ---


def key_of(position):
    layout = compiled_layout(position.spec)
    with np.errstate(over="ignore"):
        return np.array([hash_key(*bits_of(position, layout), layout)], np.uint64)


def rewarded_twin(flags, legal, action, reward):
    if len(legal) == 1:
        return flags
    flags = flags | {action} if reward > 0 else flags - {action}
    return flags or set(legal)


@pytest.mark.parametrize("board", ["6x7x4", "15x15x5/free"])
def test_flags_follow_rewards(board):
    spec, rng = GameSpec.parse(board), np.random.default_rng(5)
    positions = [random_position(spec, rng) for _ in range(4)]
    explorer, expected = Explorer(spec, Policy(rule="classical", flags="reward")), {}
    assert explorer.wants_rewards
    for _ in range(200):
        position = positions[int(rng.integers(len(positions)))]
        action = explorer.choose_in(position, rng.normal(size=spec.actions), 1, rng)
        key, reward = key_of(position), float(rng.choice([-1.0, 0.0, 0.5]))
        before = expected.get(position.key, set(position.legal_actions))
        legal = rows_of([position.legal_actions], spec.actions)
        explorer.reward(key, legal, np.array([action]), np.array([reward]))
        expected[position.key] = rewarded_twin(before, position.legal_actions, action, reward)
        found = explorer.table.find(key)[0]
        assert numbered(found.tolist()) == bits(expected[position.key])


def test_without_flags_by_reward_nothing_is_rewarded():
    explorer, rng = Explorer(TIC_TAC_TOE, Policy()), np.random.default_rng(0)
    start = Position.start(TIC_TAC_TOE)
    action = explorer.choose_in(start, np.ones(9), 1, rng)
    assert not explorer.wants_rewards
    key = np.array([start.key], np.uint64)
    explorer.reward(key, rows_of([range(9)], 9), np.array([action]), np.array([-1.0]))
    assert explorer.table.find(key)[0] == bits(range(9))
