"""Results in notebooks: self-contained HTML for cells and for pages exported from notebooks.

All content is inside a `div` with its own class, to which the style is scoped by nesting, so that results interfere
neither with each other nor with the notebook. Without the style sheet a cell still shows all texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, singledispatch
from importlib.resources import files
from xml.etree.ElementTree import Element, fromstring, tostring

from inarow.agents.agent import Decision
from inarow.arena.assignment import Assignment
from inarow.arena.depth_test import DepthTest
from inarow.arena.grading import Grade
from inarow.arena.leaderboard import Leaderboard, Standing
from inarow.arena.match import Match
from inarow.arena.ratings import Ratings
from inarow.arena.statistics import Interval
from inarow.arena.tournament import Tournament
from inarow.arena.training_run import Curve, TrainingRun
from inarow.errors import PictureError
from inarow.games import GameRecord
from inarow.games.notation import MARKS, side_name
from inarow.report.assignment_page import overview_table
from inarow.report.board import board_svg, scored_board
from inarow.report.data import ReplayGame
from inarow.report.markup import element, elo, elo_interval, percent, plain, seconds, signed
from inarow.report.page import rating_note
from inarow.report.plots import accuracy_plot, rating_plot, rating_rows, shorten
from inarow.report.replay import replay
from inarow.report.result_plots import curve_columns
from inarow.report.study_page import comparison_table, curve_plot, study_facts
from inarow.report.tables import Table, cross_table_html, grade_table, leaderboard_table
from inarow.results import Result
from inarow.search.solver.solution import Analysis
from inarow.studies.report import CurvePlot, StudyReport, line

_MOST = 45_000  # characters of a cell without style and script, since notebooks store them
_ROWS, _POINTS, _NAME = 40, 150, 80  # limits: rows of a table, points of a curve, characters of a name
_NUMBERS = (int, float)


def to_html(result: Result) -> str:
    """A result as self-contained HTML, which needs no server."""
    parts = _bounded(_parts(result))
    text = tostring(element("div", *parts, class_="inarow"), encoding="unicode", method="html")
    script = f"<script>{_script()}</script>" if any(part.get("class") == "replay" for part in parts) else ""
    return f"<style>{_style()}</style>{text}{script}"


@lru_cache(maxsize=1)
def _style() -> str:
    """The style of pages and notebooks, scoped to results."""
    return f".inarow.inarow {{\n{_file('page.css').replace(':root', '&')}\n{_file('notebook.css')}}}"


@lru_cache(maxsize=1)
def _script() -> str:
    """The script of pages in its own scope. It sets up all games that are not set up yet."""
    return f"(() => {{\n{_file('page.js')}}})();"


def _file(name: str) -> str:
    return (files("inarow.report") / name).read_text(encoding="utf-8")


def _bounded(parts: Iterable[Element]) -> list[Element]:
    """The parts up to the size limit."""
    shown, left = [], _MOST
    for part in parts:
        length = len(tostring(part, encoding="unicode", method="html"))
        if length <= left:
            shown.append(part)
            left -= length
        else:
            shown.append(_note("This part is too long to be shown here; to_frame() has all numbers."))
    return shown


@singledispatch
def _parts(result: Result) -> list[Element]:
    """The parts of a result, from top to bottom: by default its rows."""
    rows = result.rows()
    title = getattr(result, "title", type(result).__name__)
    if not rows:
        return [_title(title), _note("No rows.")]
    words = [name for name, value in rows[0].items() if not isinstance(value, _NUMBERS) and value is not None]
    texts = tuple(tuple(map(_text, row.values())) for row in rows[:_ROWS])
    table = Table(tuple(rows[0]), texts, words=tuple(words)).without_empty_columns()
    more = [_note(f"{len(rows) - _ROWS:,} more rows.")] if len(rows) > _ROWS else []
    return [_title(title), table.to_html(), *more]


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, _NUMBERS) and not isinstance(value, bool):
        return plain(value)
    return shorten(str(value), _NAME)


def _title(text: str) -> Element:
    return element("h3", shorten(text, 2 * _NAME))


def _note(text: str) -> Element:
    return element("p", text, class_="note")


# --- games and positions ---


@_parts.register(GameRecord)
def _(result: GameRecord) -> list[Element]:
    game = replay(ReplayGame(result))
    if len(tostring(game, encoding="unicode", method="html")) <= _MOST:
        return [game]
    players = f"{side_name(1, result.first)} against {side_name(2, result.second)}: {result.result}"
    return [_title(players), fromstring(board_svg(result.position))]


@_parts.register(Analysis)
def _(result: Analysis) -> list[Element]:
    position = result.position
    if position is None:
        return _parts.dispatch(Result)(result)
    mover = MARKS[position.side_to_move]
    low, high = result.bounds
    if result.score is None:
        title = f"{mover} to move: not solved within the limits; the score is {signed(low)} to {signed(high)}"
    else:
        verb = "draws" if result.score == 0 else "wins" if result.score > 0 else "loses"
        title = f"{mover} to move {verb} in {result.plies} plies: score {signed(result.score)}"
    board = scored_board(position, title, result.scores, result.best)
    note = (
        f"Numbers are exact scores for {mover}, the best underlined. {result.nodes:,} nodes, {seconds(result.seconds)}."
    )
    return [_title(title), element("div", board, class_="alone"), _note(note)]


@_parts.register(Decision)
def _(result: Decision) -> list[Element]:
    known = {"value": result.value, "score": result.score, "depth": result.depth, "nodes": result.nodes}
    facts = ", ".join(f"{name} {plain(value)}" for name, value in known.items() if value is not None)
    title = f"Action {result.action}" + (f": {facts}" if facts else "")
    _, *table = _parts.dispatch(Result)(result)
    return [_title(title), *table]


# --- matches, tournaments, ratings ---


@_parts.register(Match)
def _(result: Match) -> list[Element]:
    summary = result.summary
    sides = {"all": summary.total, "as first": summary.as_first, "as second": summary.as_second}
    counts = Table(
        ("", "games", "wins", "draws", "losses", "score"),
        tuple(
            (name, *(str(count) for count in side.to_dict().values()), percent(side.score))
            for name, side in sides.items()
        ),
        words=("",),
    )
    figures = f"Score {percent(summary.score)}{_interval(summary.score_interval)}"
    if summary.elo is not None:
        ends = [elo(end) if end is not None else "unbounded" for end in summary.elo_interval]
        figures += f", Elo {elo(summary.elo)} ({' to '.join(ends)})"
    figures += f", likelihood of superiority {percent(summary.los)}."
    games = f"{summary.distinct_games} distinct games from {summary.openings} openings"
    note = f"{games} on {summary.board}, seed {summary.seed}."
    title = f"{shorten(summary.a, _NAME)} against {shorten(summary.b, _NAME)}"
    return [_title(title), element("p", figures), counts.to_html(), _costs(result), _note(note)]


def _costs(match: Match) -> Element:
    headings = ("agent", "time per move", "median", "nodes per move", "median ", "faults")
    rows = []
    for name, cost in zip((match.summary.a, match.summary.b), match.summary.cost.values(), strict=True):
        times = (cost.seconds_per_move, cost.median_seconds_per_move)
        nodes = (cost.nodes_per_move, cost.median_nodes_per_move)
        faults = sum(cost.faults.values())
        texts = ["" if time is None else seconds(time) for time in times]
        texts += ["" if count is None else plain(count) for count in nodes]
        rows.append((shorten(name, _NAME), *texts, str(faults) if faults else ""))
    return Table(headings, tuple(rows)).without_empty_columns().to_html()


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f" (95 %: {interval[0] * 100:.1f} to {interval[1] * 100:.1f})"


@_parts.register(Tournament)
def _(result: Tournament) -> list[Element]:
    return _leaderboard(result.summary.leaderboard)


@_parts.register(Leaderboard)
def _leaderboard(result: Leaderboard) -> list[Element]:
    rows, cross = result.standings(), result.cross
    title = f"{len(rows)} agents on {result.board}, {cross.games} games, {cross.distinct_games} distinct"
    parts = [_title(title), leaderboard_table(_shortened(rows)).to_html(), _note(rating_note(result))]
    if cross.results:
        parts.append(cross_table_html(cross, [row.agent for row in rows if row.tally.games]))
    if result.ratings is not None:
        parts.append(rating_plot(result.ratings))
    return parts


def _shortened(rows: Sequence[Standing]) -> list[Standing]:
    return [replace(row, agent=shorten(row.agent, _NAME)) for row in rows[:_ROWS]]


@_parts.register(Assignment)
def _(result: Assignment) -> list[Element]:
    short = [replace(file, name=shorten(file.name, _NAME)) for file in result.files[:_ROWS]]
    table = overview_table(replace(result, files=tuple(short)))
    rated = [file.rating for file in short if file.rating is not None]
    title = f"{len(result.files)} agent files on {result.settings.board}"
    plots = [rating_rows([replace(rating, agent=shorten(rating.agent, _NAME)) for rating in rated])] if rated else []
    return [_title(title), table.to_html(), *plots]


@_parts.register(Ratings)
def _(result: Ratings) -> list[Element]:
    scale = f"{shorten(result.anchor, _NAME)} is 0" if result.anchor else "the mean is 0"
    table = Table(
        ("#", "agent", "Elo", "95 % interval", "games"),
        tuple(
            (
                str(place),
                shorten(each.agent, _NAME),
                elo(each.elo),
                elo_interval(each.interval),
                str(each.games),
            )
            for place, each in enumerate(result.table[:_ROWS], start=1)
        ),
    )
    return [_title(f"Ratings of {len(result.table)} agents; {scale}"), table.to_html(), rating_plot(result)]


# --- grades, depths, curves ---


@_parts.register(Grade)
def _(result: Grade) -> list[Element]:
    short = replace(result, agent=shorten(result.agent, _NAME))
    parts = [_title(f"{short.agent} on {result.board}"), grade_table([short]).to_html()]
    if any(part.outcome_accuracy is not None for part in result.by_ply):
        parts.append(accuracy_plot([short]))
    if result.faults:
        parts.append(_note(f"{result.faults} faults; the first: {result.fault}"))
    return parts


@_parts.register(DepthTest)
def _(result: DepthTest) -> list[Element]:
    headings = ("depth", "nodes per move", "time per move", "keeps the outcome", "in critical positions", "score")
    rows = []
    for point in result.points:
        accuracy, match, nodes, time = (
            point.accuracy,
            point.match,
            point.median_nodes_per_move,
            point.median_seconds_per_move,
        )
        rows.append(
            (
                str(point.depth),
                "" if nodes is None else plain(nodes),
                "" if time is None else seconds(time),
                _rate(accuracy.outcome_accuracy, accuracy.intervals.get("outcome_accuracy")),
                _rate(accuracy.critical_accuracy, accuracy.intervals.get("critical_accuracy")),
                _rate(match.score, match.score_interval) if match else "",
            )
        )
    title = f"{shorten(result.agent, _NAME)} on {result.board} against {shorten(result.opponent, _NAME)}"
    note = "Nodes and times are medians over the moves; intervals are 95 %."
    return [_title(title), Table(headings, tuple(rows)).without_empty_columns().to_html(), _note(note)]


def _rate(rate: float | None, interval: Interval | None) -> str:
    ends = "" if interval is None else f" ({interval[0] * 100:.0f} to {interval[1] * 100:.0f})"
    return "" if rate is None else f"{percent(rate)}{ends}"


@_parts.register(Curve)
def _(result: Curve) -> list[Element]:
    try:
        x_name, names = curve_columns(result)
    except PictureError as error:
        return [_title(result.name), _note(str(error))]
    step = -(-len(result.points) // _POINTS)
    points = result.points[::-1][::step][::-1]  # the last point is always shown
    curves = []
    for name in names:
        places = [(point[x_name], point[name]) for point in points]
        curves.append(line(name.replace("_", " "), [(x, y) for x, y in places if x is not None and y is not None]))
    drawn = CurvePlot(result.name, x_name.replace("_", " "), "", tuple(curve for curve in curves if curve.points))
    return [_title(result.name), curve_plot(drawn)]


@_parts.register(TrainingRun)
def _(result: TrainingRun) -> list[Element]:
    _, *curve = _parts(result.curve)
    agent = "no agent yet" if result.agent_string is None else f"agent {result.agent_string}"
    facts = f"{result.learner} on {result.board}, {len(result.curve)} points; {agent}"
    return [_title(result.folder.name), _note(facts), *curve]


@_parts.register(StudyReport)
def _(result: StudyReport) -> list[Element]:
    parts = [_title(result.title), _note(f"{result.source} · {study_facts(result)}")]
    for section in result.sections:
        for table in section.tables:
            parts += [element("h4", f"{section.title}: {table.title}"), comparison_table(table).to_html()]
    return parts
