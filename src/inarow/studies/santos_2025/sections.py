"""What the report of santos-2025 shows. Any part of the results may be missing."""

from __future__ import annotations

from inarow.studies.report import Section
from inarow.studies.results import Results
from inarow.studies.santos_2025.beyond import lockstep_section, opponents_section, perfect_play_section
from inarow.studies.santos_2025.curves import curves_section
from inarow.studies.santos_2025.differences import differences_section
from inarow.studies.santos_2025.tables import tables_section
from inarow.studies.santos_2025.theory import theory_section


def sections(results: Results) -> list[Section]:
    """The tables, the question they were made for, and what their authors left open."""
    found = (
        tables_section(results),
        differences_section(results),
        curves_section(results),
        theory_section(results),
        perfect_play_section(results),
        opponents_section(results),
        lockstep_section(results),
    )
    return [each for each in found if each.curves or any(table.rows for table in each.tables)]
