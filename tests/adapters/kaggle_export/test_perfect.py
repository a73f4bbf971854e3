"""The perfect file: its search, its table, and the proof that it never errs."""

import random

import numpy as np
import pytest

from inarow.adapters.kaggle_export import reachable
from inarow.adapters.kaggle_export.export import kaggle_source, source_of
from inarow.adapters.kaggle_export.exporters import perfect_parts, shipped_moves
from inarow.adapters.kaggle_export.player import outcome
from inarow.adapters.kaggle_export.player.perfect import SEARCH_NODES
from inarow.adapters.kaggle_export.reachable import Root, compiled_search, enumerate_positions
from inarow.adapters.kaggle_export.verification import moves_of, verify_file
from inarow.errors import KaggleFileError
from inarow.games import CONNECT_FOUR, Position
from inarow.search.solver.api import solve
from tests.adapters.kaggle_export.files import agent_of_file, choice
from tests.cli.command_line import inarow_process


def random_position(rng: random.Random, plies: int) -> Position:
    """An unfinished position after this many random moves."""
    position = Position.start()
    while position.ply < plies:
        position = position.play(rng.choice(position.legal_actions))
        if position.is_over:
            position = Position.start()
    return position


def key_of(position: Position) -> int:
    return min(position.key, position.mirror().key)


def ask(key: int, nodes: int = SEARCH_NODES) -> tuple[int, int, int]:
    """(column, outcome, nodes) of the search in plain Python."""
    stones, mask = reachable.stones_of(key)
    effort = [0, nodes]
    cell, found = outcome.choose(stones, mask ^ stones, {}, {}, effort)
    return reachable.column_of(cell), found, effort[outcome.NODES]


def value_after(position: Position, column: int) -> int:
    """The outcome of a move for the side that makes it, by the solver."""
    after = position.play(column)
    if after.is_over:
        return 0 if after.winner is None else 1
    return -solve(after).outcome


@pytest.mark.parametrize("plies", [12, 16, 20, 26, 32, 38, 41])
def test_the_search_finds_the_outcome_and_a_move_that_keeps_it(plies):
    rng, decided = random.Random(plies), 0
    for _ in range(30):
        position = Position.from_key(key_of(random_position(rng, plies)))
        column, found, nodes = ask(position.key, 3000)
        if nodes <= 3000:
            decided += 1
            assert found == solve(position).outcome == value_after(position, column), position
    assert decided > 15


def test_compiled_code_makes_the_same_decisions_with_the_same_nodes():
    rng = random.Random(1)
    keys = np.array([key_of(random_position(rng, plies)) for plies in range(8, 42) for _ in range(4)])
    cells, outcomes, nodes = (np.zeros_like(keys) for _ in range(3))
    compiled_search().decide(keys, 2000, cells, outcomes, nodes)
    assert (nodes > 2000).any()
    assert (nodes == 0).any()
    for index in np.flatnonzero(nodes <= 2000):
        expected = reachable.column_of(int(cells[index])), int(outcomes[index]), int(nodes[index])
        assert ask(int(keys[index]), 2000) == expected


def test_every_reply_is_followed():
    """Against a slow twin, from a late position."""
    rng = random.Random(5)
    for _ in range(5):
        start = Position.from_key(key_of(random_position(rng, 26)))
        root = Root("late", start.key)
        found = enumerate_positions(root, lambda key: pytest.fail("the search decides late positions"))
        seen, left, ends = {start.key}, [start], {1: 0, 0: 0, -1: 0}
        while left:
            position = left.pop()
            after = position.play(ask(position.key)[0])
            replies = [after] if after.is_over else [after.play(reply) for reply in after.legal_actions]
            for reply in replies:
                if reply.is_over:
                    ends[0 if reply.winner is None else 1 if reply.winner == position.side_to_move else -1] += 1
                elif key_of(reply) not in seen:
                    seen.add(key_of(reply))
                    left.append(Position.from_key(key_of(reply)))
        assert sum(count.positions for count in found.plies) == len(seen)
        assert (found.wins, found.draws, found.losses) == (ends[1], ends[0], ends[-1])


def test_a_table_that_lacks_a_move_or_has_a_bad_one_is_found_out(tmp_path):
    moves = shipped_moves()
    first = Root.all()[0].key
    file = tmp_path / "submission.py"
    file.write_text(source_of("solver", perfect_parts({key: moves[key] for key in moves if key != first})))
    with pytest.raises(KaggleFileError, match="neither decides this position"):
        verify_file(file)
    file.write_text(source_of("solver", perfect_parts({first: 0})))
    with pytest.raises(KaggleFileError, match="column 1 does not keep the outcome"):
        verify_file(file)


def test_only_a_file_of_the_export_can_be_verified(tmp_path):
    file = tmp_path / "submission.py"
    for text in ("", "agent = 1\n", kaggle_source("random", CONNECT_FOUR), "agent = Entry(PerfectPlayer(keys=[]))\n"):
        file.write_text(text)
        with pytest.raises(KaggleFileError, match="not a file of `inarow export kaggle solver`"):
            verify_file(file)
    text = kaggle_source("solver", CONNECT_FOUR)
    assert moves_of(text) == shipped_moves()
    with pytest.raises(KaggleFileError):
        moves_of(text.replace("SEARCH_NODES = 20_000", "SEARCH_NODES = 20_001"))


def test_the_file_plays_its_stored_moves_and_mirrors_them():
    agent = agent_of_file("solver", CONNECT_FOUR)
    moves = shipped_moves()
    for key in sorted(moves)[:: len(moves) // 3]:
        position = Position.from_key(key)
        assert choice(agent, position) == moves[key]
        assert choice(agent, position.mirror()) in (6 - moves[key], moves[key] if key == position.mirror().key else -1)


def test_a_position_from_elsewhere_gets_a_legal_move():
    agent = agent_of_file(source_of("solver", perfect_parts({})))
    assert choice(agent, Position.start(), 0.2) in Position.start().legal_actions


@pytest.mark.parametrize(("agent", "board"), [("solver:level=5", "6x7x4"), ("solver", "5x6x4")])
def test_other_solvers_are_refused_in_one_line(agent, board, tmp_path):
    done = inarow_process("export", "kaggle", agent, "--board", board, "-o", str(tmp_path / "x.py"))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "solver can only be exported" in done.stderr
