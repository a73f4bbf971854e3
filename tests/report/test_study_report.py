"""The report of a study on every page and screen."""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from inarow.report.study_page import study_markdown, study_page
from inarow.studies.catalogue import register_study
from inarow.studies.experiment import VARIANTS
from inarow.studies.report import StudyReport
from inarow.studies.results import ResultsFile
from inarow.studies.runner import make_report, run_trials
from tests.cli.command_line import inarow
from tests.report.html_pages import HOSTILE, read
from tests.studies.small_study import DICE

COMMITTED = Path(__file__).parents[2] / "docs" / "studies"


@pytest.fixture
def dice(tmp_path) -> StudyReport:
    finished = run_trials(DICE.plan("quick", VARIANTS, 0), ResultsFile(tmp_path / "results.jsonl"))
    return make_report(DICE, finished, scale="quick", variants=VARIANTS, seed=0, command="inarow reproduce dice")


def test_the_page_shows_every_part_and_asks_nothing_of_any_network(dice):
    page = read(study_page(dice))
    text = " ".join(page.text)
    for part in ("A die", "nobody, 2025", "A die is thrown.", "Means so far", "a note", "inarow reproduce dice"):
        assert part in text
    tags = [tag for tag, _ in page.seen]
    assert tags.count("polyline") == tags.count("polygon") == 2  # a curve and its band for each variant
    assert any(text.startswith("corrected: ") and text.endswith(" at 50") for text in page.text)  # where it ends
    assert tags.count("rect") == 3  # published, as published, corrected
    assert {attrs["href"] for _, attrs in page.seen if "href" in attrs} == {"data:,"}
    assert not [attrs for _, attrs in page.seen if "src" in attrs]


def test_names_from_data_cannot_break_the_page_or_the_markdown(dice):
    hostile = msgspec.structs.replace(dice, title=HOSTILE, source=HOSTILE)
    assert HOSTILE in " ".join(read(study_page(hostile)).text)
    assert "<script>alert" not in study_page(hostile)
    assert "<script>" not in study_markdown(hostile)


def test_the_markdown_has_the_tables(dice):
    text = study_markdown(dice)
    (row,) = dice.sections[0].tables[0].rows
    low, high = row.as_published.interval
    assert f"| mean | 3.5 | {row.as_published.mean:.1f}<br>{low:.1f} to {high:.1f} |" in text
    assert row.agreement.sentence in text


def test_a_report_of_one_variant_has_no_columns_for_the_other(dice):
    (section,) = dice.sections
    (table,) = section.tables
    rows = tuple(msgspec.structs.replace(row, corrected=None) for row in table.rows)
    section = msgspec.structs.replace(section, tables=(msgspec.structs.replace(table, rows=rows),))
    assert "ours, corrected |" not in study_markdown(msgspec.structs.replace(dice, sections=(section,)))


@pytest.mark.parametrize("study", sorted(path.parent.name for path in COMMITTED.glob("*/results.jsonl")))
def test_committed_results_give_the_committed_report_without_running_anything(study, tmp_path):
    for name in ("results.jsonl", "report.md", "verified.json"):
        if (COMMITTED / study / name).exists():
            shutil.copy(COMMITTED / study / name, tmp_path)
    before = (tmp_path / "results.jsonl").read_bytes()
    result = inarow("reproduce", study, "--scale", "paper", "--report-only", "--out", str(tmp_path), "--json")
    assert result.returncode == 0
    assert result.stdout == (tmp_path / "results.json").read_text()
    assert (tmp_path / "results.jsonl").read_bytes() == before
    assert (tmp_path / "report.md").read_text() == (COMMITTED / study / "report.md").read_text()
    read((tmp_path / "report.html").read_text())


@pytest.mark.parametrize("study", ["harman", "paranji-2025", "santos-2025"])
def test_a_report_without_results_is_a_page(study, tmp_path):
    result = inarow("reproduce", study, "--report-only", "--out", str(tmp_path / "new"))
    assert (result.returncode, result.stderr) == (0, "")
    read((tmp_path / "new" / "report.html").read_text())


@pytest.mark.compiled
def test_an_interrupt_keeps_what_is_finished_and_says_how_to_continue(tmp_path):
    results = tmp_path / "results.jsonl"
    command = [sys.executable, "-m", "inarow", "reproduce", "paranji-2025", "--scale", "paper", "--out", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not results.exists() or not results.read_bytes().count(b"\n"):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert output == ""
    kept = len(ResultsFile(results).finished)
    assert kept >= 1
    assert errors.splitlines()[0].startswith(f"stopped after {kept} of ")
    assert errors.splitlines()[-1] == "inarow: interrupted"


def test_tables_fit_eighty_columns(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shutil.copy(COMMITTED / "paranji-2025" / "results.jsonl", tmp_path)
    result = inarow("reproduce", "paranji-2025", "--scale", "paper", "--report-only", "--out", str(tmp_path))
    assert max(len(line) for line in result.stdout.splitlines() if not line.startswith("/")) <= 80
    assert "   298,972 to 298,998" in result.stdout  # an interval is not broken
    assert "results come from other code than this" in result.stderr


@pytest.mark.usefixtures("forgotten_registrations")
def test_results_are_run_again_and_those_of_other_code_refused(tmp_path):
    register_study(DICE)
    command = "reproduce", "dice", "--out", str(tmp_path)
    assert inarow(*command).returncode == 0
    again = inarow(*command, "--verify", "2")
    assert (again.returncode, "the same" in again.stdout) == (0, True)
    assert "1 of 1 results run again gave exactly the same figures and curves" in again.stdout
    inarow(*command, "--report-only")
    assert "1 of 1 results run again" in (tmp_path / "report.md").read_text()
    path = tmp_path / "results.jsonl"
    path.write_text(path.read_text().replace('{"mean":', '{"mean":1'))
    different = inarow(*command, "--verify", "1", "--json")
    assert (different.returncode, msgspec.json.decode(different.stdout)["equal"]) == (1, 0)
    assert inarow(*command, "--verify", "0").returncode == 2
    path.write_text(path.read_text().replace('"code":"', '"code":"0'))
    refused = inarow(*command)
    assert refused.returncode == 2
    assert "6 of 6 stored results come from other code than this" in refused.stderr
    assert inarow(*command, "--other-code", "reuse").returncode == 0
