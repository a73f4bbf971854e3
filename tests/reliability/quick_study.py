"""A study of many short experiments."""

from dataclasses import replace

from inarow.studies.experiment import Scale
from inarow.studies.study import Repeated
from tests.studies.small_study import DICE, Die


def experiments(scale: Scale) -> list[Repeated]:
    return [Repeated(Die(seconds=dict.fromkeys(range(40), 0.02)), 40, {"throws": 50})]


MANY_DICE = replace(DICE, experiments=experiments)
