"""The settings of a lab, and its fixed limits."""

import os
from dataclasses import dataclass
from pathlib import Path

MAX_BODY = 1 << 20  # bytes of a request
MAX_MESSAGE = 16 << 10  # bytes of a message on a socket; longer ones are rejected with a reason
MAX_FRAME = 1 << 20  # bytes; a longer message closes the connection
MAX_CONNECTIONS, MAX_SOCKETS = 1024, 256  # at most: see `most_connections`
BACKLOG = 64  # connections that wait to be accepted
REQUEST_SECONDS, SEND_SECONDS = 15.0, 30.0  # time limits for receiving a request and for sending data
MAX_OPEN_QUESTIONS = 8  # per socket
MAX_WAITING_QUESTIONS = 512  # for all sockets and requests together
REQUESTS_PER_SECOND, MESSAGES_PER_SECOND = 100, 200
"""Rates per address and per socket. Bursts of three times as many are allowed."""

QUESTION_SECONDS = 60.0  # time limit of a search; then its process is terminated
SHORT_SECONDS = 0.2  # time after which the reserved process gives up a search if others wait
QUESTION_MEMORY = 3 << 30  # bytes that a search process may allocate
JOB_SECONDS = 24 * 3600.0
JOB_MEMORY = 8 << 30
MAX_RUNNING_JOBS, MAX_WAITING_JOBS, MAX_JOBS = 2, 16, 500
MAX_JOB_WORKERS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class LabSettings:
    """The settings of a lab."""

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None  # required for every call and socket unless None
    runs: Path  # folder of training runs, jobs and reports; the only served folder apart from the pages
    store: Path  # the results store
    workers: int | None = None  # search processes; None for one per core, at most eight

    @property
    def search_processes(self) -> int:
        return self.workers or max(1, min(8, os.cpu_count() or 1))
