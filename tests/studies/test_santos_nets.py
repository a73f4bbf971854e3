"""The nets of santos-2025 that go into the package."""

import pytest
from tools.benchmarks.median_nets import median_run, ship_median_nets

from inarow import __version__
from inarow.agents.registry import make_agent
from inarow.errors import InvalidResultsError
from inarow.games.position import Position
from inarow.learning.net_file import open_net
from inarow.learning.pretrained import DEEP_Q
from inarow.studies.experiment import Measured, Trial
from inarow.studies.results import Finished, ResultsFile
from inarow.studies.santos_2025.runs import QUANTUM, Training, net_file_name
from tests.learning.deep_q.nets import write_net


def trial(training, seed, episodes=1800):
    return Trial("santos-2025", training, "as-published", seed, {"episodes": episodes, "test games": 1000})


def test_the_median_is_the_one_in_the_middle():
    rates = (90.0, 70.0, 85.0, 85.0, 10.0)
    trials = [trial(QUANTUM, seed).record for seed in range(5)]
    runs = [Finished(each, __version__, Measured({"wins": wins})) for each, wins in zip(trials, rates, strict=True)]
    assert median_run(runs).trial.seed == 2
    assert median_run(runs[:4]).trial.seed == 2
    assert median_run(runs[:1]).trial.seed == 0


def test_its_net_is_written_with_its_story(tmp_path):
    file = ResultsFile(tmp_path / "results.jsonl")
    (tmp_path / "nets").mkdir()
    for seed, wins in enumerate((80.0, 90.0, 70.0)):
        run = file.add(trial(QUANTUM, seed), Measured({"wins": wins}))
        write_net(tmp_path / net_file_name(run.trial), "6x7x4", seed)
    file.add(trial(Training("second", "quantum"), 0, episodes=3600), Measured({"wins": 70.0}))
    file.add(trial(QUANTUM, 9, episodes=300), Measured({"wins": 0.0}))  # not of the published size
    out = tmp_path / "out"
    written = ship_median_nets(tmp_path, out, least_runs=3)
    assert written == {"first, quantum": out / "santos-2025-first-quantum.onnx"}
    about = open_net(written["first, quantum"], DEEP_Q).about
    assert about.provenance["wins of all runs"] == [70.0, 80.0, 90.0]
    assert (about.provenance["study seed"], about.seed) == (0, 0)
    position = Position.parse("4453")
    first, other = (
        make_agent(f"dqn:net={path}").decide(position)
        for path in (written["first, quantum"], tmp_path / "nets" / "first-quantum-as-published-0.onnx")
    )
    assert first == other
    with pytest.raises(InvalidResultsError, match="has no row with 4 runs"):
        ship_median_nets(tmp_path, out, least_runs=4)
