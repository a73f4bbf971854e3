"""The studies by name: those of this package, registered ones, and those of installed packages."""

from collections.abc import Mapping
from functools import cache

from inarow.errors import InvalidStudyError, shown, unknown
from inarow.plugins import load_plugins
from inarow.studies.gupta_shah_2022.report import GUPTA_SHAH_2022
from inarow.studies.harman.report import HARMAN
from inarow.studies.kumbhakern_2025.report import KUMBHAKERN_2025
from inarow.studies.paranji_2025.report import PARANJI_2025
from inarow.studies.santos_2025.report import SANTOS_2025
from inarow.studies.study import Study

_PLUGINS = "inarow.studies"  # group of entry points; each names a `Study`
_registered: dict[str, Study] = {
    study.name: study for study in (PARANJI_2025, KUMBHAKERN_2025, HARMAN, SANTOS_2025, GUPTA_SHAH_2022)
}


def register_study(study: Study) -> Study:
    """Adds a study to this process and returns it; raises InvalidStudyError if another study has its name."""
    if studies().get(study.name, study) != study:
        raise InvalidStudyError(f"there is already a study {shown(study.name)}; choose another name")
    _registered[study.name] = study
    return study


def studies() -> Mapping[str, Study]:
    """All studies by name. Installed packages add studies by entry points in the group `inarow.studies`, which cannot
    replace existing names.
    """
    return {**_plugins()[0], **_registered}


def find_study(name: str) -> Study:
    """The study `name`; raises InvalidStudyError with the names of all studies."""
    found = studies()
    if name not in found:
        broken = "".join(f"; {problem}" for problem in _plugins()[1].values())
        raise InvalidStudyError(unknown("study", name, found, plural="studies") + broken)
    return found[name]


@cache
def _plugins() -> tuple[Mapping[str, Study], Mapping[str, str]]:
    """(Studies of installed packages by name, error messages for those that cannot be loaded)."""
    return load_plugins(_PLUGINS, _check)


def _check(study: object) -> None:
    if not isinstance(study, Study):
        raise TypeError(f"{shown(repr(study))} is not a Study")
