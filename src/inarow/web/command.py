"""`inarow serve`."""

from __future__ import annotations

import json as json_format
from collections.abc import Sequence
from pathlib import Path

from inarow.arena.store_schema import default_store_path
from inarow.errors import InvalidLimitError
from inarow.web.server import serve_lab
from inarow.web.settings import LabSettings
from inarow.workers import check_workers

_MIN_TOKEN = 8


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    token: str | None = None,
    runs: Path = Path("runs"),
    store: Path | None = None,
    workers: int | None = None,
    json: bool = False,
    seed: int = 0,
) -> None:
    """Serve the web lab: play, analyse, run tournaments and training in a browser.

    Args:
        host: Address to listen on. Beyond 127.0.0.1 every call needs the token.
        port: Port to listen on; 0 chooses a free one.
        token: Secret of the clients. Beyond 127.0.0.1, one is generated and printed if not given.
        runs: Folder of training runs, jobs and reports.
        store: Results store; the user's own if not given.
        workers: Search processes; one per core if not given, at most eight.
        json: Print one JSON document and nothing else.
        seed: Accepted for uniformity; every game in the lab brings its own.
    """
    if not 0 <= port < 2**16:
        raise InvalidLimitError(f"port is {port}; it must be 0 to {2**16 - 1}")
    if token is not None and len(token) < _MIN_TOKEN:
        raise InvalidLimitError(f"the token has {len(token)} characters; it must have at least {_MIN_TOKEN}")
    if workers is not None:
        check_workers(workers)
    settings = LabSettings(
        host=host, port=port, token=token, runs=runs, store=store or default_store_path(), workers=workers
    )

    def announce(addresses: Sequence[str]) -> None:
        lines = [f"the lab is at {addresses[0]}  (Ctrl-C ends it)", *(f"or at {address}" for address in addresses[1:])]
        if json:
            lines = [json_format.dumps({"address": addresses[0], "addresses": addresses}, indent=2)]
        print(*lines, sep="\n", flush=True)

    serve_lab(settings, announce)
