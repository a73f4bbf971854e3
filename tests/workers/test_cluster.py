"""Work on a real Ray cluster of three nodes, of which two are killed: nothing is lost, and nothing is different."""

import os
from collections.abc import Iterator

import numpy as np
import pytest

from inarow.arena.match import play_into_store
from inarow.arena.match_plan import MatchSettings
from inarow.arena.store import Store
from inarow.arena.tournament import plan_tournament
from inarow.errors import ClusterError, TaskError
from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.selfplay import ClusterSelfPlay, PlaySliceResult
from inarow.learning.config import to_config
from inarow.learning.pretrained import net_path
from inarow.workers import Cluster, WorkerProcesses, open_pool, open_worker_processes
from tests.workers.clusters import Nodes, open_nodes
from tests.workers.tasks import fail_awkwardly, fail_on_three, slow_square

pytestmark = pytest.mark.xdist_group("cluster")


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with open_nodes(3) as nodes:
        yield nodes


def value_and_threads(task) -> tuple[int, str | None]:
    return len(task.value), os.environ.get("OMP_NUM_THREADS")


def test_a_cluster_is_a_pool(nodes):
    with open_pool(Cluster(nodes.address)) as pool:
        calls = []
        results = list(pool.map(slow_square, range(20), progress=lambda *call: calls.append(call)))
        assert results == [number * number for number in range(20)]
        assert calls == [(done, 20) for done in range(1, 21)]
        results = pool.map(fail_on_three, range(8))
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(TaskError, match="task '3' failed: three is too many") as error:
            next(results)
        assert error.value.task == 3
        with pytest.raises(TaskError, match="1 is awkward"):
            list(pool.map(fail_awkwardly, [1]))
        found = list(pool.as_completed(slow_square, range(20)))
        assert sorted(found) == [(number, number * number) for number in range(20)]
        with pytest.raises(TaskError, match="task '3' failed: three is too many"):
            list(pool.as_completed(fail_on_three, range(8)))


def test_a_tournament_is_the_same_when_a_node_dies(nodes, tmp_path):
    plan = plan_tournament(
        ["mcts:simulations=400", "mcts:simulations=300", "winblock"], settings=MatchSettings(games=12, seed=3)
    )
    with Store(tmp_path / "local.sqlite") as store:
        expected = played(plan, store)
    done = []
    with Store(tmp_path / "cluster.sqlite") as store:
        for number, records in play_into_store(plan.matches, store, workers=Cluster(nodes.address)):
            done += [(number, record.moves) for record in records]
            if nodes.count == 3 and len(done) >= 8:
                nodes.kill_one()
        assert played(plan, store) == expected
    assert nodes.count == 2
    assert len(done) == 36


def played(plan, store: Store) -> list[tuple[int, str]]:
    """The games of a tournament by match, played if the store has none."""
    batches = play_into_store(plan.matches, store)
    return sorted((number, record.moves) for number, records in batches for record in records)


PLAY = {
    "learner": "alphazero",
    "board": "6x7x4",
    "iterations": 1,
    "iteration_games": 40,
    "workers": 2,
    "selfplay": {"cache": 1},
}


def reaped(worker_processes: WorkerProcesses, batches: int, fault=lambda number: None) -> list[PlaySliceResult]:
    """The games of cluster self-play with the shipped net."""
    self_play = ClusterSelfPlay(worker_processes, to_config(PLAY, AlphaZeroConfig, "test"), start=1)
    net = net_path("connect4").read_bytes()
    results: list[PlaySliceResult] = []
    while len(results) < batches:
        self_play.give(net, 16)
        if (result := self_play.take(1.0)) is not None:
            results.append(result)
            fault(len(results))
    return results


def test_self_play_is_the_same_when_a_node_dies(nodes):
    def fault(number: int) -> None:
        if number == 3:
            nodes.kill_one()

    with open_worker_processes(2) as worker_processes:
        expected = reaped(worker_processes, 8)
    with open_worker_processes(2, Cluster(nodes.address)) as worker_processes:
        shared = worker_processes.share(bytes(1_000_000))
        for worker_process in worker_processes:
            worker_process.give(value_and_threads, shared)
        assert [worker_process.take(120) for worker_process in worker_processes] == [[(1_000_000, "1")]] * 2
        found = reaped(worker_processes, 8, fault)
    assert games_of(found) == games_of(expected)
    assert len(games_of(found)) == 80
    for one, other in zip(found, expected, strict=True):
        for these, those in zip(one.outputs, other.outputs, strict=True):
            assert np.array_equal(these.examples.policies, those.examples.policies)
            assert np.array_equal(these.examples.values, those.examples.values)


def games_of(results: list[PlaySliceResult]) -> list[str]:
    return [game.moves for result in results for each in result.outputs for game in each.games]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:9", "no cluster answers at '127.0.0.1:9'"),
        ("ray://127.0.0.1:10001", "is not a cluster address; give HOST:PORT, auto or local"),
        ("127.0.0.1:99999999", "no cluster answers"),
        ("somewhere", "is not a cluster address"),
    ],
)
def test_a_wrong_address_is_rejected_at_once(address, message):
    with pytest.raises(ClusterError, match=message), open_pool(Cluster(address)):
        pass
