"""The agent `window`: what it sees, and what it makes of it."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow.agents.registry import make_agent, parse_agent
from inarow.agents.window import WindowAgent, find_windows
from inarow.errors import InarowError, InvalidLimitError, TableError
from inarow.games.layout import layout_of
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, GameSpec
from inarow.learning.pretrained import shipped_table
from inarow.learning.tabular.config import Phase, QConfig
from inarow.learning.tabular.lookup import TableValues, load_values
from inarow.learning.tabular.q_table import QTable
from inarow.learning.tabular.trainer import Trainer
from inarow.search.solver.api import solver_for
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


# --- Values, sizes and rules ---


class Fixed:
    """The same values in every window."""

    win = 2.0

    def __init__(self, values, spec=WINDOW):
        self.spec, self._values = spec, np.array(values)

    def values_of(self, own, both):
        return self._values


class ByColumn:
    """Values by the leftmost column of the window, which has a stone of the opponent."""

    win, spec = 1.0, GameSpec(4, 4, 4)

    def __init__(self, *rows):
        self._rows = iter(rows)

    def values_of(self, own, both):
        return np.array(next(self._rows))


def scores(aggregate, *rows):
    return WindowAgent("", ByColumn(*rows), aggregate).decide(Position.parse("", GameSpec(4, 5, 4))).scores


def test_columns_of_several_windows_are_combined_by_the_aggregate():
    rows = ([0.5, 0.25, -0.5, 0.0], [-0.75, 0.5, 0.25, 0.125])  # of columns 0 to 3 and 1 to 4
    assert scores("max", *rows) == (0.5, 0.25, 0.5, 0.25, 0.125)
    assert scores("sum", *rows) == (0.5, -0.5, 0.0, 0.25, 0.125)
    assert scores("absmax", *rows) == (0.5, -0.75, 0.5, 0.25, 0.125)
    assert scores("mean", *rows) == (0.5, -0.25, 0.0, 0.125, 0.125)
    assert scores("vote", *rows) == (1, 0, 1, 0, 0)


def test_among_equal_columns_it_plays_the_leftmost_or_the_nearest_to_the_centre():
    start = Position.start(CONNECT_FOUR)
    equal = Fixed([1.0, 1.0, 1.0, 1.0])
    assert WindowAgent("", equal).decide(start).action == 0
    assert WindowAgent("", equal, "max", "centre").decide(start).action == 3
    assert WindowAgent("", equal, "max", "centre").decide(Position.start(GameSpec(6, 8, 4))).action == 3
    assert WindowAgent("", equal).decide(start).value == 0.5
    assert WindowAgent("", equal, "sum").decide(start).value is None
    assert WindowAgent("", Fixed([0.0, 1.0, 0.0, 0.0]), "vote", "centre").decide(start).action == 3


@pytest.mark.compiled
@pytest.mark.parametrize("size", ["4x4", "5x4", "4x5", "3x4"])
@given(data=st.data())
def test_exact_windows_of_any_size_have_a_vote(size, data):
    position = data.draw(ongoing_positions(CONNECT_FOUR))
    decision = make_agent(f"window:table=exact,size={size},aggregate=absmax,ties=centre").decide(position)
    assert decision.action in position.legal_actions
    assert decision.details == {"windows": 8 - int(size[2]), "unseen": 0}


@pytest.mark.compiled
@given(position=ongoing_positions(WINDOW))
def test_an_exact_window_as_large_as_the_board_plays_perfectly(position):
    decision = make_agent("window:table=exact").decide(position)
    truth = solver_for(WINDOW).analyse(position)
    assert np.sign(truth.scores[decision.action]) == np.sign(truth.score)
    assert np.sign(decision.value) == np.sign(truth.score)


def test_the_shipped_net_plays():
    decision = make_agent("window:net=auto,ties=centre").decide(Position.parse("4453"))
    assert decision.details == {"windows": 4, "unseen": 0}


@pytest.mark.parametrize(
    ("agent", "board", "reason"),
    [
        ("window:table=exact,size=7x4", "6x7x4", "6x7x4 has no windows of 7x4: they must fit on the board"),
        ("window:table=exact,size=3x3", "6x7x4", "6x7x4 has no windows of 3x3: .*hold a line"),
        ("window:table=exact", "6x7x4/free", "6x7x4/free has no windows of 4x4: .* and have gravity"),
        ("window:table=exact,size=6x6", "6x7x4", "there are 4.2e\\+12 windows of 6x6, more than"),
        (
            "window:size=5x4",
            "6x7x4",
            "size of window is 5x4, but the table of inarow is for 4x4",
        ),
        ("window:net=auto,size=5x4", "6x7x4", "size of window is 5x4, but the net is for 4x4"),
        ("window:net=auto", "6x7x5", "6x7x5 has no windows of 4x4x4"),
        ("window:size=big", "6x7x4", "window size is 'big'; it must be auto, or rows x columns such as 5x4"),
        ("window:net=auto,table=exact", "6x7x4", "window takes a table or a net, not both"),
        ("window:net=none.npz", "6x7x4", "none.npz cannot be read"),
        (
            "window:aggregate=best",
            "6x7x4",
            "is 'best'; it must be one of absmax, max, mean, sum, vote",
        ),
        ("window:ties=middle", "6x7x4", "ties of window is 'middle'; it must be one of centre, left"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(agent, board, reason):
    with pytest.raises(InarowError, match=reason) as error:
        make_agent(agent).decide(Position.start(GameSpec.parse(board)))
    assert "\n" not in str(error.value)


def test_agents_with_other_values_are_other_agents():
    hashes = [kind.content_hash(parameters) for kind, parameters in map(parse_agent, ("window", "window:net=auto"))]
    assert len({*hashes, None}) == 3
    kind, parameters = parse_agent("window:table=exact")
    assert kind.content_hash(parameters) is None
    assert make_agent("window:ties=left,aggregate=max,size=auto").name == "window"


def test_the_side_to_move_is_all_that_matters(values):
    """The same stones with colours exchanged, the other side to move: the same choice."""
    agent = WindowAgent("window", values)
    assert agent.decide(Position.start(CONNECT_FOUR)).details["unseen"] == 0
    first, second = Position.parse("1213"), Position.parse("21317")  # second: 7 is out of sight of the first window
    windows = find_windows(first, WINDOW), find_windows(second, WINDOW)
    assert (windows[0][0].stones, windows[0][0].mask) == (windows[1][0].stones, windows[1][0].mask)
