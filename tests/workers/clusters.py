"""A real Ray cluster of several nodes on this machine, and their sudden death."""

import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # all on the loopback interface
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import psutil
from ray.cluster_utils import Cluster as RayCluster

_STORE_BYTES = 80 << 20


class Nodes:
    """Of one CPU each. Whoever uses them is on the first, which stays alive."""

    def __init__(self, number: int) -> None:
        logging.getLogger("ray").setLevel(logging.CRITICAL)
        self._cluster = RayCluster()
        self._cluster.add_node(num_cpus=1, object_store_memory=_STORE_BYTES, include_dashboard=False)
        self._others = [self._cluster.add_node(num_cpus=1, object_store_memory=_STORE_BYTES) for _ in range(1, number)]
        self.address: str = self._cluster.address

    @property
    def count(self) -> int:
        return 1 + len(self._others)

    def kill_one(self) -> None:
        """SIGKILL to a node and all that works on it."""
        raylet = psutil.Process(self._others.pop().all_processes["raylet"][0].process.pid)
        for process in (raylet, *raylet.children(recursive=True)):
            os.kill(process.pid, signal.SIGKILL)

    def end(self) -> None:
        self._cluster.shutdown()


@contextmanager
def open_nodes(number: int) -> Iterator[Nodes]:
    nodes = Nodes(number)
    try:
        yield nodes
    finally:
        nodes.end()
