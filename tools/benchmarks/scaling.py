"""Scaling with workers: measured on local processes and on a local Ray cluster, then modelled for 1,000 cores.

Run: `python tools/benchmarks/scaling.py > tools/benchmarks/scaling.json`, a few minutes. Speeds are ratios to one
process in the same run; the work of a single process is measured in core-seconds, on which other load has little
effect.
"""

from __future__ import annotations

import json
import os
import pickle
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from inarow.arena.match import Task, play_into_store, play_pairs, play_plans
from inarow.arena.match_plan import MatchPlan, MatchSettings, plan_match
from inarow.arena.openings import find_openings
from inarow.arena.store import Store
from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.network import NetTrainer, make_network
from inarow.learning.alphazero.replay import Replay
from inarow.learning.alphazero.selfplay import ClusterSelfPlay, GameBatch, Player, play_batch
from inarow.learning.config import to_config
from inarow.learning.net_file import Net, net_evaluator
from inarow.learning.pretrained import net_path
from inarow.workers import Cluster, Pool, Shared, Workers, open_pool, open_worker_processes

CREWS: dict[str, Workers] = {
    "1 process": 1,
    "2 processes": 2,
    "1 task at once on Ray": Cluster("local", 1),
    "2 tasks at once on Ray": Cluster("local", 2),
    "2,000 tasks at once on Ray": Cluster("local", 2000),
}
ROUNDS = 2
EMPTY_TASKS = 4000
AGENTS = ("mcts:simulations=500", "mcts:simulations=400")
GAMES, PAIRS_OF_A_TASK = 400, 32
NET = "connect4"
PLAY = {
    "learner": "alphazero",
    "board": "6x7x4",
    "iterations": 100,
    "iteration_games": 512,
    "workers": 2,
    "network": {"channels": 48, "blocks": 3},  # as NET has
}
BATCHES, SIMULATIONS = 4, 32
CORES, TOURNAMENT_GAMES, NODE_CORES = 1000, 1_000_000, 64


def report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@contextmanager
def measured(row: dict[str, float], name: str) -> Iterator[None]:
    """Adds the seconds of the block, and the core-seconds of this process."""
    wall, core = time.perf_counter(), time.process_time()
    yield
    row[f"{name}_seconds"] = time.perf_counter() - wall
    row[f"{name}_own_core_seconds"] = time.process_time() - core


def pool_work(pool: Pool, plan: MatchPlan) -> dict[str, float]:
    """Empty tasks, and tasks of games, both after a warm-up."""
    row: dict[str, float] = {}
    list(pool.map(len, [b"task"] * 20))
    list(play_plans([plan_match(*AGENTS, settings=MatchSettings(games=8))], pool, [0]))
    with measured(row, "empty"):
        list(pool.map(len, [b"task"] * EMPTY_TASKS))
    with measured(row, "games"):
        list(play_plans([plan], pool, [0]))
    return row


def crews() -> dict[str, dict[str, float]]:
    """By kind of workers: tasks and games per second, and the cost of a task for the submitting process."""
    plan = plan_match(*AGENTS, settings=MatchSettings(games=GAMES, seed=1))
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in CREWS}
    for number in range(ROUNDS):
        for name, crew in CREWS.items():
            report(f"round {number + 1} of {ROUNDS}: {name}")
            with open_pool(crew) as pool:
                rows[name].append(pool_work(pool, plan))
    alone = [row["games_seconds"] for row in rows["1 process"]]
    return {
        name: {
            "empty_tasks_per_second": round(EMPTY_TASKS / median(rows[name], "empty_seconds")),
            "own_core_microseconds_per_task": round(1e6 * median(rows[name], "empty_own_core_seconds") / EMPTY_TASKS),
            "games_per_second": round(GAMES / median(rows[name], "games_seconds"), 2),
            "speed_against_one_process": round(
                statistics.median(one / row["games_seconds"] for one, row in zip(alone, rows[name], strict=True)), 2
            ),
        }
        for name in CREWS
    }


