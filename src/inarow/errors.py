"""The errors that inarow raises deliberately.

Each is an `InarowError` and also a fitting built-in error. Its message is one line that says what is
wrong and what to do, so that the front ends can print it unchanged.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

_SHOWN = 40
_LINE = 400
_LONGEST_NAME = 100  # of those compared with known names


class InarowError(Exception):
    """The base class of all errors of inarow."""


class InvalidSpecError(InarowError, ValueError):
    """An impossible board, or an invalid board string."""


class NotationError(InarowError, ValueError):
    """An invalid move string, diagram or game record."""


class UnreachablePositionError(NotationError):
    """A well-formed diagram or array that no legal game reaches."""


class IllegalMoveError(InarowError, ValueError):
    """A move that is illegal in this position."""


class FinishedGameError(InarowError, ValueError):
    """A move was requested in a finished game."""


class BookError(InarowError, ValueError):
    """A file that is not a valid opening book, or a book for another board."""


class SuiteError(InarowError, ValueError):
    """A file that is not a valid suite, or a suite for another board."""


class ConfigError(InarowError, ValueError):
    """An unreadable or invalid training config."""


class TableError(InarowError, ValueError):
    """A file that is not a valid Q-table, or a table for another board."""


class InvalidDrawError(InarowError, ValueError):
    """Invalid probabilities or flags for a draw of an action."""


class NetError(InarowError, ValueError):
    """A file that is not a valid net, or a net for another board or of another kind."""


class StoreError(InarowError, ValueError):
    """A file that is not a valid results store, or a result that cannot be stored."""


class InvalidAgentError(InarowError, ValueError):
    """An agent string with an unknown name, an unknown key or a value out of range."""


class KaggleFileError(InarowError, RuntimeError):
    """A Kaggle agent file that failed, timed out, or cannot be written."""


class KaggleTimeoutError(KaggleFileError):
    """A Kaggle agent file that exceeded Kaggle's time limit."""


class AssignmentError(InarowError, ValueError):
    """A folder of agent files that cannot be graded, or saved grades that cannot be used."""


class InvalidStudyError(InarowError, ValueError):
    """An unknown study, or an unknown setting of one."""


class InvalidLimitError(InarowError, ValueError):
    """A number of games, workers, plies or bytes that is out of range."""


class PictureError(InarowError, ValueError):
    """A picture that cannot be drawn, or a file name without the suffix of a picture format."""


class InvalidResultsError(InarowError, ValueError):
    """Results of games that do not determine ratings."""


class ClusterError(InarowError, ConnectionError):
    """A cluster that cannot be reached or started."""


class PluginError(InarowError, ImportError):
    """A plug-in file that cannot be loaded, or code that worker processes cannot import."""


class MissingExtraError(InarowError, ImportError):
    """A required optional dependency is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; run: pip install 'inarow[{extra}]'")


class Interrupted(KeyboardInterrupt):
    """Ctrl-C stopped long work; `result` covers the part that was finished, None if no part was."""

    def __init__(self, message: str, result: object) -> None:
        super().__init__(message)
        self.result = result


class MainGuardError(InarowError, SystemExit):
    """A script without a main guard started worker processes, each of which would run it again.

    Also a SystemExit: where nothing catches it, Python prints its line and no traceback.
    """

    def __init__(self) -> None:
        guard = "if __name__ == '__main__':"
        self.code = f"worker processes import this script: start them under `{guard}`, or use workers=1"
        super().__init__(self.code)


class TaskError(InarowError, RuntimeError):
    """A task of a worker failed; `task` is that task, `__cause__` the exception it raised."""

    def __init__(self, task: object, reason: str) -> None:
        super().__init__(f"task {shown(repr(task))} failed: {reason}")
        self.task = task


def shown(text: str) -> str:
    """`text` quoted for a message: printable, on one line, at most about 40 characters."""
    quoted = ascii(text)
    return quoted if len(quoted) <= _SHOWN else quoted[:_SHOWN] + "...'"


def unknown(kind: str, name: str, known: Iterable[str], *, plural: str | None = None) -> str:
    """The message about an unknown name: what is wrong, the closest name if one is close, and all that are valid."""
    known = tuple(known)
    names = f"{plural or kind + 's'} are {', '.join(known)}"
    return f"there is no {kind} {shown(name)}{did_you_mean(name, known)}; {names}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` (did you mean 'mcts'?)` with the closest of the known names; empty where none is close."""
    from difflib import get_close_matches  # only errors need it

    by_lower_case = {each.lower(): each for each in known}
    closest = get_close_matches(name[:_LONGEST_NAME].lower(), by_lower_case, 1)
    return "".join(f" (did you mean '{by_lower_case[each]}'?)" for each in closest)


def visible(text: str) -> str:
    """`text` with unprintable characters, except line breaks, as escapes: control characters can operate a terminal,
    and direction marks reverse the displayed order of characters.
    """
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or each == "\n" else each.encode("unicode_escape").decode() for each in text
    )


def visible_json(text: str) -> str:
    """The same JSON document with unprintable characters, except line breaks, as escapes."""
    if text.isascii() and "\x7f" not in text:  # JSON itself escapes the other control characters
        return text
    return "".join(each if each.isprintable() or each == "\n" else _json_escape(each) for each in text)


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def one_line(error: BaseException) -> str:
    """The message of any error on a single line of bounded length, with control characters as escapes; the name of its
    type if it has no message. Operating system errors are shown without their number.
    """
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        text = error.strerror if error.filename is None else f"{error.strerror}: {error.filename!r}"
    line = visible(" ".join(text.split())) or type(error).__name__
    return line if len(line) <= _LINE else line[:_LINE] + " ..."


@contextmanager
def raised_as(
    kind: type[InarowError], message: str, *caught: type[Exception], reason: str | None = None
) -> Iterator[None]:
    """Raises the errors of the block, or only those of the types `caught`, as `kind`: the message, then the reason.
    Errors of `kind` pass unchanged. Omit `caught` for files and libraries that can raise almost anything.
    `reason` replaces the message of a library that is written for its developers.
    """
    wrapped = caught or (Exception,)
    try:
        yield
    except kind:
        raise
    except wrapped as error:
        why = one_line(error) if reason is None or isinstance(error, InarowError) else reason
        raise kind(f"{message}: {why}") from None
