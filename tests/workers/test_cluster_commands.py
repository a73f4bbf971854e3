"""Commands with --ray as a user types them, in a home folder of their own: tokens, traces, versions."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from inarow.errors import ClusterError
from inarow.workers import Cluster, cluster, open_pool
from tests.workers.clusters import open_head, open_nodes, processes_with
from tests.workers.tasks import slow_square

pytestmark = pytest.mark.xdist_group("cluster")

MATCH = ["match", "random", "greedy", "--games", "4", "--board", "tictactoe", "--json"]


@pytest.fixture
def environment(tmp_path) -> Iterator[Mapping[str, str]]:
    """With a home and a temporary folder of its own, whose path is short enough for sockets, and nothing about Ray."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    own = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
    own["XDG_CACHE_HOME"] = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")  # compiled kernels
    with tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as short:
        for name in ("home", "temporary"):
            (Path(short) / name).mkdir()
        yield {**inherited, **own, "HOME": f"{short}/home", "TMPDIR": f"{short}/temporary"}


def played(environment: Mapping[str, str], address: str, store: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "inarow", *MATCH, "--ray", address, "--store", str(store)]
    return subprocess.run(command, env=dict(environment), capture_output=True, text=True, timeout=120)


def test_a_local_cluster_leaves_nothing_behind_and_clusters_are_joined_with_their_token(environment, tmp_path):
    home, temporary = Path(environment["HOME"]), Path(environment["TMPDIR"])
    local = played(environment, "local", tmp_path / "local.sqlite")
    assert json.loads(local.stdout)["games"] == 4, local.stderr
    assert list(home.iterdir()) == []
    assert list(temporary.iterdir()) == []
    assert processes_with(str(temporary)) == []

    with open_head(temporary / "plain", environment) as head:
        joined = played(environment, head.address, tmp_path / "plain.sqlite")
    assert json.loads(joined.stdout)["games"] == 4, joined.stderr

    generate = [str(Path(sys.executable).with_name("ray")), "get-auth-token", "--generate"]
    subprocess.run(generate, env=dict(environment), check=True, capture_output=True, timeout=60)
    with open_head(temporary / "token", environment) as head:
        joined = played(environment, head.address, tmp_path / "token.sqlite")
        (home / ".ray" / "auth_token").unlink()
        stranger = played(environment, head.address, tmp_path / "stranger.sqlite")
    assert json.loads(joined.stdout)["games"] == 4, joined.stderr
    places = "RAY_AUTH_TOKEN, a file named by RAY_AUTH_TOKEN_PATH or ~/.ray/auth_token"
    reason = f"inarow: no Ray cluster at '{head.address}': it needs its authentication token in {places}\n"
    assert (stranger.returncode, stranger.stdout, stranger.stderr) == (2, "", reason)


SCRIPT = """
import os
from inarow.workers import Cluster, open_pool
for _ in range(2):
    with open_pool(Cluster()) as pool:
        assert list(pool.map(abs, [-1, 2])) == [1, 2]
    print(sorted(name for name in os.environ if name.startswith("RAY_AUTH") or name == "RAY_ENABLE_AUTO_CONNECT"))
"""


def test_a_local_cluster_leaves_no_variable_behind_for_later_ones(environment):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=dict(environment), capture_output=True, text=True, timeout=120
    )
    assert (done.stdout, done.stderr) == ("[]\n[]\n", "")
    assert list(Path(environment["HOME"]).iterdir()) == []


def test_a_node_with_another_version_is_named_with_both_versions(monkeypatch):
    node, mine = cluster.VERSIONS, "inarow 9.9 with Python 3.99"
    monkeypatch.setattr(cluster, "VERSIONS", mine)
    with open_nodes(1) as nodes, open_pool(Cluster(nodes.address)) as pool, pytest.raises(ClusterError) as error:
        list(pool.map(slow_square, [1, 2]))
    assert str(error.value) == f"a node has {node}, this process {mine}; install the same everywhere"
