"""Load test of the web lab: fifty concurrent games, and a client that sends malformed messages.

    python tools/benchmarks/web_load.py [--seconds 60] [--games 50] > tools/benchmarks/web_load.json

Starts its own lab, plays scripted games over its socket against `mcts:simulations=2000` until the time is over, and
checks every answer by the rules. Meanwhile one client sends 1,000 malformed messages. Latency is measured inside the
lab (the delay of its event loop) and by a client that requests `/api/health`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from websockets.asyncio.client import connect

from inarow import __version__
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR

AGENT = "mcts:simulations=2000"


class Tally:
    """Counts of events."""

    def __init__(self) -> None:
        self.moves = self.games = self.errors = self.malformed = self.refused = 0
        self.waits: list[float] = []
        self.health: list[float] = []


async def play(address: str, number: int, end: float, tally: Tally) -> None:
    """One client: plays game after game; checks each move of the lab and answers with a random one."""
    chance = random.Random(number)
    async with connect(address) as socket:
        position, ask = Position.start(CONNECT_FOUR), 0
        while time.monotonic() < end:
            ask += 1
            request = {"type": "think", "id": ask, "board": "6x7x4", "moves": position.moves, "agent": AGENT}
            clock = time.perf_counter()
            await socket.send(json.dumps({**request, "seed": number}))
            while (reply := json.loads(await socket.recv()))["type"] == "progress":
                pass
            tally.waits.append(time.perf_counter() - clock)
            if reply["type"] == "error" or reply["id"] != ask or reply["data"]["ply"] != position.ply:
                tally.errors += 1
                return
            position = position.play(reply["data"]["action"])
            tally.moves += 1
            if not position.is_over:
                position = position.play(chance.choice(position.legal_actions))
            if position.is_over:
                tally.games += 1
                position = Position.start(CONNECT_FOUR)


async def vandalise(address: str, messages: int, tally: Tally) -> None:
    """Sends malformed messages, each of which must get one error."""
    chance = random.Random(0)
    bad: list[str | bytes] = [
        "{",
        "[]",
        "null",
        "x" * 1_000_000,
        b"\x00\x01",
        '{"type": "think", "id": "a"}',
        '{"type": "think", "id": 1, "board": 6, "agent": []}',
        '{"type": "think", "id": 1, "board": "6x7x4", "moves": "4444444", "agent": "random"}',
        '{"type": "think", "id": 1, "board": "6x7x4", "agent": "nobody"}',
        '{"type": "cancel", "id": 4711}',
        '{"type": "dance", "id": 1}',
    ]
    async with connect(address) as socket:
        for _ in range(messages):
            await socket.send(chance.choice(bad))
            tally.malformed += 1
            tally.refused += json.loads(await socket.recv())["type"] == "error"


async def measure_health(address: str, end: float, tally: Tally) -> dict[str, float]:
    """Requests the lab's health ten times per second; returns the lab's own measurement at the end."""
    async with httpx.AsyncClient() as client:
        while True:
            clock = time.perf_counter()
            health = (await client.get(f"{address}/api/health")).json()
            tally.health.append(time.perf_counter() - clock)
            if time.monotonic() >= end:
                return dict(health["latency"])
            await asyncio.sleep(0.1)


def memory_of(pid: int) -> float:
    """The resident memory of a process in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


def quantile(values: list[float], share: float) -> float:
    return round(sorted(values)[min(len(values) - 1, int(len(values) * share))], 4)


async def measure(port: int, pid: int, seconds: float, games: int) -> dict[str, object]:
    address, socket = f"http://127.0.0.1:{port}", f"ws://127.0.0.1:{port}/api/socket"
    tally = Tally()
    await asyncio.gather(*(play(socket, number, time.monotonic() + 2, Tally()) for number in range(games)))
    before = memory_of(pid)
    end = time.monotonic() + seconds
    players = [play(socket, number, end, tally) for number in range(games)]
    results = await asyncio.gather(measure_health(address, end, tally), vandalise(socket, 1000, tally), *players)
    await asyncio.sleep(2)
    return {
        "version": __version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "agent": AGENT,
        "concurrent_games": games,
        "seconds": seconds,
        "moves": tally.moves,
        "finished_games": tally.games,
        "errors": tally.errors,
        "malformed_messages": tally.malformed,
        "malformed_refused": tally.refused,
        "move_seconds": {"p50": quantile(tally.waits, 0.5), "p99": quantile(tally.waits, 0.99)},
        "event_loop_late_seconds": results[0],
        "health_seconds": {"p50": quantile(tally.health, 0.5), "p99": quantile(tally.health, 0.99)},
        "server_megabytes": {"before": round(before, 1), "after": round(memory_of(pid), 1)},
        "load_average": [round(load, 2) for load in os.getloadavg()],
    }


@contextmanager
def started_lab() -> Iterator[tuple[int, int]]:
    """The port and the process id of a lab with all its search processes."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "inarow", "serve", "--port", "0", "--runs", folder]
        lab = subprocess.Popen([*command, "--store", f"{folder}/lab.sqlite"], stdout=subprocess.PIPE, text=True)
        try:
            assert lab.stdout is not None
            port = int(re.search(r":(\d+)/", lab.stdout.readline())[1])  # type: ignore[index]
            while httpx.get(f"http://127.0.0.1:{port}/api/health").json()["ready"] < min(8, os.cpu_count() or 1) + 1:
                time.sleep(0.2)
            yield port, lab.pid
        finally:
            lab.send_signal(signal.SIGINT)
            lab.wait()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--games", type=int, default=50)
    options = parser.parse_args()
    with started_lab() as (port, pid):
        result = asyncio.run(measure(port, pid, options.seconds, options.games))
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
