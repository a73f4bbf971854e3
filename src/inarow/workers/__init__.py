"""Running many independent tasks behind one interface, on local processes or on a cluster.

protocols    what workers offer, and how users choose them
local        processes of this machine
cluster      a Ray cluster
interrupts   delaying and forwarding Ctrl-C
pools        workers for the duration of a `with` block
"""

from inarow.workers.interrupts import interrupts_deferred, interrupts_held_back
from inarow.workers.pools import open_pool, open_worker_processes
from inarow.workers.protocols import (
    MAX_CLUSTER_WORKERS,
    Cluster,
    Pool,
    Progress,
    Shared,
    WorkerProcess,
    WorkerProcesses,
    Workers,
    check_workers,
)

__all__ = [
    "MAX_CLUSTER_WORKERS",
    "Cluster",
    "Pool",
    "Progress",
    "Shared",
    "WorkerProcess",
    "WorkerProcesses",
    "Workers",
    "check_workers",
    "interrupts_deferred",
    "interrupts_held_back",
    "open_pool",
    "open_worker_processes",
]
