"""Results of games for the tests of ratings, leaderboards and reports."""

from collections.abc import Iterable

from inarow.arena.tally import CrossTable, SideTally

Row = tuple[str, str, int, int, int]
"""First and second agent; wins, draws and losses of the first."""


def cross_table(rows: Iterable[Row]) -> CrossTable:
    table = CrossTable()
    for first, second, wins, draws, losses in rows:
        table.add(first, second, SideTally(wins, draws, losses))
    return table
