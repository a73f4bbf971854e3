"""Do classical and quantum draws differ? The question of santos-2025."""

from __future__ import annotations

from inarow.studies.comparison import Agreement, Estimate
from inarow.studies.experiment import VARIANTS, Variant
from inarow.studies.report import Row, Section, Table
from inarow.studies.results import Results
from inarow.studies.santos_2025.published import published
from inarow.studies.welch import Difference, Spread, difference, spread

_FIGURES = (("iterations", "iterations", 3), ("states", "states explored", 0), ("wins", "test: wins, %", 1))
_SIDES, _RULES = ("first", "second"), ("classical", "quantum")


def differences_section(results: Results) -> Section:
    rows, texts = [], []
    for side in _SIDES:
        for figure, label, digits in _FIGURES:
            printed = _published_difference(side, figure)
            ours = [_difference(results, side, variant, figure) for variant in VARIANTS]
            rows.append(
                Row(
                    label=f"{side}: {label}",
                    published=printed.mean if printed else None,
                    as_published=_estimate(ours[0]),
                    corrected=_estimate(ours[1]),
                    digits=digits,
                    agreement=_sentence(printed, ours[0]),
                )
            )
            if ours[0] is not None:
                texts.append(f"{side}, {label}: {ours[0].detectable:,.{digits}f}")
    return Section(
        title="Do classical and quantum draws differ?",
        text=_texts(results, texts),
        tables=(Table("classical minus quantum", tuple(rows), _NOTE),),
    )


_NOTE = (
    "Welch's t-test over runs, intervals for the difference of the means. Yes: p is below 0.05. Six tests are made, so"
    " one of them is below 0.05 by chance in about a quarter of all such studies."
)


def _texts(results: Results, detectable: list[str]) -> tuple[str, ...]:
    if not detectable:
        return ("This needs at least two runs of each kind.",)
    runs = [results.runs(f"{side}, {rule}", "as-published") for side in _SIDES for rule in _RULES]
    many = f"{min(runs)} to {max(runs)} runs" if min(runs) < max(runs) else f"{runs[0]} runs"
    return (
        f"What {many} of each kind can tell: a true difference of this size would be found in four of five such"
        f" studies, a smaller one less often. {'; '.join(detectable)}.",
    )


def _difference(results: Results, side: str, variant: Variant, figure: str) -> Difference | None:
    return difference(*(spread(results.values(f"{side}, {rule}", variant, figure)) for rule in _RULES))


def _published_difference(side: str, figure: str) -> Difference | None:
    numbers = published()
    spreads = []
    for rule in _RULES:
        mean, deviation = getattr(numbers.rows[f"{side}, {rule}"], figure)
        spreads.append(Spread(mean, deviation, numbers.runs))
    return difference(*spreads)


def _estimate(found: Difference | None) -> Estimate | None:
    return None if found is None else Estimate(found.mean, found.interval, 0.0, found.runs)


def _sentence(printed: Difference | None, ours: Difference | None) -> Agreement | None:
    if printed is None or ours is None:
        return None
    answers = ["yes" if each.p < 0.05 else "no" for each in (printed, ours)]
    return Agreement(
        answers[0] == answers[1],
        f"published {answers[0]} (t = {printed.t:.1f}, p = {printed.p:.2g}), ours {answers[1]}"
        f" (t = {ours.t:.1f}, p = {ours.p:.2g})",
    )
