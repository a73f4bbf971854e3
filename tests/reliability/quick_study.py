"""A study of many short experiments."""

import time
from dataclasses import replace

from inarow.studies.experiment import Experiment, Measured, Scale
from inarow.studies.study import Repeated
from tests.studies.small_study import DICE, run


def experiments(scale: Scale) -> list[Repeated]:
    return [Repeated("die", 40, {"throws": 50})]


def run_in_a_moment(experiment: Experiment) -> Measured:
    time.sleep(0.02)
    return run(experiment)


MANY_DICE = replace(DICE, experiments=experiments, run=run_in_a_moment)
