"""Tables that fit the terminal: wide ones are folded, then split, so that nothing is cut."""

import os
import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Group
from rich.measure import Measurement
from rich.table import Column, Table

from inarow.terminal import PlainConsole, stderr, stdout

_LEAST_WORDS = 20  # columns that a column of words keeps, if it has as many
_GAP = 2
_NO_LIMIT = 10_000


def print_table(table: Table) -> None:
    """Prints a table on stdout, within the terminal or the COLUMNS of the environment, else at full width."""
    width = _width()
    console = PlainConsole(width=_NO_LIMIT if width is None else width)
    for number, part in enumerate([table] if width is None else fitting(table, width)):
        if number:
            console.print()
        console.print(part)


def _width() -> int | None:
    if stdout.is_terminal:
        return stdout.width
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdigit() and int(columns) else None


def fitting(table: Table, width: int) -> list[Table]:
    """The table, with columns of words folded and headings wrapped if it is too wide; if that is not enough, tables
    with some of the columns of numbers each, after the first columns of words.
    """
    console = PlainConsole(width=_NO_LIMIT)
    if Measurement.get(console, console.options, table).maximum <= width:
        return [table]
    edges = (2 if table.box else 0) + (2 if table.pad_edge else 0)
    least = [_least_width(column) for column in table.columns]
    room = width - edges
    if _total(least) <= room:
        return [_part(table, range(len(least)), _widths(table, least, range(len(least)), room))]
    keys = _leading_words(table)
    return [_part(table, places, _widths(table, least, places, room)) for places in _blocks(least, keys, room)]


def _least_width(column: Column) -> int:
    """Numbers keep their line, words may be folded, headings are wrapped between words."""
    widest = max((cell_len(line) for cell in column.cells for line in str(cell).splitlines()), default=0)
    heading = max((cell_len(word) for word in str(column.header).split()), default=0)
    return max(heading, min(widest, _LEAST_WORDS) if column.justify == "left" else widest)


def _natural_width(column: Column) -> int:
    texts = [str(column.header), *map(str, column.cells)]
    return max((cell_len(line) for text in texts for line in text.splitlines()), default=0)


def _leading_words(table: Table) -> list[int]:
    """The columns that name a row: those of words at the left, at least the first."""
    keys = [0]
    while len(keys) < len(table.columns) - 1 and table.columns[len(keys)].justify == "left":
        keys.append(len(keys))
    return keys


def _blocks(least: Sequence[int], keys: Sequence[int], room: int) -> Iterator[list[int]]:
    block = list(keys)
    for place in range(len(keys), len(least)):
        if len(block) > len(keys) and _total([least[each] for each in (*block, place)]) > room:
            yield block
            block = list(keys)
        block.append(place)
    yield block


def _widths(table: Table, least: Sequence[int], places: Sequence[int], room: int) -> list[int]:
    """The least widths, and what is left for the columns that would use it, words first."""
    widths = [least[place] for place in places]
    spare = room - _total(widths)
    order = sorted(range(len(places)), key=lambda index: table.columns[places[index]].justify != "left")
    for index in order:
        more = min(max(spare, 0), _natural_width(table.columns[places[index]]) - widths[index])
        widths[index] += more
        spare -= more
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _part(table: Table, places: Sequence[int], widths: Sequence[int]) -> Table:
    part = Table(box=table.box, pad_edge=table.pad_edge, title=table.title, caption=table.caption)
    part.title_justify, part.caption_justify = table.title_justify, table.caption_justify
    for place, width in zip(places, widths, strict=True):
        column = table.columns[place]
        part.add_column(str(column.header), justify=column.justify, width=max(width, 1), overflow="fold")
    rows = zip(*(table.columns[place].cells for place in places), strict=True)
    for row, style in zip(rows, table.rows, strict=True):
        texts = (_folded(str(cell), width) for cell, width in zip(row, widths, strict=True))
        part.add_row(*texts, style=style.style, end_section=style.end_section)
    return part


def _folded(text: str, width: int) -> str:
    """The text in lines, broken after spaces and after the commas and colons of an agent string."""
    if "\n" in text:
        return "\n".join(_folded(line, width) for line in text.split("\n"))
    lines = [""]
    for piece in re.findall(r"[^ ,:]*[ ,:]|[^ ,:]+$", text):
        if lines[-1] and cell_len((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


def page_width(usual: int) -> int:
    """The width of what is printed on stdout, `usual` where nothing limits it."""
    return _width() or usual


def fitted(table: Table) -> Group:
    """A table for stderr, within its width."""
    return Group(*fitting(table, stderr.width))
