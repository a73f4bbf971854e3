import json
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from inarow.arena.suite import ILLEGAL, Suite, exact_scores, exhaustive_suite, find_suite, standard_suite
from inarow.arena.suite_build import build_suite, draw_positions
from inarow.errors import InvalidLimitError, SuiteError
from inarow.games.perft import count_positions
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.games.symmetry import canonical_key
from inarow.search.solver.api import analyse, solver_for
from inarow.storage.journal import open_journal
from tests.twins.retrograde import all_levels

pytestmark = pytest.mark.compiled
SMALL = GameSpec.parse("3x4x3")


def built(path, *, positions=30, seed=3, workers=1, spec=SMALL):
    return build_suite(path, spec, positions=positions, seed=seed, workers=workers, memory=1 << 22)


# --- standard ---


def test_the_standard_suite_is_found_by_its_board():
    assert Suite.standard() is Suite.standard("6x7x4") is find_suite("standard", CONNECT_FOUR)
    with pytest.raises(SuiteError, match="inarow has no suite for 4x4x4"):
        Suite.standard("4x4x4")


# --- exhaustive ---


@pytest.mark.parametrize("board", ["tictactoe", "3x4x3", "4x4x4", "2x2x2"])
def test_an_exhaustive_suite_is_the_whole_game(board):
    spec = GameSpec.parse(board)
    suite = exhaustive_suite(spec)
    counts = count_positions(Position.start(spec), spec.cells)
    unfinished = np.array(counts.positions) - counts.terminal
    assert np.bincount([position.ply for position in suite.positions]).tolist() == unfinished[unfinished > 0].tolist()
    truth = {
        (int(stones), int(mask)): score
        for level in all_levels(spec)
        for stones, mask, score in zip(level.stones, level.mask, level.scores, strict=True)
    }
    for position, best in zip(suite.positions, suite.scores.max(axis=1).tolist(), strict=True):
        assert truth[position.stones, position.mask] == best


def test_tic_tac_toe_has_4520_decisions():
    assert len(exhaustive_suite(TIC_TAC_TOE)) == 4520


@pytest.mark.parametrize("board", ["tictactoe", "3x4x3", "4x4x4"])
def test_exhaustive_scores_are_those_of_the_solver(board):
    suite = exhaustive_suite(GameSpec.parse(board))
    solver = solver_for(suite.spec)
    for number in np.random.default_rng(1).choice(len(suite), 150, replace=False):
        assert suite.scores[number].tolist() == exact_scores(suite.positions[number], solver)


def test_a_board_with_too_many_positions_is_refused():
    with pytest.raises(InvalidLimitError, match="5x5x4 has more than 200,000 positions; draw a sample"):
        exhaustive_suite(GameSpec.parse("5x5x4"))


# --- the shipped suite ---


def test_the_standard_suite_holds_what_it_promises():
    suite = standard_suite(CONNECT_FOUR)
    assert len(suite) >= 5000
    assert np.unique([canonical_key(position) for position in suite.positions]).size == len(suite)
    plies = np.bincount([position.ply for position in suite.positions])
    assert len(plies) == 36
    assert plies[:4].tolist() == [1, 4, 25, 121]  # all there are up to mirror images
    assert set(plies[4:].tolist()) == {152, 153}
    assert ((suite.scores != ILLEGAL).sum(axis=1) > 1).all()
    assert suite.provenance["command"].startswith("inarow suite build")


def test_the_standard_suite_agrees_with_a_fresh_search():
    suite = standard_suite(CONNECT_FOUR)
    late = [number for number, position in enumerate(suite.positions) if position.ply >= 12]
    for number in np.random.default_rng(5).choice(late, 60, replace=False):
        position = suite.positions[number]
        scores = analyse(position, book=None).scores
        assert [ILLEGAL if score is None else score for score in scores] == suite.scores[number].tolist()


def test_the_standard_suite_agrees_with_bitbully():
    bitbully = pytest.importorskip("bitbully")
    oracle = bitbully.BitBully(opening_book="12-ply-dist")
    suite = standard_suite(CONNECT_FOUR)
    for number in np.random.default_rng(6).choice(len(suite), 150, replace=False):
        position = suite.positions[number]
        truth = oracle.score_all_moves(bitbully.Board(list(position.actions)))
        row = suite.scores[number].tolist()
        assert {action: score for action, score in enumerate(row) if score != ILLEGAL} == truth


def test_the_name_decides_and_the_board_must_fit(tmp_path):
    assert find_suite(None, CONNECT_FOUR) is find_suite("standard", CONNECT_FOUR)
    assert find_suite(None, TIC_TAC_TOE) is find_suite("exhaustive", TIC_TAC_TOE)
    with pytest.raises(SuiteError, match="inarow has no suite for 3x3x3/free; use exhaustive"):
        find_suite("standard", TIC_TAC_TOE)
    exhaustive_suite(TIC_TAC_TOE).save(tmp_path / "all.npz")
    assert find_suite(str(tmp_path / "all.npz"), TIC_TAC_TOE).name == "all.npz"
    with pytest.raises(SuiteError, match=r"is a suite for 3x3x3/free, not for 6x7x4"):
        find_suite(str(tmp_path / "all.npz"), CONNECT_FOUR)


# --- files ---


def test_a_file_gives_back_what_was_saved(tmp_path):
    suite = exhaustive_suite(TIC_TAC_TOE)
    suite.save(tmp_path / "suite.npz")
    again = Suite.load(tmp_path / "suite.npz", name="exhaustive")
    assert (again.spec, again.positions, again.checksum) == (suite.spec, suite.positions, suite.checksum)
    assert (again.scores == suite.scores).all()
    assert [path.name for path in tmp_path.iterdir()] == ["suite.npz"]


