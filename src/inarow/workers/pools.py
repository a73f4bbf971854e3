"""Workers for the duration of a `with` block.

An exception, Ctrl-C included, or the end of this process ends all tasks at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from secrets import token_hex
from typing import TYPE_CHECKING

from inarow.workers.local import InProcessPool, ProcessPool
from inarow.workers.protocols import LOCAL, Cluster, Pool, WorkerProcesses, Workers, check_workers

if TYPE_CHECKING:
    from inarow.workers.cluster import Connection

_RAY_SETTINGS = {
    "RAY_ENABLE_AUTO_CONNECT": "0",  # a call without a connection is an error instead of a new cluster
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # matches and so drops all output of Ray: failures are raised as errors
    "RAY_BACKEND_LOG_LEVEL": "fatal",  # so does this for what it writes to stderr itself
    "RAY_USAGE_STATS_ENABLED": "0",
}


@contextmanager
def open_pool(workers: Workers = 1, *, tasks: int | None = None) -> Iterator[Pool]:
    """A pool with at most `tasks` processes. Raises InvalidLimitError, ClusterError or MissingExtraError."""
    check_workers(workers)
    if isinstance(workers, Cluster):
        with _connection(workers) as cluster:
            yield cluster.pool(workers.workers)
        return
    processes = workers if tasks is None else max(1, min(workers, tasks))
    if processes == 1:
        yield InProcessPool()
    else:
        with closing(ProcessPool(processes)) as pool:
            yield pool


@contextmanager
def open_worker_processes(number: int, cluster: Cluster | None = None) -> Iterator[WorkerProcesses]:
    """`number` (0 or more) worker processes, on this machine or on a cluster. Raises as `open_pool`."""
    if number == 0:
        yield WorkerProcesses()
    elif cluster is not None:
        check_workers(Cluster(workers=number))
        with _connection(cluster) as connection:
            yield connection.worker_processes(number)
    else:
        check_workers(number)
        with closing(ProcessPool(number)) as pool:
            yield pool.worker_processes()


@contextmanager
def _connection(cluster: Cluster) -> Iterator[Connection]:
    """A connection, with Ray's variables in the environment for as long as it lasts."""
    own = {
        # The only way, on any system, to keep Ray on the loopback interface.
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        # Without these Ray leaves a token in the home folder, which later clusters of the user would ask for.
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": token_hex(32),
    }
    before = os.environ.keys() | set()
    for name, value in {**_RAY_SETTINGS, **(own if cluster.address == LOCAL else {})}.items():
        os.environ.setdefault(name, value)  # read when ray is loaded
    try:
        from inarow.workers.cluster import connect

        with connect(cluster.address) as connection:
            yield connection
    finally:
        for name in [name for name in os.environ if name.startswith("RAY_") and name not in before]:
            del os.environ[name]
