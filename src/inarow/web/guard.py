"""The checks before every request: origin, token, size and rate.

A page of another site can make a browser send requests to this machine. So the Host header must name this lab (against
DNS rebinding), an Origin must be that of the lab, and on other addresses than loopback every call needs the token.
"""

import hmac
import ipaddress
import socket
import time
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inarow.web.settings import MAX_BODY, REQUESTS_PER_SECOND, LabSettings

_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
    " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""For reports, which contain scripts. In a sandbox they have no origin, so they cannot call the lab."""
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}

_BURST = 3  # size of a bucket: requests of this many seconds may come at once
_MAX_CLIENTS = 4096

Refusal = tuple[int, str]  # status and reason


class Bucket:
    """A token bucket, which limits the rate of requests."""

    def __init__(self, per_second: float) -> None:
        self._rate = per_second
        self._level = self._most = per_second * _BURST
        self._clock = time.monotonic()

    def take(self) -> float:
        """Seconds until this request would be allowed; 0 if it is."""
        now = time.monotonic()
        self._level = min(self._most, self._level + (now - self._clock) * self._rate)
        self._clock = now
        if self._level >= 1:
            self._level -= 1
            return 0.0
        return (1 - self._level) / self._rate


class Buckets:
    """A bucket per client; the least recently used ones are dropped."""

    def __init__(self, per_second: float) -> None:
        self._bucket_of = lru_cache(_MAX_CLIENTS)(lambda client: Bucket(per_second))

    def take(self, client: str) -> float:
        return self._bucket_of(client).take()


class Guard:
    """ASGI middleware around the whole lab."""

    def __init__(self, app: ASGIApp, settings: LabSettings) -> None:
        self._app = app
        self._settings = settings
        self._names = {"localhost", settings.host.lower(), socket.gethostname().lower()}
        self._is_local = is_loopback(settings.host)
        self._buckets = Buckets(REQUESTS_PER_SECOND)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            answer = _with_headers(send, scope["path"]) if scope["type"] == "http" else send
            await self._app(scope, _bounded(receive), answer)
        elif scope["type"] == "http":
            status, reason = refusal
            await JSONResponse({"error": reason}, status)(scope, receive, _with_headers(send, scope["path"]))
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": refusal[1]})

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers = Headers(scope=scope)
        if not self._is_known_host(headers.getlist("host")):
            return 421, "unknown host name: the Host header does not name this lab"
        if any(origin != f"http://{headers['host']}" for origin in headers.getlist("origin")):
            return 403, "requests from other origins are not allowed"
        path = scope["path"]
        is_private = path.startswith(("/api/", "/runs/"))
        is_foreign = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        if is_private and is_foreign:
            return 403, "requests from other sites are not allowed"
        wait = self._buckets.take(scope["client"][0] if scope.get("client") else "")
        if wait:
            return 429, f"too many requests; wait {wait:.2f} s"
        if is_private and not self._knows_token(headers, scope["query_string"]):
            return 401, "the token is missing or wrong; use the address that the lab printed when it started"
        if int_or(headers.get("content-length"), 0) > MAX_BODY:
            return 413, f"the request is too large; the limit is {MAX_BODY} bytes"
        return None

    def _is_known_host(self, hosts: list[str]) -> bool:
        if len(hosts) != 1:
            return False
        name = _without_port(hosts[0]).lower()
        try:
            address = ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return name in self._names
        # DNS rebinding needs a name: numeric addresses are safe.
        return address.is_loopback or not self._is_local

    def _knows_token(self, headers: Mapping[str, str], query: bytes) -> bool:
        if self._settings.token is None:
            return True
        given = headers.get("authorization", "").removeprefix("Bearer ")
        if not given:  # a browser cannot set a header on a socket or a link
            given = parse_qs(query.decode("latin-1")).get("token", [""])[0]
        return hmac.compare_digest(given.encode(), self._settings.token.encode())


def is_loopback(host: str) -> bool:
    """Whether a lab on this host can be reached only from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def int_or(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 16 else otherwise


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


def _with_headers(send: Send, path: str) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers["Content-Security-Policy"] = _REPORT_POLICY if path.startswith("/runs/") else _PAGE_POLICY
        await send(message)

    return sending


def _bounded(receive: Receive) -> Receive:
    """Limits the size of bodies without a declared length."""
    taken = 0

    async def receiving() -> Message:
        nonlocal taken
        message = await receive()
        if message["type"] == "http.request":
            taken += len(message.get("body", b""))
            if taken > MAX_BODY:
                raise HTTPException(413, f"the request is too large; the limit is {MAX_BODY} bytes")
        return message

    return receiving
