"""Running many independent tasks: one interface, whoever does the work.

promises     what workers offer, and how a user names them
local        processes of this machine
cluster      a Ray cluster
interrupts   Ctrl-C at the right moment
opening      workers for the length of a `with` block
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
