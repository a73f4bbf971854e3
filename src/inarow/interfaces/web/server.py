"""Running the lab on a port of this machine."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import uvicorn

from inarow.claim import alone_with
from inarow.errors import InvalidLimitError
from inarow.interfaces.web.app import make_app
from inarow.interfaces.web.guard import is_loopback
from inarow.interfaces.web.settings import MAX_FRAME, LabSettings


def serve_lab(settings: LabSettings, announce: Callable[[str], None]) -> None:
    """Serves until Ctrl-C. `announce` is told the address as soon as somebody can connect.

    Beyond loopback there is always a token. Raises InvalidLimitError if another lab has the runs folder,
    OSError if the port is taken.
    """
    if settings.token is None and not is_loopback(settings.host):
        settings = replace(settings, token=secrets.token_urlsafe(18))
    settings.runs.mkdir(parents=True, exist_ok=True)
    # Two labs in one folder would take each other's jobs for interrupted.
    refusal = InvalidLimitError(f"another lab serves {settings.runs}; give this one another --runs")
    with alone_with(settings.runs, refusal), _listening(settings.host, settings.port) as sock:
        announce(_address(settings, sock.getsockname()[1]))
        config = uvicorn.Config(
            make_app(settings),
            ws="websockets-sansio",
            ws_max_size=MAX_FRAME,
            ws_per_message_deflate=False,  # messages are short, and a bomb has nothing to inflate
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
        )
        uvicorn.Server(config).run(sockets=[sock])


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as sock:  # else asyncio sets no TCP_NODELAY
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, port))
        except OSError as error:
            raise OSError(f"{host} port {port} cannot be used: {error.strerror or error}") from None
        sock.listen(512)
        yield sock


def _address(settings: LabSettings, port: int) -> str:
    host = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(settings.host, settings.host)
    name = f"[{host}]" if ":" in host else host
    # After the #, a token is not sent and so stays out of logs.
    return f"http://{name}:{port}/" + (f"#token={settings.token}" if settings.token else "")
