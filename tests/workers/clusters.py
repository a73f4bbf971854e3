"""A real Ray cluster of several nodes on this machine, and their sudden death."""

import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

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


class Head:
    """The head of a cluster, as `ray start --head` leaves it on the loopback interface, with two CPUs."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        self.address, self._folder = f"127.0.0.1:{port}", str(folder)
        options = ("--num-cpus=2", "--include-dashboard=false", "--node-ip-address=127.0.0.1")
        sizes = (f"--object-store-memory={_STORE_BYTES}", f"--temp-dir={folder}")
        command = [str(Path(sys.executable).with_name("ray")), "start", "--head", f"--port={port}", *options, *sizes]
        subprocess.run(command, env=dict(environment), check=True, capture_output=True, timeout=120)

    def kill(self) -> None:
        """SIGKILL to all its processes."""
        for process in processes_with(self._folder):
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)


def processes_with(text: str) -> list[psutil.Process]:
    """The processes that have a text in their command line, and their descendants."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.pid != os.getpid() and any(text in word for word in process.cmdline()):
                found += [process, *process.children(recursive=True)]
    return found


@contextmanager
def open_head(folder: Path, environment: Mapping[str, str]) -> Iterator[Head]:
    head = Head(folder, environment)
    try:
        yield head
    finally:
        head.kill()
