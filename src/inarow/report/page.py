"""The pages of a results store and of a game."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from inarow.report.data import AgentGrade, ReplayGame, ReportData, Standing, standings
from inarow.report.format import elo_interval, percent
from inarow.report.frame import footer, section, standalone_page
from inarow.report.markup import append, element
from inarow.report.plots import accuracy_legend, accuracy_plot, cost_plot, rating_plot
from inarow.report.replay import replay, review_table
from inarow.report.tables import cross_table, cross_table_html, escape_markdown, grade_table, leaderboard

_SCORES = (
    "Numbers at the board are exact scores for the side to move: above 0 wins, and the sooner the larger; 0 draws. "
    "The best are underlined."
)


def report_page(data: ReportData) -> str:
    """The whole report. Parts of which nothing is known are left out."""
    agents = standings(data)
    main = element("main", element("h1", data.title), element("p", _facts(data, agents), class_="facts"))
    append(main, section("Leaderboard", leaderboard(agents).to_html(), element("p", rating_note(data), class_="note")))
    append(main, _plots(data, agents))
    if data.results:
        note = "Score of the row against the column, with its wins, draws and losses."
        append(main, section("Cross table", cross_table_html(data, agents), element("p", note, class_="note")))
    grades = [agent.grade for agent in agents if agent.grade]
    if grades:
        append(main, _accuracy(grades))
    if data.games:
        games = [replay(game, f"{number}. ") for number, game in enumerate(data.games, start=1)]
        append(main, section("Games", element("p", _SCORES, class_="note"), *games))
    append(main, footer(data.command, data.version, data.seeds))
    return standalone_page(data.title, main)


def analysis_page(game: ReplayGame, *, command: str, version: str) -> str:
    """One game, with a table of its reviewed moves."""
    record = game.record
    title = f"A game on {record.board}"
    main = element("main", element("h1", title), element("p", _SCORES, class_="note"), replay(game))
    if game.reviews:
        append(main, section("Moves", review_table(game).to_html()))
    append(main, footer(command, version, ()))
    return standalone_page(title, main)


def report_markdown(data: ReportData) -> str:
    """The tables of the report."""
    agents = standings(data)
    parts = [f"# {escape_markdown(data.title)}\n", f"{_facts(data, agents)}\n", "## Leaderboard\n"]
    parts += [leaderboard(agents).to_markdown(), f"{escape_markdown(rating_note(data))}\n"]
    if data.results:
        parts += ["## Cross table\n", cross_table(data, agents).to_markdown()]
    grades = [agent.grade for agent in agents if agent.grade]
    if grades:
        parts += ["## Accuracy against perfect play\n", grade_table(grades).to_markdown()]
    parts.append(f"Made by inarow {data.version}: {escape_markdown(data.command)}\n")
    return "\n".join(parts)


def rating_note(data: ReportData) -> str:
    """How to read the ratings, or why there are none."""
    if data.ratings is None:
        return f"No ratings: {data.unrated}." if data.unrated else "No ratings."
    ratings = data.ratings
    scale = f"{ratings.anchor} has 0" if ratings.anchor else "their mean is 0"
    return (
        f"Elo with 95 % intervals, fitted to all games at once; {scale}. The first move is worth"
        f" {ratings.advantage:.0f} Elo ({elo_interval(ratings.advantage_interval)});"
        f" equal agents draw {percent(ratings.draw_rate_equal)} of their games."
    )


def _facts(data: ReportData, agents: list[Standing]) -> str:
    games = f"{sum(result.games for result in data.results)} games"
    distinct = "" if data.distinct_games is None else f", {data.distinct_games} distinct"
    return f"Board {data.board} · {len(agents)} agents · {games}{distinct}"


def _plots(data: ReportData, agents: list[Standing]) -> Element:
    plots = element("div", class_="plots")
    if data.ratings is not None:
        append(plots, section("Ratings", rating_plot(data.ratings)))
    cost = cost_plot(agents)
    if cost is not None:
        note = "The stairs join the agents that no other is both faster and stronger than (Pareto front)."
        append(plots, section("Strength against time", cost, element("p", note, class_="note")))
    return plots


def _accuracy(grades: list[AgentGrade]) -> Element:
    accuracy = section("Accuracy against perfect play")
    curves = [grade for grade in grades if any(point.outcome_accuracy is not None for point in grade.by_ply)]
    if curves:
        append(accuracy, element("div", accuracy_plot(curves), accuracy_legend(curves), class_="curves"))
    append(accuracy, grade_table(grades).to_html())
    return accuracy
