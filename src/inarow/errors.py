"""Everything that can go wrong on purpose.

Each error is an `InarowError` and also the built-in error that fits. Its text is one line that
says what is wrong and what would be right, so that the interfaces can print it as it is.
"""

from __future__ import annotations

_SHOWN = 40
_LINE = 400


class InarowError(Exception):
    """The root of the tree: catch this to catch them all."""


class InvalidSpecError(InarowError, ValueError):
    """A board that cannot exist, or a board string that cannot be read."""


class NotationError(InarowError, ValueError):
    """A text that is not a move string, a diagram or a game record."""


class UnreachablePositionError(NotationError):
    """A well-formed diagram or array that no legal game leads to."""


class IllegalMoveError(InarowError, ValueError):
    """A move that the rules forbid in this position."""


class FinishedGameError(InarowError, ValueError):
    """A question about the best move, asked when the game is over."""


class BookError(InarowError, ValueError):
    """A file that is not a sound opening book, or a book for another board."""


class SuiteError(InarowError, ValueError):
    """A file that is not a sound suite, or a suite for another board."""


class ConfigError(InarowError, ValueError):
    """A training config that cannot be read or makes no sense."""


class TableError(InarowError, ValueError):
    """A file that is not a sound Q-table, or a table for another board."""


class InvalidDrawError(InarowError, ValueError):
    """Probabilities and flags from which nothing can be drawn."""


class NetError(InarowError, ValueError):
    """A file that is not a sound net, or a net for another board or of another kind."""


class StoreError(InarowError, ValueError):
    """A file that is not a sound results store, or a result that cannot be stored."""


class InvalidAgentError(InarowError, ValueError):
    """An agent string with an unknown name, an unknown key or a value out of range."""


class KaggleFileError(InarowError, RuntimeError):
    """A Kaggle agent file that failed, took too long, or cannot be made."""


class KaggleTimeoutError(KaggleFileError):
    """A Kaggle agent file that took more time than Kaggle gives."""


class InvalidStudyError(InarowError, ValueError):
    """A study or a setting of one that does not exist."""


class InvalidLimitError(InarowError, ValueError):
    """A number of games, workers, plies or bytes that makes no sense or does not fit."""


class InvalidResultsError(InarowError, ValueError):
    """Results of games from which no ratings follow."""


class ClusterError(InarowError, ConnectionError):
    """A cluster that cannot be reached or started."""


class MissingExtraError(InarowError, ImportError):
    """An optional dependency is needed and absent."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed; run: pip install 'inarow[{extra}]'")


class TaskError(InarowError, RuntimeError):
    """A task given to the workers failed; `task` is that task, `__cause__` what it raised."""

    def __init__(self, task: object, reason: str) -> None:
        super().__init__(f"task {shown(repr(task))} failed: {reason}")
        self.task = task


def shown(text: str) -> str:
    """`text` quoted for a message: printable, on one line, and short whatever came in."""
    quoted = ascii(text)
    return quoted if len(quoted) <= _SHOWN else quoted[:_SHOWN] + "...'"


def one_line(error: BaseException) -> str:
    """The text of any error on a single line of bounded length; its type's name if it has no text. Errors of the system
    are told without their number.
    """
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        text = error.strerror if error.filename is None else f"{error.strerror}: {error.filename!r}"
    line = " ".join(text.split()) or type(error).__name__
    return line if len(line) <= _LINE else line[:_LINE] + " ..."
