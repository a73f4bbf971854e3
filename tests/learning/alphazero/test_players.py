"""Batches of games that a cluster may play anywhere, and again: what they bring follows from the task."""

import numpy as np
import pytest

from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.run import AlphaZeroRun
from inarow.learning.alphazero.selfplay import ClusterSelfPlay, GameBatch, play_batch
from inarow.learning.config import to_config
from inarow.workers import Shared, open_worker_processes
from tests.learning.alphazero.tiny_runs import TINY


def config(**changes) -> AlphaZeroConfig:
    return to_config({**TINY, "workers": 2, **changes}, AlphaZeroConfig, "test")


@pytest.fixture(scope="module")
def net(tmp_path_factory) -> bytes:
    return AlphaZeroRun.start(config(), tmp_path_factory.mktemp("run") / "run").product.read_bytes()


def games(result) -> list[str]:
    return [game.moves for each in result.outputs for game in each.games]


def test_a_batch_is_a_function_of_its_task(net):
    tasks = [GameBatch(config(), Shared(net), 1, number, 8, 50) for number in (0, 1)]
    first, second, again = (play_batch(task) for task in (tasks[0], tasks[1], tasks[0]))
    assert len(games(first)) == len(games(second)) == 50  # with places for 16 at once
    assert games(first) == games(again)
    assert games(first) != games(second)
    for one, other in zip(first.outputs, again.outputs, strict=True):
        assert np.array_equal(one.examples.policies, other.examples.policies)


def test_batches_of_several_boards_are_of_one_board_each(net):
    boards = {"rows": [3, 4], "columns": [4, 5], "inarow": [3, 3]}
    tasks = [GameBatch(config(board=None, boards=boards), Shared(net), 1, number, 4, 3) for number in range(12)]
    played = [{game.board for each in play_batch(task).outputs for game in each.games} for task in tasks]
    assert all(len(each) == 1 for each in played)
    assert len(set.union(*played)) > 1


def test_cluster_self_play_brings_batches_in_their_order_and_hands_out_an_iteration(net):
    with open_worker_processes(2) as workers:
        cluster = ClusterSelfPlay(workers, config(iteration_games=40), start=1)
        cluster.give(net, 8)
        assert [worker.due for worker in workers] == [2, 2]
        found = []
        while len(found) < 6:
            if (result := cluster.take(1.0)) is not None:
                found.append(games(result))
                cluster.give(net, 8)
    expected = [games(play_batch(GameBatch(config(), Shared(net), 1, number, 8, 10))) for number in range(6)]
    assert found == expected
