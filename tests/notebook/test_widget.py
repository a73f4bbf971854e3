"""The board of notebooks as Python sees it, without a front end."""

import subprocess
import sys
from xml.etree import ElementTree

import pytest

import inarow
from inarow.agents.agent import Decision
from inarow.errors import IllegalMoveError, InarowError
from tests.test_extras import run_without

traitlets = pytest.importorskip("traitlets", reason="needs anywidget")
pytest.importorskip("anywidget", reason="needs anywidget")


def click(widget, action):
    """A click as the front end reports it."""
    widget._receive(widget, {"type": "play", "action": action, "ply": widget.position.ply}, [])


def left(position):
    return position.legal_actions[0]


class Counting:
    """Plays the first legal move, and remembers where it was asked."""

    name = "counting"

    def __init__(self):
        self.asked = []

    def decide(self, position):
        self.asked.append(position.moves)
        return Decision(position.legal_actions[0])


# --- Traits ---


def test_a_board_shows_the_position_it_was_made_from():
    widget = inarow.board("4453")
    assert (widget.moves, widget.position) == ("4453", inarow.Position.parse("4453"))
    assert widget._shown["status"] == "X to move"
    assert widget._shown["landing"] == [35, 36, 30, 24, 32, 40, 41]
    assert [cell for cell, side in enumerate(widget._shown["cells"]) if side == 1] == [38, 39]


def test_moves_may_be_set_and_observed():
    widget, seen = inarow.board(), []
    widget.observe(lambda change: seen.append(change["new"]), "moves")
    widget.moves = "44"
    click(widget, 4)
    widget.position = inarow.Position.parse("1")
    assert seen == ["44", "445", "1"]
    assert widget.position.moves == "1"


def test_setting_illegal_moves_raises_and_changes_nothing():
    widget = inarow.board("44")
    with pytest.raises(IllegalMoveError, match="column 4 is full"):
        widget.moves = "4444444"
    assert (widget.moves, widget.position.moves) == ("44", "44")


def test_a_position_of_another_board_changes_the_board():
    widget = inarow.board()
    widget.position = inarow.Position.parse("5", "tictactoe")
    click(widget, 0)
    assert widget.moves == "51"
    assert (widget._shown["rows"], widget._shown["gravity"]) == (3, False)


def test_an_agent_that_does_not_play_the_board_is_refused():
    with pytest.raises(InarowError):
        inarow.board(board="15x15x5/free", agent="dqn")
    with pytest.raises(InarowError, match="decide"):
        inarow.board(agent=3)


def test_another_side_is_refused():
    with pytest.raises(InarowError, match="side is '3'; it must be 1, 2 or None"):
        inarow.board(agent="random", side=3)


def test_the_record_has_players_and_result():
    widget = inarow.board("121212", agent="winblock", side=1)
    click(widget, 0)
    record = widget.record.check()
    assert (record.first, record.second, record.winner, record.result) == ("human", "winblock", 1, "1-0")
    assert widget._shown["status"] == "X (you) wins"
    assert len(widget._shown["line"]) == 4


# --- The front end ---


def test_a_front_end_may_set_moves():
    widget = inarow.board()
    widget.set_state({"moves": "4455"})
    assert widget.position.moves == "4455"


@pytest.mark.parametrize("moves", ["1111111", "9", "?", 5])
def test_illegal_moves_of_a_front_end_are_refused_with_a_message(moves):
    widget = inarow.board("44")
    widget.set_state({"moves": moves})
    assert widget.moves == "44"
    assert widget._shown["message"]
    assert "\n" not in widget._shown["message"]
    click(widget, 3)
    assert (widget.moves, widget._shown["message"]) == ("444", "")


def test_an_illegal_click_is_refused_with_a_message():
    widget = inarow.board("111111")
    click(widget, 0)
    assert widget.moves == "111111"
    assert "column 1 is full" in widget._shown["message"]


def test_a_click_on_an_old_position_is_ignored():
    widget = inarow.board(agent=left)
    for _ in range(2):
        widget._receive(widget, {"type": "play", "action": 3, "ply": 0}, [])
    assert widget.moves == "41"


@pytest.mark.parametrize("message", [{}, {"type": 7}, {"type": "play"}, {"type": "play", "action": "4", "ply": 0}])
def test_other_messages_are_ignored(message):
    widget = inarow.board()
    widget._receive(widget, message, [])
    assert widget.moves == ""


# --- The agent ---


def test_the_agent_answers_every_move():
    agent = Counting()
    widget = inarow.board(agent=agent)
    click(widget, 3)
    click(widget, 4)
    assert (widget.moves, agent.asked) == ("4151", ["4", "415"])


def test_the_agent_begins_if_the_person_has_the_second_side():
    assert inarow.board(agent=left, side=2).moves == "1"
    assert inarow.board("4", agent=left).moves == "41"


def test_a_person_with_both_sides_gets_no_answer():
    agent = Counting()
    widget = inarow.board(agent=agent, side=None)
    click(widget, 3)
    assert (widget.moves, agent.asked) == ("4", [])
    widget.side = 1
    assert (widget.moves, agent.asked) == ("41", ["4"])


