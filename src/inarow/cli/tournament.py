"""`inarow tournament`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from rich.table import Table

from inarow.arena.export import write_crosstable, write_json_lines, write_ratings
from inarow.arena.openings import OpeningSource
from inarow.arena.resume import play_into_store, stored_games
from inarow.arena.standings import CrossTable, Standing, TournamentSummary
from inarow.arena.store import Store
from inarow.arena.store_schema import default_store_path
from inarow.arena.summary import SideResult
from inarow.arena.tournament import TournamentPlan, plan_tournament, summarise_tournament
from inarow.cli.options import Board, Json, Ray, Seed, WorkerCount, find_workers
from inarow.cli.output import (
    command_line,
    json_text,
    live_table,
    new_file,
    print_json,
    print_table,
    spinner,
    stderr,
    stdout,
)
from inarow.cli.playing import MoveSeconds, OpeningPlies, Openings
from inarow.errors import StoreError
from inarow.games.spec import GameSpec
from inarow.report.gather import bounded_analysis, report_from_tournament
from inarow.report.page import report_markdown, report_page
from inarow.storage.locks import exclusive_folder
from inarow.workers import Workers

STORE_NAME = "lab.sqlite"
"""Of the results store in the folder of `--out`."""


def tournament(
    *agents: str,
    board: Board = "connect4",
    games: int = 100,
    workers: WorkerCount = None,
    ray: Ray = None,
    gauntlet: bool = False,
    openings: Openings = "balanced",
    opening_plies: OpeningPlies = None,
    move_seconds: MoveSeconds = None,
    store: Path | None = None,
    out: Path | None = None,
    json: Json = False,
    seed: Seed = 0,
) -> None:
    """Let many agents meet, and rate them.

    Games are kept in the results store as they finish. Killed or interrupted, the same command
    goes on where it was; finished, it shows the result again.

    Args:
        agents: Agent strings, at least two.
        games: How many games each two agents play, an even number.
        gauntlet: Only the first agent meets the others.
        store: The results store; by default lab.sqlite in the folder of --out, or else the user's own.
        out: Write report.html, report.md, results.json, crosstable.csv, ratings.csv and games.jsonl to this folder.
    """
    plan = plan_tournament(
        agents,
        GameSpec.parse(board),
        games=games,
        seed=seed,
        gauntlet=gauntlet,
        openings=openings,
        opening_plies=opening_plies,
        move_seconds=move_seconds,
    )
    crew = find_workers(workers, ray)
    path = store or (out / STORE_NAME if out else default_store_path())
    with _alone_in(out), Store.open(path) as results:
        table = _play(plan, results, crew)
        summary = summarise_tournament(plan, results)
        if out is not None:
            _write_files(out, plan, results, summary, table)
    print_json(summary) if json else _print_summary(summary, table, plan.matches[0].openings)


@contextmanager
def _alone_in(out: Path | None) -> Iterator[None]:
    """Within, no other tournament writes to the folder, which is made if it is missing."""
    if out is None:
        yield
        return
    out.mkdir(parents=True, exist_ok=True)
    refusal = StoreError(
        f"{out} is in use: another process plays a tournament there; wait for it, or give another --out"
    )
    with exclusive_folder(out, refusal):
        yield


def _play(plan: TournamentPlan, store: Store, workers: Workers) -> CrossTable:
    table = CrossTable(plan.agents)
    run = store.start_run("tournament", msgspec.to_builtins(plan), command=command_line())
    done = 0
    try:
        with live_table("games", lambda: _draw_crosstable(table, table.agents)) as progress:
            for _, records in play_into_store(plan.matches, store, workers=workers):
                for record in records:
                    table.add(record)
                done += len(records)
                progress(done, plan.games)
    except KeyboardInterrupt:
        store.finish_run(run, "interrupted")
        stderr.print(f"stopped after {done} of {plan.games} games; the same command goes on", style="yellow")
        raise
    except Exception:
        store.finish_run(run, "failed")
        raise
    store.finish_run(run)
    return table


def _draw_crosstable(table: CrossTable, order: Sequence[str]) -> Table:
    """Points of games against each opponent and against all."""
    drawn = Table("", *map(str, range(1, len(order) + 1)), "all", "score", box=None, pad_edge=False)
    for column in drawn.columns[1:]:
        column.justify = "right"
    for number, agent in enumerate(order, start=1):
        games = table.games(agent, order)
        score = f"{table.points(agent, order) / games:.1%}" if games else ""
        cells = [_points(table, agent, [opponent]) for opponent in order]
        drawn.add_row(f"{number} {agent}", *cells, _points(table, agent, order), score)
    return drawn


def _points(table: CrossTable, agent: str, opponents: Sequence[str]) -> str:
    games = table.games(agent, opponents)
    return f"{table.points(agent, opponents):g}/{games}" if games else "-"


def _print_summary(summary: TournamentSummary, table: CrossTable, openings: OpeningSource) -> None:
    games = f"{summary.games} games, {summary.distinct_games} distinct"
    title = f"{summary.board}: {games}, {openings} openings, seed {summary.seed}"
    stdout.print(title, style="bold", highlight=False)
    print_table(_draw_crosstable(table, [standing.agent for standing in summary.standings]))
    stdout.print()
    ratings = Table("", "Elo", "95 %", "LOS", "as first + = -", "as second + = -", "faults", box=None, pad_edge=False)
    for column in ratings.columns[1:]:
        column.justify = "right"
    for row in summary.standings:
        low, high = row.elo_interval
        los = "" if row.los is None else f"{row.los:.1%}"
        ratings.add_row(
            row.agent,
            f"{row.elo:+.0f}",
            f"{low:+.0f} to {high:+.0f}",
            los,
            _side(row.as_first),
            _side(row.as_second),
            _faults(row),
        )
    print_table(ratings)
    zero = f"{summary.anchor} is 0" if summary.anchor else "their mean is 0"
    low, high = summary.advantage_interval
    stdout.print(
        f"{zero}; LOS against the next; the first move is worth {summary.advantage:+.0f} ({low:+.0f} to {high:+.0f})",
        highlight=False,
    )


def _side(result: SideResult) -> str:
    return f"{result.wins} {result.draws} {result.losses}"


def _faults(row: Standing) -> str:
    faults = {"illegal moves": row.illegal_moves, "crashes": row.crashes, "time-outs": row.time_outs}
    return ", ".join(f"{count} {name}" for name, count in faults.items() if count)


def _write_files(out: Path, plan: TournamentPlan, store: Store, summary: TournamentSummary, table: CrossTable) -> None:
    with new_file(out / "results.json") as file:
        file.write(json_text(summary))
    with new_file(out / "crosstable.csv") as file:
        write_crosstable(table, file)
    with new_file(out / "ratings.csv") as file:
        write_ratings(summary, file)
    with new_file(out / "games.jsonl") as file:
        for match in plan.matches:
            write_json_lines(stored_games(match, store), file)
    with new_file(out / "report.html") as page, new_file(out / "report.md") as text, spinner("writing the report"):
        solve = bounded_analysis(plan.matches[0].spec)
        data = report_from_tournament(plan, store, analyse=solve, command=command_line())
        page.write(report_page(data))
        text.write(report_markdown(data))
