"""Matches beyond Table 1: minimax in other places of the search, and the net for every board on boards new to it.

Figures of a part of a contest are those of a part of a match (`runs.py`). Its timings are CPU seconds per move of a and
of b, the median over a few openings, which hardly depend on the load of the machine. `equal time` means numbers of
simulations that took the same CPU time when they were chosen; these timings show how equal they are.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from inarow.agents.registry import make_agent
from inarow.arena.match import play_plans, summarise
from inarow.arena.match_plan import MatchSettings, plan_match
from inarow.arena.openings import find_openings
from inarow.games import GameSpec, Position
from inarow.studies.experiment import Measured, Scale, Trial
from inarow.studies.gupta_shah_2022.figures import match_figures
from inarow.studies.play import check_sound
from inarow.workers import open_pool

UNIVERSAL = "universal"
CONTEST_GAMES = {"quick": 4, "paper": 20}  # of a part
HYBRID_PARTS, UNIVERSAL_PARTS = 10, 3
_TIMED_OPENINGS = 5

HYBRIDS = {
    "rollouts, depth 2": ("hybrid:informed=all", 47),
    "selection, depth 2": ("hybrid:place=selection", 1_900),
    "selection, depth 4, after 2 visits": ("hybrid:place=selection,depth=4,visits=2", 1_520),
    "backpropagation, depth 2": ("hybrid:place=backup", 3_400),
    "backpropagation, depth 4": ("hybrid:place=backup,depth=4", 3_200),
}
"""Agents, and the simulations for which they need as much time as MCTS for its own."""
EQUAL_SIMULATIONS, MCTS_SIMULATIONS = 500, 5_000

NET_SIMULATIONS = 32
BOARDS = {
    "8x8x4": 4_300,
    "9x9x5": 4_300,
    "12x12x4": 5_300,
    "12x12x5": 3_600,
    "5x5x4/free": 4_300,
    "7x7x5/free": 3_500,
    "9x9x5/free": 1_500,
    "12x12x5/free": 1_200,
}
"""Boards, the first two of which the shipped net has learnt, and the simulations of MCTS that take as much time as
`NET_SIMULATIONS`."""


@dataclass(frozen=True, slots=True)
class Contest:
    """Some games of a match. All parts share the openings and the random streams of the match."""

    title: str
    a: str  # agent strings; {universal} is the net of the settings
    b: str
    board: str = "6x7x4"
    number: int = 0  # of the part

    @property
    def match(self) -> str:
        return f"contest {self.title}"

    @property
    def name(self) -> str:
        return f"{self.match}, part {self.number + 1}"

    def run(self, trial: Trial) -> Measured:
        done, games = trial.size["from"], trial.size["games"]
        spec, seed = GameSpec.parse(self.board), trial.random_seed(name=self.match)
        a, b = (each.format(universal=trial.settings.get(UNIVERSAL)) for each in (self.a, self.b))
        plan = plan_match(a, b, spec, MatchSettings(games=done + games, seed=seed))
        with open_pool(1) as pool:
            records = [check_sound(record) for _, batch in play_plans([plan], pool, [done]) for _, record in batch]
        openings = find_openings(spec, _TIMED_OPENINGS, plan.openings, seed=seed, plies=plan.opening_plies)
        timings = {side: _cpu_seconds(agent, openings) for side, agent in (("a", a), ("b", b))}
        return Measured(match_figures(summarise(records)), timings=timings)


def _cpu_seconds(agent: str, positions: list[Position]) -> float:
    """The median time of a new agent's first decision."""
    make_agent(agent).decide(positions[0])  # compiles and loads
    found = []
    for position in positions:
        player, clock = make_agent(agent, seed=1), time.process_time()
        player.decide(position)
        found.append(time.process_time() - clock)
    return float(np.median(found))


def hybrid_contests(scale: Scale) -> Iterator[Contest]:
    """Every hybrid against MCTS, both with proofs and c = 1 / sqrt 2."""
    for title, (agent, simulations) in HYBRIDS.items():
        for number in range(1 if scale == "quick" else HYBRID_PARTS):
            for kind, own, others in (
                ("simulations", EQUAL_SIMULATIONS, EQUAL_SIMULATIONS),
                ("time", simulations, MCTS_SIMULATIONS),
            ):
                hybrid = f"{agent}{',' if ':' in agent else ':'}simulations={own}"
                yield Contest(f"{title}, equal {kind}", hybrid, f"mcts:simulations={others}", number=number)


def universal_contests(scale: Scale) -> Iterator[Contest]:
    """The net against MCTS."""
    net = f"alphazero:net={{universal}},simulations={NET_SIMULATIONS}"
    for board, simulations in BOARDS.items():
        for number in range(1 if scale == "quick" else UNIVERSAL_PARTS):
            for kind, others in (("simulations", NET_SIMULATIONS), ("time", simulations)):
                yield Contest(f"net on {board}, equal {kind}", net, f"mcts:simulations={others}", board, number)
