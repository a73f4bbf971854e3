"""Workers for the duration of a `with` block.

An exception, Ctrl-C included, or the end of this process ends all tasks at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import TYPE_CHECKING

from inarow.workers.local import InProcessPool, ProcessPool
from inarow.workers.protocols import LOCAL, Cluster, Pool, WorkerProcesses, Workers, check_workers

if TYPE_CHECKING:
    from inarow.workers.cluster import Connection

_RAY_SETTINGS = {
    "RAY_ENABLE_AUTO_CONNECT": "0",  # a call without a connection is an error instead of a new cluster
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # matches and so drops all output of Ray: failures are raised as errors
    "RAY_USAGE_STATS_ENABLED": "0",
}
_LOCAL_RAY_SETTINGS = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""The only way, on any system, to keep Ray on the loopback interface."""


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


def _connection(cluster: Cluster) -> AbstractContextManager[Connection]:
    for name, value in {**_RAY_SETTINGS, **(_LOCAL_RAY_SETTINGS if cluster.address == LOCAL else {})}.items():
        os.environ.setdefault(name, value)  # read when ray is loaded
    from inarow.workers.cluster import connect

    return connect(cluster.address)
