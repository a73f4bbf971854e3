"""A folder of agent files is graded: nothing that one file does matters to the others."""

import csv
import json
import os

import pytest

import inarow
from inarow.arena import assignment as module
from inarow.arena.assignment import grade_assignment
from inarow.arena.rubric import Criterion, Rubric, load_rubric
from inarow.arena.student_grading import smoke_positions
from inarow.arena.suite import Suite
from inarow.errors import AssignmentError, ConfigError, Interrupted, InvalidLimitError
from inarow.games import CONNECT_FOUR, TIC_TAC_TOE, GameSpec

RANDOM = """import random
def agent(observation, configuration):
    legal = [column for column in range(configuration.columns) if not observation.board[column]]
    return random.choice(legal)
"""
FILES = {
    "alice": RANDOM,
    "Åsa Öz": RANDOM.replace("import random", "import random  # my own\n"),
    "bob": RANDOM,
    "centre": "import numpy as np\n\ndef agent(obs):\n    return np.int64(3)\n",
    "dora": "def agent(:\n",
    "eve": "def agent(observation):\n    while True:\n        pass\n",
    "winner": "class A:\n    def decide(self, position):\n"
    "        wins = position.winning_actions()\n        return (*wins, *position.legal_actions)[0]\n",
    "empty": "",
}
SETTINGS = {"opponents": ["random"], "games": 2, "positions": 12, "move_seconds": 0.5, "progress": False}
RUBRIC = """
title = "First steps"
[[criteria]]
name = "loads"
points = 1
measure = "loads"
at_least = 1
[[criteria]]
name = "accuracy"
points = 4
measure = "outcome_accuracy"
from = 0
to = 1
[[criteria]]
name = "a game won"
points = 2
measure = "wins"
against = "random"
above = 0
[grades]
pass = 3
fail = 0
"""


