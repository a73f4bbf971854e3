"""Limits of connections: their number, their timeouts, and the message rate of sockets.

uvicorn creates one of these protocols for each connection. When there are too many, the oldest one without a running
request is closed, so that idle connections do not block others.
"""

import asyncio
from functools import cache
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode

from inarow.web.guard import Bucket, is_loopback
from inarow.web.settings import BACKLOG, MAX_CONNECTIONS, MESSAGES_PER_SECOND, REQUEST_SECONDS, SEND_SECONDS

_OWN_FILES = 64  # files of the lab itself: pipes to processes, jobs, logs
_MAX_UNREAD = 3 * MESSAGES_PER_SECOND  # unread messages, or fragments of one message
_SLICE = 4096  # bytes that are parsed between two checks of the rate of a socket
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n"
    b'{"error": "the lab has too many connections; try again later"}'
)


@cache
def most_connections() -> int:
    """The number of connections for which this process has file descriptors, two each, since each may read a file. Some
    are reserved, because a connection beyond the limit is open for a moment before it is closed.
    """
    try:
        import resource
    except ImportError:  # on Windows
        return MAX_CONNECTIONS
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(8, min(MAX_CONNECTIONS, (files - _OWN_FILES - 3 * BACKLOG) // 2))


def share_of(address: str, whole: int) -> int:
    """The limit for one address. A loopback address gets the whole, since it may be a tunnel with many users."""
    return whole * 3 // 4 if is_loopback(address) else whole // 2


class _Impatient(asyncio.Protocol):
    """Closes the connection when an expected event has not happened in time."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    client: tuple[str, int] | None
    _deadlines: dict[str, asyncio.TimerHandle]

    @property
    def address(self) -> str:
        return self.client[0] if self.client else ""

    def connection_made(self, transport: Any) -> None:
        self._deadlines = {}
        transport.set_write_buffer_limits(high=0)  # so that there is a deadline for every unsent byte
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        for name in list(self._deadlines):
            self.met(name)
        super().connection_lost(error)

    def pause_writing(self) -> None:
        self.expect("taken", SEND_SECONDS)
        super().pause_writing()

    def resume_writing(self) -> None:
        self.met("taken")
        super().resume_writing()

    def expect(self, name: str, seconds: float) -> None:
        if name not in self._deadlines:
            self._deadlines[name] = self.loop.call_later(seconds, self.transport.abort)

    def met(self, name: str) -> None:
        if name in self._deadlines:
            self._deadlines.pop(name).cancel()


class BoundedHttp(_Impatient, H11Protocol):
    """HTTP with a time limit for requests, including the first one."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._opened = self.loop.time()
        self.expect("request", REQUEST_SECONDS)
        if not self._finds_room():
            self.connections.discard(self)
            transport.write(_FULL)
            transport.close()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        is_whole = self.conn.their_state in (h11.DONE, h11.MUST_CLOSE)
        if is_whole or self.transport.get_protocol() is not self:  # the latter is now a socket
            self.met("request")
        else:
            self.expect("request", REQUEST_SECONDS)

    @property
    def is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _finds_room(self) -> bool:
        """Whether this connection may stay; closes an idle one of its own or of the busiest address if necessary."""
        crowds: dict[str, list[Any]] = {}
        for each in self.connections:
            crowds.setdefault(each.address, []).append(each)  # type: ignore[union-attr]
        crowd = crowds[self.address]
        most = most_connections()
        if len(crowd) <= share_of(self.address, most):
            if len(self.connections) <= most:
                return True
            crowd = max(crowds.values(), key=len)
        idle = [each for each in crowd if isinstance(each, BoundedHttp) and each.is_idle and each is not self]
        if idle:
            oldest = min(idle, key=lambda each: each._opened)
            self.connections.discard(oldest)
            oldest.transport.abort()
        return bool(idle)


class BoundedSocket(_Impatient, WebSocketsSansIOProtocol):
    """A socket with a rate limit, where pings, pongs and fragments count like messages; it is closed beyond the
    limit.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._bucket = Bucket(MESSAGES_PER_SECOND)

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), _SLICE):
            super().data_received(data[start : start + _SLICE])
            if self.close_sent:
                return

    def handle_events(self) -> None:
        frames = [event for event in self.conn.events if isinstance(event, Frame)]
        counted = sum(frame.opcode in (Opcode.PING, Opcode.PONG, Opcode.CONT) or not frame.fin for frame in frames)
        unread = max(self.queue.qsize(), len(self.frames)) + len(frames)
        if unread <= _MAX_UNREAD and not any(self._bucket.take() for _ in range(counted)):
            super().handle_events()
        elif not self.close_sent:
            self.conn.fail(1008, "too many messages, pings or fragments")
            self.handle_parser_exception()
