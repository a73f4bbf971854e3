"""What a lab is told at its start, and the limits that nobody exceeds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

MAX_BODY = 1 << 20
"""Bytes of a request."""
MAX_MESSAGE = 16 << 10
"""Bytes of a message on a socket; a longer one is refused."""
MAX_FRAME = 16 << 20
"""Bytes of a message that is refused with words; a longer one ends its connection."""
MAX_SOCKETS = 256
MAX_OPEN_QUESTIONS = 8
"""Of one socket."""
MAX_WAITING_QUESTIONS = 512
"""Of all sockets and requests."""
REQUESTS_PER_SECOND, MESSAGES_PER_SECOND = 100, 200
"""Of one address, of one socket. Three times as many may come at once."""

QUESTION_SECONDS = 60.0
"""Time for a search; then its process is ended."""
QUESTION_MEMORY = 3 << 30
"""Bytes that a search process may allocate."""
JOB_SECONDS = 24 * 3600.0
JOB_MEMORY = 8 << 30
MAX_RUNNING_JOBS, MAX_WAITING_JOBS, MAX_JOBS = 2, 16, 500
MAX_JOB_WORKERS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class LabSettings:
    """Where the lab listens and what it works on."""

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    """Asked for on every call and socket, if there is one."""
    runs: Path
    """Folder of training runs, jobs and reports; the only one that is served besides the pages."""
    store: Path
    """The results store."""
    workers: int | None = None
    """Processes that search; as many as there are cores, but at most eight, if nobody says."""

    @property
    def search_processes(self) -> int:
        return self.workers or max(1, min(8, os.cpu_count() or 1))
