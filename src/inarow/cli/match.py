"""`inarow match`."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

from rich.table import Table

from inarow.arena.match import match_games
from inarow.arena.openings import OpeningSource
from inarow.arena.schedule import plan_match
from inarow.arena.sprt import Sprt, SprtResult
from inarow.arena.store import Store
from inarow.arena.summary import AgentCost, MatchSummary, SideResult, summarise
from inarow.cli.options import Board, Json, Ray, Seed, WorkerCount, find_workers
from inarow.cli.output import new_file, print_json, progress_bar, stderr, stdout
from inarow.cli.playing import MoveSeconds, OpeningPlies, Openings
from inarow.games.pgn import to_pgn
from inarow.games.record import GameRecord, to_json_line
from inarow.games.spec import GameSpec


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
    """Let two agents meet, each opening played twice with sides swapped.

    Args:
        a: Agent string, e.g. winblock or winblock:epsilon=0.1
        b: Agent string of the opponent.
        games: How many games, an even number; with --sprt, how many at most.
        sprt: Two Elo differences: stop as soon as one is clearly more likely than the other.
        store: Keep the games in this results store, and take those that it has from there.
        out: Write the games to this file: PGN-like if it ends in .pgn, else JSON Lines.
    """
    test = None if sprt is None else Sprt(*sprt)
    plan = plan_match(
        a,
        b,
        GameSpec.parse(board),
        games=games,
        seed=seed,
        openings=openings,
        opening_plies=opening_plies,
        move_seconds=move_seconds,
    )
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
        as_text = to_pgn if out is not None and out.suffix == ".pgn" else to_json_line
        file.writelines(f"{as_text(record)}\n" for record in records)
    finished_pairs = records[: len(records) // 2 * 2]
    if finished_pairs:
        summary = summarise(finished_pairs, test)
        print_json(summary) if json else _print_summary(summary, plan.openings)
    if interrupted is not None:
        stderr.print(f"stopped after {len(records)} of {games} games", style="yellow")
        raise interrupted


def _print_summary(summary: MatchSummary, openings: OpeningSource) -> None:
    stdout.print(f"{summary.a} - {summary.b} on {summary.board}", style="bold", highlight=False)
    low, high = summary.score_interval
    stdout.print(
        f"score {summary.score:.1%}  (95 %: {low:.1%} to {high:.1%})   Elo {_elo(summary.elo)}"
        f"  ({_elo(summary.elo_interval[0])} to {_elo(summary.elo_interval[1])})   LOS {summary.los:.1%}",
        highlight=False,
    )
    if summary.sprt is not None:
        stdout.print(_sprt(summary.sprt), highlight=False)
    table = Table("", "games", "wins", "draws", "losses", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    total = SideResult(summary.games, summary.wins, summary.draws, summary.losses)
    for name, row in (("all", total), ("as first", summary.as_first), ("as second", summary.as_second)):
        table.add_row(name, str(row.games), str(row.wins), str(row.draws), str(row.losses))
    stdout.print(table)
    stdout.print(
        f"{summary.distinct_games} distinct games from {summary.openings} {openings} openings of"
        f" {summary.opening_plies} plies, {summary.plies_per_game:.1f} plies a game, seed {summary.seed}",
        highlight=False,
        soft_wrap=True,
    )
    for name, cost in zip((summary.a, summary.b), summary.cost.values(), strict=True):
        stdout.print(f"{name}: {_cost(cost)}", highlight=False)


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
    faults = {"illegal moves": cost.illegal_moves, "crashes": cost.crashes, "time-outs": cost.time_outs}
    parts += [f"{count} {name}" for name, count in faults.items() if count]
    return ", ".join(parts)
