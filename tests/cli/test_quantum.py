"""`inarow quantum` as its users meet it."""

import json
import subprocess
import sys
from functools import partial
from importlib.util import find_spec
from xml.etree import ElementTree

import numpy as np
import pytest

from inarow.errors import InvalidDrawError
from inarow.learning.exploration.theory import NoiseStudy, study_noise
from inarow.report.quantum import parse_draw, write_picture
from tests.cli.command_line import document, inarow

needs_qiskit = pytest.mark.skipif(not find_spec("qiskit_aer"), reason="the extra `quantum` is not installed")
SEVEN = "0.05,0.1,0.15,0.2,0.3,0.15,0.05"


@needs_qiskit
def test_show_draws_circuit_amplitudes_and_chances(tmp_path):
    result = inarow("quantum", "show", "--probabilities", SEVEN, "--flags", "2,7", "--out", str(tmp_path / "draw.svg"))
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert "Ry(1.9106)" in result.stdout
    assert " 7       yes      +0.2236           +0.5367  0.0500              0.2880 " in lines
    assert "flagged mass 0.1500, santos-2025 draws m from 0 to 3, best m 1" in lines
    assert "m   1  0.8640  ################################### <" in lines
    assert ElementTree.parse(tmp_path / "draw.svg").getroot().tag.endswith("svg")


@needs_qiskit
def test_show_as_json_counts_columns_from_one():
    found = document("quantum", "show", "--probabilities", "0.25,-,0.25,0.25,0.25", "--flags", "4", "--m", "1")
    assert (found["columns"], found["flags"], found["qubits"], found["m"]) == ([1, 3, 4, 5], [4], 2, 1)
    assert [place["column"] for place in found["after"]] == [1, 3, 4, 5]
    assert [place["probability"] for place in found["after"]] == pytest.approx([0, 0, 1, 0], abs=1e-12)
    assert found["success"][:3] == pytest.approx([0.25, 1, 0.25])
    assert "Ry" in found["circuit"]


@needs_qiskit
def test_verify_finds_that_the_back_ends_agree():
    found = document("quantum", "verify", "--cases", "8", "--draws", "1000", "--seed", "2")
    assert (found["agreed"], found["rejected"], found["cases"]) == (True, 0, 8)
    assert found["largest_difference"] <= 1e-12
    assert len(found["results"]) == 8


