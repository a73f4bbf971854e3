"""Building suites: positions of every stage of the game, from weak and from strong play.

Scoring is slow and runs in worker processes. Scored positions are appended to a journal beside the suite, so that a
killed build can resume.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from inarow.agents.agent import Agent
from inarow.agents.registry import make_agent
from inarow.arena.suite import Suite, exact_scores
from inarow.errors import InvalidLimitError, SuiteError
from inarow.games import CONNECT_FOUR, Board, GameSpec, Position
from inarow.games.symmetry import canonical_key
from inarow.search.solver.api import solver_for
from inarow.search.solver.book_build import SolveTask
from inarow.storage.journal import Journal, open_journal
from inarow.version import __version__
from inarow.workers import Pool, Progress, Workers, open_pool

PLAYERS = ("mcts:simulations=500,c=1.4142135623730951", "random")
"""Each plays for half of the positions; the last one finds those that the others cannot. All parameters of
their moves are explicit, since a change of defaults would change the positions.
"""
NOISE = 0.2  # probability of a uniformly random move instead of the player's
MAX_POSITIONS = 1_000_000
_MAX_MISSES = 1000  # consecutive games without a new position after which a player gives up
_CHUNK = 4  # positions per task: few, since those of early plies take seconds


def build_suite(
    path: Path | str,
    board: Board = CONNECT_FOUR,
    *,
    positions: int = 5040,
    seed: int = 0,
    workers: Workers = 1,
    memory: int = 128 << 20,
    progress: bool | Progress = True,
) -> Suite:
    """Draws `positions` positions, half from random and half from strong play, scores every action in them and writes
    the suite to `path`.

    The suite depends only on board, number and seed. Progress counts drawn positions, then scored ones. After an
    interruption, the same call resumes from the journal `path` + `.journal`.
    """
    from inarow.terminal import progress_bar

    path, spec = Path(path), GameSpec.parse(board)
    if path.is_dir():
        raise SuiteError(f"{path} is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise SuiteError(f"there is no folder {path.parent}; create it, or write to another file")
    with open_pool(workers) as pool, progress_bar(f"suite of {spec}", is_shown=progress) as advance:
        drawn = draw_positions(spec, positions, seed=seed, progress=advance)
        about = {
            "command": f"inarow suite build {path.name} --board {spec} --positions {positions} --seed {seed}",
            "version": __version__,
            "players": list(PLAYERS),
            "noise": NOISE,
        }
        with open_journal(path, f"suite {spec}", SuiteError) as journal:
            scored = _score(drawn, journal, spec, pool, memory, advance)
            scores = np.array([scored[position.moves] for position in drawn], np.int8)
            suite = Suite(path.name, spec, tuple(drawn), scores, about)
            suite.save(path)
    return suite


# --- drawing ---


def draw_positions(spec: GameSpec, count: int, *, seed: int, progress: Progress | None = None) -> list[Position]:
    """`count` unfinished positions with a choice of moves, no two of them symmetric to each other.

    They are distributed equally over the plies up to the last row; if early plies have too few positions, later ones
    get more. Raises InvalidLimitError if the board has too few.
    """
    if not 1 <= count <= MAX_POSITIONS:
        raise InvalidLimitError(f"positions is {count}; it must be 1 to {MAX_POSITIONS}")
    last = spec.cells - spec.columns
    drawn: list[Position] = []
    for ply in range(last + 1):
        wanted = -(-(count - len(drawn)) // (last + 1 - ply))
        drawn += _draw_stratum(spec, ply, wanted, np.random.SeedSequence(seed, spawn_key=(ply,)))
        if progress is not None:
            progress(len(drawn), count)
    if len(drawn) < count:
        raise InvalidLimitError(f"only {len(drawn)} of {count} positions were found on {spec}")
    return drawn


def _draw_stratum(spec: GameSpec, ply: int, count: int, seed: np.random.SeedSequence) -> list[Position]:
    found: dict[int, Position] = {}
    for number, (player, stream) in enumerate(zip(PLAYERS, seed.spawn(len(PLAYERS)), strict=True), start=1):
        agent, rng = make_agent(player, seed=stream.spawn(1)[0]), np.random.default_rng(stream)
        wanted = count * number // len(PLAYERS)
        misses = 0
        while len(found) < wanted and misses < _MAX_MISSES:
            position = _play_to(ply, spec, agent, rng)
            key = canonical_key(position)
            misses += 1
            if position.ply == ply and len(position.legal_actions) > 1 and key not in found:
                found[key] = position
                misses = 0
    return list(found.values())


def _play_to(ply: int, spec: GameSpec, agent: Agent, rng: np.random.Generator) -> Position:
    """The position at `ply` of a noisy game of `agent` against itself, or its last position if that is earlier."""
    position = Position.start(spec)
    while position.ply < ply and not position.is_over:
        legal = position.legal_actions
        is_noise = rng.random() < NOISE
        position = position.play(legal[int(rng.random() * len(legal))] if is_noise else agent.decide(position).action)
    return position


# --- scoring ---


def _score(
    drawn: Sequence[Position], journal: Journal, spec: GameSpec, pool: Pool, memory: int, progress: Progress | None
) -> dict[str, list[int]]:
    """The scores of positions by moves, from the journal, or computed and added to it."""
    scored = {moves: [int(score) for score in scores] for moves, *scores in (line.split(" ") for line in journal.lines)}
    missing = [position.moves for position in drawn if position.moves not in scored]
    left = len(missing)
    tasks = [SolveTask(str(spec), memory, tuple(missing[at : at + _CHUNK])) for at in range(0, left, _CHUNK)]
    for chunk in pool.map(_score_chunk, tasks):
        scored |= chunk
        journal.add(f"{moves} {' '.join(map(str, scores))}" for moves, scores in chunk.items())
        left -= len(chunk)
        if progress is not None:
            progress(len(drawn) - left, len(drawn))
    return scored


def _score_chunk(task: SolveTask) -> dict[str, list[int]]:
    solver = solver_for(GameSpec.parse(task.board), memory=task.memory)
    return {moves: exact_scores(Position.parse(moves, solver.spec), solver) for moves in task.moves}
