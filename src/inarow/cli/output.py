"""Output of commands: results on stdout, progress on stderr."""

import json
import shlex
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import TextIO

from rich.text import Text

from inarow.cli.tables import print_table as print_table
from inarow.errors import visible
from inarow.results import json_text as json_text
from inarow.storage.atomic import atomic_write
from inarow.terminal import PlainConsole as PlainConsole
from inarow.terminal import can_show
from inarow.terminal import number_table as number_table
from inarow.terminal import progress_bar as progress_bar
from inarow.terminal import stderr as stderr
from inarow.terminal import stdout as stdout


def print_json(document: object) -> None:
    """Prints one indented JSON document on stdout, flushed for readers of a pipe."""
    text = json_text(document)
    if not can_show(text, sys.stdout.encoding):
        text = json.dumps(json.loads(text), indent=2) + "\n"
    sys.stdout.write(text)
    sys.stdout.flush()


def print_facts(facts: Mapping[str, object], *, json: bool) -> None:
    """Prints names with values, on one line or as JSON."""
    if json:
        print_json(facts)
    else:
        stdout.print("  ".join(f"{name} {value}" for name, value in facts.items()), soft_wrap=True)


def command_line() -> str:
    """The command of this process, for a shell."""
    return shlex.join(["inarow", *sys.argv[1:]]).encode(errors="replace").decode()


def spinner(title: str) -> AbstractContextManager[object]:
    """A spinner on stderr for work of unknown length; only in a terminal."""
    if not stderr.is_terminal:
        return nullcontext()
    shape = "dots" if can_show("\u280b", stderr.encoding) else "line"
    return stderr.status(Text(visible(title)), spinner=shape)


def write_text(path: Path, text: str) -> None:
    """Writes a whole file, or leaves the old one."""
    with new_file(path) as file:
        file.write(text)


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
