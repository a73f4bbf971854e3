"""The study gupta-shah-2022: what it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from inarow.studies.experiment import Experiment, Measured, Scale
from inarow.studies.gupta_shah_2022 import names
from inarow.studies.gupta_shah_2022.games import play_cell, play_part
from inarow.studies.gupta_shah_2022.measures import grade_player, measure_speed
from inarow.studies.gupta_shah_2022.players import NET, NET_SETTING
from inarow.studies.gupta_shah_2022.published import PAIRS, PLAYERS, published
from inarow.studies.gupta_shah_2022.sections import sections
from inarow.studies.study import Repeated, Study

_CELLS, _MEASURES, _MATCHES = range(3)
"""Stages: what the published tables need comes first."""
_PARTS = {names.part(*pair, number): (number, pair) for number in range(names.PARTS) for pair in PAIRS}
_UNKNOWN_ORDER = [(row, column) for row, column in PAIRS if column in published().table_1.unknown_order]
_KINDS: dict[str, Callable[[Experiment], Measured]] = {
    **{names.cell(*pair): partial(play_cell, *pair) for pair in PAIRS},
    **{names.cell(*pair, column_first=False): partial(play_cell, *pair, column_first=False) for pair in _UNKNOWN_ORDER},
    names.SPEED: measure_speed,
    **{names.grade(player): partial(grade_player, player) for player in PLAYERS},
    **{name: partial(play_part, *pair, names.match(*pair)) for name, (_, pair) in _PARTS.items()},
}


def _experiments(scale: Scale) -> list[Repeated]:
    return list(_planned(is_quick=scale == "quick"))


def _planned(*, is_quick: bool) -> Iterator[Repeated]:
    """The same experiments in both scales, but for how many runs, games and positions, and for how long."""
    speed = {"percent of a move": 10, "openings": 1} if is_quick else {"percent of a move": 100, "openings": 5}
    games = 8 if is_quick else 40
    for name in _KINDS:
        settings = (NET,) if name == names.SPEED or "alphazero" in name else ()
        if name == names.SPEED:
            yield Repeated(name, 1, speed, stage=_MEASURES, settings=settings)
        elif name.startswith("grade"):
            size = {"positions": 126 if is_quick else 5040}
            yield Repeated(name, 1, size, stage=_MEASURES, settings=settings)
        elif name in _PARTS:
            number, _ = _PARTS[name]
            size = {"from": number * games, "games": games}
            if number == 0 or not is_quick:
                yield Repeated(name, 1, size, stage=_MATCHES, settings=settings)
        else:
            size = {"games": published().table_1.games}
            runs = 1 if is_quick else 20
            yield Repeated(name, runs, size, variants=("as-published",), stage=_CELLS, settings=settings)


def _run(experiment: Experiment) -> Measured:
    return _KINDS[experiment.name](experiment)


GUPTA_SHAH_2022 = Study(
    name="gupta-shah-2022",
    title="gupta-shah-2022: five ConnectX agents, from greedy to AlphaZero",
    source="S. Gupta, S. Shah, Reinforcement Learning for ConnectX, 2022",
    experiments=_experiments,
    run=_run,
    sections=sections,
    settings={NET: NET_SETTING},
)
