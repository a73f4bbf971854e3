"""The games of gupta-shah-2022: cells of Table 1 as the authors played them, and matches of paired openings.

Figures of a cell, in percent: `column`, `row` (wins) and `draws`; and `distinct`, how many of its games differ. Those
of a part of a match of a against b, counted for a: `first.wins`, `first.draws`, `first.losses` where a moved first,
the same under `second`, `pairs.0` to `pairs.4`, pairs of games in which a made so many half points, and `distinct`.
"""

from __future__ import annotations

from msgspec.structs import replace

from inarow.agents.registry import make_agent
from inarow.arena.game import play_game
from inarow.arena.schedule import plan_match, play_plans
from inarow.arena.summary import MatchSummary, summarise
from inarow.games.record import GameRecord
from inarow.studies.experiment import Experiment, Measured
from inarow.studies.gupta_shah_2022.players import agent_string
from inarow.workers import open_pool

_PERCENT = 100.0


def play_cell(row: str, column: str, experiment: Experiment, *, column_first: bool = True) -> Measured:
    """The games of a cell, all from the empty board and with the same side first."""
    games = experiment.size["games"]
    streams = iter(experiment.random_streams(2 * games))
    players = (column, row) if column_first else (row, column)
    records = []
    for _ in range(games):
        first, second = (make_agent(agent_string(player, experiment), seed=next(streams)) for player in players)
        records.append(_sound(play_game(first, second)))
    winners = [None if record.winner is None else players[record.winner - 1] for record in records]
    return Measured(
        {
            "column": _PERCENT * winners.count(column) / games,
            "row": _PERCENT * winners.count(row) / games,
            "draws": _PERCENT * winners.count(None) / games,
            "distinct": float(len({record.moves for record in records})),
        }
    )


def play_part(a: str, b: str, pairing: str, experiment: Experiment) -> Measured:
    """Some games of a match, from a number on: all parts of one `pairing` share its openings and its chance."""
    done, games = experiment.size["from"], experiment.size["games"]
    (stream,) = replace(experiment, name=pairing).random_streams(1)
    plan = plan_match(
        agent_string(a, experiment),
        agent_string(b, experiment),
        games=done + games,
        seed=int(stream.generate_state(1)[0]),
    )
    with open_pool(1) as pool:
        records = [_sound(record) for _, batch in play_plans([plan], pool, [done]) for _, record in batch]
    return _counted(summarise(records))


def _counted(summary: MatchSummary) -> Measured:
    figures = {f"pairs.{points}": float(count) for points, count in enumerate(summary.pairs)}
    for side, result in (("first", summary.as_first), ("second", summary.as_second)):
        figures |= {f"{side}.{kind}": float(getattr(result, kind)) for kind in ("wins", "draws", "losses")}
    figures["distinct"] = float(summary.distinct_games)
    timings = {side: cost.seconds_per_move for side, cost in summary.cost.items() if cost.seconds_per_move is not None}
    return Measured(figures, timings=timings)


def _sound(record: GameRecord) -> GameRecord:
    """A crash is not a lost game here, but an error."""
    if record.fault is not None:
        raise RuntimeError(f"{record.first} against {record.second}: {record.fault}")
    return record
