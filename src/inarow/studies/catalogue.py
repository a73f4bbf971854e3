"""The studies by name."""

from __future__ import annotations

from collections.abc import Mapping

from inarow.errors import InvalidStudyError, shown
from inarow.studies.gupta_shah_2022.study import GUPTA_SHAH_2022
from inarow.studies.harman.study import HARMAN
from inarow.studies.kumbhakern_2025.study import KUMBHAKERN_2025
from inarow.studies.paranji_2025.study import PARANJI_2025
from inarow.studies.santos_2025.study import SANTOS_2025
from inarow.studies.study import Study

STUDIES: Mapping[str, Study] = {
    study.name: study for study in (PARANJI_2025, KUMBHAKERN_2025, HARMAN, SANTOS_2025, GUPTA_SHAH_2022)
}


def find_study(name: str) -> Study:
    """The study of a name; raises InvalidStudyError with the names there are."""
    if name not in STUDIES:
        raise InvalidStudyError(f"there is no study {shown(name)}; studies are {', '.join(STUDIES)}")
    return STUDIES[name]
