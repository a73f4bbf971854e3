"""Training: the update against a plain twin, the truth after it, and what a bad config says."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings

from inarow.agents.registry import make_agent, parse_agent
from inarow.errors import ConfigError, InvalidAgentError, TableError
from inarow.games.kernels import compiled_layout, kernel
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning.config import find_document, presets
from inarow.learning.pretrained import shipped_table, shipped_tables
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.lookup import TableValues, load_values
from inarow.learning.tabular.moves import block_weight
from inarow.learning.tabular.run import QRun
from inarow.learning.tabular.trainer import Trainer
from inarow.search.solver.solver import Solver
from inarow_peers.plain_q import PlainQ
from tests.learning.tabular.small_config import config, find_q_config
from tests.strategies import positions
from tests.twins import reference
from tests.twins.mirrored_q import MirroredQ
from tests.unbeaten import lost_position


def trained(settings: QConfig) -> Trainer:
    trainer = Trainer(settings, lambda text, seed: make_agent(text, seed=seed))
    trainer.run(settings.episodes)
    assert trainer.is_finished
    return trainer


@pytest.mark.parametrize("board", ["3x4x3", "tictactoe", "4x4x4"])
@pytest.mark.parametrize("opponent", ["self", "random", "winblock"])
@pytest.mark.parametrize("target", ["negamax", "own-turn"])
def test_compiled_episodes_learn_what_the_plain_twin_learns(board, opponent, target):
    episodes = 150
    settings = config(board=board, target=target, seed=5, phases=[{"episodes": episodes, "opponent": opponent}])
    table = TableValues(trained(settings).table, settings)
    twin = PlainQ(
        GameSpec.parse(board),
        np.random.default_rng(5),
        opponent=opponent,
        is_negamax=target == "negamax",
        alpha=0.3,
        gamma=0.9,
        epsilon=0.4,
    )
    twin.learn(episodes)
    seen = [Position.start(GameSpec.parse(board))]
    compared = 0
    for position in seen:
        values = table.values(position)
        assert (values is None) == (position.key not in twin.values)
        if values is not None:
            compared += 1
            assert values.tolist() == pytest.approx(twin.values[position.key], abs=1e-12)
        after = [position.play(action) for action in position.legal_actions]
        known = {each.key for each in seen}
        if position.ply < 4:
            seen += [each for each in after if not each.is_over and each.key not in known]
    assert compared > 30


def test_episodes_against_an_agent_are_the_compiled_ones():
    """`random` has a compiled form and an agent; with lots drawn elsewhere only the rates can agree."""
    phases = [{"episodes": 3000, "opponent": "random", "side": "first"}]
    compiled = trained(config(phases=phases, target="own-turn")).curve
    phases[0] |= {"opponent": "greedy:epsilon=1.0", "episodes": 600}  # random, but only as an agent
    stepwise = trained(config(phases=phases, target="own-turn")).curve
    assert compiled[0].reward == pytest.approx(stepwise[0].reward, abs=0.35)
    assert stepwise[-1].wins > stepwise[0].wins - 0.2
    assert stepwise[-1].rows > 50


@pytest.mark.parametrize("opponent", ["random", "greedy:epsilon=1.0"])  # compiled, and move by move
@pytest.mark.parametrize(
    ("board", "side", "reward"),
    [
        ("2x2x2", "first", 50 - 1),  # its second stone always makes a line
        ("2x2x2", "second", -50),
        ("1x4x3", "first", -10 - 1),  # the opponent fills the board
        ("1x4x3", "second", -10 - 1),
        ("1x3x3", "first", -10 - 1),
        ("1x3x3", "second", -10),
    ],
)
def test_the_end_of_a_game_takes_the_place_of_the_last_step(board, side, reward, opponent):
    settings = config(
        board=board,
        target="own-turn",
        rewards={"win": 50, "loss": -50, "draw": -10, "step": -1},
        phases=[{"episodes": 20, "opponent": opponent, "side": side}],
        report=1,
    )
    assert {point.reward for point in trained(settings).curve} == {reward}


def test_mirror_images_share_their_values():
    settings = config(board="4x4x4", symmetry=True, phases=[{"episodes": 2000}])
    table = TableValues(trained(settings).table, settings)
    for moves in ("1", "12", "1233", "4412"):
        position = Position.parse(moves, GameSpec(4, 4, 4))
        values, mirrored = table.values(position), table.values(position.mirror())
        assert values is not None
        assert values.tolist() == mirrored[::-1].tolist()


@pytest.mark.parametrize("board", ["3x3x3", "tictactoe"])
@pytest.mark.parametrize("opponent", ["self", "random", "winblock"])
@pytest.mark.parametrize("target", ["negamax", "own-turn"])
def test_symmetric_actions_are_learnt_as_by_writing_to_mirror_images(board, opponent, target):
    phases = [{"episodes": 800, "opponent": opponent}]
    settings = config(board=board, target=target, seed=5, phases=phases, symmetry=True, symmetric_actions=True)
    table = TableValues(trained(settings).table, settings)
    rates = {"alpha": 0.3, "gamma": 0.9, "epsilon": 0.4}
    rng = np.random.default_rng(5)
    twin = MirroredQ(GameSpec.parse(board), rng, opponent=opponent, is_negamax=target == "negamax", **rates)
    twin.learn(800)
    compared = own_images = 0
    for position in positions_up_to(table.spec, 4):
        values = table.values(position)
        if values is not None:
            assert values.tolist() == pytest.approx(twin.values[position.key], abs=1e-12)
            compared += 1
            own_images += position == position.mirror() and any(values)
    assert compared > 30
    assert own_images > 0


@pytest.mark.parametrize("is_shared", [False, True])
def test_symmetric_actions_against_an_agent(is_shared):
    """Against an agent the episodes are plain Python."""
    phases = [{"episodes": 300, "opponent": "greedy:epsilon=1.0"}]
    settings = config(board="3x3x3", target="own-turn", phases=phases, symmetry=True, symmetric_actions=is_shared)
    table = TableValues(trained(settings).table, settings)
    own_images = [each for each in positions_up_to(table.spec, 4) if each == each.mirror()]
    values = [found for each in own_images if (found := table.values(each)) is not None and any(found)]
    assert len(values) > 2
    assert all(found[0] == found[2] for found in values) == is_shared


def positions_up_to(spec: GameSpec, plies: int) -> Sequence[Position]:
    """The unfinished positions of at most this many plies, by every order of moves."""
    seen = [Position.start(spec)]
    for position in seen:
        if position.ply < plies:
            seen += [each for each in map(position.play, position.legal_actions) if not each.is_over]
    return seen


def test_symmetric_actions_need_symmetry():
    with pytest.raises(ConfigError, match="symmetric_actions needs symmetry = true"):
        config(symmetric_actions=True)


@pytest.mark.compiled
def test_the_learner_beats_what_it_learnt_against():
    settings = config(
        board="4x4x4", phases=[{"episodes": 60_000, "opponent": "mcts:simulations=10", "side": "second"}], report=5000
    )
    curve = trained(settings).curve
    assert curve[-1].reward > curve[0].reward + 0.2


def can_lose(table: TableValues, side: int) -> bool:
    """Whether some play beats the greedy choices of the table, whichever of equal ones it takes."""

    def best(position: Position) -> Sequence[int]:
        values = table.values(position)
        if values is None:
            return position.legal_actions
        highest = max(values[action] for action in position.legal_actions)
        return [action for action in position.legal_actions if values[action] == highest]

    return lost_position(table.spec, side, best) is not None


@pytest.mark.compiled
def test_tic_tac_toe_never_loses(tmp_path):
    """From scratch, both sides, every play of the opponent."""
    run = QRun.start(find_q_config("tictactoe-q"), tmp_path / "run")
    run.train()
    table = load_values(tmp_path / "run" / "table.npz")
    assert not can_lose(table, 1)
    assert not can_lose(table, 2)


def test_a_table_that_learnt_nothing_can_lose():
    settings = config(board="tictactoe", phases=[{"episodes": 2000, "opponent": "random"}], alpha=0.001)
    assert can_lose(TableValues(trained(settings).table, settings), 1)


@pytest.mark.compiled
@pytest.mark.parametrize("board", ["3x5x4", "4x4x4", "tictactoe"])
def test_shipped_tables_hold_against_perfect_play(board):
    spec = GameSpec.parse(board)
    table = load_values(shipped_table(spec))
    solver = Solver(spec, memory=1 << 24)
    choice = np.random.default_rng(2)
    right = decisions = 0
    for game in range(40):
        position = Position.start(spec)
        while not position.is_over:
            truth = solver.analyse(position)
            if position.ply % 2 == game % 2:
                values = table.values(position)
                action = max(position.legal_actions, key=lambda action: values[action])
                right += np.sign(truth.scores[action]) == np.sign(truth.score)
                decisions += 1
            else:
                action = int(choice.choice(truth.best))
            position = position.play(action)
        assert position.winner in (None, game % 2 + 1)
    assert right == decisions


# --- Runs in folders ---


def test_presets_are_sound():
    assert {"tictactoe-q", "3x5x4-q", "4x4x4-q"} <= set(presets())
    for name in presets():
        if find_document(name)["learner"] == "q":
            assert find_q_config(name).episodes > 0


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("alhpa=0.1", "unknown field `alhpa` \\(did you mean 'alpha'\\?\\); valid keys are alpha, board, "),
        ("phases.0.oponent=self", r"`oponent` - at `\$.phases\[0\]` \(did you mean 'opponent'\?\); valid keys are "),
        ("rewards.xyz=1", r"field `xyz` - at `\$.rewards`; valid keys are block, draw, loss, step, win$"),
        ("alpha=2", "`float` <= 1.0 - at `\\$.alpha`"),
        ("rewards.loss=-3", "negamax needs zero-sum rewards"),
        ("board=9y9", "'9y9'"),
        ("phases.3.episodes=4", "does not exist in the config"),
        ("alpha", "is not of the form key=value"),
        ("phases.0.side=left", "Invalid enum value 'left'"),
    ],
)
def test_a_bad_setting_is_one_clear_line(setting, reason):
    with pytest.raises(ConfigError, match=reason) as error:
        find_q_config("tictactoe-q", [setting])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("content", "reason"), [(b"board = ", "is not TOML"), (b"\xff", "is not TOML")])
def test_a_bad_file_is_one_clear_line(tmp_path, content, reason):
    path = tmp_path / "run.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=reason):
        find_q_config(str(path))
    with pytest.raises(ConfigError, match="cannot be read"):
        find_q_config(str(tmp_path / "nothing.toml"))


# --- The agent ---


def test_the_agent_names_what_is_wrong_with_its_table(tmp_path):
    with pytest.raises(TableError, match="inarow has no Q-table for 6x7x4, only for 3x3x3/free, 3x5x4, 4x4x4"):
        make_agent("q").decide(Position.start())
    with pytest.raises(TableError, match="cannot be read"):
        make_agent(f"q:table={tmp_path / 'nothing.npz'}")
    with pytest.raises(TableError, match="the Q-table is for 4x4x4, not for 6x7x4"):
        make_agent(f"q:table={shipped_table(GameSpec(4, 4, 4))}").decide(Position.start())
    with pytest.raises(InvalidAgentError, match="q has no key 'tables'"):
        make_agent("q:tables=x")


@pytest.mark.parametrize("agent", ["q", "window"])
def test_an_agent_with_other_shipped_tables_is_another_one(agent, tmp_path, monkeypatch):
    kind, parameters = parse_agent(agent)
    before, tables = kind.content_hash(parameters), shipped_tables()
    (tmp_path / "retrained.npz").write_bytes(tables["4x4x4"].read_bytes() + b" ")
    monkeypatch.setattr("inarow.agents.q.shipped_tables", lambda: {**tables, "4x4x4": tmp_path / "retrained.npz"})
    assert before is not None
    assert before != kind.content_hash(parameters)


def test_the_agent_says_what_it_knows(tmp_path):
    run = QRun.start(config(phases=[{"episodes": 50}]), tmp_path)
    run.train()
    agent = make_agent(f"q:table={tmp_path / 'table.npz'}", seed=1)
    known = agent.decide(Position.start(GameSpec.parse("3x4x3")))
    assert -1 <= known.value <= 1
    assert known.scores[known.action] == max(known.scores)
    unknown = [agent.decide(Position.parse(moves, GameSpec.parse("3x4x3"))) for moves in ("11442", "444113", "33344")]
    assert any(decision.details == {"seen": False} for decision in unknown)


# --- Block rewards ---


@kernel
def probe_block(others, mask, cell, layout):
    return block_weight(others, mask, cell, layout)


@settings(max_examples=200)
@given(positions(GameSpec(4, 4, 4)))
def test_block_weights_equal_the_slow_twin(position):
    assume(position.ply > 0)
    before = Position.parse(position.moves[:-1], position.spec)
    cell = before.landing_cell(position.actions[-1])
    layout = compiled_layout(position.spec)
    weight = probe_block(np.uint64(position.stones), np.uint64(position.mask), cell, layout)
    row, column = layout.row_and_column(cell)
    side = before.side_to_move
    assert weight == reference.block_weight(position.to_array().tolist(), row, column, 3 - side, position.spec)
