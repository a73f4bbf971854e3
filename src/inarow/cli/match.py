"""`inarow match` and `inarow tournament`."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter
from rich.table import Table

from inarow.arena.export import write_crosstable, write_json_lines, write_ratings, writer_for
from inarow.arena.game_rows import GAME_COLUMNS, game_row
from inarow.arena.match import AgentCost, Match, MatchSummary, play_missing, play_plan
from inarow.arena.match_plan import MatchSettings, plan_match
from inarow.arena.openings import OpeningKind, OpeningSource
from inarow.arena.sprt import Sprt
from inarow.arena.store import Store, opened
from inarow.arena.store_schema import default_store_path
from inarow.arena.tally import CrossTable, Tally
from inarow.arena.tournament import TournamentPlan, TournamentSummary, plan_tournament, summarise_tournament
from inarow.cli import output
from inarow.cli.options import AgentString, Board, Json, Ray, Seed, WorkerCount, find_workers
from inarow.cli.output import new_file, number_table, print_json, print_table, spinner, stderr, stdout
from inarow.cli.tables import fitted
from inarow.errors import Interrupted, StoreError
from inarow.games import GameRecord, GameSpec
from inarow.report.data import GameSurvey, bounded_analysis, report_from_tournament
from inarow.report.page import report_markdown, report_page
from inarow.storage.csv_text import write_csv_rows
from inarow.storage.locks import exclusive_folder
from inarow.workers import Workers

Openings = Annotated[
    OpeningKind, Parameter(help="Opening source: balanced (draws according to the book or solver) or random.")
]
OpeningPlies = Annotated[int | None, Parameter(help="Moves before the agents take over.")]
MoveSeconds = Annotated[float | None, Parameter(help="A decision that takes longer loses the game.")]


def match(
    a: AgentString,
    b: AgentString,
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
    """Play a match between two agents.

    Each opening is played twice, with sides swapped.

    Args:
        a: Agent string, e.g. winblock or winblock:epsilon=0.1
        b: Agent string of the opponent.
        games: Number of games, even; with --sprt, the maximum.
        sprt: Two Elo differences: stop as soon as the sequential test accepts one of them.
        store: Results store for the games; games that it already has are not played again.
        out: Write the games to this file: PGN-like if it ends in .pgn, CSV if in .csv, else JSON Lines.

    Examples:
        inarow match mcts minimax:depth=4 --games 20
        inarow match solver:level=5 negamax --workers 2 --out games.pgn
        inarow match mcts mcts:c=1 --games 2000 --sprt 0 20   # stop when decided
    """
    test = None if sprt is None else Sprt(*sprt)
    settings = MatchSettings(
        games=games, seed=seed, openings=openings, opening_plies=opening_plies, move_seconds=move_seconds
    )
    plan = plan_match(a, b, GameSpec.parse(board), settings)
    interrupted = None
    with new_file(out) as file, opened(store) as results:
        try:
            played: object = play_plan(plan, workers=find_workers(workers, ray), sprt=test, store=results)
        except Interrupted as stop:
            interrupted, played = stop, stop.result
        if isinstance(played, Match):
            writer_for(out or Path())(played.records, file)
    if isinstance(played, Match):
        print_json(played.to_dict()) if json else _print_match(played.summary, plan.openings)
    if interrupted is not None:
        stderr.print(str(interrupted), style="yellow")
        raise interrupted


def _print_match(summary: MatchSummary, openings: OpeningSource) -> None:
    stdout.print(f"{summary.a} - {summary.b} on {summary.board}", style="bold")
    low, high = summary.score_interval
    stdout.print(
        f"score {summary.score:.1%}  (95 %: {low:.1%} to {high:.1%})   Elo {_elo(summary.elo)}"
        f"  ({_elo(summary.elo_interval[0])} to {_elo(summary.elo_interval[1])})   LOS {summary.los:.1%}"
    )
    if (test := summary.sprt) is not None:
        accepted = {"H0": f"{test.elo0:+g} Elo is accepted", "H1": f"{test.elo1:+g} Elo is accepted"}
        verdict = accepted[test.accepted] if test.accepted else "not decided"
        llr = f"LLR {test.llr:+.2f} ({test.bounds[0]:+.2f} to {test.bounds[1]:+.2f})"
        stdout.print(f"SPRT {test.elo0:+g} to {test.elo1:+g} Elo: {verdict}, {llr}")
    table = number_table("", "games", "wins", "draws", "losses")
    for name, row in (("all", summary.total), ("as first", summary.as_first), ("as second", summary.as_second)):
        table.add_row(name, str(row.games), str(row.wins), str(row.draws), str(row.losses))
    print_table(table)
    stdout.print(
        f"{summary.distinct_games} distinct games from {summary.openings} {openings} openings of"
        f" {summary.opening_plies} plies, {summary.plies_per_game:.1f} plies a game, seed {summary.seed}",
        soft_wrap=True,
    )
    for name, cost in zip((summary.a, summary.b), summary.cost.values(), strict=True):
        stdout.print(f"{name}: {_cost(cost)}")


def _elo(number: float | None) -> str:
    return "unbounded" if number is None else f"{number:+.0f}"


def _cost(cost: AgentCost) -> str:
    parts = [] if cost.seconds_per_move is None else [f"{cost.seconds_per_move * 1e3:.3f} ms a move"]
    if cost.nodes_per_move is not None:
        parts.append(f"{cost.nodes_per_move:,.0f} nodes a move")
    return ", ".join(parts + list_faults(cost.faults))


def list_faults(faults: Mapping[str, int]) -> list[str]:
    """How often an agent lost by each kind of fault, without those that did not occur."""
    names = {"illegal_moves": "illegal moves", "crashes": "crashes", "time_outs": "time-outs"}
    return [f"{faults[kind]} {name}" for kind, name in names.items() if faults.get(kind)]


# --- Tournaments ---


def tournament(
    *agents: AgentString,
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
    """Play a round robin of many agents, and rate them.

    Games are stored as they finish. After an interruption, the same command continues; after the
    end, it shows the result again.

    Args:
        agents: Agent strings, at least two.
        games: Number of games of each pair of agents, even.
        gauntlet: Only the first agent meets the others.
        store: The results store; by default lab.sqlite in the folder of --out, or else the user's own.
        out: Write report.html, report.md, results.json, games.jsonl and, as CSV, crosstable, ratings,
            pairings and games to this folder.

    Examples:
        inarow tournament random winblock mcts minimax --games 20
        inarow tournament mcts minimax negamax --workers 2 --out results
        inarow tournament mcts minimax negamax --gauntlet
    """
    settings = MatchSettings(
        games=games, seed=seed, openings=openings, opening_plies=opening_plies, move_seconds=move_seconds
    )
    plan = plan_tournament(agents, GameSpec.parse(board), settings, gauntlet=gauntlet)
    crew = find_workers(workers, ray)
    path = store or (out / "lab.sqlite" if out else default_store_path())
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    in_use = StoreError(f"{out} is in use: another process plays a tournament there; wait for it, or use another --out")
    with nullcontext() if out is None else exclusive_folder(out, in_use), Store(path) as results:
        _play(plan, results, crew)
        summary = summarise_tournament(plan, results) if out is None else _write_files(out, plan, results)
    print_json(summary.to_dict()) if json else _print_tournament(summary, plan.matches[0].openings)


def _play(plan: TournamentPlan, store: Store, workers: Workers) -> None:
    """Plays the missing games under a live cross table, which starts with the stored ones."""
    table = CrossTable()
    for match in plan.matches:
        match_id = store.find_match(match.entry().key)
        for tally in store.match_tallies([match_id], games=match.games).values() if match_id is not None else ():
            table.add_match(match.a, match.b, tally)
    run = store.start_run("tournament", msgspec.to_builtins(plan), command=output.command_line())
    try:
        with output.progress_bar("games", lambda: fitted(_draw_crosstable(table, plan.agents))) as progress:
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


def _draw_crosstable(table: CrossTable, order: Sequence[str]) -> Table:
    """Points of games against each opponent and against all."""
    drawn = number_table("", *map(str, range(1, len(order) + 1)), "all", "score")
    for number, agent in enumerate(order, start=1):
        total, cells = table.tally(agent), [_points(table.tally(agent, opponent)) for opponent in order]
        drawn.add_row(f"{number} {agent}", *cells, _points(total), f"{total.score:.1%}" if total.games else "")
    return drawn


def _points(tally: Tally) -> str:
    return f"{tally.points:g}/{tally.games}" if tally.games else "-"


def _print_tournament(summary: TournamentSummary, openings: OpeningSource) -> None:
    cross, standings, rated = summary.leaderboard.cross, summary.standings, summary.ratings
    games = f"{cross.games} games, {cross.distinct_games} distinct, {openings} openings"
    stdout.print(f"{summary.leaderboard.board}: {games}, seed {summary.seed}", style="bold")
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
            *(f"{side.wins} {side.draws} {side.losses}" for side in (row.tally.as_first, row.tally.as_second)),
            ", ".join(list_faults(row.faults)),
        )
    print_table(ratings)
    low, high = rated.advantage_interval
    first_move = f"the first move is worth {rated.advantage:+.0f} ({low:+.0f} to {high:+.0f})"
    stdout.print(f"{rated.anchor or 'their mean'} is 0; LOS against the next; {first_move}")


def _write_files(out: Path, plan: TournamentPlan, store: Store) -> TournamentSummary:
    """Summarises the tournament and writes its files; every game is read once."""
    survey = GameSurvey()
    with new_file(out / "games.jsonl") as lines, new_file(out / "games.csv") as table:
        write_csv_rows(table, [GAME_COLUMNS])

        def visit(record: GameRecord) -> None:
            survey.add(record)
            write_json_lines([record], lines)
            write_csv_rows(table, [game_row(record).values()])

        summary = summarise_tournament(plan, store, visit)
    output.write_text(out / "results.json", output.json_text(summary.to_dict()))
    with new_file(out / "crosstable.csv") as file:
        write_crosstable(plan.agents, summary.leaderboard.cross, file)
    with new_file(out / "ratings.csv") as file:
        write_ratings(summary.standings, file)
    summary.pairings().to_csv(out / "pairings.csv")
    with new_file(out / "report.html") as page, new_file(out / "report.md") as text, spinner("writing the report"):
        solve = bounded_analysis(plan.matches[0].spec)
        data = report_from_tournament(summary, survey, store, analyse=solve, command=output.command_line())
        page.write(report_page(data))
        text.write(report_markdown(data))
    return summary
