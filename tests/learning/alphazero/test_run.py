"""Runs of seconds: they learn, they can be killed and continue, and bad files are one line of error."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import numpy as np
import pytest

from inarow.errors import ConfigError, InarowError, NetError
from inarow.games.position import Position
from inarow.games.spec import TIC_TAC_TOE, GameSpec
from inarow.learning.alphazero.config import AlphaZeroConfig
from inarow.learning.alphazero.onnx_graph import read_start
from inarow.learning.alphazero.run import AlphaZeroRun
from inarow.learning.config import presets, to_config
from inarow.learning.learner import Progress, Services
from inarow.learning.net_file import net_evaluator
from inarow.learning.pretrained import find_net
from inarow.learning.run_folder import read_config
from inarow.search.tree.evaluation import planes_of
from tests.learning.alphazero.tiny_runs import TINY, tiny, trained


def said(net: Path, board: GameSpec = TIC_TAC_TOE) -> list[float]:
    logits, values = net_evaluator(find_net(str(net)))(planes_of(Position.start(board))[None])
    return [*logits.ravel().tolist(), *values.tolist()]


def games_of(folder: Path) -> list[str]:
    header, *lines = (folder / "games.csv").read_text().splitlines()
    assert header == "board,opening,result,moves"
    return lines


def test_a_run_learns_publishes_and_keeps_its_games(tmp_path):
    run = trained(tmp_path / "run")
    state = run.state
    assert state.iterations == 4
    assert 160 <= state.games == len(games_of(run.folder))
    assert run.trainer.steps == pytest.approx((state.examples * 3 - state.owed) / 16, abs=1)
    for line in games_of(run.folder):
        board, opening, _, moves = line.split(",")
        assert Position.parse(moves, GameSpec.parse(board)).ply >= int(opening)
    about = find_net(str(run.product)).about
    assert (about.kind, about.board, about.provenance["games"]) == ("alphazero", "3x3x3/free", state.games)
    losses = [point.value_loss for point in state.curve if point.value_loss is not None]
    assert losses[-1] < losses[0]
    assert (run.folder / "curve.csv").read_text().count("\n") == len(state.curve) + 1
    assert run.memory["replay"] > 0
    assert run.memory["games"] > 0


def test_a_run_may_begin_with_a_net(tmp_path):
    first = trained(tmp_path / "first")
    second = AlphaZeroRun.start(tiny(start=str(first.product), seed=7), tmp_path / "second")
    assert said(second.product) == pytest.approx(said(first.product), abs=1e-4)
    second.save()
    second = AlphaZeroRun.resume(tmp_path / "second")  # before its first step
    second.train()
    about = find_net(str(second.product)).about
    assert about.provenance["start"]["games"] == first.state.games
    assert about.provenance["games"] == second.state.games
    losses = [[point.value_loss for point in run.state.curve if point.value_loss] for run in (first, second)]
    assert losses[1][0] < losses[0][0]

    for network in ({"channels": 9, "blocks": 1}, {"channels": 8, "blocks": 2}):
        with pytest.raises(NetError, match=r"set network\.channels=8 and network\.blocks=1"):
            AlphaZeroRun.start(tiny(start=str(first.product), network=network), tmp_path / "other")
        assert not (tmp_path / "other").exists()
    weights, _ = read_start(str(first.product), first.config.network)
    for changed in (weights | {"value_logit.weight": np.zeros((1, 7))}, {"stem.convolution.weight": np.zeros(8)}):
        with pytest.raises(NetError, match="the initial net does not fit the network"):
            second.trainer.begin_with(changed)


def test_the_same_seed_gives_the_same_net(tmp_path):
    nets = [trained(tmp_path / name, seed=seed).product for name, seed in (("a", 1), ("b", 1), ("c", 2))]
    assert said(nets[0]) == said(nets[1])
    assert said(nets[0]) != said(nets[2])
    assert games_of(tmp_path / "a") == games_of(tmp_path / "b")


def test_worker_processes_play_too(tmp_path):
    run = trained(tmp_path / "run", workers=2, iterations=30)
    assert run.worker_bytes > 0
    assert run.state.games == len(games_of(run.folder))


def test_one_net_learns_several_boards(tmp_path):
    boards = {"rows": [3, 4], "columns": [4, 5], "inarow": [3, 3], "unseen": ["4x5x3"], "more": ["3x3x3/free"]}
    run = trained(tmp_path / "run", board=None, boards=boards, iterations=3)
    played = {line.split(",")[0] for line in games_of(run.folder)}
    assert len(played) > 1
    assert played <= {"3x4x3", "3x5x3", "4x4x3", "3x3x3/free"}
    assert GameSpec(3, 3, 3, gravity=False) in run.config.specs
    assert run.trainer.steps > 0
    net = find_net(str(run.product))
    assert net.about.board == "any"
    assert np.isfinite(said(run.product, GameSpec(4, 5, 3))).all()


def test_a_gate_keeps_the_net_that_plays_until_a_better_one_comes(tmp_path):
    closed = {"games": 20, "threshold": 1.0, "simulations": 2}
    run = AlphaZeroRun.start(tiny(gate=closed), tmp_path / "closed")
    first = said(run.product)
    run.train()
    assert run.trainer.steps > 0
    assert said(run.product) == first  # nobody wins all of twenty games on so little practice
    opened = AlphaZeroRun.start(tiny(gate={**closed, "threshold": 0.0}), tmp_path / "open")
    with pytest.raises(Stopped):
        opened.train(stop_after(opened, 3))
    assert said(opened.product) != first


def test_matches_at_the_gate_are_kept_and_a_rejected_net_is_undone(tmp_path):
    closed = {"games": 10, "threshold": 1.0, "simulations": 2, "restore": True}
    run = trained(tmp_path / "run", gate=closed)
    assert len(run.state.gate) == run.state.iterations == 4
    assert not any(match.is_accepted for match in run.state.gate)
    assert all(match.wins + match.draws + match.losses == 10 for match in run.state.gate)
    header, *lines = (run.folder / "gate.csv").read_text().splitlines()
    assert header == "iteration,games,steps,core_seconds,wins,draws,losses,is_accepted"
    assert len(lines) == 4
    assert any("gate 4:" in line and "rejected" in line for line in run.log)
    begin = AlphaZeroRun.start(tiny(gate=closed), tmp_path / "begin")
    weights = [each.trainer.weights() for each in (run, begin)]
    assert all(np.array_equal(weights[0][name], weights[1][name]) for name in weights[0])  # that of the first net
    assert run.trainer.steps > 0


def test_the_published_network_learns_without_tactics(tmp_path):
    search = {"root": "puct", "tactics": False, "unvisited": "zero", "softness": 1.0}
    changes = {"board": "5x5x4", "search": search, "network": {"kind": "dense", "channels": 8, "padding": 6}}
    run = trained(tmp_path / "run", iterations=2, iteration_games=20, **changes)
    assert run.trainer.steps > 0
    for line in games_of(run.folder):  # every game is played to its end
        assert Position.parse(line.split(",")[3], GameSpec(5, 5, 4)).is_over
    again = trained(tmp_path / "again", iterations=2, iteration_games=20, **changes)
    assert said(run.product, GameSpec(5, 5, 4)) == said(again.product, GameSpec(5, 5, 4))
    with pytest.raises(NetError, match="start only accepts nets of a residual network"):
        AlphaZeroRun.start(tiny(board="5x5x4", start=str(run.product)), tmp_path / "other")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"network": {"kind": "dense"}}, "learns one board with gravity"),
        ({"network": {"kind": "dense"}, "board": "4x5x4"}, "at least five rows and columns"),
        ({"network": {"kind": "dense", "padding": 6}, "board": "6x7x4"}, "padding for all of them"),
        ({"network": {"padding": 6}}, "network.padding needs"),
        ({"search": {"tactics": False}}, "tactics=false needs"),
    ],
)
def test_settings_of_the_published_network_are_checked(changes, reason):
    with pytest.raises(ConfigError, match=reason):
        tiny(**changes)


class Stopped(Exception):
    pass


def stop_after(run: AlphaZeroRun, iterations: int):
    def watch(_: Progress) -> None:
        if run.state.iterations >= iterations:
            raise Stopped

    return watch


def test_a_stopped_run_continues_and_a_finished_one_is_extended(tmp_path):
    run = AlphaZeroRun.start(tiny(), tmp_path)
    with pytest.raises(Stopped):
        run.train(stop_after(run, 3))
    before = run.state
    run = AlphaZeroRun.resume(tmp_path)
    assert run.state.iterations == before.iterations
    assert run.trainer.steps > 0
    assert run.replay.seen == before.examples
    assert all(np.array_equal(a, b) for a, b in zip(run.trainer.weights().values(), _weights(tmp_path), strict=True))
    run.train()
    assert run.state.iterations == 4
    run = AlphaZeroRun.resume(tmp_path, iterations=2)
    assert not run.is_finished
    run.train()
    assert run.state.iterations == 6
    assert run.state.games == len(games_of(tmp_path))
    assert read_config(tmp_path, AlphaZeroConfig).iterations == 6
    assert len(list(tmp_path.glob("learner-*"))) == len(list(tmp_path.glob("replay-*"))) == 1


def test_a_resumed_optimiser_continues_as_if_nothing_had_happened(tmp_path):
    run = trained(tmp_path, iterations=1)
    again = AlphaZeroRun.resume(tmp_path)
    batch = run.replay.draw(16, 100, np.random.default_rng(0), mirror=False)
    assert run.trainer.step(batch, 0.5) == again.trainer.step(batch, 0.5)
    pairs = zip(run.trainer.weights().values(), again.trainer.weights().values(), strict=True)
    assert all(np.array_equal(one, other) for one, other in pairs)


def test_an_extended_run_continues_with_its_curve(tmp_path):
    trained(tmp_path, iterations=12)
    run = AlphaZeroRun.resume(tmp_path, iterations=12)
    before = len(run.state.curve)
    run.train()
    assert len(run.state.curve) >= before + 5
    assert len({(point.iteration, point.steps) for point in run.state.curve}) == len(run.state.curve)


def test_a_run_continues_with_other_settings(tmp_path):
    trained(tmp_path, iterations=1)
    run = AlphaZeroRun.resume(tmp_path, iterations=2, settings=["selfplay.random_starts=0.0", "selfplay.games=8"])
    before = run.state.games
    run.train()
    assert {line.split(",")[1] for line in games_of(tmp_path)[before:]} == {"0"}
    assert find_net(str(run.product)).about.config["selfplay"]["games"] == 8
    assert read_config(tmp_path, AlphaZeroConfig).selfplay.random_starts == 0.0


def test_a_run_that_was_stopped_at_its_very_end_still_leaves_its_net(tmp_path):
    def stop(*_) -> tuple[float, float]:
        raise Stopped

    stop.description = "positions"
    run = AlphaZeroRun.start(tiny(iterations=1), tmp_path, Services(make_grade=lambda specs: stop))
    with pytest.raises(Stopped):
        run.train()
    assert run.is_finished
    run = AlphaZeroRun.resume(tmp_path)
    run.train()
    assert run.state.curve[-1].steps == run.trainer.steps == find_net(str(run.product)).about.provenance["steps"]
    assert run.state.is_closed


def test_a_run_without_a_checkpoint_begins_with_a_net_of_its_own(tmp_path):
    first = said(AlphaZeroRun.start(tiny(), tmp_path / "run").product)
    other = trained(tmp_path / "other", iterations=1).product
    (tmp_path / "run" / "net.onnx").write_bytes(other.read_bytes())
    assert said(AlphaZeroRun.resume(tmp_path / "run").product) == first


def test_the_time_that_is_left_is_known_before_a_game_has_ended(tmp_path):
    run = AlphaZeroRun.start(tiny(board="6x7x4", selfplay={**TINY["selfplay"], "random_starts": 0.0}), tmp_path)
    seen = []

    def watch(progress: Progress) -> None:
        seen.append((run.state.games, progress.seconds_left))
        if run.state.games:
            raise Stopped

    with pytest.raises(Stopped):
        run.train(watch)
    assert seen[0][0] == 0
    assert all(left is not None for _, left in seen)


@pytest.mark.parametrize(
    ("more", "message"),
    [({"iterations": 10**8}, "10000000"), ({"minutes": 1.0, "iterations": 1}, "not both")],
)
def test_a_run_is_not_extended_beyond_all_bounds(finished_run, more, message):
    config = (finished_run / "config.json").read_bytes()
    with pytest.raises(ValueError, match=message):
        AlphaZeroRun.resume(finished_run, **more)
    assert (finished_run / "config.json").read_bytes() == config


def _weights(folder: Path) -> list[np.ndarray]:
    return list(AlphaZeroRun.resume(folder).trainer.weights().values())


def test_minutes_can_become_iterations(tmp_path):
    run = trained(tmp_path, iterations=None, minutes=0.02)
    done = run.state.iterations
    with pytest.raises(ValueError, match="extend it by iterations"):
        tiny().extended(minutes=1)
    assert tiny(iterations=None, minutes=1).extended(minutes=0.5).minutes == 1.5
    run = AlphaZeroRun.resume(tmp_path, iterations=1)
    run.train()
    assert run.state.iterations == done + 1


def test_a_killed_run_continues_from_its_last_checkpoint(tmp_path):
    script = (
        "import sys\nfrom pathlib import Path\nfrom tests.learning.alphazero.tiny_runs import AlphaZeroRun, tiny\n"
        "AlphaZeroRun.start(tiny(iterations=1000, workers=2), Path(sys.argv[1])).train(checkpoint_seconds=0.2)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "run")],
        cwd=Path(__file__).parents[3],
        start_new_session=True,
    )
    state = tmp_path / "run" / "state.json"
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline and not (state.exists() and json.loads(state.read_bytes())["saves"] >= 3):
        assert process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    with (tmp_path / "run" / "games.csv").open("a") as file:  # games after the checkpoint, the last one torn
        file.write("3x3x3/free,0,1,15283\n3x3x3/fr")
    config = msgspec.structs.replace(tiny(), iterations=1000)
    assert read_config(tmp_path / "run", AlphaZeroConfig) == msgspec.structs.replace(config, workers=2)
    run = AlphaZeroRun.resume(tmp_path / "run")
    assert run.trainer.steps > 0
    begun = run.state.iterations
    with pytest.raises(Stopped):
        run.train(stop_after(run, begun + 2))
    assert run.state.games == len(games_of(tmp_path / "run"))
    for line in games_of(tmp_path / "run"):
        assert len(line.split(",")) == 4


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("config.json", b"{", "has no training run"),
        ("config.json", b'{"learner": "alphazero"}', "has no training run"),
        ("state.json", b"[]", "is not a checkpoint"),
        ("state.json", b'{"saves": 77}', "learner-77.safetensors cannot be read: No such file"),
        ("state.json", b'{"version": 2}', "was written by a later version"),
        ("state.json", b'{"version": "1"}', "is not a checkpoint"),
        ("learner-*.safetensors", b"abc", "is not a checkpoint of this run"),
        ("replay-*.npz", b"abc", "is not the examples of a run"),
        ("games.csv", b"", "has fewer games than its checkpoint"),
        ("net.onnx", b"abc", "is not a net"),
    ],
)
def test_damaged_files_are_refused_in_one_line(finished_run, tmp_path, file, content, message):
    for path in finished_run.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (place,) = tmp_path.glob(file)
    place.write_bytes(content)
    with pytest.raises(InarowError, match=message) as error:
        AlphaZeroRun.resume(tmp_path)
    assert "\n" not in str(error.value)


def test_a_state_without_a_version_is_read(finished_run, tmp_path):
    """As it was written before it had one."""
    for path in finished_run.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    document = json.loads((tmp_path / "state.json").read_bytes())
    assert document.pop("version") == 1
    (tmp_path / "state.json").write_text(json.dumps(document))
    assert AlphaZeroRun.resume(tmp_path).state.games == document["games"]


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory) -> Path:
    return trained(tmp_path_factory.mktemp("run") / "run", iterations=1).folder


def test_a_folder_with_a_run_is_not_overwritten(finished_run):
    with pytest.raises(ConfigError, match="continue it with --resume"):
        AlphaZeroRun.start(tiny(), finished_run)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"board": None}, "board or boards"),
        ({"minutes": 1}, "minutes or iterations"),
        ({"selfplay": {"noise": 0.25}}, "need search.root"),
        ({"selfplay": {"simulations": 4, "first_simulations": 8}}, "must not be more"),
        ({"learning": {"speed": 1}}, "unknown field"),
        ({"board": "7x"}, "board '7x'"),
        ({"board": None, "boards": {"rows": [4, 4], "columns": [4, 4], "inarow": [5, 5]}}, "leaves no board"),
    ],
)
def test_strange_configs_are_refused(changes, message):
    with pytest.raises(ConfigError, match=message):
        tiny(**changes)


def test_presets_are_sound():
    import tomllib

    found = {}
    for name, path in presets().items():
        document = tomllib.loads(path.read_text())
        if document.get("learner") == "alphazero":
            found[name] = to_config(document, AlphaZeroConfig, name)
    assert set(found) == {
        "connect4-5min",
        "connect4-60min",
        "tictactoe",
        "universal",
        "gupta-shah-2022",
        "gupta-shah-2022-short",
    }
    specs = set(found["universal"].specs)
    assert GameSpec(6, 7, 4) in specs
    assert len(found["universal"].boards.unseen) == 2
    assert not specs & {GameSpec.parse(board) for board in found["universal"].boards.unseen}
