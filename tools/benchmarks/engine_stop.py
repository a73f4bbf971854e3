"""The time in which `inarow engine` answers `stop`, over a pipe, for each kind of search.

Run: `python tools/benchmarks/engine_stop.py > tools/benchmarks/engine_stop.json`
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time

STOPS, THINKING_SECONDS = 20, 0.3
SETUPS = (
    ("solver", ["setoption name OwnBook value false"]),
    ("solver", []),
    ("minimax", []),
    ("mcts", []),
    ("mcts:threads=2", []),
    ("hybrid", []),
    ("alphazero", []),
    ("solver:level=9", []),
)


def answer_times(agent: str, options: list[str]) -> list[float]:
    """Milliseconds from `stop` to `bestmove` in infinite searches of the empty board."""
    command = [sys.executable, "-m", "inarow", "engine", "--agent", agent]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None

        def send(line: str) -> None:
            engine.stdin.write(line + "\n")
            engine.stdin.flush()

        def wait_for(start: str) -> None:
            while not engine.stdout.readline().startswith(start):
                pass

        for line in (*options, "isready"):
            send(line)
        wait_for("readyok")
        times = []
        for _ in range(STOPS):
            send("go infinite")
            time.sleep(THINKING_SECONDS)
            clock = time.perf_counter()
            send("stop")
            wait_for("bestmove")
            times.append(1000 * (time.perf_counter() - clock))
        send("quit")
    return times


def main() -> None:
    """Prints one JSON document."""
    rows = []
    for agent, options in SETUPS:
        times = answer_times(agent, options)
        median, worst = statistics.median(times), max(times)
        rows.append({"agent": agent, "options": options, "median_ms": round(median, 1), "worst_ms": round(worst, 1)})
        print(f"{agent} {' '.join(options)}: {median:.1f} ms, worst {worst:.1f} ms", file=sys.stderr)
    load = round(os.getloadavg()[0], 1)
    print(json.dumps({"stops": STOPS, "cores": os.cpu_count(), "load_average": load, "rows": rows}, indent=2))


if __name__ == "__main__":
    main()
