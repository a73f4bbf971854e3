"""Workers for the duration of a `with` block.

An exception (also Ctrl-C) or the end of this process ends all tasks at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from secrets import token_hex
from typing import TYPE_CHECKING

from inarow.workers.local import InProcessPool, ProcessPool
from inarow.workers.protocols import LOCAL, Cluster, Pool, WorkerProcesses, Workers, check_workers

if TYPE_CHECKING:
    from inarow.workers.cluster import ClusterPool

_RAY_SETTINGS = {
    "RAY_ENABLE_AUTO_CONNECT": "0",  # a call without a connection is an error instead of a new cluster
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # matches, and so drops, all output of Ray: failures are raised as errors
    "RAY_BACKEND_LOG_LEVEL": "fatal",  # the same for its own output to stderr
    "RAY_USAGE_STATS_ENABLED": "0",
}


@contextmanager
def open_pool(workers: Workers = 1, *, tasks: int | None = None) -> Iterator[Pool]:
    """A pool with at most `tasks` processes. Raises InvalidLimitError, ClusterError or MissingExtraError."""
    check_workers(workers)
    if isinstance(workers, int) and tasks is not None:
        workers = max(1, min(workers, tasks))
    with nullcontext(InProcessPool()) if workers == 1 else _open(workers) as pool:
        yield pool


@contextmanager
def open_worker_processes(number: int, cluster: Cluster | None = None) -> Iterator[WorkerProcesses]:
    """`number` (0 or more) worker processes, on this machine or on a cluster. Raises the errors of `open_pool`."""
    if number == 0:
        yield WorkerProcesses()
        return
    workers = number if cluster is None else Cluster(cluster.address, number)
    check_workers(workers)
    with _open(workers) as pool:
        yield pool.worker_processes()


def _open(workers: Workers) -> AbstractContextManager[ProcessPool | ClusterPool]:
    return closing(ProcessPool(workers)) if isinstance(workers, int) else _connection(workers)


@contextmanager
def _connection(cluster: Cluster) -> Iterator[ClusterPool]:
    """A pool on a cluster, with Ray's variables in the environment for as long as it lasts."""
    own = {
        # The only way, on any system, to keep Ray on the loopback interface.
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        # Without these Ray leaves a token in the home directory, which the user's later clusters would require.
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": token_hex(32),
    }
    before = os.environ.keys() | set()
    for name, value in {**_RAY_SETTINGS, **(own if cluster.address == LOCAL else {})}.items():
        os.environ.setdefault(name, value)  # read when ray is loaded
    try:
        from inarow.workers.cluster import connect

        with connect(cluster.address, cluster.workers) as pool:
            yield pool
    finally:
        for name in [name for name in os.environ if name.startswith("RAY_") and name not in before]:
            del os.environ[name]
