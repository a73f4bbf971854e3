"""Limits of the log, so that clients cannot fill the disk."""

import asyncio
import logging
import time
from collections import Counter
from typing import Any

_TRACEBACKS, _SECONDS = 20, 60.0  # tracebacks per logger in this time; any other line is written once
_LOGGERS = ("uvicorn.error", "asyncio", "inarow.web")
_log = logging.getLogger("inarow.web")


class LogLimit(logging.Filter):
    """Drops records that were logged too often in the last minute."""

    def __init__(self) -> None:
        super().__init__()
        self._since = time.monotonic()
        self._passed: Counter[str] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        if time.monotonic() - self._since > _SECONDS:
            self._since = time.monotonic()
            self._passed.clear()
        kind = (
            "a traceback" if record.exc_info else record.msg
        )  # without its values, so that the number of kinds is limited
        self._passed[kind] += 1
        return self._passed[kind] <= (_TRACEBACKS if record.exc_info else 1)


def limit_log() -> None:
    """Limits all logs of the lab. Call it in the event loop, whose errors are logged."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(each, LogLimit) for each in logger.filters):
            logger.addFilter(LogLimit())
    asyncio.get_running_loop().set_exception_handler(_log_error)


def _log_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Logs an error of the operating system, such as too many open files, in one line; others with their traceback."""
    error = context.get("exception")
    if isinstance(error, OSError):
        _log.warning("%s: %s", context["message"], error.strerror or error)
    else:
        loop.default_exception_handler(context)
