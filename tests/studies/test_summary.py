"""Summaries, published figures, and causes."""

import pytest

from inarow.studies.comparison import Agreement, Estimate
from inarow.studies.report import Row, Section, Table
from inarow.studies.summary import Cause, cause_of, published_figures, summary

OURS, CORRECTED = Estimate(49.8, (49.7, 49.9), 0.4, 20), Estimate(-1.25)
ROWS = (
    Row("a: wins, %", 50.17, OURS, CORRECTED, 2, Agreement(True, "within ± 0.40")),
    Row("b: wins, %", 12.0, OURS, None, 1, Agreement(False, "outside ± 0.4")),
    Row("c: moves [0]", 3.0, OURS, None, 1, Agreement(None, "none: 2 runs of 5")),
    Row("d", None, OURS, None, 1),
)
REPEATED = Table("again", ROWS[:1], is_repeated=True)
SECTIONS = (
    Section(title="One", tables=(Table("T", ROWS), REPEATED)),
    Section(title="Two", tables=(Table("T: more", (Row("e", 1.0),)),)),
)


def test_published_figures_are_listed_once():
    paths = [figure.path for figure in published_figures(SECTIONS)]
    assert paths == ["One / T / a: wins, %", "One / T / b: wins, %", "One / T / c: moves [0]", "Two / T: more / e"]


@pytest.mark.parametrize(
    ("paragraph", "text"),
    [
        ("{agreeing} of {judged} judged, {published} published.", "1 of 2 judged, 4 published."),
        ("{group[One].agreeing} of {group[One / T].judged}", "1 of 2"),
        (
            "{figure[One / T / a: wins, %].ours}, {figure[One / T / a: wins, %].published}",
            "49.80 % (49.70 to 49.90), 50.17 %",
        ),
        ("{figure[One / T / a: wins, %].corrected} {figure[One / T / d].our_mean}", "\N{MINUS SIGN}1.25 % 49.8"),
        ("a\n  b", "a b"),
    ],
)
def test_paragraphs_are_filled_in(paragraph, text):
    assert summary([paragraph], SECTIONS) == (text,)


@pytest.mark.parametrize(
    "paragraph",
    [
        "{group[Two].agreeing}",
        "{figure[One / T / d].corrected}",
        "{figure[One / T / d].published}",
        "{figure[One / none].ours}",
    ],
)
def test_a_paragraph_without_results_is_left_out(paragraph):
    assert summary([paragraph, "always"], SECTIONS) == ("always",)
    assert summary(["{judged}"], SECTIONS[1:]) == ()


def test_an_unknown_field_is_an_error():
    with pytest.raises(KeyError):
        summary(["{wins}"], SECTIONS)


def test_the_first_cause_that_fits_is_given_for_figures_that_do_not_agree():
    a, b, c, _ = published_figures(SECTIONS)
    causes = (Cause(("* / b: *",), "one\ncause"), Cause(("*",), "any"), Cause(("* [0]",), "brackets"))
    assert cause_of(b, causes) == "one cause"
    assert cause_of(b, causes[1:]) == "any"
    assert cause_of(b, ()) == cause_of(a, causes) == cause_of(c, causes) == ""
