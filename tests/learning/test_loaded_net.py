"""`load_net`: what it reads, and that `predict` says what nets say in a search."""

from pathlib import Path

import numpy as np
import pytest

import inarow
from inarow.agents.registry import make_agent
from inarow.errors import FinishedGameError, IllegalMoveError, NetError, NotationError
from inarow.games.position import Position
from inarow.games.spec import CONNECT_FOUR, TIC_TAC_TOE, GameSpec
from inarow.learning import loaded_net
from inarow.learning.loaded_net import load_net
from inarow.learning.net_file import net_evaluator, to_bytes
from inarow.learning.pretrained import find_net
from inarow.search.limits import Limits
from inarow.search.tree.config import SearchConfig
from inarow.search.tree.evaluation import planes_of
from inarow.search.tree.search import NetSearch
from tests.learning.alphazero.nets import opinionated_net
from tests.learning.deep_q.nets import write_net


def random_positions(spec: GameSpec, count: int, seed: int = 0) -> list[Position]:
    rng, found, position = np.random.default_rng(seed), [], Position.start(spec)
    while len(found) < count:
        found.append(position)
        position = position.play(int(rng.choice(position.legal_actions)))
        if position.is_over:
            position = Position.start(spec)
    return found


@pytest.mark.parametrize(
    ("name", "kind", "board"),
    [
        ("connect4", "alphazero", CONNECT_FOUR),
        ("tictactoe", "alphazero", TIC_TAC_TOE),
        ("universal", "alphazero", None),
        ("santos-2025-first-quantum", "deep-q", CONNECT_FOUR),
    ],
)
def test_nets_that_ship_with_inarow_are_found_by_name(name, kind, board):
    net = inarow.load_net(name)
    assert (net.kind, net.board) == (kind, board)
    assert net.about["config"]["learner"] == kind
    policies, values = net.predict(Position.start(board or CONNECT_FOUR))
    assert policies.shape == (1, (board or CONNECT_FOUR).actions)
    assert (policies.dtype, values.dtype, values.shape) == (np.float32, np.float32, (1,))


@pytest.mark.parametrize("board", ["6x7x4", "5x4x3", "3x3x3/free", "9x11x5", "4x5x3/free"])
def test_policies_and_values_are_those_of_the_net(tmp_path, board):
    """Each logit is looked up by hand, where the stone of the action would lie."""
    spec = GameSpec.parse(board)
    path = opinionated_net(tmp_path)
    positions = random_positions(spec, 40)
    policies, values = load_net(path).predict(positions)
    evaluate = net_evaluator(find_net(str(path)))
    for position, policy, value in zip(positions, policies, values, strict=True):
        logits, expected = evaluate(planes_of(position)[None])
        chances = np.zeros(spec.actions)
        for action in position.legal_actions:
            row, column = position.play(action).last_cell
            chances[action] = np.exp(logits[0, row, column].astype(np.float64))
        assert policy == pytest.approx(chances / chances.sum(), abs=1e-5)
        assert value == pytest.approx(expected[0], abs=1e-5)
        assert policy.sum() == pytest.approx(1, abs=1e-5)
        assert -1 <= value <= 1


@pytest.mark.parametrize("board", ["6x7x4", "4x5x4/free"])
def test_a_search_begins_with_the_same_policy_and_value(tmp_path, board):
    """Where tactics leave all moves open, the priors of a search are the policy, and its first value is that value."""
    spec, path = GameSpec.parse(board), opinionated_net(tmp_path)
    positions = [each for each in random_positions(spec, 300) if each.ply <= 4]
    policies, values = load_net(path).predict(positions)
    search, compared = NetSearch(spec, net_evaluator(find_net(str(path))), SearchConfig(root="puct")), 0
    for position, policy, value in zip(positions, policies, values, strict=True):
        found = search.search(position, limits=Limits(simulations=1))
        if np.count_nonzero(found.priors) == len(position.legal_actions):
            assert policy == pytest.approx(found.priors, abs=1e-4)
            assert value == pytest.approx(found.value, abs=1e-4)
            compared += 1
    assert compared > 20


def test_deep_q_answers_as_its_agent(tmp_path):
    path = write_net(tmp_path / "net.onnx", "5x6x4", seed=3)
    positions = random_positions(GameSpec.parse("5x6x4"), 60)
    policies, values = load_net(path, "deep-q").predict(positions)
    agent = make_agent(f"dqn:net={path}")
    for position, policy, value in zip(positions, policies, values, strict=True):
        decision = agent.decide(position)
        assert policy.tolist() == list(decision.policy)
        assert value == pytest.approx(decision.value, abs=1e-5)