def median(rows: list[dict[str, float]], name: str) -> float:
    return statistics.median(row[name] for row in rows)


def core_seconds(work: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.process_time()
    result = work()
    return result, time.process_time() - begin


def tournament_costs() -> dict[str, float]:
    """Bytes transferred, and core-seconds of playing and of storing."""
    report("tournament")
    plan = plan_match("winblock", "greedy", settings=MatchSettings(games=2 * PAIRS_OF_A_TASK, seed=1))
    openings = find_openings(plan.spec, PAIRS_OF_A_TASK, plan.openings, seed=1, plies=plan.opening_plies)
    task = Task(0, plan, tuple(enumerate(openings)))
    play_pairs(task)
    played, seconds = core_seconds(lambda: play_pairs(task))
    searching = plan_match(*AGENTS, settings=MatchSettings(games=20, seed=1))
    with open_pool(1) as pool:
        _, search_seconds = core_seconds(lambda: list(play_plans([searching], pool, [0])))
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "lab.sqlite") as store:
        stored, store_seconds = core_seconds(lambda: list(play_into_store([plan], store)))
        bytes_on_disk = (Path(folder) / "lab.sqlite").stat().st_size
    assert sum(len(records) for _, records in stored) == len(played)
    return {
        "games_per_task": len(played),
        "bytes_per_task": len(pickle.dumps(task)),
        "bytes_per_game_of_result": round(len(pickle.dumps(played)) / len(played)),
        "bytes_per_game_in_store": round(bytes_on_disk / len(played)),
        "core_seconds_per_quick_game": round(seconds / len(played), 5),
        "core_seconds_per_searched_game": round(search_seconds / 20, 4),
        "core_seconds_per_stored_game": round(max(0.0, store_seconds - seconds) / len(played), 5),
    }


def alphazero_costs() -> dict[str, float]:
    """Bytes transferred, and core-seconds of continuous play, of play in batches, and of learning."""
    report("alphazero, alone")
    config = to_config(PLAY, AlphaZeroConfig, "scaling")
    net = net_path(NET).read_bytes()
    task = GameBatch(config, Shared(net), 1, 0, SIMULATIONS, config.selfplay.games)
    play_batch(task)
    batch, batch_seconds = core_seconds(lambda: play_batch(task))
    games = sum(len(each.games) for each in batch.outputs)
    examples = sum(len(each.examples) for each in batch.outputs)
    player = Player(config, net_evaluator(Net(net, "the net")), 0, 1)
    player.set_simulations(SIMULATIONS)
    for _ in range(30):  # until as many games end as begin
        player.play()
    found, going_on_seconds = core_seconds(lambda: [player.play() for _ in range(40)])
    going_on = sum(len(each.games) for each in found)
    replay = Replay(config.specs, 20_000)
    for each in batch.outputs:
        replay.add(each.spec, each.examples)
    learner, rng = NetTrainer(make_network(config), config.learning), np.random.default_rng(0)
    size = config.learning.batch

    def learn() -> None:
        learner.step(replay.draw(size, 20_000, rng, mirror=True), 0.0)

    learn()
    _, learn_seconds = core_seconds(lambda: [learn() for _ in range(10)])
    return {
        "games_per_batch": games,
        "examples_per_game": round(examples / games, 1),
        "bytes_of_net": len(net),
        "bytes_per_task_without_net": len(pickle.dumps(task)) - len(net),
        "bytes_per_game_of_result": round(len(pickle.dumps(batch)) / games),
        "bytes_of_memory_per_player": batch.bytes,
        "games_per_core_second_in_batches": round(games / batch_seconds, 1),
        "games_per_core_second_going_on": round(going_on / going_on_seconds, 1),
        "core_seconds_per_learnt_sample": round(learn_seconds / (10 * size), 6),
        "samples_per_example": config.learning.reuse,
    }


