"""The experiments of gupta-shah-2022: cells of Table 1 as the authors played them, fair matches, grades, speed.

Figures of a cell, in percent: `column`, `row` (wins) and `draws`; and `distinct`, the number of distinct games. Figures
of a part of a match of a against b, for a: `first.wins`, `first.draws`, `first.losses` for games in which a moved
first, the same for `second`, `pairs.0` to `pairs.4`, the pairs of games with that many half points, and `distinct`.

Figures of a grade: `outcome_accuracy`, `critical_accuracy`, `optimal_accuracy` in percent, `mean_regret` and the bounds
of its interval `mean_regret.low` and `mean_regret.high`, and the numbers of `positions` and of `critical` positions.
Speed is in the timings: CPU seconds per simulation, by player, the median over positions, which hardly depends on the
load of the machine.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from inarow.agents.alphazero import AlphaZeroParameters, net_hash
from inarow.agents.registry import make_agent
from inarow.arena.grading import grade
from inarow.arena.match import play_plans, summarise
from inarow.arena.match_plan import MatchSettings, plan_match
from inarow.arena.openings import find_openings
from inarow.arena.suite import standard_suite
from inarow.games import CONNECT_FOUR, Position
from inarow.learning.pretrained import find_net
from inarow.studies.comparison import PERCENT
from inarow.studies.experiment import VARIANTS, Measured, Scale, Trial
from inarow.studies.gupta_shah_2022 import PAIRS, PLAYERS, PROGRAM, published
from inarow.studies.gupta_shah_2022.agents import PUBLISHED_NET, agent_string
from inarow.studies.gupta_shah_2022.contests import CONTEST_GAMES, UNIVERSAL, hybrid_contests, universal_contests
from inarow.studies.gupta_shah_2022.figures import match_figures
from inarow.studies.gupta_shah_2022.training import Training
from inarow.studies.play import accuracy_figures, check_sound, play_sound_game
from inarow.studies.study import Repeated, Setting
from inarow.workers import open_pool

NET, NET_CONTENT = "net", "net content"
PROGRAM_NET, PROGRAM_CONTENT = "program-net", "program-net content"
UNIVERSAL_CONTENT = "universal content"
PARTS = 10  # maximum number of parts of a match; a kill loses at most one of them
PROGRAM_PARTS = 5
TRAINED_ITERATIONS = 60  # of the shipped net of the published program
_OPENING_PLIES = 6
_CELLS, _MEASURES, _MATCHES, _PROGRAM, _CONTESTS, _TRAINING = range(6)
"""Stages: experiments for the published tables come first."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The games of a cell of Table 1, all from the empty board and with the same side first."""

    row: str
    column: str
    column_first: bool = True

    @property
    def name(self) -> str:
        return f"cell {self.row} - {self.column}" + ("" if self.column_first else ", row first")

    def run(self, trial: Trial) -> Measured:
        games = trial.size["games"]
        streams = iter(trial.random_streams(2 * games))
        players = (self.column, self.row) if self.column_first else (self.row, self.column)
        strings = [_agent_string(player, trial) for player in players]
        records = []
        for _ in range(games):
            first, second = (make_agent(string, seed=next(streams)) for string in strings)
            records.append(play_sound_game(first, second))
        winners = [None if record.winner is None else players[record.winner - 1] for record in records]
        counted = {"column": self.column, "row": self.row, "draws": None}
        figures = {name: PERCENT * winners.count(winner) / games for name, winner in counted.items()}
        return Measured({**figures, "distinct": float(len({record.moves for record in records}))})


