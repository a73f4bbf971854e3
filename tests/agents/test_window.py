"""The agent `window`: what it sees, and what it makes of it."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow.agents.registry import make_agent
from inarow.agents.window import WindowAgent, find_windows
from inarow.errors import InvalidLimitError, TableError
from inarow.games.layout import layout_of
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.learning.pretrained import shipped_table
from inarow.learning.tabular.config import Phase, QConfig
from inarow.learning.tabular.lookup import TableValues, load_values
from inarow.learning.tabular.q_table import QTable
from inarow.learning.tabular.trainer import Trainer
from tests.strategies import ongoing_positions

WINDOW = GameSpec(4, 4, 4)
BOARDS = [GameSpec(rows, columns, 4) for rows, columns in ((4, 4), (4, 6), (5, 4), (6, 7), (9, 9))]


def trained(episodes):
    config = QConfig(board="4x4x4", phases=(Phase(episodes=episodes),), memory=16)
    trainer = Trainer(config)
    trainer.run(episodes)
    return trainer.table, config


@pytest.fixture(scope="module")
def values():
    return TableValues(*trained(400))


def slow_windows(position, window):
    """(leftmost column, cells) of the first window from the bottom that has an empty cell, else of the top one."""
    cells = position.to_array()
    found = []
    for left in range(cells.shape[1] - window.columns + 1):
        for bottom in range(cells.shape[0], window.rows - 1, -1):
            part = cells[bottom - window.rows : bottom, left : left + window.columns]
            if (part == 0).any():
                break
        found.append((left, part))
    return found


@given(st.data(), st.sampled_from(BOARDS), st.sampled_from([WINDOW, GameSpec(3, 2, 3)]))
def test_windows_are_the_lowest_that_are_not_full(data, board, window):
    position = data.draw(ongoing_positions(board))
    layout = layout_of(window)
    windows = find_windows(position, window)
    for seen, (left, part) in zip(windows, slow_windows(position, window), strict=True):
        assert seen.column == left
        for row in range(window.rows):
            for column in range(window.columns):
                bit = layout.cell(row, column)
                owner = (seen.mask >> bit & 1) * (position.side_to_move if seen.stones >> bit & 1 else 0)
                other = (seen.mask >> bit & 1) * (0 if seen.stones >> bit & 1 else 3 - position.side_to_move)
                assert owner + other == part[row, column]
        for place in range(window.columns):
            is_legal = left + place in position.legal_actions
            row = position.layout.row_and_column(position.landing_cell(left + place))[0] if is_legal else -1
            top = position.spec.rows - seen.base - window.rows
            assert (place in seen.inside) == (is_legal and top <= row < top + window.rows)


@pytest.mark.parametrize("board", BOARDS, ids=str)
@given(data=st.data())
def test_decisions_are_legal_and_those_of_the_best_window(board, data, values):
    position = data.draw(ongoing_positions(board))
    decision = WindowAgent("window", values).decide(position)
    assert decision.action in position.legal_actions
    assert decision == WindowAgent("window", values).decide(position)
    if decision.scores is not None:
        known = [score for score in decision.scores if score is not None]
        assert decision.scores[decision.action] == max(known)
        assert decision.details["unseen"] < decision.details["windows"]


@given(position=ongoing_positions(WINDOW))
def test_on_the_board_of_its_table_it_plays_the_table(position, values):
    known = values.values(position)
    decision = WindowAgent("window", values).decide(position)
    assert (known is None) == (decision.details["unseen"] == 1)
    if known is not None:
        assert known[decision.action] == max(known[action] for action in position.legal_actions)


def test_without_a_vote_it_wins_blocks_or_goes_to_the_centre():
    agent = WindowAgent("window", TableValues(QTable(WINDOW, memory=1 << 20), trained(1)[1]))
    for moves, action in (("112233", 3), ("17273", 3), ("44444477", 2)):
        position = Position.parse(moves)
        decision = agent.decide(position)
        assert decision.details["unseen"] == decision.details["windows"] == 4
        assert decision.action == action
        assert decision.value is None


def test_a_table_file_is_read_and_another_refused(tmp_path):
    table, config = trained(200)
    path = tmp_path / "table.npz"
    table.save(path, config=msgspec.to_builtins(config))
    agent = make_agent(f"window:table={path}")
    assert agent.name == f"window:table={path}"
    position = Position.parse("44")
    assert agent.decide(position) == WindowAgent("", TableValues(table, config)).decide(position)
    with pytest.raises(TableError, match="cannot be read"):
        make_agent(f"window:table={tmp_path / 'none.npz'}")
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(TableError, match="not a Q-table"):
        make_agent(f"window:table={tmp_path / 'other.npz'}")


@given(position=ongoing_positions(CONNECT_FOUR))
def test_without_a_file_it_uses_the_table_of_the_package(position):
    decision = make_agent("window").decide(position)
    assert decision == WindowAgent("", load_values(shipped_table(WINDOW))).decide(position)
    assert decision.action in position.legal_actions


def test_without_a_file_it_needs_a_table_of_the_package():
    with pytest.raises(TableError, match="inarow has no Q-table for 4x4x3"):
        make_agent("window").decide(Position.start(GameSpec(6, 7, 3)))


@pytest.mark.parametrize("board", ["3x7x4", "6x3x4", "6x7x5", "6x7x4/free"])
def test_a_board_without_such_windows_is_refused(board, values):
    with pytest.raises(InvalidLimitError, match="has no windows of 4x4x4"):
        WindowAgent("window", values).decide(Position.start(GameSpec.parse(board)))


def test_the_side_to_move_is_all_that_matters(values):
    """The same stones with colours exchanged, the other side to move: the same choice."""
    agent = WindowAgent("window", values)
    assert agent.decide(Position.start(CONNECT_FOUR)).details["unseen"] == 0
    first, second = Position.parse("1213"), Position.parse("21317")  # second: 7 is out of sight of the first window
    windows = find_windows(first, WINDOW), find_windows(second, WINDOW)
    assert (windows[0][0].stones, windows[0][0].mask) == (windows[1][0].stones, windows[1][0].mask)
