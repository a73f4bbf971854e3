"""Sections of the report that set the published runs beside ours: differences pooled, deviations compared. Both are
post hoc: they were chosen after the results were known.
"""

from itertools import product

from inarow.learning.exploration.config import Rule
from inarow.studies.comparison import Agreement, Difference, Estimate, Spread, difference, spread
from inarow.studies.pooling import Measurement, measurement, pool, variances_differ
from inarow.studies.report import Row, Section
from inarow.studies.results import Results
from inarow.studies.santos_2025 import published
from inarow.studies.santos_2025.runs import EPISODES, LEARNERS, Training
from inarow.studies.texts import Texts

COMPARED = {"iterations": 3, "states": 0, "wins": 1}
_SIGNIFICANT = 0.05
_RULES: tuple[Rule, Rule] = ("classical", "quantum")
_MINUS = "\N{MINUS SIGN}"


def published_spread(training: Training, figure: str) -> Spread | None:
    """The published mean and deviation of a figure; None if it was not published."""
    row = published().rows.get(training.name)
    found: tuple[float, float] | None = getattr(row, figure.replace(" ", "_"), None)
    return None if found is None else Spread(*found, published().runs)


def pooled_section(results: Results, texts: Texts) -> Section:
    """Classical minus quantum: published, ours, and both together."""
    rows, both = [], []
    for figure, side in product(COMPARED, EPISODES):
        pair = [Training(side, rule) for rule in _RULES]
        ours = [spread(results.values(training, "as-published", figure)) for training in pair]
        printed = [published_spread(training, figure) for training in pair]
        measured = [each for each in (measurement(*printed), measurement(*ours)) if each is not None]
        found = difference(*ours)
        if len(measured) < len(_RULES) or found is None:
            continue
        rows.append(_row(f"{side}: {texts.labels['figures'][figure]}", COMPARED[figure], measured, found, texts))
        both += measured if figure == "iterations" else []
    text = ""
    if len(both) == len(_RULES) * len(EPISODES):
        found_both = pool(both)
        low, high = found_both.interval
        text = texts.sentence(
            "pooled", mean=found_both.mean, low=low, high=high, p=found_both.p, equal=found_both.p_equal
        )
    return texts.section("pooled", pooled=text, tables=[texts.table("pooled", rows)] if rows else [])


def _row(label: str, digits: int, measured: list[Measurement], ours: Difference, texts: Texts) -> Row:
    found = pool(measured)
    mean, low, high = (f"{end:,.{digits}f}".replace("-", _MINUS) for end in (found.mean, *found.interval))
    sentence = texts.sentence("pooled_row", mean=mean, low=low, high=high, p=found.p)
    lowest, highest = ours.interval
    is_inside = lowest <= measured[0].mean <= highest
    return Row(label, measured[0].mean, ours.estimate, None, digits, Agreement(is_inside, sentence))


def deviations_section(results: Results, texts: Texts, figures: dict[str, int]) -> Section:
    """Published deviations that differ from ours by an F-test."""
    rows, compared = [], 0
    for training, figure in product(LEARNERS, figures):
        printed, ours = published_spread(training, figure), spread(results.values(training, "as-published", figure))
        if printed is None or ours is None:
            continue
        compared += 1
        p = variances_differ(printed, ours)
        if p < _SIGNIFICANT:
            label = f"{training.name}: {texts.labels['figures'][figure]}, deviation"
            estimate = Estimate(ours.deviation, None, 0.0, ours.runs)
            row = Row(
                label, printed.deviation, estimate, None, figures[figure], Agreement(False, f"outside: p = {p:.2g}")
            )
            rows.append(row)
    text = texts.sentence("deviations", differing=len(rows), compared=compared) if compared else ""
    return texts.section("deviations", deviations=text, tables=[texts.table("deviations", rows)] if rows else [])
