"""The published and our runs of santos-2025 together, from the committed results."""

from pathlib import Path

import pytest

from inarow.studies.experiment import VARIANTS
from inarow.studies.results import Results, ResultsFile
from inarow.studies.santos_2025.pooled import deviations_section, pooled_section
from inarow.studies.santos_2025.report import FIGURES, SANTOS_2025, TEXTS

COMMITTED = Path(__file__).parents[2] / "docs" / "studies" / "santos-2025" / "results.jsonl"


@pytest.fixture(scope="module")
def results():
    return Results(ResultsFile(COMMITTED).of(SANTOS_2025.plan("paper", VARIANTS, 0)))


def test_the_published_difference_of_the_second_player_lies_in_our_interval(results):
    section = pooled_section(results, TEXTS)
    rows = {row.label: row for row in section.tables[0].rows}
    row = rows["second: iterations"]
    low, high = row.as_published.interval
    assert row.published == pytest.approx(0.078)
    assert low < 0 < 0.078 < high
    assert row.agreement.agrees
    assert "weighted mean 0.047 (95 % interval 0.011 to 0.083), p = 0.010" in section.text[-1]
    assert len(rows) == 6


def test_seven_deviations_of_39_differ(results):
    section = deviations_section(results, TEXTS, FIGURES)
    assert section.text[-1].startswith("7 of 39 deviations differ")
    assert len(section.tables[0].rows) == 7


def test_without_results_nothing_is_pooled():
    empty = Results([])
    assert not pooled_section(empty, TEXTS).tables
    assert not deviations_section(empty, TEXTS, FIGURES).tables
