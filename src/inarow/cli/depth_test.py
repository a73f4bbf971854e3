"""`inarow depth-test`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from inarow.arena.depth_test import USUAL_GAMES, USUAL_OPPONENT, USUAL_POSITIONS, DepthPoint, DepthTest
from inarow.arena.depth_test import depth_test as test_depths
from inarow.arena.statistics import Interval
from inarow.cli.options import AgentString, Board, Json, Ray, Seed, WorkerCount, find_workers
from inarow.cli.output import number_table, print_json, print_table, stderr, stdout
from inarow.errors import Interrupted, InvalidLimitError, shown
from inarow.report.markup import seconds
from inarow.report.pictures import check_picture_path


def depth_test(
    agent: AgentString,
    *,
    depths: str = "1-8",
    board: Board = "connect4",
    opponent: AgentString = USUAL_OPPONENT,
    games: int = USUAL_GAMES,
    positions: int = USUAL_POSITIONS,
    workers: WorkerCount = None,
    ray: Ray = None,
    csv: Annotated[Path | None, Parameter(help="Also write the table to this CSV file.")] = None,
    plot: Annotated[Path | None, Parameter(help="Also draw it: an .svg or .png file.")] = None,
    json: Json = False,
    seed: Seed = 0,
) -> None:
    """Measure what each ply of depth costs an agent, and gains.

    At each depth: nodes and time per move, accuracy against perfect play in the same positions, and the score against
    an opponent from the same openings, each played twice with sides swapped.

    Args:
        agent: Agent string of an agent with a depth, e.g. minimax or minimax:heuristic=powers
        depths: Plies to look ahead: a range, numbers, or both, e.g. 1-4,6,8
        opponent: Agent string of the opponent.
        games: Number of games at each depth, even; 0 for none.
        positions: Number of positions of the board's suite; 0 for none, as on boards too large for exact scores.

    Examples:
        inarow depth-test minimax --depths 1-4 --games 20
        inarow depth-test minimax:heuristic=squares --depths 2,4,6 --plot depths.svg
    """
    wanted = _parse_depths(depths)
    if plot is not None:
        check_picture_path(plot)  # a bad name costs no work
    interrupted = None
    try:
        made: object = test_depths(
            agent,
            wanted,
            board,
            opponent=opponent,
            games=games,
            positions=positions,
            seed=seed,
            workers=find_workers(workers, ray),
        )
    except Interrupted as stop:
        interrupted, made = stop, stop.result
    if isinstance(made, DepthTest):
        if csv is not None:
            made.to_csv(csv)
        if plot is not None:
            made.plot(plot)
        print_json(made.to_dict()) if json else _print_test(made)
    if interrupted is not None:
        stderr.print(str(interrupted), style="yellow")
        raise interrupted


def _parse_depths(text: str) -> list[int]:
    depths: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        ends = (first, last if dash else first)
        if not all(end.isascii() and end.isdecimal() and len(end) <= 3 for end in ends):
            raise InvalidLimitError(f"depths is {shown(text)}; it must be like 1-8, 4 or 1-4,6,8")
        depths += range(int(ends[0]), int(ends[1]) + 1)
    return depths


def _print_test(made: DepthTest) -> None:
    suite = "" if made.suite is None else f", suite {made.suite}"
    stdout.print(f"{made.agent} on {made.board} against {made.opponent}{suite}, seed {made.seed}", style="bold")
    headings = ("depth", "nodes a move", "median", "time a move", "median ", "keeps the outcome", "critical", "score")
    print_table(number_table(*headings, rows=map(_row, made.points)))
    faults = sum(point.faults for point in made.points)
    if faults:
        stdout.print(f"{faults} faults", style="red")


def _row(point: DepthPoint) -> list[str]:
    nodes = (point.nodes_per_move, point.median_nodes_per_move)
    times = (point.seconds_per_move, point.median_seconds_per_move)
    accuracy, match = point.accuracy, point.match
    return [
        str(point.depth),
        *("-" if count is None else f"{count:,.0f}" for count in nodes),
        *("-" if time is None else seconds(time) for time in times),
        _rate(accuracy.outcome_accuracy, accuracy.intervals.get("outcome_accuracy")),
        _rate(accuracy.critical_accuracy, accuracy.intervals.get("critical_accuracy")),
        _rate(match.score, match.score_interval) if match else "-",
    ]


def _rate(rate: float | None, interval: Interval | None) -> str:
    if rate is None or interval is None:
        return "-"
    return f"{rate:.1%} ({interval[0] * 100:.0f} to {interval[1] * 100:.0f})"
