"""Output of commands: results on stdout, progress on stderr."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

import msgspec
from rich.console import Console, Group
from rich.live import Live
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from inarow.storage.atomic import atomic_write

_NO_TERMINAL_WIDTH = 10_000

stdout = Console(highlight=False)
stderr = Console(stderr=True, highlight=False)


def print_json(document: object) -> None:
    """Prints one indented JSON document on stdout, flushed for readers of a pipe."""
    sys.stdout.write(json_text(document))
    sys.stdout.flush()


def json_text(document: object) -> str:
    try:
        return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
    except UnicodeEncodeError:  # a file name need not be valid text; its bytes are escaped
        return json.dumps(msgspec.to_builtins(document), indent=2) + "\n"


def print_facts(facts: Mapping[str, object], *, json: bool) -> None:
    """Prints names with values, on one line or as JSON."""
    if json:
        print_json(facts)
    else:
        stdout.print("  ".join(f"{name} {value}" for name, value in facts.items()), soft_wrap=True)


def number_table(
    *headings: str, rows: Iterable[Iterable[str]] = (), words: Collection[str] = ("",), **style: Any
) -> Table:
    """A table whose columns hold numbers, except those whose heading is in `words`."""
    table = Table(**{"box": None, "pad_edge": False, **style})
    for heading in headings:
        table.add_column(heading, justify="left" if heading in words else "right")
    for row in rows:
        table.add_row(*row)
    return table


def print_table(table: Table) -> None:
    """Prints a table on stdout, at full width unless that is a terminal."""
    console = stdout if stdout.is_terminal else Console(width=_NO_TERMINAL_WIDTH)
    console.print(table)


def command_line() -> str:
    """The command of this process, for a shell."""
    return shlex.join(["inarow", *sys.argv[1:]]).encode(errors="replace").decode()


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A transient bar on stderr for the length of a `with` block, updated with (done, total); only in a terminal."""
    with Progress(*_bar_columns(), console=stderr, transient=True, disable=not stderr.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def live_table(title: str, draw: Callable[[], Table]) -> Iterator[Callable[[int, int], None]]:
    """The same bar below a table that is redrawn a few times a second."""
    if not stderr.is_terminal:
        yield lambda done, total: None
        return
    bar = Progress(*_bar_columns())
    task = bar.add_task(title, total=None)
    with Live(console=stderr, transient=True, get_renderable=lambda: Group(draw(), bar)):
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _bar_columns() -> tuple[ProgressColumn, ...]:
    return (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )


@contextmanager
def spinner(title: str) -> Iterator[Callable[[str], None]]:
    """A spinner on stderr for work of unknown length, updated with texts; only in a terminal."""
    if not stderr.is_terminal:
        yield lambda text: None
        return
    with stderr.status(title) as status:
        yield lambda text: status.update(f"{title}: {text}")


@contextmanager
def new_file(path: Path | None) -> Iterator[TextIO]:
    """A text file that appears under its name only when the `with` block succeeds; opened at once, so that a bad path
    fails early. Without a path, writes are discarded.
    """
    if path is None:
        yield StringIO()
        return
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file")
    with atomic_write(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", write_through=True)
        yield text
        text.detach()
