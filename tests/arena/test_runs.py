"""Training runs in lists and side by side."""

import shutil

import pytest

import inarow
from inarow.errors import ConfigError, PictureError

QUICK = {"phases": [{"episodes": 400, "opponent": "random"}], "report": 100}
pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs that differ in alpha."""
    folder = tmp_path_factory.mktemp("runs")
    for alpha in (0.2, 0.8):
        inarow.train("tictactoe-q", out=folder / f"alpha-{alpha}", alpha=alpha, progress=False, **QUICK)
    return folder


def test_two_runs_are_compared_in_ten_lines(runs, tmp_path):
    comparison = inarow.compare_runs([runs / "alpha-0.2", inarow.load_run(runs / "alpha-0.8")])
    one, other = comparison.rows()
    assert (one["run"], one["alpha"], other["alpha"]) == ("alpha-0.2", 0.2, 0.8)
    wins = [point["wins"] for point in inarow.load_run(runs / "alpha-0.2").curve.points]
    assert (one["wins"], one["wins_best"], one["points"]) == (wins[-1], max(wins), 4)
    assert list(comparison.to_frame()["run"]) == ["alpha-0.2", "alpha-0.8"]
    figure = comparison.plot(tmp_path / "curves.svg")
    assert "alpha-0.8" in (tmp_path / "curves.svg").read_text()
    assert [axes.get_title() for axes in figure.axes] == ["reward", "wins", "draws", "losses"]


def test_only_settings_that_differ_are_shown(runs):
    comparison = inarow.compare_runs([runs / "alpha-0.2", runs / "alpha-0.8"])
    assert comparison.settings == {"alpha-0.2": {"alpha": 0.2}, "alpha-0.8": {"alpha": 0.8}}


def test_the_best_value_of_what_should_be_small_is_the_smallest(runs):
    comparison = inarow.compare_runs([runs / "alpha-0.2", runs / "alpha-0.8"], "losses")
    assert comparison.columns == ("losses",)
    points = inarow.load_run(runs / "alpha-0.8").curve.points
    assert comparison.figures("alpha-0.8")["losses_best"] == min(point["losses"] for point in points)


def test_curves_lie_over_the_episodes(runs):
    comparison = inarow.compare_runs([runs / "alpha-0.2", runs / "alpha-0.8"])
    assert comparison.axis == "episode"
    assert comparison.points("alpha-0.2", "wins")[0] == [100, 200, 300, 400]


def test_a_comparison_with_another_learner_has_the_shared_columns(runs, tmp_path):
    """A curve of another learner, as its folder has it."""
    other = tmp_path / "other"
    shutil.copytree(runs / "alpha-0.2", other)
    (other / "curve.csv").write_text("seconds,wins,search_accuracy\n1.5,0.25,\n3.0,0.5,0.75\n")
    comparison = inarow.compare_runs([runs / "alpha-0.8", other])
    assert comparison.columns == ("wins",)
    assert comparison.axis is None
    assert comparison.points("other", "wins") == ([1, 2], [0.25, 0.5])
    assert comparison.rows()[1]["seconds"] == 3.0
    with pytest.raises(ConfigError, match="have the column 'losses' in their curves; shared columns are wins"):
        inarow.compare_runs([runs / "alpha-0.8", other], "losses")


def test_runs_of_the_same_name_are_distinguished(runs, tmp_path):
    shutil.copytree(runs / "alpha-0.2", tmp_path / "a" / "run")
    shutil.copytree(runs / "alpha-0.8", tmp_path / "b" / "run")
    paths = [tmp_path / "a" / "run", tmp_path / "b" / "run"]
    assert list(inarow.compare_runs(paths).runs) == ["a/run", "b/run"]
    assert list(inarow.compare_runs([paths[0], paths[0]]).runs) == ["run (1)", "run (2)"]


def test_pictures_and_pages_are_written_whole(runs, tmp_path):
    comparison = inarow.compare_runs([runs / "alpha-0.2", runs / "alpha-0.8"])
    comparison.plot(tmp_path / "curves.png")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    comparison.plot(tmp_path / "curves.html")
    page = (tmp_path / "curves.html").read_text()
    assert "data:image/svg+xml;base64," in page
    assert "alpha-0.8" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    for kind in (".svg", ".html"):
        comparison.plot(tmp_path / f"one{kind}")
        comparison.plot(tmp_path / f"other{kind}")
        assert (tmp_path / f"one{kind}").read_bytes() == (tmp_path / f"other{kind}").read_bytes()
    with pytest.raises(PictureError, match="a name that ends in"):
        comparison.plot(tmp_path / "curves.gif")


def test_names_are_never_read_as_formulas_or_left_out_of_the_legend(runs, tmp_path):
    for name in ("_hidden", "$\\frac{1}$"):
        shutil.copytree(runs / "alpha-0.2", tmp_path / name)
    figure = inarow.compare_runs([tmp_path / "_hidden", tmp_path / "$\\frac{1}$"]).plot(tmp_path / "curves.svg")
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["hidden", "$\\frac{1}$"]


def test_fewer_than_two_runs_cannot_be_compared(runs):
    with pytest.raises(ConfigError, match="at least 2 runs; there is 1"):
        inarow.compare_runs([runs / "alpha-0.2"])
    with pytest.raises(ConfigError, match="has no training run"):
        inarow.compare_runs([runs, runs])


def test_a_list_has_every_run_below_a_folder(runs, tmp_path):
    shutil.copytree(runs, tmp_path / "deep" / "runs")
    (tmp_path / "empty").mkdir()
    listed = inarow.list_runs(tmp_path)
    assert [row["run"] for row in listed.rows()] == ["deep/runs/alpha-0.2", "deep/runs/alpha-0.8"]
    first = listed.runs[0]
    assert (first.learner, first.board, first.done, first.total, first.unit) == ("q", "tictactoe", 400, 400, "episodes")
    assert first.is_finished
    assert first.figures["wins"] == inarow.load_run(first.folder).curve.points[-1]["wins"]


def test_an_unfinished_run_is_listed_as_far_as_it_is(tmp_path):
    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(inarow.Interrupted):
        inarow.train("tictactoe-q", out=tmp_path / "run", watch=stop, progress=False)
    (run,) = inarow.list_runs(tmp_path).runs
    assert not run.is_finished
    assert (run.done, run.total) == (0, 200_000)


def test_a_run_that_cannot_be_read_is_listed_with_the_reason(runs, tmp_path):
    shutil.copytree(runs / "alpha-0.2", tmp_path / "good")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "config.json").write_text("{")
    bad, good = inarow.list_runs(tmp_path).runs
    assert (good.error, good.is_finished) == (None, True)
    assert "has no training run" in bad.error
    assert bad.learner is None


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="there is no folder"):
        inarow.list_runs(tmp_path / "nowhere")