def hand_in(folder, files):
    folder.mkdir(exist_ok=True)
    for name, source in files.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder of submissions, strange ones included, with a rubric beside it."""
    place = tmp_path_factory.mktemp("course")
    subs = hand_in(place / "subs", FILES)
    (place / "rubric.toml").write_text(RUBRIC)
    (subs / "folder.py").mkdir()
    (subs / "link.py").symlink_to(place / "rubric.toml")
    (subs / "notes.txt").write_text("read me")
    os.truncate(subs / "empty.py", 0)
    os.close(os.open(subs / "large.py", os.O_CREAT))
    os.truncate(subs / "large.py", 500 << 20)
    return place


@pytest.fixture(scope="module")
def made(place):
    return grade_assignment(
        place / "subs",
        **SETTINGS,
        rubric=place / "rubric.toml",
        round_robin=0,
        out=place / "out",
        command="the command",
    )


def first_fault(made, name):
    return str(made[name].result.faults[0].fault)


def test_every_file_has_a_row_and_its_first_fault(made):
    assert len(made) == len(FILES) + 3
    assert made.skipped == ("notes.txt",)
    assert first_fault(made, "dora") == "has a syntax error on line 1: invalid syntax"
    assert first_fault(made, "empty") == "is empty"
    assert first_fault(made, "folder") == "is a folder, not a file"
    assert first_fault(made, "link") == "is a link to another file, not a file"
    assert first_fault(made, "large") == "cannot be read: it is larger than 1 MB"
    assert first_fault(made, "centre") == "played column 4 (returned 3), which is full, after 444444"
    assert [made[name].faults for name in ("alice", "winner")] == [0, 0]
    assert made["centre"].result.warnings == ("returns int64: Kaggle takes a plain int only; write int(...)",)


def test_an_endless_loop_loses_everything_after_three_decisions(made):
    eve = made["eve"]
    assert (eve.time_outs, eve.faults) == (3, 3)
    assert eve.result.notes == ("3 of the first 3 decisions failed: everything else counts as lost",)
    assert (eve.total.losses, eve.total.games, eve.result.matches[0].forfeited) == (2, 2, 2)
    assert eve.result.accuracy.positions == 12
    assert eve.result.accuracy.outcome_accuracy == eve.measures()["outcome_accuracy"] < 1


def test_ranks_follow_ratings_and_files_that_do_not_load_come_last(made):
    elos = [file.rating.elo for file in made.files if file.rating]
    assert elos == sorted(elos, reverse=True)
    assert [file.rank for file in made.files[-5:]] == [len(elos) + 1] * 5
    assert {file.name for file in made.files[-5:]} == {"dora", "empty", "folder", "large", "link"}


def test_copies_are_reported_and_measured_alike(made):
    alice, bob, other = made["alice"], made["bob"], made["Åsa Öz"]
    assert (alice.copies, bob.copies, other.copies) == (("bob",), ("alice",), ())
    assert (alice.alike, other.alike) == (("Åsa Öz",), ("alice", "bob"))
    assert alice.measures() == bob.measures()
    assert alice.result.choices == other.result.choices


def test_points_follow_the_rubric(made):
    wins, dora = made["winner"], made["dora"]
    accuracy = wins.result.accuracy.outcome_accuracy
    assert [each.points for each in wins.earned] == [1, round(4 * accuracy, 2), 2 * (wins.total.wins > 0)]
    assert wins.points == pytest.approx(sum(each.points for each in wins.earned))
    assert (dora.points, dora.grade) == (0, "fail")
    assert wins.grade == ("pass" if wins.points >= 3 else "fail")


def test_nothing_that_is_measured_depends_on_the_other_files(made, tmp_path):
    """Also not on the number of workers."""
    alone = hand_in(tmp_path / "alone", {"someone": RANDOM, "winner": FILES["winner"]})
    again = grade_assignment(alone, **SETTINGS, workers=2)
    for name, before in (("someone", "alice"), ("winner", "winner")):
        one, other = again[name], made[before]
        assert one.rating.elo == other.rating.elo
        assert (one.result.choices, one.result.matches) == (other.result.choices, other.result.matches)


def test_the_folder_has_a_report_a_table_and_feedback_without_other_names(place, made):
    out = place / "out"
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "First steps" in page
    assert "alice, bob have the same content." in page
    assert all(file.name in page for file in made.files)
    with (out / "grades.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [file.name for file in made.files]
    assert rows[0]["score against random"] == str(made.files[0].total.score)
    document = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert [file["name"] for file in document["files"]] == [row["name"] for row in rows]
    assert sorted(path.stem for path in (out / "feedback").iterdir()) == sorted(
        file.name.replace(" ", "_") for file in made.files
    )
    for file in made.files:
        own = (out / "feedback" / f"{file.name.replace(' ', '_')}.html").read_text(encoding="utf-8")
        assert f"<h1>{file.name}</h1>" in own
        others = {"alice", "bob", "centre", "dora", "Åsa Öz", "winner"} - {file.name}
        text = own[own.index("<main>") :]
        assert not [name for name in others if f">{name}" in text or f"{name} against" in text]


def test_only_changed_files_are_graded_again(place, made, tmp_path, monkeypatch):
    graded = []
    work = module.grade_file
    monkeypatch.setattr(module, "grade_file", lambda task: graded.append(task.source) or work(task))
    again = grade_assignment(place / "subs", **SETTINGS, rubric=place / "rubric.toml", out=place / "out")
    assert graded == []
    assert again.to_dict() == made.to_dict()
    small = hand_in(tmp_path / "small", {"dora": FILES["dora"], "none": "x = 1\n"})
    grade_assignment(small, **SETTINGS, out=tmp_path / "out")
    hand_in(small, {"none": "x = 2\n"})
    grade_assignment(small, **SETTINGS, out=tmp_path / "out")
    assert graded == [b"def agent(:\n", b"x = 1\n", b"x = 2\n"]
    assert len(list((tmp_path / "out" / "state").glob("file-*.json"))) == 2


def test_an_interrupted_grading_continues(tmp_path, monkeypatch):
    small = hand_in(tmp_path / "small", {"a": "x = 1\n", "b": "x = 2\n"})
    work, graded = module.grade_file, []

    def interrupted(task):
        if graded:
            raise KeyboardInterrupt
        graded.append(task.source)
        return work(task)

    monkeypatch.setattr(module, "grade_file", interrupted)
    with pytest.raises(Interrupted, match="stopped after 1 of 2 files") as stop:
        grade_assignment(small, **SETTINGS, out=tmp_path / "out")
    assert [file.name for file in stop.value.result.files] == ["a"]
    monkeypatch.setattr(module, "grade_file", lambda task: graded.append(task.source) or work(task))
    assert len(grade_assignment(small, **SETTINGS, out=tmp_path / "out")) == 2
    assert graded == [b"x = 1\n", b"x = 2\n"]


def test_a_damaged_result_is_measured_again(tmp_path):
    small = hand_in(tmp_path / "small", {"a": "x = 1\n"})
    made = grade_assignment(small, **SETTINGS, out=tmp_path / "out")
    for path in (tmp_path / "out" / "state").iterdir():
        path.write_bytes(path.read_bytes()[:-5])
    assert grade_assignment(small, **SETTINGS, out=tmp_path / "out").to_dict() == made.to_dict()


def test_the_thinking_time_of_a_file_is_bounded(tmp_path):
    slow = "import time\ndef agent(position):\n    time.sleep(0.1)\n    return position.legal_actions[0]\n"
    settings = {**SETTINGS, "games": 20}
    made = grade_assignment(hand_in(tmp_path / "slow", {"slow": slow}), **settings, file_seconds=1.0)["slow"]
    assert "12 positions only: 25% of the thinking time was used up" in made.result.notes[0]
    assert "20 games only: the thinking time of 1 s was used up" in made.result.notes[1]
    assert made.faults == 0
    assert made.total.games < 20


def test_files_meet_each_other_in_a_round_robin(tmp_path):
    subs = hand_in(tmp_path / "subs", {"a": RANDOM, "b": RANDOM, "c": FILES["winner"], "d": FILES["dora"]})
    settings = {**SETTINGS, "positions": 0}
    made = grade_assignment(subs, **settings, round_robin=2, out=tmp_path / "out")
    cross = made.class_games
    assert set(cross.agents) == {"a", "b", "c"}
    assert [cross.tally(one, other).games for one, other in ("ab", "ac", "bc")] == [2, 2, 2]
    assert "Round robin" in (tmp_path / "out" / "report.html").read_text()
    assert grade_assignment(subs, **settings, round_robin=2, out=tmp_path / "out").class_games.results == cross.results


def test_results_are_a_table_a_page_and_a_short_text(made, tmp_path):
    assert repr(made) == f"<Assignment of {len(made)} files on 6x7x4: 6 load>"
    assert made._repr_html_().count("<tr>") > len(made)
    assert list(made.to_frame()["name"]) == [file.name for file in made.files]
    made.plot(tmp_path / "ratings.svg")
    with pytest.raises(AssignmentError, match="there is no file of 'nobody'"):
        made["nobody"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"games": 3}, "games is 3"),
        ({"games": 0, "positions": 0}, "games is 0"),
        ({"memory": 1}, "memory is 1; it must be 64 to"),
        ({"round_robin": 3}, "round-robin is 3"),
        ({"opponents": []}, "there are no opponents"),
        ({"opponents": ["random", "random"]}, "given more than once"),
        ({"workers": inarow.Cluster()}, "on this machine only"),
    ],
)
def test_bad_settings_are_refused_before_the_work(place, settings, message):
    with pytest.raises((InvalidLimitError, AssignmentError), match=message):
        grade_assignment(place / "subs", **{**SETTINGS, **settings})


def test_folders_that_cannot_be_graded_are_refused(tmp_path):
    with pytest.raises(AssignmentError, match="is not a folder"):
        grade_assignment(tmp_path / "none", **SETTINGS)
    with pytest.raises(AssignmentError, match="has no Python files"):
        grade_assignment(tmp_path, **SETTINGS)
    with pytest.raises(AssignmentError, match="holds Python itself"):
        grade_assignment("/", **SETTINGS)


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        ({"measure": "charm", "above": 1}, "there is no measure 'charm'; measures are loads, faults"),
        ({"measure": "elo", "above": 1, "against": "random"}, "there is no measure 'elo'; measures are games"),
        ({"measure": "score", "above": 1, "against": "solver"}, "'solver' is no opponent; opponents are random"),
        ({"measure": "score"}, "it needs one of at_least, above, at_most, below, or both from and to"),
        ({"measure": "score", "from": 1, "to": 1}, "from and to must differ"),
        ({"measure": "score", "abov": 1}, "unknown field `abov`"),
    ],
)
def test_a_bad_rubric_says_what_is_valid(criterion, message):
    with pytest.raises(ConfigError, match=message):
        load_rubric({"criteria": [{"name": "x", "points": 1, **criterion}]}, module.MEASURES, ["random"])


def test_criteria_give_all_nothing_or_a_part():
    def criterion(**limits):
        return Criterion(name="x", points=4, measure="score", **limits)

    assert [criterion(at_least=2).earned(value) for value in (1.9, 2, None)] == [0, 4, 0]
    assert [criterion(above=2).earned(value) for value in (2, 2.1)] == [0, 4]
    assert [criterion(at_most=2).earned(value) for value in (2, 2.1)] == [4, 0]
    assert [criterion(below=2).earned(value) for value in (1.9, 2)] == [4, 0]
    assert [criterion(from_=1, to=3).earned(value) for value in (0, 1.5, 4)] == [0, 1, 4]
    assert [criterion(from_=3, to=1).earned(value) for value in (4, 1.5, 0)] == [0, 3, 4]
    rubric = Rubric(criteria=(criterion(above=0),), grades={"B": 2, "A": 4})
    assert [rubric.grade(points) for points in (1, 2, 3.9, 4)] == [None, "B", "B", "A"]


@pytest.mark.parametrize("spec", [CONNECT_FOUR, TIC_TAC_TOE, GameSpec.parse("4x5x3")], ids=str)
def test_smoke_positions_are_of_every_kind(spec):
    positions = smoke_positions(spec)
    assert not any(position.is_over for position in positions)
    assert {position.side_to_move for position in positions} == {1, 2}
    assert positions[0].ply == 0
    if spec == CONNECT_FOUR:
        assert max(position.ply for position in positions) == spec.cells - 1
        assert any(len(position.legal_actions) < spec.actions for position in positions)


def test_the_sample_of_a_suite_is_the_same_in_both_orders():
    suite = inarow.arena.suite.find_suite(None, TIC_TAC_TOE)
    assert isinstance(suite, Suite)
    assert [p.moves for p in suite.sample(9).positions] == [
        suite.positions[place].moves for place in sorted(suite.sampled_places(9))
    ]
