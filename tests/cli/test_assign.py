from tests.arena.test_assignment import FILES, RUBRIC, hand_in
from tests.cli.command_line import inarow

SMALL = ("--opponents", "random", "--games", "2", "--positions", "10", "--workers", "1")


def test_a_folder_is_graded_printed_and_graded_again_from_what_is_known(tmp_path):
    subs = hand_in(tmp_path / "subs", {"a" * 60: FILES["winner"], "dora": FILES["dora"], "centre": FILES["centre"]})
    (tmp_path / "rubric.toml").write_text(RUBRIC)
    command = ("assign", "grade", "subs", *SMALL, "--rubric", "rubric.toml")
    result = inarow(*command, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    header, *lines = result.stdout.splitlines()
    assert header.split() == ["#", "name", "Elo", "95", "%", "score", "crit.", "faults", "points", "grade"]
    assert all(len(line) <= 80 for line in [header, *lines[:3]])
    assert "dora: has a syntax error on line 1: invalid syntax" in lines
    assert lines[-1] == "subs-grades: report.html, grades.csv, results.json, feedback"
    grades = subs.with_name("subs-grades")
    assert {path.name for path in grades.iterdir()} == {
        *("report.html", "grades.csv", "results.json", "feedback", "state")
    }
    as_json = inarow(*command, "--json", cwd=tmp_path)
    assert as_json.stdout == (grades / "results.json").read_text()


def test_what_cannot_be_graded_is_one_line(tmp_path):
    hand_in(tmp_path / "subs", {"dora": FILES["dora"]})
    for arguments, message in (
        (("none",), "none is not a folder"),
        (("subs", "--out", "subs"), "the results cannot be in the folder of the files"),
        (("subs", "--rubric", "none.toml"), "none.toml cannot be read"),
        (("subs", "--opponents", "nobody"), "nobody"),
    ):
        result = inarow("assign", "grade", *arguments, cwd=tmp_path)
        assert result.returncode == 2
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1
