from itertools import pairwise
from pathlib import Path

import pytest

from inarow.agents.levels import LEVELS, TOP_LEVEL, level_ratings
from inarow.agents.registry import make_agent
from inarow.games.position import Position
from inarow.search.limits import Limits

AGENTS_PAGE = Path(__file__).parents[2] / "docs/reference/agents.md"


def test_every_level_has_a_rating_within_its_interval():
    rows = level_ratings().levels
    assert [row.level for row in rows] == [*LEVELS, TOP_LEVEL]
    for row in rows:
        assert row.interval[0] < row.elo < row.interval[1]


def test_a_higher_level_is_stronger():
    for weaker, stronger in pairwise(level_ratings().levels):
        assert weaker.elo < stronger.elo


def test_the_source_names_the_agents_that_were_rated():
    source = level_ratings().source
    _, _, *agents = source.command.partition(" --")[0].split()
    assert agents == [source.anchor, *(make_agent(f"solver:level={row.level}").name for row in level_ratings().levels)]
    assert source.command.endswith(f"--games {source.games} --seed {source.seed}")


@pytest.mark.parametrize("row", level_ratings().levels, ids=lambda row: f"level {row.level}")
def test_the_docs_tell_the_same(row):
    low, high = row.interval
    assert f"| {row.elo:.0f} | {low:.0f} to {high:.0f} |" in AGENTS_PAGE.read_text(encoding="utf-8")


def test_a_level_keeps_its_simulations_and_can_be_cancelled():
    start, level = Position.start(), LEVELS[9]
    agent = make_agent("solver:level=9", seed=1)
    assert agent.decide(start, limits=Limits(cancelled=lambda: True)).details["simulations"] < level.simulations
    assert agent.decide(start, limits=Limits(simulations=5)).details["simulations"] == level.simulations
