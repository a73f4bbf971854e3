"""Games of a network against itself: legal, told truly, and what is learnt from them follows from them."""

import numpy as np
import pytest

from inarow.games.bits import to_int
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.alphazero import selfplay
from inarow.learning.alphazero.config import AlphaZeroConfig, GateConfig, SelfPlayConfig
from inarow.learning.alphazero.selfplay import Player, SelfPlay, SelfPlayOutput, play_match
from inarow.learning.config import to_config
from inarow.search.solver.solver import MIN_MEMORY, Solver
from inarow.search.tree.config import SearchConfig
from inarow.search.tree.evaluation import uniform_evaluator
from tests.learning.alphazero.tiny_runs import TINY
from tests.twins.alphazero import made_up_net

BOARDS = ["tictactoe", "4x4x4", "5x4x3"]
PUCT = SearchConfig(root="puct")


def play(
    board: str, *, search: SearchConfig | None = None, steps: int = 60, seed: int = 1, **settings
) -> SelfPlayOutput:
    config = SelfPlayConfig(**{"games": 5, "simulations": 8, "first_simulations": 8, "random_plies": 4, **settings})
    rng = np.random.default_rng(seed)
    spec = GameSpec.parse(board)
    return SelfPlay(spec, made_up_net, config, search or SearchConfig(), rng, cache_memory=1 << 16).play(steps)


def examples_by_position(found: SelfPlayOutput) -> list[tuple[tuple[int, int], np.ndarray, float]]:
    examples = found.examples
    bits = [tuple(int(part[0]) for part in pair) for pair in zip(examples.stones, examples.mask, strict=True)]
    return list(zip(bits, examples.policies, examples.values.tolist(), strict=True))


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_games_are_legal_and_their_results_true(board, root):
    settings = {"noise": 0.25, "drawn_plies": 4, "quick_share": 0.5} if root == "puct" else {}
    found = play(board, search=SearchConfig(root=root), early_stop=0.5, **settings)
    solver = Solver(found.spec, memory=MIN_MEMORY)
    assert len(found.games) >= 5
    assert {len(game.moves) == Position.parse(game.moves, found.spec).ply for game in found.games} == {True}
    for game in found.games:
        position = Position.parse(game.moves, found.spec)
        assert 0 <= game.opening <= min(4, len(game.moves))
        side = 1 if position.side_to_move == 1 else -1
        if position.is_over:
            assert position.winner is None or (position.winner == 1) == (game.result == 1)
        if not position.is_over or position.winner is None:
            exact = 0 if position.is_over else int(np.sign(solver.solve(position).score))
            assert game.result == side * exact


@pytest.mark.parametrize("board", BOARDS)
def test_examples_are_positions_of_the_games_with_the_result_as_their_value(board):
    found = play(board, early_stop=1.0, search_weight=0.0)
    values: dict[tuple[int, int], set[float]] = {}
    for game in found.games:
        position = Position.start(found.spec)
        for action in (*Position.parse(game.moves, found.spec).actions, None):
            if position.ply >= game.opening:
                side = 1 if position.side_to_move == 1 else -1
                values.setdefault((position.stones, position.mask), set()).add(float(side * game.result))
            position = position if action is None else position.play(action)
    assert len(found.examples) > 10
    for bits, policy, value in examples_by_position(found):
        assert value in values[bits]
        assert policy.sum() == pytest.approx(1, abs=1e-5) or (policy.sum() == 0 and value == -1)
        position = Position(found.spec, *bits, (), None, Position.start(found.spec).layout)
        assert {action for action, chance in enumerate(policy) if chance > 0} <= set(position.legal_actions)


def test_what_searches_thought_moves_the_values():
    plain, mixed = (play("4x4x4", search_weight=weight) for weight in (0.0, 0.5))
    assert [game.moves for game in plain.games] == [game.moves for game in mixed.games]
    assert set(np.abs(plain.examples.values).tolist()) <= {0.0, 1.0}
    assert not set(np.abs(mixed.examples.values).tolist()) <= {0.0, 1.0}
    assert np.abs(mixed.examples.values).max() <= 1


def test_the_same_seed_plays_the_same_games():
    first, again, other = play("5x4x3", seed=1), play("5x4x3", seed=1), play("5x4x3", seed=2)
    assert first.games == again.games
    assert np.array_equal(first.examples.policies, again.examples.policies)
    assert first.games != other.games


def test_without_random_starts_the_board_is_empty_at_first():
    assert {game.opening for game in play("4x4x4", random_starts=0.0).games} == {0}
    assert len({game.opening for game in play("4x4x4", random_starts=1.0).games}) > 1


def test_short_searches_make_no_examples():
    some = play("4x4x4", search=PUCT, quick_share=0.0, quick_simulations=4)
    none = play("4x4x4", search=PUCT, quick_share=1.0, quick_simulations=4)
    assert len(some.examples) > 0
    assert len(none.examples) == 0
    assert none.simulations / none.moves < some.simulations / some.moves


def test_wide_boards_have_examples_too():
    found = play("9x8x4", steps=40)
    layout = Position.start(found.spec).layout
    assert found.examples.mask.shape[1] == 5
    for row in found.examples.mask:
        assert sum(int(word) << 64 * place for place, word in enumerate(row)) & ~to_int(layout.board) == 0


def test_a_match_is_fair_and_a_gate_asks_for_more_than_even():
    spec = GameSpec.parse("4x5x3")
    config, rng = SearchConfig(), np.random.default_rng(0)
    nets, gate = (made_up_net, made_up_net), GateConfig(games=10, simulations=4)
    wins, losses = play_match(spec, nets, gate, config, rng)
    assert wins == losses > 0  # the same player twice: every opening is won once and lost once
    assert not gate.accepts(*play_match(spec, nets, gate, config, rng))
    gate = GateConfig(games=10, simulations=4, threshold=0.5)
    assert gate.accepts(*play_match(spec, nets, gate, config, rng))


@pytest.mark.parametrize("search", [SearchConfig(), PUCT])
def test_plain_python_plays_the_same_games_within_the_bounds_of_all_arrays(search, monkeypatch):
    settings = {"steps": 45, "games": 2, "early_stop": 0.0, "random_starts": 0.0}
    if search is PUCT:
        settings |= {"noise": 0.25, "drawn_plies": 4, "quick_share": 0.3, "quick_simulations": 4}
    compiled = play("3x4x4", search=search, **settings)
    kernels = selfplay.kernels
    monkeypatch.setattr(kernels, "play_on", getattr(kernels.play_on, "py_func", kernels.play_on))
    plain = play("3x4x4", search=search, **settings)
    assert len(plain.games) > 0
    assert any(len(game.moves) == 12 for game in plain.games)
    assert plain.games == compiled.games
    assert plain.examples.values == pytest.approx(compiled.examples.values, abs=1e-5)


def test_every_board_has_as_many_games():
    """Games on 4x5x3 take a few moves, those on 4x5x4 fifteen."""
    boards = {"rows": [4, 4], "columns": [5, 5], "inarow": [3, 4]}
    config = to_config(
        {**TINY, "board": None, "boards": boards, "selfplay": {**TINY["selfplay"], "games": 4}}, AlphaZeroConfig, "test"
    )
    player = Player(config, uniform_evaluator, 0, 1)
    ended = dict.fromkeys(map(str, config.specs), 0)
    for _ in range(400):
        for game in player.play(4).games:
            ended[game.board] += 1
    assert min(ended.values()) >= 5
    assert max(ended.values()) - min(ended.values()) <= 8  # this number may end in a few steps of four games
