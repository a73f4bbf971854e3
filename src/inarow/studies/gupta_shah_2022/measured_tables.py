"""What the report of gupta-shah-2022 shows beyond its tables: perfect play, and speed."""

from __future__ import annotations

from inarow.studies.comparison import Estimate
from inarow.studies.experiment import VARIANTS, Variant
from inarow.studies.gupta_shah_2022 import names
from inarow.studies.gupta_shah_2022.measures import ACCURACIES
from inarow.studies.gupta_shah_2022.published import PLAYERS, TITLES, published
from inarow.studies.report import Bar, BarPlot, Row, Section, Table
from inarow.studies.results import Results

_PLOTTED = "critical_accuracy"


def grades_section(results: Results) -> Section:
    rows, bars, positions = [], [], set()
    for player in PLAYERS:
        for figure in (*ACCURACIES, "mean_regret"):
            ours = [_grade(results, player, variant, figure) for variant in VARIANTS]
            if any(ours):
                unit = "" if figure == "mean_regret" else ", %"
                label = f"{TITLES[player]}: {figure.replace('_', ' ')}{unit}"
                rows.append(Row(label=label, as_published=ours[0], corrected=ours[1], digits=2 if not unit else 1))
            if figure == _PLOTTED:
                found = zip(VARIANTS, ours, strict=True)
                bars += [
                    Bar(TITLES[player], each.mean, each.interval, kind) for kind, each in found if each is not None
                ]
        for variant in VARIANTS:
            positions |= {int(count) for count in results.values(names.grade(player), variant, "positions")}
    note = f"Positions of the standard suite: {' to '.join(f'{count:,}' for count in sorted(positions))}."
    return Section(
        title="Against perfect play",
        text=(
            "How often a move keeps the outcome of the game, how often where some move does not, how often it is a best"
            " one, and how much of the exact score it gives away.",
        ),
        tables=(Table("Accuracy", tuple(rows), note),) if rows else (),
        bars=(BarPlot("Outcome kept in critical positions", "percent", tuple(bars)),) if bars else (),
    )


def _grade(results: Results, player: str, variant: Variant, figure: str) -> Estimate | None:
    """Wilson's interval over the positions; for regret the one that was measured."""
    name = names.grade(player)
    if figure == "mean_regret":
        found = [results.values(name, variant, each) for each in (figure, f"{figure}.low", f"{figure}.high")]
        if not found[0]:
            return None
        (mean,), (low,), (high,) = found
        return Estimate(mean, (low, high), 0.0, 1)
    counts = results.values(name, variant, "critical" if figure == _PLOTTED else "positions")
    return results.estimate(name, variant, figure, is_rate=True, games=int(counts[0]) if counts else None)


def speed_section(results: Results) -> Section:
    rows = []
    for player, reserve in published().reserve.items():
        ours = [_simulations(results, player, variant, published().seconds - reserve) for variant in VARIANTS]
        if any(ours):
            printed = published().simulations.get(player)
            rows.append(Row(label=TITLES[player], published=printed, as_published=ours[0], corrected=ours[1], digits=0))
    note = (
        f"Of the {published().seconds:g} seconds of a move the authors use all but "
        + ", ".join(f"{reserve:g} ({TITLES[player]})" for player, reserve in published().reserve.items())
        + ". Ours: processor time of one core, at the start of the game and in openings."
    )
    return Section(
        title="Simulations for a move",
        text=(
            "Rated games here have the published numbers of simulations, not seconds, so that they can be repeated.",
        ),
        tables=(Table("In five seconds", tuple(rows), note),) if rows else (),
    )


def _simulations(results: Results, player: str, variant: Variant, seconds: float) -> Estimate | None:
    each = results.timing(names.SPEED, variant, player)
    return None if each is None else Estimate(seconds / each, None, 0.0, 1)
