"""The benchmarks of `inarow bench` with other programs. A peer that is not installed is None."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np

from inarow.cli import bench as benchmarks
from inarow.cli.bench import Benchmark, Peer, rate, sample_positions, selection_case
from inarow.errors import InvalidSpecError, MissingExtraError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR
from inarow.learning.exploration.register import lay_out
from inarow.learning.exploration.selection import amplification_range, mass_of
from inarow_peers.plain_q import PlainQ

_PLAIN_EPISODES = 50


def find_peer(benchmark: Benchmark, start: Position, seconds: float) -> Peer | None:
    """The peer of a row of `inarow bench`, measured over about `seconds`; None where there is none."""
    find = {
        "playouts": openspiel_playouts,
        "perft": c_perft,
        "mcts": openspiel_mcts,
        "q-episodes": plain_q_episodes,
        "selections": aer_selections,
    }.get(benchmark.name)
    if benchmark.name == "solve":
        return bitbully_analyses(sample_positions(start, *benchmarks.SOLVE_SAMPLES[benchmark.unit]), seconds)
    if benchmark.name == "minimax" and "alpha-beta" in benchmark.unit:
        return openspiel_minimax(seconds)
    return None if find is None else find(start, seconds)


def openspiel_playouts(start: Position, seconds: float) -> Peer | None:
    """Random games of OpenSpiel from Python."""
    if find_spec("pyspiel") is None:
        return None
    game = _openspiel_game(start)
    rng = np.random.default_rng(0)

    def work(games: int = 200) -> int:
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(rng.random() * len(legal))])
        return games

    return Peer("OpenSpiel from Python", lambda: rate(work, seconds))


def openspiel_mcts(start: Position, seconds: float) -> Peer | None:
    """Simulations of OpenSpiel's C++ bot with random rollouts, one decision of the start at a time."""
    try:
        import pyspiel
    except ImportError:
        return None
    state = _openspiel_game(start).new_initial_state()

    def work() -> int:
        evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=1)
        bot = pyspiel.MCTSBot(state.get_game(), evaluator, 2**0.5, benchmarks.SIMULATIONS, 1000, False, 1, False)
        bot.step(state)
        return benchmarks.SIMULATIONS

    return Peer("OpenSpiel MCTSBot (C++)", lambda: rate(work, seconds))


def openspiel_minimax(seconds: float) -> Peer | None:
    """Alpha-beta to the end of Tic Tac Toe by OpenSpiel, in Python."""
    try:
        import pyspiel
        from open_spiel.python.algorithms import minimax
    except ImportError:
        return None
    game = pyspiel.load_game("tic_tac_toe")

    def work() -> int:
        minimax.alpha_beta_search(game)
        return 1

    return Peer("OpenSpiel (Python)", lambda: rate(work, seconds))


def _openspiel_game(start: Position) -> Any:
    import pyspiel

    spec = start.spec
    return pyspiel.load_game(f"connect_four(rows={spec.rows},columns={spec.columns},x_in_row={spec.inarow})")


_BITBULLY = """
import sys, time
from bitbully import BitBully, Board
boards = [Board([int(move) - 1 for move in line.strip()]) for line in sys.stdin]
solver = BitBully(opening_book=None)
units, clock = 0, time.perf_counter()
while (spent := time.perf_counter() - clock) < float(sys.argv[1]) or not units:
    solver.reset_transposition_table()
    for board in boards:
        solver.score_all_moves(board)
    units += len(boards)
print(units / spent)
"""


def bitbully_analyses(sample: Sequence[Position], seconds: float) -> Peer | None:
    """The score of every move by BitBully (C++), without its book and with a cold table.

    Runs in a separate process: BitBully's licence differs from ours, so nothing here imports it.
    """
    if find_spec("bitbully") is None:
        return None
    lines = "".join(f"{position.moves}\n" for position in sample)
    command = [sys.executable, "-c", _BITBULLY, str(seconds)]
    return Peer("BitBully", lambda: float(subprocess.check_output(command, input=lines, text=True)))


_BITBULLY_SCORES = """
import sys
from bitbully import BitBully, Board
solver = BitBully()
for line in sys.stdin:
    print(solver.mtdf(Board([int(move) - 1 for move in line.strip()])))
"""


def bitbully_scores(positions: Sequence[Position]) -> list[int]:
    """The exact scores of unfinished 6x7x4 positions by BitBully, with its own book; see `bitbully_analyses`."""
    if find_spec("bitbully") is None:
        raise MissingExtraError("bitbully", "dev")
    if any(position.spec != CONNECT_FOUR for position in positions):
        raise InvalidSpecError("BitBully only plays 6x7x4")
    lines = "".join(f"{position.moves}\n" for position in positions)
    answer = subprocess.check_output([sys.executable, "-c", _BITBULLY_SCORES], input=lines, text=True)
    return [int(score) for score in answer.split()]


def c_perft(start: Position, seconds: float) -> Peer | None:
    """The loop of `count_sequences` in C for 6x7x4, compiled when called."""
    count = compile_c_counter()
    if count is None:
        return None
    return Peer("C (cc -O3)", lambda: rate(lambda: count_in_c(count, start, benchmarks.PERFT_DEPTH)[-1], seconds))


def count_in_c(count: Callable[[int, int, int], int], start: Position, depth: int) -> list[int]:
    """Sequences of length 1 to `depth`, by the function from `compile_c_counter`."""
    return [count(start.stones, start.mask, plies) for plies in range(1, depth + 1)]


def compile_c_counter() -> Callable[[int, int, int], int] | None:
    """(stones, mask, depth) -> sequences on 6x7x4; None without a C compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return None
    c_file = as_file(files(__package__) / "perft.c")
    with tempfile.TemporaryDirectory(prefix="inarow-bench-") as folder, c_file as source:
        library = Path(folder) / "perft.so"
        options = ["-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run([compiler, *options, "-o", str(library), str(source)], check=True)
        count = ctypes.CDLL(str(library)).count_sequences
    count.restype = ctypes.c_uint64
    count.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int]
    return cast(Callable[[int, int, int], int], count)


def plain_q_episodes(start: Position, seconds: float) -> Peer:
    """The same training in plain Python."""
    rng = np.random.default_rng(0)

    def work() -> int:
        PlainQ(start.spec, rng, opponent="winblock", is_negamax=False, **benchmarks.Q_SETTINGS).learn(_PLAIN_EPISODES)
        return _PLAIN_EPISODES

    return Peer("plain Python", lambda: rate(work, seconds))


def aer_selections(start: Position, seconds: float) -> Peer | None:
    """The same draws by the method of santos-2025: a circuit per draw, transpiled and run with one shot."""
    try:
        from inarow.learning.exploration.circuits import drawn_circuit
    except MissingExtraError:
        return None
    from qiskit import transpile
    from qiskit_aer import AerSimulator

    probabilities, legal, flags = selection_case(start)
    register, rng = lay_out(probabilities, legal, flags), np.random.default_rng(0)
    amplification = benchmarks.SELECTION_POLICY.selection().amplification
    least, most = amplification_range(mass_of(probabilities, flags), amplification)

    def work() -> int:
        circuit = drawn_circuit(register, int(rng.integers(least, most + 1)))
        simulator = AerSimulator(seed_simulator=int(rng.integers(2**31)))
        simulator.run(transpile(circuit, simulator), shots=1).result().get_counts()
        return 1

    return Peer("Qiskit on Aer, transpiled for each draw", lambda: rate(work, seconds))
