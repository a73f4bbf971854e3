"""The tables of a report, in HTML, Markdown and CSV."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO
from xml.etree.ElementTree import Element

from inarow.arena.grading import ACCURACIES, Grade
from inarow.arena.leaderboard import Leaderboard, Standing
from inarow.arena.tally import CrossTable, Tally
from inarow.errors import visible
from inarow.report.markup import append, breakable, element, elo, elo_interval, percent, seconds
from inarow.storage.csv_text import write_csv_rows


@dataclass(frozen=True, slots=True)
class Table:
    """Strings with headings. The columns named in `words` contain words, all others numbers. A cell may have several
    lines.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: tuple[str, ...] = ("agent",)

    def without_empty_columns(self) -> Table:
        kept = [number for number in range(len(self.headings)) if any(row[number] for row in self.rows)]
        rows = tuple(tuple(row[number] for number in kept) for row in self.rows)
        return Table(tuple(self.headings[number] for number in kept), rows, self.words)

    def to_html(self) -> Element:
        head = element("thead", self._html_row("th", self.headings))
        body = element("tbody", *(self._html_row("td", row) for row in self.rows))
        return scrolling(element("table", head, body))

    def _html_row(self, tag: str, texts: Sequence[str]) -> Element:
        row, scope = element("tr"), "col" if tag == "th" else None
        for text, heading in zip(texts, self.headings, strict=True):
            is_word = heading in self.words
            children = breakable(text) if is_word else _lines(text)
            append(row, element(tag, *children, class_="word" if is_word else None, scope=scope))
        return row

    def to_markdown(self) -> str:
        rules = [":--" if heading in self.words else "--:" for heading in self.headings]
        lines = (self.headings, *self.rows)
        first, *others = ["| " + " | ".join(map(_markdown_cell, line)) + " |" for line in lines]
        return "\n".join((first, f"| {' | '.join(rules)} |", *others)) + "\n"


def _lines(text: str) -> list[Element | str]:
    first, *others = text.split("\n")
    return [first, *(part for line in others for part in (element("br"), line))]


def scrolling(table: Element) -> Element:
    """A table that scrolls if the page is too narrow for it."""
    return element("div", table, class_="scroll", tabindex=0)


def _markdown_cell(text: str) -> str:
    return "<br>".join(map(escape_markdown, text.split("\n")))


def escape_markdown(text: str) -> str:
    return re.sub(r"([\\`*_\[\]|<>#&])", r"\\\1", visible(" ".join(text.split())))


def leaderboard_table(agents: Sequence[Standing]) -> Table:
    headings = ("#", "agent", "Elo", "95 % interval", "games", "score", "time per move", "accuracy")
    rows = []
    for place, agent in enumerate(agents, start=1):
        rating, accuracy = agent.rating, agent.grade.outcome_accuracy if agent.grade else None
        rows.append(
            (
                str(place),
                agent.agent,
                elo(rating.elo) if rating else "",
                elo_interval(rating.interval) if rating else "",
                str(agent.tally.games or ""),
                "" if agent.score is None else percent(agent.score),
                "" if agent.seconds_per_move is None else seconds(agent.seconds_per_move),
                "" if accuracy is None else percent(accuracy),
            )
        )
    return Table(headings, tuple(rows)).without_empty_columns()


def grade_table(grades: Sequence[Grade]) -> Table:
    """Each figure with its interval."""
    headings = ("agent", "suite", "positions", "keeps the outcome", "in critical positions", "best move", "mean regret")
    rows = (
        (
            grade.agent,
            grade.suite,
            str(grade.positions),
            *(_with_interval(grade, figure) for figure in ACCURACIES),
            "" if grade.mean_regret is None else f"{grade.mean_regret:.2f}",
        )
        for grade in grades
    )
    return Table(headings, tuple(rows), words=("agent", "suite")).without_empty_columns()


def _with_interval(grade: Grade, figure: str) -> str:
    share, interval = getattr(grade, figure), grade.intervals.get(figure)
    if share is None:
        return ""
    return percent(share) + (f" ({interval[0] * 100:.1f} to {interval[1] * 100:.1f})" if interval else "")


def cross_table(cross: CrossTable, players: Sequence[str]) -> Table:
    """The score of each row against each column, with wins-draws-losses."""
    rows = []
    for place, player in enumerate(players, start=1):
        meetings = (_meeting(cross, player, opponent) for opponent in players)
        texts = (f"{meeting.score * 100:.0f} % {_counts(meeting)}" if meeting else "" for meeting in meetings)
        rows.append((str(place), player, *texts))
    return Table(("#", "agent", *map(str, range(1, len(players) + 1))), tuple(rows))


def cross_table_html(cross: CrossTable, players: Sequence[str]) -> Element:
    """The same, with the counts below the score and a background colour by score."""
    head = element("tr", element("th", "#", scope="col"), element("th", "agent", scope="col", class_="word"))
    append(head, *(element("th", str(n), scope="col", title=player) for n, player in enumerate(players, start=1)))
    body = element("tbody")
    for place, player in enumerate(players, start=1):
        line = element("tr", element("td", str(place)), element("th", *breakable(player), class_="word", scope="row"))
        append(line, *(_cross_cell(cross, player, opponent) for opponent in players))
        append(body, line)
    return scrolling(element("table", element("thead", head), body, class_="cross"))


def _cross_cell(cross: CrossTable, player: str, opponent: str) -> Element:
    meeting = _meeting(cross, player, opponent)
    if meeting is None:
        return element("td", class_="self" if player == opponent else None)
    return element(
        "td",
        f"{meeting.score * 100:.0f} %",
        element("small", _counts(meeting)),
        class_="above" if meeting.score >= 0.5 else "below",
        style=f"--tint: {abs(meeting.score - 0.5) * 100:.0f}%",
        title=f"{player} against {opponent}: wins-draws-losses {_counts(meeting)}",
    )


def _meeting(cross: CrossTable, player: str, opponent: str) -> Tally | None:
    tally = cross.tally(player, opponent)
    return tally if tally.games and player != opponent else None


def _counts(tally: Tally) -> str:
    return f"{tally.wins}-{tally.draws}-{tally.losses}"


def write_csv(leaderboard: Leaderboard, file: TextIO) -> None:
    """Writes the leaderboard as CSV: one line per agent, plain numbers, empty if unknown."""
    names = ("rank", "agent", "elo", "elo_low", "elo_high", "games", "wins", "draws", "losses", "score")
    rows: list[tuple[object, ...]] = [(*names, "seconds_per_move", *ACCURACIES, "mean_regret")]
    for place, row in enumerate(leaderboard.standings(), start=1):
        rating = (row.rating.elo, *row.rating.interval) if row.rating else (None,) * 3
        counts = (row.tally.games, row.tally.wins, row.tally.draws, row.tally.losses)
        figures = (getattr(row.grade, figure, None) for figure in (*ACCURACIES, "mean_regret"))
        rows.append((place, row.agent, *rating, *counts, row.score, row.seconds_per_move, *figures))
    write_csv_rows(file, rows)
