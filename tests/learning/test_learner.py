"""The learner contract, tried by a learner that is added from outside the package."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pytest
from msgspec import Meta

from inarow.agents.registry import make_agent
from inarow.arena.training import resume_run, start_run, train
from inarow.cli.train import train as train_command
from inarow.errors import ConfigError, InvalidAgentError
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from inarow.learning import config as config_module
from inarow.learning import learner as learner_module
from inarow.learning.config import ConfigPart, find_document, presets, to_config
from inarow.learning.learner import (
    Learner,
    Progress,
    Run,
    Services,
    TrainedAgent,
    Watch,
    find_learner,
    learners,
    register_learner,
    sparkline,
)
from inarow.learning.run_folder import CurveFiles, RunClaim, read_config
from inarow.web.training import agent_of_run, check_document, describe_learners, read_curve
from inarow.workers import Cluster


class ToyConfig(ConfigPart, frozen=True, kw_only=True):
    """Counts how often each first move of an opponent occurs."""

    learner: Literal["toy"]
    board: str = "tictactoe"
    games: Annotated[int, Meta(ge=1)] = 20
    opponent: str = "random"
    seed: int = 0


@dataclass(frozen=True)
class ToyPoint:
    game: int
    favourite: int
    share: float


class ToyRun(Run):
    """Its product is a file of counts; it continues from there."""

    def __init__(self, folder: Path, config: ToyConfig, services: Services) -> None:
        self.folder, self._config, self._services = folder, config, services
        self._curve: list[ToyPoint] = []
        self._counts = [0] * GameSpec.parse(config.board).actions
        self._claim = RunClaim(folder, "counts.json")

    @property
    def config(self) -> ToyConfig:
        return self._config

    @property
    def curve(self) -> Sequence[ToyPoint]:
        return self._curve

    @property
    def progress(self) -> Progress:
        return Progress(done=sum(self._counts), total=self._config.games, unit="games")

    def begin(self) -> "ToyRun":
        with self._claim.begun(self._config):
            return self

    def restore(self) -> "ToyRun":
        self._counts = json.loads((self.folder / "counts.json").read_text())
        return self

    def train(self, watch: Watch | None = None) -> TrainedAgent:
        make = self._services.make_opponent
        start = Position.start(GameSpec.parse(self._config.board))
        with self._claim.held():
            try:
                for game in range(sum(self._counts), self._config.games):
                    opponent = make(self._config.opponent, np.random.SeedSequence(self._config.seed, spawn_key=(game,)))
                    self._counts[opponent.decide(start).action] += 1
                    most = max(self._counts)
                    self._curve.append(ToyPoint(game + 1, self._counts.index(most), most / (game + 1)))
                    if watch is not None:
                        watch(self.progress)
            finally:
                (self.folder / "counts.json").write_text(json.dumps(self._counts))
                CurveFiles(self.folder, ToyPoint, step="game").write(self._curve)
        return TrainedAgent(agent="winblock", board=self._config.board)


class ToyLearner(Learner[ToyConfig]):
    name = "toy"
    config = ToyConfig
    product = "counts.json"

    def agent(self, product):
        return "winblock"

    def start(self, config, folder, services):
        services.make_opponent(config.opponent, np.random.SeedSequence(0))
        return ToyRun(folder, config, services).begin()

    def resume(self, folder, settings, services):
        return ToyRun(folder, read_config(folder, ToyConfig), services).restore()

    def checked(self, document, config, check_agent, check_file):
        return {**document, "opponent": check_agent(config.opponent)}


@pytest.fixture
def preset(tmp_path, monkeypatch) -> str:
    """A preset of the toy learner, which is registered for the length of a test."""
    monkeypatch.setattr(learner_module, "_registered", {})
    monkeypatch.setattr(config_module, "_added_presets", {})
    path = tmp_path / "few.toml"
    path.write_text('learner = "toy"\ngames = 30\n')
    register_learner(ToyLearner(), presets={"toy-few": path})
    return "toy-few"


def counts_of(folder: Path) -> list[int]:
    return json.loads((folder / "counts.json").read_text())


def test_a_learner_from_outside_is_trained_as_all_others_are(preset, tmp_path):
    seen = []
    run = train(preset, out=tmp_path / "run", games=50, seed=3, watch=seen.append)
    assert (run.agent_string, run.board) == ("winblock", "tictactoe")
    assert [progress.done for progress in seen] == list(range(1, 51))
    assert {(progress.total, progress.unit) for progress in seen} == {(50, "games")}
    assert sum(counts_of(tmp_path / "run")) == 50
    assert find_learner({"learner": "toy"}).config is ToyConfig


class StopError(Exception):
    pass


def test_a_stopped_run_ends_as_a_whole_one(preset, tmp_path):
    def stop(progress: Progress) -> None:
        if progress.done == 11:
            raise StopError

    whole, broken = tmp_path / "whole", tmp_path / "broken"
    train(preset, out=whole)
    with pytest.raises(StopError):
        train(preset, out=broken, watch=stop)
    assert sum(counts_of(broken)) == 11
    assert resume_run(broken).train().agent == "winblock"
    assert counts_of(broken) == counts_of(whole)


def test_the_command_trains_it_and_prints_its_figures(preset, tmp_path, capsys):
    train_command(preset, out=tmp_path / "run", settings=("games=40",), json=True)
    document = json.loads(capsys.readouterr().out)
    assert document["folder"] == str(tmp_path / "run")
    assert [point["game"] for point in document["curve"]] == list(range(1, 41))
    train_command(resume=tmp_path / "run")
    text = capsys.readouterr().out
    assert f"folder {tmp_path / 'run'}" in text
    assert "play it: inarow play --board tictactoe --second winblock" in text
    assert "export it" not in text
    train_command(preset, out=tmp_path / "other")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["game", "favourite", "share"]
    assert lines[12].split()[0] == "30"


def test_the_web_lab_offers_it(preset, tmp_path):
    offered = describe_learners()
    assert "games" in json.dumps(offered["learners"]["toy"])
    assert offered["presets"][preset] == {"learner": "toy", "games": 30}
    assert check_document({"learner": "toy"}, tmp_path)["opponent"] == "random"
    with pytest.raises(InvalidAgentError, match="there is no agent 'nobody'"):
        check_document({"learner": "toy", "opponent": "nobody"}, tmp_path)
    assert agent_of_run({"learner": "toy"}, tmp_path / "run") is None
    train(preset, out=tmp_path / "run")
    assert agent_of_run({"learner": "toy"}, tmp_path / "run") == "winblock"
    assert len(read_curve(tmp_path / "run")["rows"]) == 30


def test_a_document_names_its_learner(tmp_path):
    with pytest.raises(ConfigError, match=r"^config: the key learner is missing; learners are q, deep-q, alphazero"):
        start_run({"board": "tictactoe", "phases": [{"episodes": 10}]}, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    assert all("learner" in find_document(name) for name in presets())


def test_what_it_cannot_do_is_one_clear_line(preset, tmp_path):
    folder = tmp_path / "run"
    with pytest.raises(ConfigError, match="unknown field `depth`"):
        train(preset, out=folder, depth=3)
    with pytest.raises(InvalidAgentError, match="'nobody'"):
        train(preset, out=folder, opponent="nobody")
    with pytest.raises(ConfigError, match="--ray is for alphazero"):
        train(preset, out=folder, cluster=Cluster())
    assert not folder.exists()
    train(preset, out=folder)
    with pytest.raises(ConfigError, match="has a training run; continue it with --resume"):
        train(preset, out=folder)
    with pytest.raises(ConfigError, match="a resumed toy run keeps its config"):
        resume_run(folder, ["games=+5"])


def test_names_are_taken_once(preset, tmp_path):
    with pytest.raises(ConfigError, match="already a learner 'toy'"):
        register_learner(ToyLearner())

    class Other(ToyLearner):
        name = "other"

    with pytest.raises(ConfigError, match="already a preset 'tictactoe-q'"):
        register_learner(Other(), presets={"tictactoe-q": tmp_path / "few.toml"})
    assert "other" not in learners()


@pytest.fixture
def entries(monkeypatch):
    """Entry points of installed packages, as a test wants them."""
    found: list[EntryPoint] = []
    monkeypatch.setattr("inarow.plugins.entry_points", lambda group: found)
    learner_module._plugins.cache_clear()
    yield found
    learner_module._plugins.cache_clear()


OFFERED = ToyLearner()


def test_an_installed_package_offers_learners(entries):
    entries.append(EntryPoint("toy", f"{__name__}:OFFERED", "inarow.learners"))
    entries.append(EntryPoint("broken", f"{__name__}:NOTHING", "inarow.learners"))
    assert list(learners()) == ["q", "deep-q", "alphazero", "toy"]
    assert find_learner({"learner": "toy"}) is OFFERED
    with pytest.raises(ConfigError, match=r"no learner 'tory'.*alphazero, toy; the plug-in broken is broken"):
        find_learner({"learner": "tory"})


@pytest.mark.parametrize("name", ["tictactoe-q", "4x4x4-dqn", "tictactoe"])
def test_learners_of_the_package_describe_their_agents(name, tmp_path):
    document = find_document(name)
    learner = find_learner(document)
    assert isinstance(to_config(document, learner.config, name), learner.config)
    assert learner.agent(tmp_path / learner.product).endswith(str(tmp_path / learner.product))


def test_a_run_of_the_package_leaves_what_its_learner_names(tmp_path):
    document = find_document("tictactoe-q", ["phases.0.episodes=100"])
    run = start_run(document, tmp_path / "run")
    trained = run.train()
    learner = find_learner(document)
    assert trained.agent == learner.agent(tmp_path / "run" / learner.product)
    assert run.progress.done == run.progress.total == run.config.episodes
    assert run.progress.point == run.curve[-1]
    make_agent(trained.agent).decide(Position.start(GameSpec.parse(trained.board)))


def test_a_sparkline_shows_the_course_of_values():
    assert sparkline([0.0, 0.5, 1.0]) == "▁▅█"
    assert sparkline([2.0, 2.0]) == "▁▁"
    assert len(sparkline(list(range(1000)))) <= 60
