"""What the authors of santos-2025 left open: perfect play, stronger opponents, and a check of our own short cut."""

from __future__ import annotations

from inarow.studies.comparison import Agreement, Estimate
from inarow.studies.experiment import VARIANTS
from inarow.studies.report import Row, Section, Table
from inarow.studies.results import Results
from inarow.studies.santos_2025.runs import ACCURACIES
from inarow.studies.santos_2025.tables import FIGURES
from inarow.studies.santos_2025.trainings import LEARNERS, LOCKSTEPS, PRESAMPLED, STRONGER
from inarow.studies.welch import difference, spread

_LOCKSTEP_NOTE = (
    "Eight figures are compared: if nothing differs, chance still puts one or more outside 95 % in up to a third of"
    " such checks."
)


def perfect_play_section(results: Results) -> Section:
    rows = []
    for name in (*LEARNERS, PRESAMPLED, *STRONGER):
        for figure in ACCURACIES:
            ours = [results.estimate(name, variant, figure, is_rate=True) for variant in VARIANTS]
            label = f"{name}: {figure.replace('_', ' ')}, %"
            if any(ours):
                rows.append(Row(label=label, as_published=ours[0], corrected=ours[1], digits=1))
    return Section(
        title="Against perfect play",
        text=(
            "Each net in the graded positions of the side it was trained on: how often its move keeps the outcome of"
            " the game, how often where that is not certain for every move, and how often it is a best one.",
        ),
        tables=(Table("Accuracy", tuple(rows)),),
    )


def opponents_section(results: Results) -> Section:
    rows = []
    for name in ("first, quantum", PRESAMPLED, *STRONGER):
        for _, figure, label, digits in FIGURES:
            ours = results.estimate(name, "corrected", figure, is_rate=label.endswith("%"))
            if figure in ("iterations", "wins", "draws", "training wins") and ours is not None:
                rows.append(Row(label=f"{name}: {label}", corrected=ours, digits=digits))
    return Section(
        title="Other opponents, other draws",
        text=(
            "The same training against opponents that look further ahead, tested against the opponent of the training;"
            " and with five plain draws before the amplified ones, as the textbook has it.",
        ),
        tables=(Table("Trained and tested against", tuple(rows)),),
    )


def lockstep_section(results: Results) -> Section:
    """Welch's interval for each figure's difference between the two orders of play."""
    rows = []
    for _, figure, label, digits in FIGURES:
        found = difference(*(spread(results.values(name, "as-published", figure)) for name in LOCKSTEPS))
        if found is not None:
            low, high = found.interval
            rows.append(
                Row(
                    label=label,
                    as_published=Estimate(found.mean, found.interval, 0.0, found.runs),
                    digits=digits,
                    agreement=Agreement(
                        low <= 0 <= high, f"{'within' if low <= 0 <= high else 'outside'}: p = {found.p:.2g}"
                    ),
                )
            )
    runs = " and ".join(f"{results.runs(name, 'as-published')} {name.removeprefix('first, ')}" for name in LOCKSTEPS)
    return Section(
        title="Games in lockstep",
        text=(
            "The authors play one game after the other; here the 300 games of a batch move together. The net is fixed"
            " within a batch in any case. A position always comes at the same ply, and at each ply games are decided in"
            " their order, so its flags meet the same games in the same order as one by one: only the random streams"
            f" differ. Difference of the means, lockstep minus one by one; runs: {runs}.",
        ),
        tables=(Table("Lockstep minus one by one", tuple(rows), _LOCKSTEP_NOTE),) if rows else (),
    )
