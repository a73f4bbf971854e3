"""`inarow serve`: the lab on a port of this machine."""

import json as json_format
import secrets
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import uvicorn

from inarow.arena.store_schema import default_store_path
from inarow.errors import InvalidLimitError
from inarow.storage.locks import exclusive_lock
from inarow.web.app import make_app
from inarow.web.connections import BoundedHttp, BoundedSocket
from inarow.web.guard import is_loopback
from inarow.web.settings import BACKLOG, MAX_FRAME, LabSettings
from inarow.workers import check_workers

_MIN_TOKEN = 8
_ELSEWHERE = {"0.0.0.0": (socket.AF_INET, "192.0.2.1"), "::": (socket.AF_INET6, "2001:db8::1")}
"""For hosts that stand for all addresses of this machine: the address family, and an address reserved for examples."""


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
    """Serve the web lab: play, analyse and train in a browser.

    Args:
        host: Address to listen on. On other addresses than 127.0.0.1 every call needs the token.
        port: Port to listen on; 0 chooses a free one.
        token: Secret that clients must send. Beyond 127.0.0.1 the default is a generated one, which is printed.
        runs: Folder of training runs, jobs and reports.
        store: Results store (default: your own).
        workers: Search processes (default: one per core, at most eight).
        json: Print one JSON document and nothing else.
        seed: Accepted for uniformity; every game in the lab brings its own.

    Examples:
        inarow serve
        inarow serve --port 0 --runs lab/runs          # any free port
        inarow serve --host 0.0.0.0                    # for a class; prints a token
    """
    if not 0 <= port < 2**16:
        raise InvalidLimitError(f"port is {port}; it must be 0 to {2**16 - 1}")
    if token is not None and len(token) < _MIN_TOKEN:
        raise InvalidLimitError(f"the token has {len(token)} characters; use at least {_MIN_TOKEN}")
    if workers is not None:
        check_workers(workers)
    settings = LabSettings(
        host=host, port=port, token=token, runs=runs, store=store or default_store_path(), workers=workers
    )

    def announce(addresses: Sequence[str]) -> None:
        lines = [
            f"the lab is at {addresses[0]}  (stop it with Ctrl-C)",
            *(f"or at {address}" for address in addresses[1:]),
        ]
        if json:
            lines = [json_format.dumps({"address": addresses[0], "addresses": addresses}, indent=2)]
        print(*lines, sep="\n", flush=True)

    serve_lab(settings, announce)


def serve_lab(settings: LabSettings, announce: Callable[[Sequence[str]], None]) -> None:
    """Serves until Ctrl-C. Calls `announce` with the addresses as soon as clients can connect: one, or for a host that
    stands for all addresses of this machine, one with its name and, if known, one with its IP address.

    On other addresses than loopback there is always a token. Raises InvalidLimitError if another lab uses the runs
    folder, OSError if the port is taken.
    """
    if settings.token is None and not is_loopback(settings.host):
        settings = replace(settings, token=secrets.token_urlsafe(18))
    settings.runs.mkdir(parents=True, exist_ok=True)
    # A second lab in the same folder would take running jobs for interrupted ones.
    refusal = InvalidLimitError(f"another lab serves {settings.runs}; choose another folder with --runs")
    with exclusive_lock(settings.runs, refusal), _listening(settings.host, settings.port) as sock:
        announce(addresses(settings, sock.getsockname()[1]))
        config = uvicorn.Config(
            make_app(settings),
            http=BoundedHttp,
            ws=BoundedSocket,
            backlog=BACKLOG,
            ws_max_size=MAX_FRAME,
            ws_per_message_deflate=False,  # messages are short, and compression allows decompression bombs
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
        )
        _Server(config).run(sockets=[sock])


class _Server(uvicorn.Server):
    """Ends on SIGHUP as it does on Ctrl-C and SIGTERM: it closes the lab, then leaves the signal to its old handler."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        with super().capture_signals():
            hangup = getattr(signal, "SIGHUP", signal.SIGINT)  # Windows does not have it
            before = signal.getsignal(hangup)
            if before is not signal.SIG_IGN:  # ignored under nohup
                signal.signal(hangup, self.handle_exit)
            try:
                yield
            finally:
                signal.signal(hangup, before)


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(
        family, socket.SOCK_STREAM, socket.IPPROTO_TCP
    ) as sock:  # otherwise asyncio does not set TCP_NODELAY
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, port))
        except OSError as error:
            raise OSError(f"{host} port {port} cannot be used: {error.strerror or error}") from None
        sock.listen(BACKLOG)
        yield sock


def addresses(settings: LabSettings, port: int) -> list[str]:
    """The addresses of the lab, token included."""
    hosts = [settings.host]
    if settings.host in _ELSEWHERE:
        # Phones often cannot resolve the names of other machines.
        hosts = [socket.gethostname(), *_own_number(*_ELSEWHERE[settings.host])]
    # Browsers do not send the part after #, so the token does not appear in logs.
    token = f"#token={quote(settings.token, safe='')}" if settings.token else ""
    return [f"http://{f'[{host}]' if ':' in host else host}:{port}/{token}" for host in hosts]


def _own_number(family: socket.AddressFamily, elsewhere: str) -> list[str]:
    """The address from which this machine would send packets to `elsewhere`, if any; none is sent."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as sock:
            sock.connect((elsewhere, 9))
            return [sock.getsockname()[0]]
    except OSError:  # no network
        return []
