"""The section of the report on harder play: results of the five policies, the planned tests, learning curves."""

from collections.abc import Iterator

from inarow.studies.comparison import Agreement
from inarow.studies.experiment import Variant
from inarow.studies.report import CurvePlot, Row, Section, Table, measured
from inarow.studies.results import Results
from inarow.studies.santos_2025.harder import (
    HARDER,
    HARDER_RUNS,
    OPPONENTS,
    OUTCOMES,
    POLICIES,
    SIDES,
    TESTED,
    HarderTraining,
    Opposition,
    planned_tests,
)
from inarow.studies.texts import Texts

_SIGNIFICANT = 0.05
_CURVES = ("test score", "training score")
_VARIANT: Variant = "corrected"  # none of the trainings is published
_PLANNED = HARDER_RUNS * len(HARDER)


def harder_section(results: Results, texts: Texts) -> Section:
    """The section; without tables and curves if no training has finished."""
    runs = [results.runs(training, _VARIANT) for training in HARDER]
    is_complete = all(count >= HARDER_RUNS for count in runs)
    tables = [table for each in OPPONENTS if (table := _results_table(results, texts, each)).rows]
    differences = list(_difference_rows(results, texts, is_complete=is_complete))
    if differences:
        note = texts.sentence("harder_tests" if is_complete else "harder_no_tests")
        tables.append(texts.table("harder_differences", differences, note=note))
    state = texts.sentence("harder_complete" if is_complete else "harder_interim", done=sum(runs), planned=_PLANNED)
    plots = [plot for each in OPPONENTS for plot in _plots(results, texts, each) if plot.curves]
    return texts.section("harder", state=state, tables=tables, curves=plots)


def _results_table(results: Results, texts: Texts, opposition: Opposition) -> Table:
    labels, digits = texts.labels["harder"], {"states": 0, "iterations": 3, "oracle calls": 3}
    figures = {name: labels[name] for name in (*OUTCOMES, "training wins", "states", "iterations", "oracle calls")}
    figures |= {
        f"wins, {side}, {agent}": labels["wins"].format(side=side, agent=agent) for agent in TESTED for side in SIDES
    }
    rows = []
    for figure, label in figures.items():
        for policy in POLICIES:
            training, text = HarderTraining(policy, opposition), f"{label}: {policy}"
            is_rate = label.endswith("%")
            rows.append(results.row(text, training, figure, digits=digits.get(figure, 1), is_rate=is_rate))
    return texts.table("harder", measured(rows), opponents=labels[opposition])


def _difference_rows(results: Results, texts: Texts, *, is_complete: bool) -> Iterator[Row]:
    """The planned differences, with the answers of the tests if all runs are in."""
    labels = texts.labels["harder"]
    for test in planned_tests(results):
        label = f"{labels[test.opposition]}, {labels[test.outcome]}: {test.pair[0]} minus {test.pair[1]}"
        answer = None
        if is_complete:
            is_found = test.adjusted < _SIGNIFICANT
            name = ("helps" if test.found.mean > 0 else "hurts") if is_found else "not_shown"
            text = texts.sentence("harder_answer", answer=labels[name], p=test.found.p, adjusted=test.adjusted)
            answer = Agreement(not is_found, text)
        yield Row(label, None, None, test.found.estimate, 1, answer)


def _plots(results: Results, texts: Texts, opposition: Opposition) -> Iterator[CurvePlot]:
    for curve in _CURVES:
        trainings = {policy: HarderTraining(policy, opposition) for policy in POLICIES}
        curves = (results.curve(each, _VARIANT, curve, label=policy) for policy, each in trainings.items())
        yield texts.curve_plot("harder", curves, opponents=texts.labels["harder"][opposition], curve=curve)
