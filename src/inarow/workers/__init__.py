"""Running many independent tasks behind one interface, on local processes or on a cluster.

protocols    the interface of workers, and how users choose them
local        processes of this machine
cluster      a Ray cluster
interrupts   delaying and forwarding Ctrl-C
pools        workers for the duration of a `with` block
"""

from inarow.workers.interrupts import interrupts_deferred as interrupts_deferred
from inarow.workers.interrupts import interrupts_held_back as interrupts_held_back
from inarow.workers.pools import open_pool as open_pool
from inarow.workers.pools import open_worker_processes as open_worker_processes
from inarow.workers.protocols import MAX_CLUSTER_WORKERS as MAX_CLUSTER_WORKERS
from inarow.workers.protocols import Cluster as Cluster
from inarow.workers.protocols import Pool as Pool
from inarow.workers.protocols import Progress as Progress
from inarow.workers.protocols import Shared as Shared
from inarow.workers.protocols import WorkerProcess as WorkerProcess
from inarow.workers.protocols import WorkerProcesses as WorkerProcesses
from inarow.workers.protocols import Workers as Workers
from inarow.workers.protocols import check_workers as check_workers
