"""Latency of a well-behaved client of the web lab during an attack by hostile clients.

    python tools/benchmarks/web_hostile.py [--seconds 60] [--hostile 30] > tools/benchmarks/web_hostile.json

Starts its own lab with one search process per core. Each hostile client keeps the maximum number of expensive questions
per socket open, of six kinds, and asks again as soon as one is answered. The well-behaved client asks for a hint about
a Connect Four position, waits for the answer, pauses for a quarter of a second, and asks about the next one; before
that it does the same without the attack. All clients have the same address, where the lab can distinguish only sockets.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import time
from collections import Counter

import httpx
from web_load import memory_of, quantile, started_lab
from websockets.asyncio.client import connect

from inarow import __version__
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR

OPEN_QUESTIONS = 8
PAUSE = 0.25
EXPENSIVE = (
    {"type": "think", "board": "15x15x5/free", "agent": "hybrid:simulations=1000000"},
    {"type": "think", "board": "6x7x4", "agent": "mcts:seconds=3000"},
    {"type": "think", "board": "15x15x5", "agent": "minimax:depth=12"},
    {"type": "think", "board": "8x9x5", "agent": "solver"},
    {"type": "hint", "board": "15x15x5/free", "moves": "8"},
    {"type": "review", "board": "12x12x5", "moves": "66771122"},
)
"""Kinds of hostile questions."""


async def attack(address: str, number: int, replies: Counter[str]) -> None:
    """Asks expensive questions until it is cancelled."""
    async with connect(address) as socket:

        async def ask(id: int) -> None:
            question = EXPENSIVE[(number + id) % len(EXPENSIVE)]
            await socket.send(json.dumps({**question, "id": id}))

        for id in range(OPEN_QUESTIONS):
            await ask(id)
        while True:
            reply = json.loads(await socket.recv())
            if reply["type"] != "progress":
                replies[reply["type"]] += 1
                await ask(reply["id"])


async def hints(address: str, seconds: float) -> list[float]:
    """The time of each hint in seconds, for a client that asks one at a time."""
    chance, waits = random.Random(1), []
    async with connect(address) as socket:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            position = Position.start(CONNECT_FOUR)
            while position.ply < 20:
                position = position.play(chance.choice(position.legal_actions))
                if position.is_over:
                    position = Position.start(CONNECT_FOUR)
            clock = time.perf_counter()
            await socket.send(json.dumps({"type": "hint", "id": 1, "board": "6x7x4", "moves": position.moves}))
            while json.loads(await socket.recv())["type"] == "progress":
                pass
            waits.append(time.perf_counter() - clock)
            await asyncio.sleep(PAUSE)
    return waits


def summary(waits: list[float]) -> dict[str, float]:
    return {"p50": quantile(waits, 0.5), "p99": quantile(waits, 0.99), "max": round(max(waits), 4)}


async def measure(port: int, pid: int, seconds: float, hostile: int) -> dict[str, object]:
    address = f"ws://127.0.0.1:{port}/api/socket"
    alone = await hints(address, min(seconds, 10.0))
    before = memory_of(pid)
    replies: Counter[str] = Counter()
    attackers = [asyncio.create_task(attack(address, number, replies)) for number in range(hostile)]
    beside = await hints(address, seconds)
    health = httpx.get(f"http://127.0.0.1:{port}/api/health").json()
    for task in attackers:
        task.cancel()
    ended = [
        error for error in await asyncio.gather(*attackers, return_exceptions=True) if isinstance(error, Exception)
    ]
    return {
        "version": __version__,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "method": (
            f"{hostile} hostile clients with {OPEN_QUESTIONS} expensive questions open each, for {seconds:g} s; one "
            f"polite client asks for hints one at a time, {PAUSE:g} s apart, from the first second of the attack on; "
            "seconds from sending the question to the whole answer, in the same process as the hostile clients"
        ),
        "hostile_clients": hostile,
        "hostile_clients_that_failed": len(ended),
        "hostile_replies": dict(replies),
        "questions_waiting_at_the_end": health["waiting"],
        "hints": len(beside),
        "hint_seconds_alone": summary(alone),
        "hint_seconds": summary(beside),
        "event_loop_late_seconds": health["latency"],
        "server_megabytes": {"before": round(before, 1), "after": round(memory_of(pid), 1)},
        "load_average": [round(load, 2) for load in os.getloadavg()],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--hostile", type=int, default=30)
    options = parser.parse_args()
    with started_lab() as (port, pid):
        result = asyncio.run(measure(port, pid, options.seconds, options.hostile))
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
