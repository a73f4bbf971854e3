"""Plots of results by matplotlib."""

import itertools
import struct
from dataclasses import replace

import pytest

import inarow
from inarow.arena.training_run import Curve
from inarow.errors import PictureError
from inarow.report.result_plots import _name, curve_columns
from inarow.results import PlottedResult
from tests.report.result_samples import NAME, results

RESULTS = {kind: result for kind, result in results().items() if isinstance(result, PlottedResult)}
SAID = {  # a text that each plot has
    "match": "score in %, with 95 % interval",
    "tournament": "Elo, with 95 % interval",
    "ratings": "Elo, with 95 % interval; random is 0",
    "assignment": "Elo on the scale of the opponents, with 95 % interval",
    "grade": "keeps the outcome",
    "depths": "search depth in plies",
    "curve": "wins",
    "run": "wins",
}


def texts(figure) -> list[str]:
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def test_every_result_with_a_plot_is_here():
    assert RESULTS.keys() == SAID.keys()


@pytest.mark.parametrize("kind", SAID)
def test_a_plot_is_a_figure_and_a_file(kind, tmp_path):
    result = RESULTS[kind]
    figure = result.plot()
    assert SAID[kind] in texts(figure)
    assert result.plot(str(tmp_path / "plot.svg")) is not figure
    svg = (tmp_path / "plot.svg").read_text()
    assert svg.startswith("<?xml")
    result.plot(tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text() == svg
    result.plot(tmp_path / "plot.png")
    content = (tmp_path / "plot.png").read_bytes()
    width, height = struct.unpack(">II", content[16:24])
    assert content.startswith(b"\x89PNG")
    assert (width, height) == tuple(figure.get_size_inches() * 150)
    assert min(width, height) >= 600


@pytest.mark.parametrize("kind", sorted(SAID.keys() - {"depths"}))
def test_names_are_texts_and_no_formulas(kind):
    shown = "".join(texts(RESULTS[kind].plot())).replace("\n", "")
    assert NAME in shown or (kind == "ratings" and NAME[:20] in shown)


@pytest.mark.parametrize("kind", SAID)
def test_no_texts_overlap(kind):
    figure = RESULTS[kind].plot()
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            boxes = [label.get_window_extent(renderer) for label in axis.get_ticklabels() if label.get_text()]
            shown = [box for box in boxes if box.width and box.height]
            assert not any(one.overlaps(other) for one, other in itertools.pairwise(shown))
        tight = axes.get_tightbbox(renderer)
        assert tight.x0 >= -1
        assert tight.x1 <= figure.bbox.width + 1


def test_a_figure_shows_itself_in_a_notebook():
    assert RESULTS["match"].plot()._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["plot.pdf", "plot", "plot.svg.txt", "svg"])
def test_other_files_are_refused_in_one_line(name, tmp_path):
    with pytest.raises(PictureError, match=r"give a name that ends in \.svg or \.png") as error:
        RESULTS["match"].plot(tmp_path / name)
    assert "\n" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_drawn_is_said():
    with pytest.raises(PictureError, match="has no points yet"):
        Curve("empty", ()).plot()
    with pytest.raises(PictureError, match="no numbers to draw"):
        Curve("flat", ({"episode": 1.0},)).plot()
    with pytest.raises(PictureError, match="no accuracy by ply"):
        replace(RESULTS["grade"], by_ply=()).plot()

    class Own(PlottedResult):
        def rows(self):
            return []

    with pytest.raises(PictureError, match="no plot of a Own"):
        Own().plot()


def test_a_curve_is_drawn_over_the_first_column_that_grows():
    points = tuple(
        {"phase": 1.0, "episode": 10.0 * n, "reward": 0.1, "wins": 0.5, "raw_accuracy": None} for n in (1, 2)
    )
    assert curve_columns(Curve("run", points)) == ("episode", ["wins"])
    points = tuple({"seconds": float(n), "loss": 1.0 / n} for n in (1, 2))
    assert curve_columns(Curve("run", points)) == ("seconds", ["loss"])


def test_long_names_are_broken_into_lines():
    name = "mcts:simulations=20,c=1.41,final=score,solve=false,memory=16"
    lines = _name(name).split("\n")
    assert "".join(lines) == name
    assert all(len(line) <= 24 for line in lines)
    assert len(_name("x" * 900).split("\n")) == 3
    assert _name("x" * 900).endswith("…")
    assert _name("a\nb\x07") == "a b\\x07"
    assert _name("") == ""


def test_many_agents_make_a_higher_plot():
    agents = [f"winblock:epsilon=0.{n:02}" for n in range(1, 16)]
    tournament = inarow.play_tournament(agents, "tictactoe", games=2, progress=False)
    assert tournament.plot().get_size_inches()[1] > RESULTS["tournament"].plot().get_size_inches()[1]
