"""The Go Text Protocol: with the client of OpenSpiel, and by hand."""

import io
import sys

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from inarow.engine.gtp import GtpServer
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec

pytestmark = pytest.mark.compiled


def replies(
    *lines: str, spec: GameSpec = CONNECT_FOUR, agent: str = "winblock", notation: str = "columns"
) -> list[str]:
    output = io.StringIO()
    GtpServer(spec, agent, seed=1, notation=notation, output=output).run(lines)
    return output.getvalue().split("\n\n")[:-1]


@pytest.mark.parametrize(("game", "board"), [("connect_four", "connect4"), ("tic_tac_toe", "tictactoe")])
def test_the_client_of_openspiel_plays_full_games(game, board):
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms.evaluate_bots import evaluate_bots
    from open_spiel.python.bots.gtp import GTPBot
    from open_spiel.python.bots.uniform_random import UniformRandomBot

    spiel = pyspiel.load_game(game)
    rng = np.random.RandomState(3)
    command = [sys.executable, "-m", "inarow", "engine", "--protocol", "gtp", "--agent", "minimax:depth=4"]
    ours = GTPBot(spiel, [*command, "--board", board, "--notation", "openspiel"])
    try:
        for side in (0, 1):
            bots = [UniformRandomBot(1 - side, rng)]
            bots.insert(side, ours)
            returns = evaluate_bots(spiel.new_initial_state(), bots, rng)
            assert returns[side] == 1
        assert ours.running
    finally:
        ours.close()


def test_a_game_by_hand():
    assert replies(
        *("protocol_version", "1 name", "7 list_commands", "known_command play", "known_command fly", "clear_board"),
        *("play b 1", "play w 2", "play b 1", "play w 2", "play b 1", "genmove w", "undo", "play white 2", "genmove b"),
        *("final_score", "quit", "name"),
    )[3:] == [
        *("= true", "= false", "=", "=", "=", "=", "=", "=", "= 1", "=", "=", "= 1"),
        *("= B+1", "="),
    ]


def test_cells_and_boards_and_comments():
    said = replies("# nothing", "", "play x a3  # top left", "genmove o", "boardsize 4 5 3", spec=TIC_TAC_TOE)
    assert said[0] == "="
    assert len(said[1]) == len("= b2")
    assert said[2] == "="
    assert replies("boardsize 6 7", "genmove b", agent="solver") == ["=", "= 4"]
    assert replies("genmove b", agent="solver", notation="openspiel") == ["= x3"]


WORDS = (
    *("name", "boardsize", "clear_board", "play", "genmove", "undo", "showboard", "final_score", "known_command"),
    *("b", "w", "black", "x", "1", "4", "7", "x3", "-1", "99999999999", "17", "#", "\udcff", "\x00", "a1"),
)


@given(st.lists(st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=5).map(" ".join), max_size=8))
def test_nothing_that_comes_in_ends_it(lines):
    assume(not any("quit" in line for line in lines))
    output = io.StringIO()
    GtpServer(CONNECT_FOUR, "random", seed=1, notation="columns", output=output).run([*lines, "77 name"])
    assert all(reply[:1] in "=?" for reply in output.getvalue().split("\n\n"))
    assert output.getvalue().endswith("=77 inarow random\n\n")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("fly", "unknown command"),
        ("play", "there is no colour ''"),
        ("play w 4", "illegal move: it is the other side's turn"),
        ("play b 9", "'9' is not a move on 6x7x4; columns are 1 to 7"),
        ("12 play b x9", "is not a move"),
        ("boardsize 99", "rows is 99"),
        ("boardsize -1", "boardsize needs"),
        ("undo", "cannot undo"),
        ("\x00\udcff", "unknown command"),
        ("final_score", "cannot score"),
    ],
)
def test_complaints(line, reason):
    (reply,) = replies(line)
    assert reply.startswith("?12 " if line.startswith("12") else "? ")
    assert reason in reply
    assert "\n" not in reply