def alphazero_on_workers() -> dict[str, float]:
    """Games per second of self-play, by kind of workers."""
    config, net = to_config(PLAY, AlphaZeroConfig, "scaling"), net_path(NET).read_bytes()
    speeds = {}
    for name, number, cluster in (("1 process", 1, None), ("2 processes", 2, None), ("2 on Ray", 2, Cluster("local"))):
        report(f"alphazero, {name}")
        with open_worker_processes(number, cluster) as worker_processes:
            self_play, results = ClusterSelfPlay(worker_processes, config, 1), []
            begin = 0.0
            while len(results) < 2 + BATCHES:
                self_play.give(net, SIMULATIONS)
                if (result := self_play.take(1.0)) is not None:
                    results.append(sum(len(each.games) for each in result.outputs))
                    if len(results) == 2:  # all workers have loaded their kernels
                        begin = time.perf_counter()
            speeds[name] = sum(results[2:]) / (time.perf_counter() - begin)
    return {name: round(speed, 1) for name, speed in speeds.items()}


def model(crew: dict[str, dict[str, float]], games: dict[str, float], alpha: dict[str, float]) -> dict[str, Any]:
    """An extrapolation from one core to 1,000. Nothing here was measured on 1,000 cores."""
    per_task = crew["2,000 tasks at once on Ray"]["own_core_microseconds_per_task"] / 1e6
    tournaments = {}
    for kind in ("quick", "searched"):
        per_game = games[f"core_seconds_per_{kind}_game"]
        of_task = min(games["games_per_task"], max(2.0, 0.25 / per_game))
        central = games["core_seconds_per_stored_game"] + per_task / of_task
        tournaments[kind] = {
            "core_hours": round(TOURNAMENT_GAMES * per_game / 3600, 2),
            "seconds_of_1000_cores": round(TOURNAMENT_GAMES * per_game / CORES, 1),
            "seconds_of_the_process_that_stores": round(TOURNAMENT_GAMES * central),
            "cores_that_it_keeps_busy": round(per_game / central),
        }
    speed = CORES * alpha["games_per_core_second_in_batches"]
    examples = speed * alpha["examples_per_game"]
    learning = alpha["core_seconds_per_learnt_sample"] * alpha["samples_per_example"]
    nodes = -(-CORES // NODE_CORES)
    return {
        "tournament_of_a_million_games": {
            **tournaments,
            "gigabytes_of_results": round(TOURNAMENT_GAMES * games["bytes_per_game_of_result"] / 1e9, 2),
            "gigabytes_of_store": round(TOURNAMENT_GAMES * games["bytes_per_game_in_store"] / 1e9, 2),
        },
        "alphazero_on_1000_cores": {
            "games_per_second": round(speed),
            "examples_per_second": round(examples),
            "megabytes_of_results_per_second": round(speed * alpha["bytes_per_game_of_result"] / 1e6, 1),
            "megabytes_for_each_net_on_16_nodes": round(nodes * alpha["bytes_of_net"] / 1e6, 1),
            "tasks_per_second": round(speed / alpha["games_per_batch"], 1),
            "gigabytes_of_memory": round(CORES * alpha["bytes_of_memory_per_player"] / 1e9, 1),
            "cores_that_learning_would_take": round(examples * learning, 1),
            "players_that_one_learning_core_keeps_up_with": round(CORES / (examples * learning), 1),
            "cores_that_learning_would_take_with_800_simulations": round(examples * learning / (800 / SIMULATIONS), 1),
        },
    }


def main() -> None:
    crew, games, alpha = crews(), tournament_costs(), alphazero_costs()
    document = {
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 1),
        "agents": AGENTS,
        "pools": crew,
        "tournament": games,
        "alphazero": alpha,
        "alphazero_games_per_second": alphazero_on_workers(),
        "model": model(crew, games, alpha),
    }
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
