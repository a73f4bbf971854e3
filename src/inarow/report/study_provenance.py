"""Where the results of a study come from, in words: for the page, the Markdown and the terminal."""

from inarow.report.tables import Table
from inarow.studies.provenance import Provenance
from inarow.studies.report import Origin, StudyReport
from inarow.studies.verification import Repetition, Verification

HEADING = "Where the results come from"
_SHOWN_DIGITS = 12  # of a digest


def provenance_sentences(study: StudyReport) -> tuple[str, ...]:
    """A sentence for each provenance of the results, and one for those that were run again."""
    found = tuple(_of_runs(origin) for origin in study.origins)
    return found if study.verified is None else (*found, verification_sentence(study.verified))


def _of_runs(origin: Origin) -> str:
    runs = f"{origin.runs:,} run{'s' * (origin.runs != 1)}"
    if origin.computed is None:
        return f"{runs}: processor, libraries and code were not recorded."
    return f"{runs}: {_place(origin.computed)}; {_libraries(origin.computed)}."


def _place(computed: Provenance) -> str:
    return f"{computed.processor}, {computed.instructions}, code {computed.code[:_SHOWN_DIGITS]}"


def _libraries(computed: Provenance) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in computed.versions.items())
    return versions + "".join(f", {name}={value}" for name, value in computed.pinned.items())


def verification_sentence(verified: Verification) -> str:
    """How many results were run again, where, and how many gave the same figures."""
    where = f"{_place(verified.computed)}; {_libraries(verified.computed)}"
    found = f"{verified.equal} of {len(verified.trials)} results run again gave exactly the same figures and curves"
    return f"{found} ({where})."


def verification_table(verified: Verification) -> Table:
    """The results that were run again, one per row."""
    rows = tuple(
        (each.experiment, each.variant, str(each.seed), f"{each.figures:,}", f"{each.points:,}", _outcome(each))
        for each in verified.trials
    )
    headings = ("experiment", "variant", "seed", "figures", "points of curves", "run again")
    return Table(headings, rows, words=("experiment", "variant", "run again"))


def _outcome(each: Repetition) -> str:
    if each.is_equal:
        return "the same"
    curves = f", {len(each.different_curves)} curves" if each.different_curves else ""
    return f"different: {len(each.different)} figures{curves}"
