"""The table of all published figures, from the committed results."""

import shutil
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
import pytest

from inarow.errors import InvalidStudyError
from inarow.report.all_figures import all_figures_markdown
from inarow.results import json_text
from inarow.studies.all_figures import AllFigures, collect_figures
from inarow.studies.catalogue import studies
from inarow.studies.runner import reproduce
from inarow.studies.verification import load_verification
from tests.cli.command_line import inarow

COMMITTED = Path(__file__).parents[2] / "docs" / "studies"


@pytest.fixture(scope="module")
def found() -> AllFigures:
    return collect_figures(COMMITTED)


def test_the_committed_page_and_json_are_those_of_the_committed_results(found):
    assert (COMMITTED / "all-figures.md").read_text(encoding="utf-8") == all_figures_markdown(found)
    assert (COMMITTED / "all-figures.json").read_text(encoding="utf-8") == json_text(found)


def test_every_study_is_counted_and_every_figure_that_does_not_agree_has_a_cause(found):
    assert [each.study for each in found.studies] == list(studies())
    assert sum(each.published for each in found.studies) == len(found.figures) >= 130
    assert not [each.quantity for each in found.figures if each.agrees is False and not each.cause]
    assert not [each.quantity for each in found.figures if each.agrees is not False and each.cause]
    assert len(found.rows()) == len(found.figures)


def test_every_cause_is_that_of_a_figure(found):
    for study in studies().values():
        paths = [
            f"{each.section} / {each.table} / {each.quantity}" for each in found.figures if each.study == study.name
        ]
        for pattern in (pattern for cause in study.causes for pattern in cause.figures):
            assert any(fnmatchcase(path, pattern.replace("[", "[[]")) for path in paths), pattern


def test_the_json_is_what_the_reference_says(found):
    document = msgspec.json.decode(json_text(found))
    figures = document["figures"]
    assert set(document) == {"studies", "figures"}
    keys = "study section table quantity published as_published corrected digits agrees verdict cause"
    assert all(set(each) == set(keys.split()) for each in figures)
    assert set(figures[0]["as_published"]) == {"mean", "interval", "scatter", "runs"}


def test_the_command_writes_both_files(tmp_path):
    (tmp_path / "harman").mkdir()
    shutil.copy(COMMITTED / "harman" / "results.jsonl", tmp_path / "harman")
    result = inarow("reproduce", "--all-figures", "--scale", "paper", "--out", str(tmp_path), "--json")
    assert result.returncode == 0
    assert result.stdout == (tmp_path / "all-figures.json").read_text()
    assert (tmp_path / "all-figures.md").read_text() == all_figures_markdown(collect_figures(tmp_path))
    with pytest.raises(InvalidStudyError, match="there are no results at scale paper in "):
        collect_figures(tmp_path / "nothing")


@pytest.mark.parametrize("study", list(studies()))
def test_the_page_of_a_study_opens_with_the_summary_of_its_report(study):
    report = reproduce(study, scale="paper", out=COMMITTED / study, report_only=True)
    title, opening, *_ = (COMMITTED / f"{study}.md").read_text(encoding="utf-8").split("\n\n")
    assert title.startswith(f"# {study}: ")
    assert report.summary
    assert " ".join(opening.split()) == f"**In a minute.** {' '.join(report.summary)}"


@pytest.mark.parametrize("study", sorted(path.parent.name for path in COMMITTED.glob("*/verified.json")))
def test_three_results_of_every_study_were_run_again(study):
    found = load_verification(COMMITTED / study)
    assert found is not None
    assert len({each.experiment for each in found.trials}) >= 3
    assert found.equal == sum(each.is_equal for each in found.trials)
    if study != "santos-2025":  # its trainings depend on the processor
        assert found.equal >= 2