def test_many_positions_are_asked_about_in_parts_with_the_same_answers(monkeypatch):
    net, positions = load_net("tictactoe"), random_positions(TIC_TAC_TOE, 30)
    whole = net.predict(positions)
    asked, ask = [], loaded_net.LoadedNet._ask_alphazero
    monkeypatch.setattr(loaded_net, "_CHUNK", 7)
    monkeypatch.setattr(
        loaded_net.LoadedNet, "_ask_alphazero", lambda net, part: asked.append(len(part)) or ask(net, part)
    )
    for one, other in zip(whole, net.predict(positions), strict=True):
        assert one == pytest.approx(other, abs=1e-6)
    assert asked == [7, 7, 7, 7, 2]


def test_positions_are_given_as_positions_or_move_strings():
    net = load_net("connect4")
    expected = net.predict([Position.parse("44"), Position.parse("4453")])
    for given in (["44", "4453"], ["44", Position.parse("4453")], (Position.parse("44"), "4453")):
        for one, other in zip(expected, net.predict(given), strict=True):
            assert np.array_equal(one, other)
    assert net.predict("44")[1] == pytest.approx(expected[1][:1], abs=1e-6)
    policies, values = net.predict([])
    assert (policies.shape, values.shape) == ((0, 7), (0,))
    universal = load_net("universal")
    assert universal.predict("44", board="5x6x4")[0].shape == (1, 6)
    assert universal.predict(["1", "2"], board=GameSpec(7, 7, 4))[0].shape == (2, 7)


def test_positions_that_cannot_be_asked_about_are_refused():
    net, universal = load_net("connect4"), load_net("universal")
    with pytest.raises(FinishedGameError, match="position 1 is over after '1212121'"):
        net.predict(["44", "1212121"])
    with pytest.raises(NotationError):
        net.predict("4x")
    with pytest.raises((NotationError, IllegalMoveError)):
        net.predict("4444444")
    with pytest.raises(NetError, match="the net is for 6x7x4, not for 3x3x3/free"):
        net.predict(Position.start(TIC_TAC_TOE))
    with pytest.raises(NetError, match="give board= for move strings"):
        universal.predict("44")
    with pytest.raises(NetError, match="evaluate one board per call"):
        universal.predict([Position.start(), Position.start(GameSpec(5, 6, 4))])
    with pytest.raises(NetError, match="positions of 5x6x4 and 6x7x4"):
        universal.predict([Position.start()], board="5x6x4")


def test_a_net_is_loaded_from_a_run_folder_or_a_file(tmp_path):
    path = opinionated_net(tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "net.onnx").write_bytes(path.read_bytes())
    for place in (path, str(path), tmp_path / "run", str(tmp_path / "run")):
        assert load_net(place).predict("44", board="6x7x4")[1].shape == (1,)


@pytest.mark.parametrize(
    ("place", "kind", "message"),
    [
        (
            "nobody",
            "auto",
            "there is no net 'nobody'; give the folder of a run, an .onnx file, or a net that ships with",
        ),
        ("missing.onnx", "auto", "missing.onnx cannot be read: No such file"),
        ("", "auto", "has no file net.onnx: it is not the folder of a run"),
        ("connect4", "deep-q", "is a net of 'alphazero', not of deep-q"),
        ("connect4", "dqn", "there is no kind of net 'dqn'; kinds are auto, alphazero, deep-q"),
    ],
)
def test_a_file_that_is_not_a_net_is_refused_in_one_line(tmp_path, monkeypatch, place, kind, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NetError, match=message) as error:
        load_net(place or tmp_path, kind)
    assert "\n" not in str(error.value)


def test_a_net_of_another_learner_is_refused(tmp_path):
    import onnx

    from inarow.learning.net_file import NetAbout

    model = onnx.load(str(opinionated_net(tmp_path)))
    del model.metadata_props[:]
    path: Path = tmp_path / "other.onnx"
    path.write_bytes(to_bytes(model, NetAbout(kind="theirs", board="any", config={}, seed=0)))
    with pytest.raises(NetError, match="is a net of 'theirs'; load_net reads nets of alphazero and deep-q"):
        load_net(path)
