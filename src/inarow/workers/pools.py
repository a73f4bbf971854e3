"""Workers for the length of a `with` block.

Leaving it by an exception, Ctrl-C among them, or the death of this process ends the work at once, whatever it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from inarow.workers.local import InProcess, Processes
from inarow.workers.protocols import LOCAL, Cluster, Pool, WorkerProcesses, Workers, check_workers

if TYPE_CHECKING:
    from inarow.workers.cluster import Connection

_RAY_SETTINGS = {
    "RAY_ENABLE_AUTO_CONNECT": "0",  # a call without a connection is an error, and starts no cluster
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # matches, and so drops, all that Ray would print: a failure is an error of ours
    "RAY_USAGE_STATS_ENABLED": "0",
}
_LOCAL_RAY_SETTINGS = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""The only way, whatever the system, to keep Ray on the loopback interface."""


@contextmanager
def open_pool(workers: Workers = 1, *, tasks: int | None = None) -> Iterator[Pool]:
    """A pool; for so many `tasks` no more processes than those. Raises ClusterError or MissingExtraError."""
    check_workers(workers)
    if isinstance(workers, Cluster):
        with _connection(workers) as cluster:
            yield cluster.pool(workers.workers)
        return
    processes = workers if tasks is None else max(1, min(workers, tasks))
    if processes == 1:
        yield InProcess()
        return
    pool = Processes(processes)
    try:
        yield pool
    finally:
        pool.end()


@contextmanager
def open_worker_processes(number: int, cluster: Cluster | None = None) -> Iterator[WorkerProcesses]:
    """So many worker_processes, none among them: processes of this machine, or on a cluster. Raises as `open_pool`."""
    if number == 0:
        yield WorkerProcesses()
    elif cluster is not None:
        check_workers(Cluster(workers=number))
        with _connection(cluster) as connection:
            yield connection.worker_processes(number)
    else:
        check_workers(number)
        processes = Processes(number)
        try:
            yield processes.worker_processes()
        finally:
            processes.end()


def _connection(cluster: Cluster) -> AbstractContextManager[Connection]:
    for name, value in {**_RAY_SETTINGS, **(_LOCAL_RAY_SETTINGS if cluster.address == LOCAL else {})}.items():
        os.environ.setdefault(name, value)  # read when ray is loaded
    from inarow.workers.cluster import connect

    return connect(cluster.address)
