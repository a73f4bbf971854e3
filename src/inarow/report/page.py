"""The pages of a results store and of a game."""

from xml.etree.ElementTree import Element

from inarow.arena.grading import Grade
from inarow.arena.leaderboard import Leaderboard, Standing
from inarow.report.data import ReplayGame, ReportData
from inarow.report.markup import append, element, elo_interval, footer, percent, section, standalone_page
from inarow.report.plots import accuracy_plot, cost_plot, rating_plot
from inarow.report.replay import replay, review_table
from inarow.report.tables import cross_table, cross_table_html, escape_markdown, grade_table, leaderboard_table

_SCORES = (
    "Numbers at the board are exact scores for the side to move: positive wins (larger is sooner), 0 draws. "
    "The best are underlined."
)


def report_page(data: ReportData) -> str:
    """The report as a page. Parts without data are omitted."""
    board = data.leaderboard
    rows = board.standings()
    main = element("main", element("h1", data.title), element("p", _facts(board), class_="facts"))
    ranks = leaderboard_table(rows).to_html()
    append(main, section("Leaderboard", ranks, element("p", rating_note(board), class_="note")), _plots(board, rows))
    if board.cross.results:
        note = "Score of the row against the column, with its wins, draws and losses."
        table = cross_table_html(board.cross, _players(rows))
        append(main, section("Cross table", table, element("p", note, class_="note")))
    grades = [row.grade for row in rows if row.grade]
    if grades:
        append(main, _accuracy(grades))
    if data.games:
        games = [replay(game, f"{number}. ") for number, game in enumerate(data.games, start=1)]
        append(main, section("Games", element("p", _SCORES, class_="note"), *games))
    append(main, footer(data.command, data.version, board.seeds))
    return standalone_page(data.title, main)


def analysis_page(game: ReplayGame, *, command: str, version: str) -> str:
    """A page of one game, with a table of its reviewed moves."""
    record = game.record
    title = f"A game on {record.board}"
    main = element("main", element("h1", title), element("p", _SCORES, class_="note"), replay(game))
    if game.reviews:
        append(main, section("Moves", review_table(game).to_html()))
    append(main, footer(command, version, ()))
    return standalone_page(title, main)


def report_markdown(data: ReportData) -> str:
    """The tables of the report."""
    board = data.leaderboard
    rows = board.standings()
    parts = [f"# {escape_markdown(data.title)}\n", f"{_facts(board)}\n", "## Leaderboard\n"]
    parts += [leaderboard_table(rows).to_markdown(), f"{escape_markdown(rating_note(board))}\n"]
    if board.cross.results:
        parts += ["## Cross table\n", cross_table(board.cross, _players(rows)).to_markdown()]
    grades = [row.grade for row in rows if row.grade]
    if grades:
        parts += ["## Accuracy against perfect play\n", grade_table(grades).to_markdown()]
    parts.append(f"Made by inarow {data.version}: {escape_markdown(data.command)}\n")
    return "\n".join(parts)


def rating_note(board: Leaderboard) -> str:
    """An explanation of the ratings, or the reason why there are none."""
    ratings = board.ratings
    if ratings is None:
        return f"No ratings: {board.unrated}."
    scale = f"{ratings.anchor} is 0" if ratings.anchor else "the mean is 0"
    return (
        f"Elo with 95 % intervals, fitted to all games together; {scale}. The first move is worth"
        f" {ratings.advantage:.0f} Elo ({elo_interval(ratings.advantage_interval)});"
        f" equal agents draw {percent(ratings.draw_rate_equal)} of their games."
    )


def _facts(board: Leaderboard) -> str:
    cross = board.cross
    return f"Board {board.board} · {len(board.agents)} agents · {cross.games} games, {cross.distinct_games} distinct"


def _players(rows: list[Standing]) -> list[str]:
    return [row.agent for row in rows if row.tally.games]


def _plots(board: Leaderboard, rows: list[Standing]) -> Element:
    plots = element("div", class_="plots")
    if board.ratings is not None:
        append(plots, section("Ratings", rating_plot(board.ratings)))
    cost = cost_plot(rows)
    if cost is not None:
        note = "The line joins the agents for which no other agent is both faster and stronger (Pareto front)."
        append(plots, section("Strength against time", cost, element("p", note, class_="note")))
    return plots


def _accuracy(grades: list[Grade]) -> Element:
    curves = [grade for grade in grades if any(point.outcome_accuracy is not None for point in grade.by_ply)]
    plots = [accuracy_plot(curves)] if curves else []
    return section("Accuracy against perfect play", *plots, grade_table(grades).to_html())
