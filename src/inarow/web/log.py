"""A log that clients cannot fill."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

_LINES, _SECONDS = 20, 60.0
"""Records of each logger that are written in that time; the others are counted."""
_LOGGERS = ("uvicorn.error", "asyncio", "inarow.web")
_log = logging.getLogger("inarow.web")


class LogLimit(logging.Filter):
    """Passes so many records in a time; the first one after that reports how many were dropped."""

    def __init__(self) -> None:
        super().__init__()
        self._since, self._passed, self._dropped = time.monotonic(), 0, 0

    def filter(self, record: logging.LogRecord) -> bool:
        now = time.monotonic()
        if now - self._since > _SECONDS:
            if self._dropped:
                record.msg = f"({self._dropped} lines were left out) {record.msg}"
            self._since, self._passed, self._dropped = now, 0, 0
        self._passed += 1
        self._dropped += self._passed > _LINES
        return self._passed <= _LINES


def limit_log() -> None:
    """Limits all that the lab logs. Call it in the event loop, whose errors become lines of the log."""
    for name in _LOGGERS:
        logger = logging.getLogger(name)
        if not any(isinstance(each, LogLimit) for each in logger.filters):
            logger.addFilter(LogLimit())
    asyncio.get_running_loop().set_exception_handler(_log_error)


def _log_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """An error of the system, as when there are no more files, is one line; any other has its traceback."""
    error = context.get("exception")
    if isinstance(error, OSError):
        _log.warning("%s: %s", context["message"], error.strerror or error)
    else:
        loop.default_exception_handler(context)
