"""`inarow bench`: our work, and the same work by a peer in the same run.

Absolute times depend on the machine and the minute; the ratio to the peer is the figure to keep.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

from inarow.arena.match import play_into_store
from inarow.arena.match_plan import MatchSettings, plan_match
from inarow.arena.store import Store
from inarow.cli.completers import complete_benchmarks
from inarow.cli.options import Json, UnusedSeed
from inarow.cli.output import number_table, print_json, print_table, progress_bar
from inarow.errors import InarowError, InvalidLimitError, unknown
from inarow.games import GameSpec, Position
from inarow.games.perft import count_sequences
from inarow.games.playout import random_playouts
from inarow.learning.alphazero.config import SelfPlayConfig
from inarow.learning.alphazero.selfplay import SelfPlay, SelfPlayOutput
from inarow.learning.exploration.config import Policy
from inarow.learning.exploration.explorer import count_selections
from inarow.learning.net_file import net_evaluator
from inarow.learning.pretrained import find_net
from inarow.learning.tabular.config import Exploration, Phase, QConfig
from inarow.learning.tabular.trainer import Trainer
from inarow.search.limits import Limits
from inarow.search.minimax.heuristics import make_heuristic
from inarow.search.minimax.minimax import Minimax
from inarow.search.solver.solver import Solver
from inarow.search.tree.config import SearchConfig
from inarow.search.tree.evaluation import Evaluate, planes_of
from inarow.search.tree.search import TreeSearch
from inarow.workers import Progress

Work = Callable[[], int]  # does a fixed amount of work and returns the number of units done

_ROUNDS = 3
_SECONDS = 1.0
PERFT_DEPTH = 9
SIMULATIONS = 10_000
SOLVE_SAMPLES = {"analyses/s, 12-24 stones": (range(12, 25), 100), "analyses/s, 8-14 stones": (range(8, 15), 8)}
"""By the unit of a row of `solve`: stones on the board, and number of positions."""
SELECTION_POLICY = Policy(rounds=1)
Q_SETTINGS = {"alpha": 0.1, "gamma": 0.9, "epsilon": 0.1}
_MEMORY = 64 << 20
_PLAYOUTS, _EPISODES, _SELECTIONS, _STORED_GAMES = 50_000, 10_000, 200_000, 500
_BATCH, _STEPS = 128, 32


@dataclass(frozen=True, slots=True)
class Peer:
    """Another program, with a function that measures its units per second of the same work."""

    name: str
    measure: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A row before it is measured: `work` prepares our work from the start position of the board."""

    name: str
    board: str
    unit: str
    work: Callable[[Position], Work]


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One figure, as the JSON of `inarow bench` gives it."""

    name: str
    board: str
    value: float
    unit: str
    peer: str | None = None
    peer_value: float | None = None
    ratio: float | None = None


def bench(
    *,
    peers: bool = False,
    only: Annotated[str | None, Parameter(completer=complete_benchmarks)] = None,
    json: Json = False,
    seed: UnusedSeed = 0,
) -> None:
    """Measure the speed of this machine.

    With --peers, also measures installed peers on the same work in the same run.

    Args:
        peers: Also measure the installed peers: OpenSpiel, BitBully, Aer, C. Needs a clone of the repository.
        only: Only the rows of this name.

    Examples:
        inarow bench
        inarow bench --only solve --json
    """
    with progress_bar("measuring") as progress:
        rows = list(run_benchmarks(peers=peers, only=only, progress=progress))
    if json:
        print_json(rows)
        return
    words = ("name", "board", "unit", "peer")
    table = number_table("name", "board", "value", "unit", "peer", "peer value", "ratio", words=words)
    for row in rows:
        other = (row.peer, f"{row.peer_value:,.0f}", f"{row.ratio:.2f}") if row.peer else ("", "", "")
        table.add_row(row.name, row.board, f"{row.value:,.0f}", row.unit, *other)
    print_table(table)


def rate(work: Work, seconds: float) -> float:
    """Units per second of wall clock, measured over about `seconds`."""
    units, clock = 0, time.perf_counter()
    while (spent := time.perf_counter() - clock) < seconds or not units:
        units += work()
    return units / spent


def load_peers() -> Any:
    """The package `inarow_peers`; raises InarowError where it is absent."""
    if find_spec("inarow_peers") is None:
        where = "peers are measured from a clone of the repository, where it is in tools/"
        raise InarowError(f"inarow_peers is missing: {where}")
    return import_module("inarow_peers")


def run_benchmarks(*, peers: bool, only: str | None = None, progress: Progress | None = None) -> Iterator[BenchRow]:
    """The rows, one by one; `only` keeps those of one name."""
    if only is not None and only not in NAMES:
        raise InvalidLimitError(unknown("benchmark", only, NAMES))
    find_peer = load_peers().find_peer if peers else None
    chosen = [benchmark for benchmark in BENCHMARKS if only in (None, benchmark.name)]
    for done, benchmark in enumerate(chosen):
        if progress is not None:
            progress(done, len(chosen))
        start = Position.start(GameSpec.parse(benchmark.board))
        work = benchmark.work(start)
        peer: Peer | None = find_peer(benchmark, start, _SECONDS) if find_peer is not None else None
        work()  # compiles
        rates = [(rate(work, _SECONDS), peer.measure() if peer is not None else 0.0) for _ in range(_ROUNDS)]  # in turn
        value, peer_value = np.median(rates, axis=0).tolist()
        row = BenchRow(benchmark.name, benchmark.board, value, benchmark.unit)
        yield row if peer is None else replace(row, peer=peer.name, peer_value=peer_value, ratio=value / peer_value)


# --- Games and search ---


def _playouts(start: Position) -> Work:
    rng = np.random.default_rng(0)
    return lambda: sum(random_playouts(start, _PLAYOUTS, rng)[:3])  # wins, draws, losses


def _perft(start: Position) -> Work:
    return lambda: count_sequences(start, PERFT_DEPTH)[-1]


def _mcts(start: Position) -> Work:
    spec, limits = start.spec, Limits(simulations=SIMULATIONS)
    return lambda: TreeSearch(spec, np.random.default_rng(1), solve=False).search(start, limits=limits).simulations


def _searches_to_the_end(start: Position) -> Work:
    search = Minimax(start.spec, make_heuristic("windows", start.spec), order=np.arange(start.spec.actions))

    def work() -> int:
        search.search(start)
        return 1

    return work


def _minimax_nodes(depth: int | None, start: Position) -> Work:
    search = Minimax(start.spec, make_heuristic("windows", start.spec), prune=False)
    return lambda: search.search(start, Limits(depth=depth)).nodes


def sample_positions(start: Position, plies: range, size: int) -> list[Position]:
    """Unfinished positions of random games in which no win is overlooked; always the same."""
    rng = np.random.default_rng(1)
    sample: list[Position] = []
    while len(sample) < size:
        position = start
        length = plies[int(rng.random() * len(plies))]
        while position.ply < length and not position.is_over and not position.winning_actions():
            legal = position.legal_actions
            position = position.play(legal[int(rng.random() * len(legal))])
        if position.ply == length and not position.is_over:
            sample.append(position)
    return sample


def _analyses(unit: str, start: Position) -> Work:
    sample = sample_positions(start, *SOLVE_SAMPLES[unit])
    solver = Solver(start.spec, memory=_MEMORY)

    def analyse() -> int:
        solver.clear()
        return len([solver.analyse(position) for position in sample])

    return analyse


def stored_games(start: Position) -> Work:
    """A match of `random` against `winblock` into a new store, with another seed each time."""
    seeds = count()

    def work() -> int:
        plan = plan_match("random", "winblock", start.spec, MatchSettings(games=_STORED_GAMES, seed=next(seeds)))
        with (
            tempfile.TemporaryDirectory(prefix="inarow-bench-") as folder,
            Store(Path(folder) / "lab.sqlite") as store,
        ):
            return sum(len(records) for _, records in play_into_store([plan], store))

    return work


# --- Learning ---


def _q_episodes(start: Position) -> Work:
    """Own-turn Q-learning from an empty table against winblock."""
    config = QConfig(
        board=str(start.spec),
        phases=(Phase(episodes=_EPISODES, opponent="winblock"),),
        target="own-turn",
        alpha=Q_SETTINGS["alpha"],
        gamma=Q_SETTINGS["gamma"],
        symmetry=False,
        exploration=Exploration(start=Q_SETTINGS["epsilon"], floor=Q_SETTINGS["epsilon"]),
        memory=256,
    )

    def learn() -> int:
        trainer = Trainer(config)
        trainer.run(_EPISODES)
        return trainer.episodes

    return learn


def selection_case(start: Position) -> tuple[np.ndarray, int, int]:
    """(probabilities, legal, flags): all columns legal, some more likely, two flagged; always the same."""
    actions = start.spec.actions
    weights = np.arange(1.0, actions + 1)
    return weights / weights.sum(), (1 << actions) - 1, 0b1010


def _selections(start: Position) -> Work:
    """Draws with m as in santos-2025, each on its own."""
    probabilities, legal, flags = selection_case(start)
    selection, rng = SELECTION_POLICY.selection(), np.random.default_rng(0)
    return lambda: int(count_selections(probabilities, legal, flags, selection, _SELECTIONS, rng).sum())


def _evaluations(start: Position) -> Work:
    """Positions of a random game, one batch at a time."""
    evaluate = _evaluator(start)
    rng = np.random.default_rng(0)
    planes: list[np.ndarray] = []
    position = start
    while len(planes) < _BATCH:
        planes.append(planes_of(position))
        position = position.play(rng.choice(position.legal_actions))
        position = start if position.is_over else position
    batch = np.stack(planes)
    return lambda: len(evaluate(batch)[1])


def _evaluator(start: Position) -> Evaluate:
    net = find_net("connect4")
    net.check_board(start.spec)
    return net_evaluator(net)


def _self_play(units: Callable[[SelfPlayOutput], int], start: Position) -> Work:
    """Self-play with the search of the presets."""
    config, rng = SelfPlayConfig(games=_BATCH, simulations=32, first_simulations=32), np.random.default_rng(0)
    play = SelfPlay(start.spec, _evaluator(start), config, SearchConfig(), rng, cache_memory=_MEMORY)
    return lambda: units(play.play(_STEPS))


BENCHMARKS = (
    Benchmark("playouts", "6x7x4", "playouts/s", _playouts),
    Benchmark("playouts", "12x12x5", "playouts/s", _playouts),
    Benchmark("perft", "6x7x4", "nodes/s", _perft),
    Benchmark("mcts", "6x7x4", "simulations/s", _mcts),
    Benchmark("mcts", "12x12x5", "simulations/s", _mcts),
    Benchmark("minimax", "tictactoe", "searches/s, alpha-beta to the end", _searches_to_the_end),
    Benchmark("minimax", "tictactoe", "nodes/s, to the end", partial(_minimax_nodes, None)),
    Benchmark("minimax", "6x7x4", "nodes/s, 6 plies", partial(_minimax_nodes, 6)),
    Benchmark("minimax", "12x12x5", "nodes/s, 4 plies", partial(_minimax_nodes, 4)),
    *(Benchmark("solve", "6x7x4", unit, partial(_analyses, unit)) for unit in SOLVE_SAMPLES),
    Benchmark("q-episodes", "tictactoe", "episodes/s, against winblock", _q_episodes),
    Benchmark("q-episodes", "6x7x4", "episodes/s, against winblock", _q_episodes),
    Benchmark("selections", "6x7x4", "quantum draws/s", _selections),
    Benchmark("network", "6x7x4", "evaluations/s, batch 128", _evaluations),
    Benchmark("selfplay", "6x7x4", "simulations/s", partial(_self_play, lambda output: output.simulations)),
    Benchmark(
        "selfplay", "6x7x4", "games/s, 32 simulations a move", partial(_self_play, lambda output: len(output.games))
    ),
    Benchmark("games", "6x7x4", "games/s, random - winblock, stored", stored_games),
)
NAMES = tuple(dict.fromkeys(benchmark.name for benchmark in BENCHMARKS))
