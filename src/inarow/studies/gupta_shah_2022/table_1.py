"""Table 1 of gupta-shah-2022, as its authors played it and as it should be played."""

from __future__ import annotations

from inarow.arena.statistics import wilson_interval
from inarow.studies.comparison import Agreement, Estimate
from inarow.studies.experiment import VARIANTS
from inarow.studies.gupta_shah_2022 import names
from inarow.studies.gupta_shah_2022.pooled import MatchTotal, match_total, seconds_a_move
from inarow.studies.gupta_shah_2022.published import PAIRS, PLAYERS, TITLES, published
from inarow.studies.report import Row, Section, Table, agreement_summary
from inarow.studies.results import Results

_PERCENT = 100.0
_HALF = 50.0
_SIGNIFICANT = 0.05
_POINTS_NOTE = "Published: wins and half of the draws of Table 1, in percent. Intervals are for all games of a match."


def cells_section(results: Results) -> Section:
    tables = [_cells(results, column_first=True), _cells(results, column_first=False)]
    return Section(
        title="Table 1 as published",
        text=(
            "Ten games from the empty board with one side always first. Who moved first against AlphaZero is not"
            " known, so these cells are played both ways.",
            f"{agreement_summary(tuple(tables))} By Fisher's exact test; the numbers of a cell depend on each other.",
            _what_ten_games_tell(),
        ),
        tables=tuple(table for table in tables if table.rows),
    )


def _what_ten_games_tell() -> str:
    games = published().table_1.games
    ends = {rate: [f"{_PERCENT * end:.0f}" for end in wilson_interval(rate, games)] for rate in (0.2, 1.0)}
    return (
        f"{games} games tell little: 20 % of them may come from a chance of {' to '.join(ends[0.2])} %, and all of them"
        f" from any chance above {ends[1.0][0]} %."
    )


def _cells(results: Results, *, column_first: bool) -> Table:
    table, rows = published().table_1, []
    for row, column in PAIRS:
        name = names.cell(row, column, column_first=column_first)
        printed = dict(zip(("column", "row", "draws"), table.of(row, column), strict=True))
        for figure, label in (("column", f"{TITLES[column]} wins"), ("row", f"{TITLES[row]} wins"), ("draws", "draws")):
            ours = results.estimate(name, "as-published", figure, is_rate=True, games=table.games)
            if ours is not None and (printed[figure] or ours.mean):
                first = column if column_first else row
                rows.append(
                    Row(
                        label=f"{TITLES[row]} - {TITLES[column]}, {TITLES[first]} first: {label}, %",
                        published=_PERCENT * printed[figure] / table.games,
                        as_published=ours,
                        digits=0,
                        agreement=_same_chance(printed[figure], ours, table.games),
                    )
                )
    title = "The column moves first" if column_first else "The row moves first"
    return Table(title, tuple(rows), _distinct_note(results, column_first=column_first))


def _same_chance(printed: int, ours: Estimate, games: int) -> Agreement:
    """Whether so many of `games` published games may well have the chance of our rate, by Fisher's exact test: a run of
    ours has no more games than the published one.
    """
    from scipy.stats import fisher_exact  # loads slowly

    played = games * ours.runs
    hits = round(ours.mean / _PERCENT * played)
    p = fisher_exact([[printed, games - printed], [hits, played - hits]]).pvalue
    return Agreement(bool(p >= _SIGNIFICANT), f"{'within' if p >= _SIGNIFICANT else 'outside'}: p = {p:.2g}")


def _distinct_note(results: Results, *, column_first: bool) -> str:
    """How many games of ten are different ones."""
    texts = []
    for row, column in PAIRS:
        name = names.cell(row, column, column_first=column_first)
        ours = results.estimate(name, "as-published", "distinct")
        if ours is not None and ours.mean < published().table_1.games:
            texts.append(f"{TITLES[row]} - {TITLES[column]} {ours.mean:.1f}")
    return f"Different games among ten, where not all are: {', '.join(texts)}." if texts else ""


def matches_section(results: Results) -> Section:
    rows, distinct, games = [], [], set()
    for a, b in PAIRS:
        totals = [match_total(results, a, b, variant) for variant in VARIANTS]
        if any(totals):
            rows += _match_rows(a, b, totals)
            distinct.append(_distinct_row(a, b, totals))
            games |= {total.games for total in totals if total is not None}
    tables = (
        Table("Points of the column", tuple(rows), _POINTS_NOTE),
        Table("Different games", tuple(distinct), f"Games of a match: {' to '.join(map(str, sorted(games)))}."),
    )
    return Section(
        title="The same matches, played fairly",
        text=(
            "Every opening, an exact draw of six plies, is played twice with sides swapped; intervals follow from the"
            " pairs. Agreement: whether the winner is the published one, where our interval does not hold 50 %.",
            *_times(results),
        ),
        tables=tables if rows else (),
    )


def _times(results: Results) -> list[str]:
    """What a move costs each player, if anything was played."""
    texts = []
    for variant in VARIANTS:
        seconds = {player: seconds_a_move(results, player, variant) for player in PLAYERS}
        listed = [f"{TITLES[player]} {1000 * each:.3g}" for player, each in seconds.items() if each is not None]
        if listed:
            texts.append(f"Milliseconds a move, {variant}, on the machine that played: {', '.join(listed)}.")
    return texts


def _match_rows(row: str, column: str, totals: list[MatchTotal | None]) -> list[Row]:
    """Matches are counted for the row; the table shows its column, as the published one does."""
    ours = [None if total is None else _of_column(total) for total in totals]
    wins, _, draws = published().table_1.of(row, column)
    printed = _PERCENT * (wins + draws / 2) / published().table_1.games
    label = f"{TITLES[row]} - {TITLES[column]}"
    found = [
        Row(
            label=f"{label}: {TITLES[column]}, %",
            published=printed,
            as_published=ours[0],
            corrected=ours[1],
            digits=1,
            agreement=None if ours[0] is None else _same_winner(printed, ours[0]),
        )
    ]
    for side, words in (("second", "moving first"), ("first", "moving second")):
        points = [None if total is None else _PERCENT * (1 - total.points_as(side)) for total in totals]
        estimates = [None if value is None else Estimate(value, None, 0.0, 1) for value in points]
        text = f"{label}: {TITLES[column]} {words}, %"
        found.append(Row(label=text, as_published=estimates[0], corrected=estimates[1], digits=1))
    return found


def _of_column(total: MatchTotal) -> Estimate:
    low, high = total.interval
    return Estimate(_PERCENT * (1 - total.points), (_PERCENT * (1 - high), _PERCENT * (1 - low)), 0.0, total.games)


def _same_winner(printed: float, ours: Estimate) -> Agreement | None:
    assert ours.interval is not None
    low, high = ours.interval
    if low <= _HALF <= high:
        return None
    agrees = (printed > _HALF) == (low > _HALF)
    return Agreement(agrees, "the same winner" if agrees else "the other one wins")


def _distinct_row(row: str, column: str, totals: list[MatchTotal | None]) -> Row:
    ours = [None if total is None else Estimate(float(total.distinct), None, 0.0, 1) for total in totals]
    return Row(label=f"{TITLES[row]} - {TITLES[column]}", as_published=ours[0], corrected=ours[1], digits=0)
