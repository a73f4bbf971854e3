"""`inarow match`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from inarow.arena.export import write_json_lines, write_pgn
from inarow.arena.match import MatchSettings, match_games, plan_match
from inarow.arena.openings import OpeningKind, OpeningSource
from inarow.arena.sprt import Sprt, SprtResult
from inarow.arena.store import Store
from inarow.arena.summary import AgentCost, MatchSummary, summarise
from inarow.cli.options import Board, Json, Ray, Seed, WorkerCount, find_workers
from inarow.cli.output import new_file, number_table, print_json, progress_bar, stderr, stdout
from inarow.games.record import GameRecord
from inarow.games.spec import GameSpec

Openings = Annotated[
    OpeningKind,
    Parameter(help="Opening source: balanced (draws according to the book or solver) or random."),
]
OpeningPlies = Annotated[int | None, Parameter(help="Moves before the agents take over.")]
MoveSeconds = Annotated[float | None, Parameter(help="A decision that takes longer loses the game.")]


def match(
    a: str,
    b: str,
    *,
    board: Board = "connect4",
    games: int = 100,
    workers: WorkerCount = None,
    ray: Ray = None,
    openings: Openings = "balanced",
    opening_plies: OpeningPlies = None,
    move_seconds: MoveSeconds = None,
    sprt: tuple[float, float] | None = None,
    store: Path | None = None,
    out: Path | None = None,
    json: Json = False,
    seed: Seed = 0,
) -> None:
    """Play a match between two agents, each opening twice with sides swapped.

    Args:
        a: Agent string, e.g. winblock or winblock:epsilon=0.1
        b: Agent string of the opponent.
        games: Number of games, even; with --sprt, the maximum.
        sprt: Two Elo differences: stop as soon as the sequential test accepts one of them.
        store: Results store for the games; games that it already has are not played again.
        out: Write the games to this file: PGN-like if it ends in .pgn, else JSON Lines.
    """
    test = None if sprt is None else Sprt(*sprt)
    settings = MatchSettings(
        games=games, seed=seed, openings=openings, opening_plies=opening_plies, move_seconds=move_seconds
    )
    plan = plan_match(a, b, GameSpec.parse(board), settings)
    crew = find_workers(workers, ray)
    records: list[GameRecord] = []
    interrupted = None
    with (
        new_file(out) as file,
        nullcontext() if store is None else Store.open(store) as results,
        progress_bar(f"{a} - {b}") as progress,
    ):
        try:
            for record in match_games(plan, workers=crew, sprt=test, store=results):
                records.append(record)
                progress(len(records), games)
        except KeyboardInterrupt as stop:
            interrupted = stop
        (write_pgn if out is not None and out.suffix == ".pgn" else write_json_lines)(records, file)
    finished_pairs = records[: len(records) // 2 * 2]
    if finished_pairs:
        summary = summarise(finished_pairs, test)
        print_json(summary.to_dict()) if json else _print_summary(summary, plan.openings)
    if interrupted is not None:
        stderr.print(f"stopped after {len(records)} of {games} games", style="yellow")
        raise interrupted


def _print_summary(summary: MatchSummary, openings: OpeningSource) -> None:
    stdout.print(f"{summary.a} - {summary.b} on {summary.board}", style="bold")
    low, high = summary.score_interval
    stdout.print(
        f"score {summary.score:.1%}  (95 %: {low:.1%} to {high:.1%})   Elo {_elo(summary.elo)}"
        f"  ({_elo(summary.elo_interval[0])} to {_elo(summary.elo_interval[1])})   LOS {summary.los:.1%}",
    )
    if summary.sprt is not None:
        stdout.print(_sprt(summary.sprt))
    table = number_table("", "games", "wins", "draws", "losses")
    for name, row in (("all", summary.total), ("as first", summary.as_first), ("as second", summary.as_second)):
        table.add_row(name, str(row.games), str(row.wins), str(row.draws), str(row.losses))
    stdout.print(table)
    stdout.print(
        f"{summary.distinct_games} distinct games from {summary.openings} {openings} openings of"
        f" {summary.opening_plies} plies, {summary.plies_per_game:.1f} plies a game, seed {summary.seed}",
        soft_wrap=True,
    )
    for name, cost in zip((summary.a, summary.b), summary.cost.values(), strict=True):
        stdout.print(f"{name}: {_cost(cost)}")


def _elo(number: float | None) -> str:
    return "unbounded" if number is None else f"{number:+.0f}"


def _sprt(test: SprtResult) -> str:
    verdict = {"H0": f"{test.elo0:+g} Elo is accepted", "H1": f"{test.elo1:+g} Elo is accepted", None: "not decided"}
    llr = f"LLR {test.llr:+.2f} ({test.bounds[0]:+.2f} to {test.bounds[1]:+.2f})"
    return f"SPRT {test.elo0:+g} to {test.elo1:+g} Elo: {verdict[test.accepted]}, {llr}"


def _cost(cost: AgentCost) -> str:
    parts = [] if cost.seconds_per_move is None else [f"{cost.seconds_per_move * 1e3:.3f} ms a move"]
    if cost.nodes_per_move is not None:
        parts.append(f"{cost.nodes_per_move:,.0f} nodes a move")
    return ", ".join(parts + list_faults(cost.faults))


def list_faults(faults: Mapping[str, int]) -> list[str]:
    """How often an agent lost by each kind of fault, without those that did not occur."""
    names = {"illegal_moves": "illegal moves", "crashes": "crashes", "time_outs": "time-outs"}
    return [f"{faults[kind]} {name}" for kind, name in names.items() if faults.get(kind)]
