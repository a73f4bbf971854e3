"""What commands print: results on stdout, progress on stderr."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import TextIO

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

stdout = Console()
stderr = Console(stderr=True)


def print_json(document: object) -> None:
    """One JSON document on stdout: indented, plain, complete, and there at once for who reads it from a pipe."""
    sys.stdout.write(json_text(document))
    sys.stdout.flush()


def json_text(document: object) -> str:
    try:
        return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
    except UnicodeEncodeError:  # the name of a file need not be text; its bytes are escaped
        return json.dumps(msgspec.to_builtins(document), indent=2) + "\n"


def print_table(table: Table) -> None:
    """On stdout; at its full width where that is no terminal, so that a pipe gets whole cells."""
    console = stdout if stdout.is_terminal else Console(width=_NO_TERMINAL_WIDTH)
    console.print(table)


def command_line() -> str:
    """The command of this process, as it can be given again."""
    return shlex.join(["inarow", *sys.argv[1:]]).encode(errors="replace").decode()


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr for the length of a `with` block, fed by (done, of how many); only where
    somebody watches, and gone at the end.
    """
    with Progress(*_bar_columns(), console=stderr, transient=True, disable=not stderr.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def live_table(title: str, draw: Callable[[], Table]) -> Iterator[Callable[[int, int], None]]:
    """The same bar under a table that is drawn anew a few times a second."""
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
    """Shows on stderr that work of unknown length goes on, fed by texts; only where somebody watches."""
    if not stderr.is_terminal:
        yield lambda text: None
        return
    with stderr.status(title) as status:
        yield lambda text: status.update(f"{title}: {text}")


@contextmanager
def new_file(path: Path | None) -> Iterator[TextIO]:
    """A text file that appears under its name only when the `with` block ends well; opened at
    once, so that a bad path costs no work. Without a path, what is written goes nowhere.
    """
    if path is None:
        yield StringIO()
        return
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; a file is to be written")
    with atomic_write(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", write_through=True)
        yield text
        text.detach()