@pytest.mark.parametrize("command", [["show", "--probabilities", "0.5,0.5", "--flags", "1"], ["verify"]])
def test_without_qiskit_one_line_names_the_extra(command):
    code = (
        "import sys; sys.modules['qiskit'] = None; sys.argv[1:] = "
        f"{['quantum', *command]!r}; from inarow.cli.app import main; main()"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert result.returncode == 2
    assert result.stderr == "inarow: qiskit is not installed; run: pip install 'inarow[quantum]'\n"


@pytest.mark.parametrize(
    ("probabilities", "flags", "m", "message"),
    [
        ("0.5,0.4", "1", None, "the probabilities sum to 0.9; they must sum to 1"),
        ("0.5,x", "1", None, "'x' is not a probability; give numbers from 0 to 1, - for a full column"),
        ("nan,0.5", "1", None, "'nan' is not a probability"),
        ("1.5,-0.5", "1", None, "'1.5' is not a probability"),
        ("", "1", None, "'' is not a probability"),
        ("0.5,0.5", "3", None, "'3' is not a column; columns are 1 to 2"),
        ("0.5,0.5", "", None, "'' is not a column; columns are 1 to 2"),
        ("0.5,0.5", "0", None, "'0' is not a column; columns are 1 to 2"),
        ("0.5,-,0.5", "2", None, "column 2 is full and cannot be flagged"),
        ("1,0", "2", None, "the flagged columns have probability 0 and cannot be amplified"),
        ("0.5,0.5", "1", -1, "m is -1; it must be 0 to 100"),
        (",".join(["0"] * 17), "1", None, "17 probabilities are too many; boards have at most 16 columns"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_the_reason(probabilities, flags, m, message):
    with pytest.raises(InvalidDrawError) as error:
        parse_draw(probabilities, flags, m)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("probabilities", "flags", "m"), [(SEVEN, "2,7", None), ("1", "1", None), ("0.01,0.99", "1", 4), (SEVEN, "1", 0)]
)
def test_the_same_draw_makes_the_same_picture(tmp_path, probabilities, flags, m):
    draw = parse_draw(probabilities, flags, m)
    for name in ("one.svg", "other.svg", "one.png"):
        write_picture(draw, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.png", "one.svg", "other.svg"]


def test_a_picture_needs_a_name_that_says_its_kind():
    result = inarow("quantum", "show", "--probabilities", "1", "--flags", "1", "--out", "draw.gif")
    assert result.returncode == 2
    assert result.stderr == "inarow: 'draw.gif' is not an .svg or .png file\n"


def test_rounded_probabilities_are_made_exact():
    draw = parse_draw("0.333,0.333,0.333", "1,2", None)
    assert draw.probabilities == pytest.approx(np.full(3, 1 / 3))
    assert draw.mass == pytest.approx(2 / 3)


@needs_qiskit
def test_noise_writes_points_and_a_picture(tmp_path, monkeypatch):
    some = partial(study_noise, masses=(0.05, 0.1))  # smaller ones take longer
    monkeypatch.setattr("inarow.cli.quantum.study_noise", some)
    result = inarow("quantum", "noise", "--out", str(tmp_path / "noise"), "--json")
    assert (result.returncode, result.stderr) == (0, "")
    kept = json.loads((tmp_path / "noise" / "noise.json").read_text())
    assert kept["study"] == json.loads(result.stdout)
    assert kept["command"].startswith("inarow quantum noise")
    ends = {(end["source"], end["mass"], end["amplification"]): end["error"] for end in kept["study"]["thresholds"]}
    assert len(ends) == 8
    assert ends["gates", 0.05, "optimal"] > ends["gates", 0.1, "optimal"]
    assert ElementTree.parse(tmp_path / "noise" / "noise.svg").getroot().tag.endswith("svg")


def test_noise_without_matplotlib_names_the_picture_that_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr("inarow.cli.quantum.study_noise", lambda progress: NoiseStudy((), (), ()))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = inarow("quantum", "noise", "--out", str(tmp_path), "--json")
    picture = tmp_path / "noise.svg"
    line = f"{picture} was not drawn: matplotlib is not installed; run: pip install 'inarow[plots]'\n"
    assert (result.returncode, result.stderr) == (0, line)
    assert [path.name for path in tmp_path.iterdir()] == ["noise.json"]


def test_theory_stands_beside_what_was_drawn():
    rows = document("quantum", "theory", "--decisions", "2000")
    assert len(rows) == 18
    for row in rows:
        assert row["measured"]["rounds"] == pytest.approx(row["rounds"], rel=0.15)
    text = inarow("quantum", "theory", "--decisions", "2000", env={"COLUMNS": ""}).stdout
    assert "0.143         3          0.507" in text
    assert inarow("quantum", "theory", "--decisions", "0").stderr == "inarow: decisions is 0; it must be at least 1\n"


def test_export_writes_openqasm_without_extras(tmp_path):
    words = ("quantum", "export", "--probabilities", "0.25,-,0.25,0.25,0.25", "--flags", "4", "--m", "1")
    printed = inarow(*words)
    assert (printed.returncode, printed.stderr) == (0, "")
    assert printed.stdout.startswith("OPENQASM 3.0;\n")
    assert "// flagged columns 4; m = 1\n" in printed.stdout
    assert "in the list 1, 3, 4, 5\n" in printed.stdout
    written = inarow(*words, "--out", str(tmp_path / "draw.qasm"))
    assert written.stdout == ""
    assert (tmp_path / "draw.qasm").read_text() == printed.stdout
    found = document(*words)
    assert (found["qasm"], found["qubits"], found["m"], found["columns"]) == (printed.stdout, 2, 1, [1, 3, 4, 5])


def test_map_shows_and_writes_the_queries_of_trainings(tmp_path):
    words = ("quantum", "map", "--boards", "tictactoe", "--games", "20")
    shown = inarow(*words, "--out", str(tmp_path))
    assert shown.returncode == 0, shown.stderr
    assert "in none of these trainings; with one of equally likely actions flagged from 24 actions" in shown.stdout
    assert {path.name for path in tmp_path.iterdir()} == {"map.json", "map.svg"}
    found = document(*words)
    assert json.loads((tmp_path / "map.json").read_text())["map"] == found
    assert [each["flags"] for each in found["trainings"]] == ["value", "reward"]
    assert found["least_trained"] == {"quantum": None, "best": None, "cheapest": None}
    refused = inarow("quantum", "map", "--boards", "3x3x2")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
