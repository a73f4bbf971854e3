"""Moves and positions as protocols write them, and the line mode."""

import math
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inarow.engine.moves import (
    format_engine_move,
    format_openspiel_move,
    parse_engine_move,
    parse_engine_moves,
    parse_position,
)
from inarow.engine.search import parse_go
from inarow.errors import NotationError
from inarow.games.position import Position
from inarow.search.limits import Limits
from tests.strategies import positions, specs


@given(specs(), st.data())
def test_moves_are_read_as_they_are_written(spec, data):
    action = data.draw(st.integers(0, spec.actions - 1))
    assert parse_engine_move(format_engine_move(action, spec), spec) == action
    assert parse_engine_move(format_openspiel_move(action, Position.start(spec)), spec) == action


@given(specs(), st.text("abxoXO(),. -\0\udcffé", max_size=6))
def test_other_texts_are_no_moves(spec, text):
    with pytest.raises(NotationError, match="is not a move on"):
        parse_engine_move(text, spec)


@given(positions(max_side=9))
def test_positions_by_moves_and_by_rows(position):
    spec = position.spec
    words = [format_engine_move(action, spec) for action in position.actions]
    assert parse_position(["startpos", "moves", *words], spec) == position
    rows = "/".join("".join(".xo"[cell] for cell in row) for row in position.to_array())
    fen = re.sub(r"\.+", lambda empty: str(len(empty[0])), rows)
    assert parse_position(["fen", fen], spec) == position


def test_a_move_string_stands_for_its_moves():
    spec = Position.start().spec
    assert parse_engine_moves(["4453"], spec) == parse_engine_moves(["4", "4", "5", "3"], spec) == (3, 3, 4, 2)


def test_limits_of_go():
    assert parse_go([], 1) == Limits()
    assert parse_go(["depth", "3", "nodes", "10", "movetime", "2500"], 1) == Limits(depth=3, nodes=10, seconds=2.5)
    assert parse_go(["movetime", "soon", "depth"], 1) == Limits()
    assert parse_go(["wtime", "24000", "btime", "1", "winc", "1000"], 1) == Limits(seconds=2.8)
    assert parse_go(["wtime", "24000", "btime", "-5"], 2) == Limits(seconds=0.01)
    assert parse_go(["infinite"], 2) == parse_go(["ponder", "wtime", "5"], 1) == Limits(seconds=math.inf)
    for name in ("movetime", "wtime"):  # more than any timer takes
        assert parse_go([name, "9" * 15], 1) == Limits(seconds=3600)


@pytest.mark.compiled
def test_the_line_mode_answers_a_line_with_a_line():
    command = [sys.executable, "-m", "inarow", "engine", "--protocol", "lines"]
    result = subprocess.run(command, input="4453\n9\n4455\n", capture_output=True, text=True, timeout=120)
    assert result.stdout == "4453 -2\n\n4455 18\n"
    assert result.stderr.startswith("inarow: line 2: move 1: '9' is not a move")
    assert result.returncode == 1