@dataclass(frozen=True, slots=True)
class MatchPart:
    """Some games of a match. All parts share the openings and the random streams of the match."""

    a: str
    b: str
    number: int  # from 0

    @property
    def match(self) -> str:
        """The name of the whole match."""
        return f"match {self.a} - {self.b}"

    @property
    def name(self) -> str:
        return f"{self.match}, part {self.number + 1}"

    def run(self, trial: Trial) -> Measured:
        done, games = trial.size["from"], trial.size["games"]
        settings = MatchSettings(games=done + games, seed=trial.random_seed(name=self.match))
        plan = plan_match(_agent_string(self.a, trial), _agent_string(self.b, trial), settings=settings)
        with open_pool(1) as pool:
            records = [check_sound(record) for _, batch in play_plans([plan], pool, [done]) for _, record in batch]
        summary = summarise(records)
        figures = match_figures(summary)
        seconds = {side: cost.seconds_per_move for side, cost in summary.cost.items()}
        return Measured(figures, timings={side: each for side, each in seconds.items() if each is not None})


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade of a player on evenly spaced positions of the standard suite."""

    player: str

    @property
    def name(self) -> str:
        return f"grade {self.player}"

    def run(self, trial: Trial) -> Measured:
        whole = standard_suite(CONNECT_FOUR)
        count = min(trial.size["positions"], len(whole))
        suite = whole.part(np.linspace(0, len(whole) - 1, count).astype(np.int64))
        graded = grade(_agent_string(self.player, trial), suite=suite, seed=trial.random_seed())
        if graded.fault is not None:
            raise RuntimeError(f"{graded.agent}: {graded.fault}")
        figures = accuracy_figures(graded)
        figures |= {"positions": float(graded.positions), "critical": float(graded.critical)}
        low, high = graded.intervals["mean_regret"] or (0.0, 0.0)
        figures |= {"mean_regret": graded.mean_regret or 0.0, "mean_regret.low": low, "mean_regret.high": high}
        return Measured(figures)


@dataclass(frozen=True, slots=True)
class Speed:
    """Searches with the time of a move, or a part of it, at the start of the game and in openings that are exact draws:
    in decided positions simulations are too cheap.
    """

    name: str = "speed"

    def run(self, trial: Trial) -> Measured:
        share = trial.size["percent of a move"] / PERCENT
        count, seed = trial.size["openings"], trial.random_seed()
        openings = find_openings(CONNECT_FOUR, count, "balanced", seed=seed, plies=_OPENING_PLIES)
        timings = {}
        for player, reserve in published().reserve.items():
            make_agent(_agent_string(player, trial)).decide(Position.start())  # compiles
            limited = _agent_string(player, trial, seconds=share * (published().seconds - reserve))
            found = []
            for position in (Position.start(), *openings):
                clock = time.process_time()
                details = make_agent(limited).decide(position).details or {}
                found.append((time.process_time() - clock) / details["simulations"])
            timings[player] = float(np.median(found))
        return Measured(timings=timings)


def _agent_string(player: str, trial: Trial, *, seconds: float | None = None) -> str:
    net = trial.settings.get(PROGRAM_NET if player == PROGRAM else NET)
    return agent_string(player, trial.variant, net=net, seconds=seconds)


def _resolve_net(key: str, content: str, name: str) -> dict[str, str]:
    """The settings of a net; raises NetError unless it exists and is for this board."""
    find_net(name).check_board(CONNECT_FOUR)
    return {key: name, content: net_hash(AlphaZeroParameters(net=name))}


SETTINGS = {
    key: Setting(default, partial(_resolve_net, key, content))
    for key, content, default in (
        (NET, NET_CONTENT, "connect4"),
        (PROGRAM_NET, PROGRAM_CONTENT, PUBLISHED_NET),
        (UNIVERSAL, UNIVERSAL_CONTENT, "universal"),
    )
}


def experiments(scale: Scale) -> Iterator[Repeated]:
    """Those of the paper's tables, and those beyond them."""
    yield from _of_the_tables(scale)
    yield from _of_the_program(scale)
    size = CONTEST_GAMES[scale]
    for contests, settings in ((hybrid_contests(scale), ()), (universal_contests(scale), (UNIVERSAL,))):
        for contest in contests:
            part = {"from": contest.number * size, "games": size}
            yield Repeated(contest, 1, part, variants=("corrected",), stage=_CONTESTS, settings=settings)


def _of_the_program(scale: Scale) -> Iterator[Repeated]:
    """AlphaZero as published: its cells, fair matches against all other players, its grade, and its training."""
    is_quick, variants = scale == "quick", VARIANTS[:1]
    for row in PLAYERS[:-1]:
        for column_first in (True, False):
            runs, size = 1 if is_quick else 5, {"games": published().table_1.games}
            cell = Cell(row, PROGRAM, column_first)
            yield Repeated(cell, runs, size, variants=variants, stage=_PROGRAM, settings=(PROGRAM_NET,))
    size = {"positions": 126 if is_quick else 5040}
    yield Repeated(Grade(PROGRAM), 1, size, variants=variants, stage=_PROGRAM, settings=(PROGRAM_NET,))
    games = 4 if is_quick else 40
    for number in range(1 if is_quick else PROGRAM_PARTS):
        for player in PLAYERS:
            size, settings = {"from": number * games, "games": games}, (*_settings(player), PROGRAM_NET)
            part = MatchPart(player, PROGRAM, number)
            yield Repeated(part, 1, size, variants=variants, stage=_PROGRAM, settings=settings)
    if not is_quick:
        yield Repeated(Training(), 1, {"iterations": TRAINED_ITERATIONS}, variants=variants, stage=_TRAINING)


def _of_the_tables(scale: Scale) -> Iterator[Repeated]:
    """The same experiments in both scales; runs, games, positions and times differ."""
    is_quick = scale == "quick"
    unknown_order = [pair for pair in PAIRS if pair[1] in published().table_1.unknown_order]
    cells = [*(Cell(*pair) for pair in PAIRS), *(Cell(*pair, column_first=False) for pair in unknown_order)]
    size, runs = {"games": published().table_1.games}, 1 if is_quick else 20
    for cell in cells:
        settings = _settings(cell.row, cell.column)
        yield Repeated(cell, runs, size, variants=("as-published",), stage=_CELLS, settings=settings)
    speed = {"percent of a move": 10, "openings": 1} if is_quick else {"percent of a move": 100, "openings": 5}
    yield Repeated(Speed(), 1, speed, stage=_MEASURES, settings=(NET,))
    for player in PLAYERS:
        size = {"positions": 126 if is_quick else 5040}
        yield Repeated(Grade(player), 1, size, stage=_MEASURES, settings=_settings(player))
    games = 8 if is_quick else 40
    for number in range(1 if is_quick else PARTS):
        for pair in PAIRS:
            size = {"from": number * games, "games": games}
            yield Repeated(MatchPart(*pair, number), 1, size, stage=_MATCHES, settings=_settings(*pair))


def _settings(*players: str) -> tuple[str, ...]:
    return (NET,) if "alphazero" in players else ()
