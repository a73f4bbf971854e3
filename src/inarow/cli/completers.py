"""The names that a shell completes, with a description each. Loaded when the user presses Tab."""

from collections.abc import Mapping
from pathlib import Path


def complete_agents(context: object) -> Mapping[str, str]:
    from inarow.agents.registry import registry

    return {name: kind.summary for name, kind in registry().items()}


def complete_presets(context: object) -> Mapping[str, str]:
    """And the TOML files of the current folder."""
    from inarow.learning.config_text import preset_infos

    files = {path.name: "config file" for path in sorted(Path().glob("*.toml"))}
    return {info.name: info.summary for info in preset_infos()} | files


def complete_studies(context: object) -> Mapping[str, str]:
    from inarow.studies.catalogue import studies

    return {name: study.title for name, study in studies().items()}


def complete_benchmarks(context: object) -> Mapping[str, str]:
    from inarow.cli.bench import NAMES

    return dict.fromkeys(NAMES, "")


def complete_suites(context: object) -> Mapping[str, str]:
    from inarow.arena.suite import EXHAUSTIVE, STANDARD

    return {STANDARD: "ships with the package", EXHAUSTIVE: "all positions of a small board"}


def complete_boards(context: object) -> Mapping[str, str]:
    from inarow.games.spec import NAMED_SPECS

    return {name: str(spec) for name, spec in NAMED_SPECS.items()} | {"5x5x4": "", "15x15x5/free": ""}