def test_thinking_is_shown_while_the_agent_decides():
    seen = []

    def watched(position):
        seen.append((widget._shown["status"], widget._shown["playable"], widget.moves))
        return 0

    widget = inarow.board(agent=watched)
    click(widget, 3)
    assert seen == [("O (watched) is thinking …", False, "4")]
    assert (widget._shown["status"], widget._shown["playable"]) == ("X (you) to move", True)


def test_undo_takes_back_the_answer_too_and_redo_repeats_both():
    agent = Counting()
    widget = inarow.board(agent=agent)
    for action in (3, 4):
        click(widget, action)
    widget.undo()
    assert widget.moves == "41"
    widget.undo()
    assert (widget.moves, widget._shown["undo"]) == ("", False)
    widget.undo()
    assert widget.moves == ""
    widget.redo()
    assert widget.moves == "41"
    widget.redo()
    assert (widget.moves, widget._shown["redo"]) == ("4151", False)
    assert len(agent.asked) == 2


def test_undo_after_the_last_move_of_the_person_takes_back_one():
    widget = inarow.board("121212", agent=left)
    click(widget, 0)
    assert widget.position.is_over
    widget.undo()
    assert widget.moves == "121212"
    widget.redo()
    assert widget.moves == "1212121"


def test_undo_without_an_agent_takes_back_one_move():
    widget = inarow.board("4453")
    widget.undo()
    widget.undo()
    click(widget, 0)
    assert widget.moves == "441"
    assert not widget._shown["redo"]


def test_new_game_and_swapped_sides():
    widget = inarow.board("44", agent=left)
    widget._receive(widget, {"type": "new"}, [])
    assert widget.moves == ""
    widget._receive(widget, {"type": "flip"}, [])
    assert (widget.side, widget.moves) == (2, "1")


@pytest.mark.parametrize(
    ("faulty", "reason"),
    [
        (lambda position: 1 / 0, "division by zero"),
        (lambda position: 99, "action 99 does not exist"),
        (lambda position: "left", "cannot be interpreted as an integer"),
    ],
)
def test_what_an_agent_does_wrong_is_one_line_on_a_live_board(faulty, reason):
    widget = inarow.board(agent=faulty)
    click(widget, 3)
    assert widget.moves == "4"
    assert reason in widget._shown["message"]
    assert "\n" not in widget._shown["message"]
    widget.undo()
    assert (widget.moves, widget._shown["message"], widget._shown["playable"]) == ("", "", True)


def test_an_interrupted_agent_leaves_a_live_board():
    def slow(position):
        raise KeyboardInterrupt

    widget = inarow.board(agent=slow)
    with pytest.raises(KeyboardInterrupt):
        click(widget, 3)
    assert widget._shown["message"] == "slow was stopped"
    assert not widget._shown["busy"]
    widget.undo()
    assert widget.moves == ""


def test_the_same_seed_gives_the_same_answers():
    def game(seed):
        widget = inarow.board(agent="random", seed=seed)
        while not widget.position.is_over:
            click(widget, widget.position.legal_actions[0])
        return widget.moves

    assert game(1) == game(1)
    assert len({game(seed) for seed in range(5)}) > 1


# --- Hints ---


def test_hints_are_the_exact_scores():
    widget = inarow.board("4453", hints=True)
    assert tuple(widget._shown["hints"]["scores"]) == inarow.analyse("4453").scores
    assert widget._shown["hints"]["text"] == "X loses in 36 plies with best play: 3, 6, 7."
    assert widget.analysis.best == (2, 5, 6)
    widget.hints = False
    assert widget._shown["hints"]["scores"] == ()


def test_hints_on_a_hard_board_say_so(monkeypatch):
    monkeypatch.setattr("inarow.notebook.widget.HINT_SECONDS", 0.2)
    widget = inarow.board(board="8x9x5", hints=True)
    assert widget._shown["hints"]["text"] == "Too hard to solve within a few seconds."
    assert widget.analysis.score is None
    click(widget, 4)
    assert widget.moves == "5"


def test_a_finished_game_has_no_analysis():
    widget = inarow.board("1212121", hints=True)
    assert widget.analysis is None
    assert widget._shown["hints"]["text"] == ""


# --- Without a kernel, and without anywidget ---


def test_the_board_also_has_a_picture():
    widget = inarow.board("1212121")
    data, _ = widget._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == widget.model_id
    picture = data["image/svg+xml"]
    assert ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
    widget.undo()
    earlier = widget._repr_mimebundle_()[0]["image/svg+xml"]
    assert 0 < earlier.count("<circle") < picture.count("<circle")  # the last stone, and the line


def test_the_board_needs_an_extra_and_says_which():
    script = """
import inarow
inarow.board  # the function needs nothing
try:
    inarow.board()
except inarow.InarowError as error:
    print(error)
"""
    result = run_without({"anywidget"}, script)
    assert result.stdout == "anywidget is not installed; run: pip install 'inarow[notebook]'\n"


def test_the_name_of_the_board_loads_no_widgets():
    code = "import inarow, sys; inarow.board; print('anywidget' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"