def test_a_part_has_the_positions_that_were_chosen_with_their_scores():
    suite = exhaustive_suite(TIC_TAC_TOE)
    part = suite.part(np.array([7, 0, 300]))
    assert part.positions == (suite.positions[7], suite.positions[0], suite.positions[300])
    assert (part.scores == suite.scores[[7, 0, 300]]).all()
    assert (part.name, part.spec) == (suite.name, suite.spec)


def _rewritten(path, **changes):
    with np.load(path, allow_pickle=False) as arrays:
        parts = dict(arrays)
    header = json.loads(bytes(parts["header"])) | changes.pop("header", {})
    parts |= changes
    np.savez(path, **parts | {"header": np.frombuffer(json.dumps(header).encode(), np.uint8)})


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "suite.npz"
    suite = exhaustive_suite(TIC_TAC_TOE)
    replace(suite, positions=suite.positions[:10], scores=suite.scores[:10]).save(path)
    return path


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"header": {"format": "inarow-book"}}, "has format inarow-book 1, not inarow-suite 1"),
        ({"header": {"version": 2}}, "has format inarow-suite 2"),
        ({"header": {"board": "6x7x4"}}, "wrong kind"),
        ({"header": {"board": "3x9x3"}}, "checksum is wrong"),
        ({"header": {"board": 7}}, "is not a suite"),
        ({"header": {"provenance": 7}}, "is not a suite"),
        ({"scores": np.zeros((10, 9), np.int8)}, "checksum is wrong"),
        ({"scores": np.zeros((10, 9), np.int16)}, "wrong kind"),
        ({"scores": np.zeros((9, 9), np.int8)}, "wrong kind"),
        ({"scores": np.zeros((0, 9), np.int8), "moves": np.zeros(0, "S1")}, "no positions"),
        ({"moves": np.array([b"x"] * 10)}, "checksum is wrong"),
        ({"moves": np.array([1] * 10)}, "wrong kind"),
        ({"moves": np.array([{}] * 10)}, "is not a suite"),
    ],
)
def test_a_changed_file_is_refused(file, changes, reason):
    _rewritten(file, **changes)
    with pytest.raises(SuiteError, match=reason) as error:
        Suite.load(file)
    assert "\n" not in str(error.value)


def test_scores_of_illegal_moves_are_refused_even_with_a_right_checksum(file):
    suite = Suite.load(file)
    replace(suite, scores=np.zeros_like(suite.scores)).save(file)
    with pytest.raises(SuiteError, match="its scores contradict the legal moves"):
        Suite.load(file)


def test_no_damage_goes_unnoticed(file):
    """Every byte in turn; what is not noticed is in a part of the archive that says nothing."""
    whole, truth = file.read_bytes(), Suite.load(file)
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with suppress(SuiteError):
            suite = Suite.load(file)
            assert (suite.spec, suite.positions, suite.checksum) == (truth.spec, truth.positions, truth.checksum)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"garbage" * 100, None])
def test_what_is_no_suite_is_refused(file, content):
    file.write_bytes(file.read_bytes()[:-40] if content is None else content)
    with pytest.raises(SuiteError, match="is not a suite"):
        Suite.load(file)
    with pytest.raises(SuiteError, match="is not a suite"):
        Suite.load(file.with_name("nowhere.npz"))


# --- building ---


@pytest.mark.parametrize(("board", "count"), [("4x5x4", 60), ("tictactoe", 40)])
def test_positions_are_drawn_from_every_stage(board, count):
    spec = GameSpec.parse(board)
    drawn = draw_positions(spec, count, seed=1)
    assert len(drawn) == len({canonical_key(position) for position in drawn}) == count
    assert {position.ply for position in drawn} == set(range(spec.cells - spec.columns + 1))
    assert all(len(position.legal_actions) > 1 for position in drawn)
    assert drawn == draw_positions(spec, count, seed=1)
    assert drawn != draw_positions(spec, count, seed=2)


def test_more_positions_than_there_are_cannot_be_drawn():
    with pytest.raises(InvalidLimitError, match="only 3 of 100 positions were found on 2x2x2"):
        draw_positions(GameSpec(2, 2, 2), 100, seed=1)
    for count in (0, -5, 10**9):
        with pytest.raises(InvalidLimitError, match="positions is"):
            draw_positions(CONNECT_FOUR, count, seed=1)


def test_a_suite_is_the_same_on_any_number_of_workers(tmp_path):
    suites = [built(tmp_path / f"{workers}.npz", workers=workers) for workers in (1, 2)]
    assert suites[0].checksum == suites[1].checksum == Suite.load(tmp_path / "2.npz").checksum
    solver = solver_for(SMALL)
    for position, row in zip(suites[0].positions, suites[0].scores.tolist(), strict=True):
        assert row == exact_scores(position, solver)


class KilledError(Exception):
    pass


def test_a_killed_build_continues_where_it_was(tmp_path):
    path = tmp_path / "suite.npz"
    whole = built(path)
    lines = [
        f"{position.moves} {' '.join(map(str, row))}"
        for position, row in zip(whole.positions, whole.scores.tolist(), strict=True)
    ]
    marked = lines[0] + "7"  # a score that only the journal can have given
    with suppress(KilledError), open_journal(path, "suite 3x4x3", SuiteError) as journal:
        journal.add([marked, *lines[1:20]])
        raise KilledError
    again = built(path)
    assert again.scores[0].tolist() == [int(score) for score in marked.split(" ")[1:]]
    assert (again.scores[1:] == whole.scores[1:]).all()
    assert [file.name for file in tmp_path.iterdir()] == ["suite.npz"]
