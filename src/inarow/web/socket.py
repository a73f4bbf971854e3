"""The WebSocket of a page: requests, progress and answers. When it closes, its searches are cancelled."""

import asyncio
from collections import Counter
from pathlib import Path

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from inarow.errors import FinishedGameError, InarowError, InvalidLimitError, one_line
from inarow.games import GameSpec, Position
from inarow.web.agent_access import check_agent
from inarow.web.connections import most_connections, share_of
from inarow.web.guard import Bucket
from inarow.web.handlers import hint, review, think
from inarow.web.messages import AnyRequest, Cancel, Hint, Reply, Review, Think, decode_request, id_of
from inarow.web.pool_worker import Answer
from inarow.web.search_pool import Question, SearchPool
from inarow.web.settings import MAX_OPEN_QUESTIONS, MAX_SOCKETS, MESSAGES_PER_SECOND

_FUNCTIONS: dict[type[AnyRequest], Answer] = {Think: think, Hint: hint, Review: review}
_MAX_UNSENT = 256  # limit of unsent replies to a slow client; beyond it, its messages are not read


class Sockets:
    """All open sockets of a lab."""

    def __init__(self, search_pool: SearchPool, runs: Path) -> None:
        self._pool = search_pool
        self._runs = runs
        self._open: Counter[str] = Counter()
        self._most = min(MAX_SOCKETS, most_connections() * 3 // 4)

    async def serve(self, websocket: WebSocket) -> None:
        """The endpoint."""
        address = websocket.client.host if websocket.client else ""
        if self._open.total() >= self._most or self._open[address] >= share_of(address, self._most):
            await websocket.close(1013, "the lab has too many connections")
            return
        self._open[address] += 1
        try:
            await websocket.accept()
            await _Conversation(websocket, address, self._pool, self._runs).run()
        finally:
            self._open[address] -= 1
            self._open += Counter()  # removes addresses without sockets


class _Conversation:
    """The requests and replies of one socket."""

    def __init__(self, websocket: WebSocket, address: str, search_pool: SearchPool, runs: Path) -> None:
        self._websocket = websocket
        self._pool = search_pool
        self._runs = runs
        self._asker = (address, object())
        self._is_closed = False
        self._questions: dict[int, Question] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._replies: asyncio.Queue[Reply] = asyncio.Queue(_MAX_UNSENT)

    async def run(self) -> None:
        sender = asyncio.create_task(self._send())
        reader = asyncio.create_task(self._read())
        try:
            await asyncio.wait({sender, reader}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._is_closed = True
            for question in self._questions.values():
                question.cancel()
            for task in (sender, reader, *self._tasks):
                task.cancel()
            await asyncio.gather(sender, reader, *self._tasks, return_exceptions=True)

    async def _read(self) -> None:
        bucket = Bucket(MESSAGES_PER_SECOND)
        while True:
            message = await self._websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            await asyncio.sleep(bucket.take())  # rate limit
            text = message.get("text")
            try:
                await self._take(decode_request(text))
            except (ValueError, InarowError) as error:
                await self._replies.put(Reply(type="error", id=id_of(text or ""), error=one_line(error)))

    async def _take(self, request: AnyRequest) -> None:
        """Starts or cancels a question; raises InarowError."""
        if isinstance(request, Cancel):
            if request.id not in self._questions:
                raise InvalidLimitError(f"there is no open question {request.id}")
            self._questions[request.id].cancel()
            return
        if request.id in self._questions:
            raise InvalidLimitError(f"question {request.id} is still open; choose another id")
        if len(self._questions) >= MAX_OPEN_QUESTIONS:
            raise InvalidLimitError(f"at most {MAX_OPEN_QUESTIONS} questions may be open on one socket")
        position = Position.parse(request.moves, GameSpec.parse(request.board))
        if position.is_over and not isinstance(request, Review):
            raise FinishedGameError(f"the game on {position.spec} is over after {position.moves!r}")
        if isinstance(request, Think):
            request = msgspec.structs.replace(request, agent=check_agent(request.agent, self._runs))
        question = await self._pool.ask(
            _FUNCTIONS[type(request)],
            request,
            asker=self._asker,
            report=lambda data: self._report(request.id, data),
        )
        self._questions[request.id] = question
        task = asyncio.create_task(self._answer(request.id, question))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, id: int, question: Question) -> None:
        try:
            reply = Reply(type="answer", id=id, data=msgspec.Raw(await question.answer))
        except asyncio.CancelledError:
            if self._is_closed:
                raise
            reply = Reply(type="error", id=id, error="cancelled")
        except InarowError as error:
            reply = Reply(type="error", id=id, error=one_line(error))
        finally:
            del self._questions[id]
        await self._replies.put(reply)

    def _report(self, id: int, data: bytes) -> None:
        if not self._replies.full():  # progress may be dropped
            self._replies.put_nowait(Reply(type="progress", id=id, data=msgspec.Raw(data)))

    async def _send(self) -> None:
        try:
            while True:
                reply = await self._replies.get()
                await self._websocket.send_text(msgspec.json.encode(reply).decode())
        except (WebSocketDisconnect, RuntimeError, OSError):
            return
