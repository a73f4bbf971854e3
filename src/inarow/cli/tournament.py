"""`inarow tournament`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from rich.table import Table

from inarow.arena.export import write_crosstable, write_json_lines, write_ratings
from inarow.arena.match import MatchSettings, play_missing
from inarow.arena.openings import OpeningSource
from inarow.arena.store import Store
from inarow.arena.store_schema import default_store_path
from inarow.arena.tally import CrossTable, SideTally, Tally
from inarow.arena.tournament import TournamentPlan, TournamentSummary, plan_tournament, summarise_tournament
from inarow.cli.match import MoveSeconds, OpeningPlies, Openings, list_faults
from inarow.cli.options import Board, Json, Ray, Seed, WorkerCount, find_workers
from inarow.cli.output import (
    command_line,
    json_text,
    live_table,
    new_file,
    number_table,
    print_json,
    print_table,
    spinner,
    stderr,
    stdout,
)
from inarow.errors import StoreError
from inarow.games.record import GameRecord
from inarow.games.spec import GameSpec
from inarow.report.data import GameSurvey, bounded_analysis, report_from_tournament
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
    """Play a tournament between many agents, and rate them.

    Games are stored as they finish. After an interruption, the same command continues; after the
    end, it shows the result again.

    Args:
        agents: Agent strings, at least two.
        games: Number of games of each pair of agents, even.
        gauntlet: Only the first agent meets the others.
        store: The results store; by default lab.sqlite in the folder of --out, or else the user's own.
        out: Write report.html, report.md, results.json, crosstable.csv, ratings.csv and games.jsonl to this folder.
    """
    settings = MatchSettings(
        games=games, seed=seed, openings=openings, opening_plies=opening_plies, move_seconds=move_seconds
    )
    plan = plan_tournament(agents, GameSpec.parse(board), settings, gauntlet=gauntlet)
    crew = find_workers(workers, ray)
    path = store or (out / STORE_NAME if out else default_store_path())
    with _alone_in(out), Store.open(path) as results:
        _play(plan, results, crew)
        summary = summarise_tournament(plan, results) if out is None else _write_files(out, plan, results)
    print_json(summary.to_dict()) if json else _print_summary(summary, plan.matches[0].openings)


@contextmanager
def _alone_in(out: Path | None) -> Iterator[None]:
    """Within, no other tournament writes to the folder, which is created if it is missing."""
    if out is None:
        yield
        return
    out.mkdir(parents=True, exist_ok=True)
    refusal = StoreError(
        f"{out} is in use: another process plays a tournament there; wait for it, or use another --out"
    )
    with exclusive_folder(out, refusal):
        yield


def _play(plan: TournamentPlan, store: Store, workers: Workers) -> None:
    """Plays the missing games under a live cross table, which starts with the stored ones."""
    table = _stored_results(plan, store)
    run = store.start_run("tournament", msgspec.to_builtins(plan), command=command_line())
    try:
        with live_table("games", lambda: _draw_crosstable(table, plan.agents)) as progress:
            for _, records in play_missing(plan.matches, store, workers=workers):
                for record in records:
                    table.add_game(record)
                progress(table.games, plan.games)
    except KeyboardInterrupt:
        store.finish_run(run, "interrupted")
        stderr.print(f"stopped after {table.games} of {plan.games} games; the same command continues", style="yellow")
        raise
    except Exception:
        store.finish_run(run, "failed")
        raise
    store.finish_run(run)


def _stored_results(plan: TournamentPlan, store: Store) -> CrossTable:
    table = CrossTable()
    for match in plan.matches:
        match_id = store.find_match(match.entry().key)
        for tally in store.match_tallies([match_id], games=match.games).values() if match_id is not None else ():
            table.add_match(match.a, match.b, tally)
    return table


def _draw_crosstable(table: CrossTable, order: Sequence[str]) -> Table:
    """Points of games against each opponent and against all."""
    drawn = number_table("", *map(str, range(1, len(order) + 1)), "all", "score")
    for number, agent in enumerate(order, start=1):
        total = table.tally(agent)
        cells = [_points(table.tally(agent, opponent)) for opponent in order]
        drawn.add_row(f"{number} {agent}", *cells, _points(total), f"{total.score:.1%}" if total.games else "")
    return drawn


def _points(tally: Tally) -> str:
    return f"{tally.points:g}/{tally.games}" if tally.games else "-"


def _print_summary(summary: TournamentSummary, openings: OpeningSource) -> None:
    cross, standings, rated = summary.leaderboard.cross, summary.standings, summary.ratings
    games = f"{cross.games} games, {cross.distinct_games} distinct"
    title = f"{summary.leaderboard.board}: {games}, {openings} openings, seed {summary.seed}"
    stdout.print(title, style="bold")
    print_table(_draw_crosstable(cross, [row.agent for row in standings]))
    stdout.print()
    ratings = number_table("", "Elo", "95 %", "LOS", "as first + = -", "as second + = -", "faults")
    for row, rating in zip(standings, rated.table, strict=True):
        low, high = rating.interval
        ratings.add_row(
            row.agent,
            f"{rating.elo:+.0f}",
            f"{low:+.0f} to {high:+.0f}",
            "" if row.los is None else f"{row.los:.1%}",
            _side(row.tally.as_first),
            _side(row.tally.as_second),
            ", ".join(list_faults(row.faults)),
        )
    print_table(ratings)
    zero = f"{rated.anchor} is 0" if rated.anchor else "their mean is 0"
    low, high = rated.advantage_interval
    stdout.print(
        f"{zero}; LOS against the next; the first move is worth {rated.advantage:+.0f} ({low:+.0f} to {high:+.0f})",
    )


def _side(side: SideTally) -> str:
    return f"{side.wins} {side.draws} {side.losses}"


def _write_files(out: Path, plan: TournamentPlan, store: Store) -> TournamentSummary:
    """Summarises the tournament and writes its files; every game is read once."""
    survey = GameSurvey()
    with new_file(out / "games.jsonl") as lines:

        def visit(record: GameRecord) -> None:
            survey.add(record)
            write_json_lines([record], lines)

        summary = summarise_tournament(plan, store, visit)
    with new_file(out / "results.json") as file:
        file.write(json_text(summary.to_dict()))
    with new_file(out / "crosstable.csv") as file:
        write_crosstable(plan.agents, summary.leaderboard.cross, file)
    with new_file(out / "ratings.csv") as file:
        write_ratings(summary.standings, file)
    with new_file(out / "report.html") as page, new_file(out / "report.md") as text, spinner("writing the report"):
        solve = bounded_analysis(plan.matches[0].spec)
        data = report_from_tournament(summary, survey, store, analyse=solve, command=command_line())
        page.write(report_page(data))
        text.write(report_markdown(data))
    return summary
