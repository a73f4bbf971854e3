"""Longer work on real clusters, and their faults: minutes."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

from inarow.arena.store import Store
from inarow.errors import ClusterError, TaskError
from inarow.workers import Cluster, open_pool
from tests.reliability.faults import report_fault
from tests.workers.clusters import Nodes, open_head, open_nodes
from tests.workers.tasks import die, much

pytestmark = [pytest.mark.soak, pytest.mark.xdist_group("cluster")]

NODE_KILLED = "kill -9 of one of three nodes of a cluster"


@pytest.fixture
def nodes() -> Iterator[Nodes]:
    with open_nodes(3) as nodes:
        yield nodes


def inarow(*arguments: str, **options) -> subprocess.Popen:
    """A command that hears Ctrl-C, even if the tests run in the background and do not."""
    command = [sys.executable, "-m", "inarow", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(
        command, preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL), **pipes, **options
    )


def slow_and_noted(task: tuple[int, str]) -> int:
    number, folder = task
    (Path(folder) / f"{number}-{uuid4()}").touch()
    time.sleep(0.5)
    return number


def test_tasks_of_a_killed_node_are_given_again(nodes, tmp_path):
    numbers = []
    with open_pool(Cluster(nodes.address)) as pool:
        for number in pool.map(slow_and_noted, [(number, str(tmp_path)) for number in range(90)]):
            numbers.append(number)
            if number == 45:  # by then every node works, on a busy machine too
                time.sleep(0.25)  # results come when tasks end: into the middle of the next ones
                nodes.kill_one()
    assert numbers == list(range(90))
    noted = Counter(int(note.name.partition("-")[0]) for note in tmp_path.iterdir())
    assert set(noted) == set(numbers)
    assert max(noted.values()) > 1  # begun on the node that died, and again
    report_fault(NODE_KILLED, "90 tasks of a pool", injected=1, lost="0 tasks", seen="nothing: they are done elsewhere")


def test_a_task_that_kills_whoever_does_it_is_an_error_in_the_end(nodes):
    with (
        pytest.raises(TaskError, match=r"the cluster lost it 6 times \(WorkerCrashedError\)"),
        open_pool(Cluster(nodes.address)) as pool,
    ):
        list(pool.map(die, [1]))


TOURNAMENT = ["tournament", "mcts:simulations=200", "minimax:depth=3", "negamax", "winblock", "--games", "100"]


def test_a_tournament_of_600_games_is_the_same_when_a_node_dies(nodes, tmp_path):
    stores = {name: tmp_path / f"{name}.sqlite" for name in ("local", "cluster")}
    expected = inarow(*TOURNAMENT, "--json", "--workers", "2", "--store", str(stores["local"]))
    summary = json.loads(expected.communicate()[0])
    faulty = inarow(*TOURNAMENT, "--json", "--ray", nodes.address, "--store", str(stores["cluster"]))
    wait_for(lambda: games_in(stores["cluster"]) >= 100)
    nodes.kill_one()
    out, err = faulty.communicate(timeout=600)
    assert err == ""
    assert json.loads(out)["games"] == summary["games"] == 600
    moves = [sorted(moves_in(store)) for store in stores.values()]
    assert moves[0] == moves[1]
    assert len(moves[0]) == 600
    report_fault(NODE_KILLED, "tournament of 600 games", injected=1, lost="0 games", seen="nothing: the same 600 games")


def games_in(store: Path) -> int:
    return len(moves_in(store)) if store.exists() else 0


def moves_in(path: Path) -> list[tuple[str, str, str]]:
    with Store(path) as store:
        return [(record.first, record.second, record.moves) for record in store.games()]


RUN = ["--set", "iterations=6", "--set", "workers=3", "--set", "iteration_games=120", "--set", "selfplay.games=20"]


def test_alphazero_is_the_same_when_a_node_dies(nodes, tmp_path):
    preset = tmp_path / "small.toml"
    preset.write_text('learner = "alphazero"\nboard = "5x5x4"\niterations = 1\nlearning = { smallest_window = 1000 }\n')
    folders = [tmp_path / name for name in ("calm", "faulty")]
    for folder in folders:
        run = inarow("train", str(preset), *RUN, "--ray", nodes.address, "--out", str(folder))
        if folder.name == "faulty":
            wait_for(lambda folder=folder: lines_of(folder / "games.csv") > 200)
            nodes.kill_one()
        _, err = run.communicate(timeout=900)
        assert run.returncode == 0, err
        assert "raylet" not in err
    calm, faulty = ((folder / "games.csv").read_text() for folder in folders)
    assert calm == faulty
    assert calm.count("\n") > 700
    steps = [json.loads((folder / "state.json").read_text())["examples"] for folder in folders]
    assert steps[0] == steps[1]
    report_fault(
        NODE_KILLED, "self-play of alphazero", injected=1, lost="0 games", seen="nothing: the same games and examples"
    )


def lines_of(path: Path) -> int:
    return path.read_text().count("\n") if path.exists() else 0


SLOW_TOURNAMENT = ["mcts:simulations=3000" if word.startswith("mcts") else word for word in TOURNAMENT]


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_local_cluster_ends_with_its_command_and_games_stay(tmp_path, end):
    store = tmp_path / "lab.sqlite"
    command = inarow(*SLOW_TOURNAMENT, "--ray", "local", "--store", str(store), start_new_session=True)
    wait_for(lambda: games_in(store) >= 50)
    os.killpg(command.pid, end) if end == signal.SIGINT else command.send_signal(end)
    out, err = command.communicate(timeout=60)
    kept = games_in(store)
    assert kept >= 50
    if end != signal.SIGKILL:
        said = "interrupted" if end == signal.SIGINT else "terminated"
        assert (command.returncode, out) == (128 + end, "")
        assert err == f"stopped after {kept} of 600 games; the same command continues\ninarow: {said}\n"
    again = inarow(*SLOW_TOURNAMENT, "--workers", "2", "--json", "--store", str(store))
    assert json.loads(again.communicate(timeout=600)[0])["games"] == 600
    assert len(moves_in(store)) == 600


def test_the_end_of_the_head_is_one_line_and_games_stay(tmp_path):
    store, place = tmp_path / "lab.sqlite", tempfile.mkdtemp(dir="/tmp")
    with open_head(Path(place), {**os.environ, "HOME": str(tmp_path)}) as head:
        command = inarow(*SLOW_TOURNAMENT, "--ray", head.address, "--store", str(store))
        wait_for(lambda: games_in(store) >= 50)
        head.kill()
        out, err = command.communicate(timeout=45)  # Ray itself would end the process after 60 seconds
    shutil.rmtree(place, ignore_errors=True)
    line = f"inarow: the Ray cluster at {head.address} has ended; finished results are kept\n"
    assert (command.returncode, out, err) == (2, "", line)
    kept = games_in(store)
    assert 50 <= kept < 600
    again = inarow(*SLOW_TOURNAMENT, "--workers", "2", "--json", "--store", str(store))
    assert json.loads(again.communicate(timeout=600)[0])["games"] == 600
    report_fault(
        "kill -9 of the head of a cluster", "tournament", injected=1, lost="0 finished games", seen=line.strip()
    )


def test_a_node_with_a_full_object_store_dies(nodes):
    """Each store holds four results of 20 MB, and the tasks in flight make more; what the node had is made again."""
    sizes = []
    with open_pool(Cluster(nodes.address, workers=12)) as pool:
        for result in pool.map(much, range(40)):
            sizes.append(len(result))
            if len(sizes) == 8:
                nodes.kill_one()
    assert sizes == [20_000_000] * 40
    report_fault(NODE_KILLED, "40 results of 20 MB", injected=1, lost="0 results", seen="nothing: they are made again")


def test_what_is_no_cluster_does_not_hold_us_up():
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_accept_and_say_nothing, args=(server,), daemon=True).start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with (
            pytest.raises(ClusterError, match=r"no Ray cluster answers at .* within 20 seconds"),
            open_pool(Cluster(address)),
        ):
            pass


def _accept_and_say_nothing(server: socket.socket) -> None:
    kept = []
    try:
        while True:
            kept.append(server.accept())
    except OSError:
        pass


def wait_for(is_so, seconds: float = 300.0) -> None:
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.1)
