"""Progress bars and tables for terminals and notebooks, drawn by rich."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Protocol

from rich import progress
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from inarow.errors import visible

_IN_ASCII = str.maketrans(
    {
        **dict(zip("▁▂▃▄▅▆▇█", "_.-~=+*#", strict=True)),  # sparklines
        **dict.fromkeys("─━═", "-"),
        **dict.fromkeys("│┃║░▒", "|"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╪╫╥╨╩╦╭╮╰╯", "+"),
        **{"■": "*", "…": "...", "·": "-", "±": "+-", "\u2212": "-", "µ": "u", "√": "sqrt", "⟩": ">"},
    }
)
Advance = Callable[[int, int], None]  # called with (done, total)


class PlainConsole(Console):
    """Prints strings as they are: names of agents and files are never markup, emoji codes or control sequences."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **settings)

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(for_encoding(visible(text), self.encoding), **options)

    def on_broken_pipe(self) -> None:
        raise


def can_show(text: str, encoding: str | None) -> bool:
    """Whether an encoding has all characters of a text."""
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def for_encoding(text: str, encoding: str | None) -> str:
    """The text, with bars, lines and signs as ASCII if the encoding lacks some of its characters."""
    return text if can_show(text, encoding) else text.translate(_IN_ASCII)


def prefers_ascii(environment: Mapping[str, str]) -> bool:
    """Whether the environment of a terminal asks for ASCII, though Python writes UTF-8 there."""
    wanted = environment.get("LC_CTYPE", "")
    coerced = "" if wanted == "C.UTF-8" else wanted  # Python sets it in a C locale (PEP 538)
    locale = environment.get("LC_ALL") or coerced or environment.get("LANG", "")
    return locale in ("C", "POSIX") or environment.get("TERM") == "dumb"


stdout = PlainConsole()
stderr = PlainConsole(stderr=True)


@contextmanager
def progress_bar(
    title: str, draw: Callable[[], RenderableType] | None = None, *, is_shown: bool | Advance = True
) -> Iterator[Advance]:
    """A transient bar on stderr for the duration of a `with` block, updated with (done, total), below the table that
    `draw` returns a few times a second. It is shown only in a terminal or a notebook; `is_shown`, which may be a
    function, turns it off.
    """
    if callable(is_shown):
        yield is_shown
        return
    if not is_shown or not _can_draw():
        yield lambda done, total: None
        return
    texts = progress.TextColumn("{task.description}", markup=False), progress.BarColumn(), progress.MofNCompleteColumn()
    bar = progress.Progress(*texts, progress.TimeElapsedColumn(), progress.TimeRemainingColumn())
    task = bar.add_task(visible(title), total=None)
    with Live(console=stderr, transient=True, get_renderable=lambda: Group(draw(), bar) if draw else bar):
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _can_draw() -> bool:
    """Whether stderr is a terminal or rich can draw in a notebook."""
    return stderr.is_terminal if not stderr.is_jupyter else find_spec("ipywidgets") is not None


class TextTable(Protocol):
    """A table as text, such as a learning curve."""

    @property
    def headings(self) -> Sequence[str]: ...
    @property
    def rows(self) -> Iterable[Sequence[str]]: ...
    @property
    def caption(self) -> str: ...


def text_table(table: TextTable) -> Table:
    """A table of numbers with a caption."""
    return number_table(*table.headings, rows=table.rows, words=(), caption=table.caption or None)


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
