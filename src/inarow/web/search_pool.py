"""Search processes with a bounded queue and fair scheduling.

A question is a function and its argument. The next question is that of the address, and there of the client, with the
least recent search time. In addition to the workers, one process is reserved for short questions: when other questions
wait for it, it gives up a search that takes longer, which is restarted in another process. So short questions never
wait for long ones, and every answer is from an uninterrupted search. A question may be cancelled at any time: if its
search does not end soon, its process is replaced.
"""

import asyncio
import logging
import math
import time
from collections import Counter
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from inarow.errors import InarowError, one_line
from inarow.web.pool_process import LabProcess
from inarow.web.pool_worker import Answer, answer_questions
from inarow.web.settings import MAX_WAITING_QUESTIONS, QUESTION_MEMORY, QUESTION_SECONDS, SHORT_SECONDS

_log = logging.getLogger("inarow.web")
_PAUSE = 1.0  # seconds before another attempt to start a process
_GRACE = 5.0
"""Seconds in which a cancelled search should end before its process is killed; starting a new process takes longer."""
_TOO_LONG = f"the search took longer than {QUESTION_SECONDS:g} s and was stopped"
_LOOK = 0.05  # seconds between two checks of the time of a search
_NICENESS = 10
_TRIES = 3  # attempts of the reserved process per question, since a busy machine may be slow once
_HALF_LIFE, _MAX_USERS = 30.0, 1024  # half-life of used time in seconds, and the number of clients for which it is kept

Asker = tuple[str, Hashable]  # an address, and a client there
_NOBODY: Asker = ("", None)


class BusyError(InarowError, RuntimeError):
    """The queue is full."""


class FailedQuestionError(InarowError, RuntimeError):
    """A question could not be answered; the message is the reason."""


@dataclass(eq=False, slots=True)
class Question:
    """A question in the queue. `answer` is a future of JSON or an InarowError; it may be cancelled."""

    asker: Asker
    function: Answer
    argument: Any
    report: Callable[[bytes], None] | None  # receives intermediate results as JSON
    answer: asyncio.Future[bytes] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    given_up: int = 0  # number of times that the reserved process has given it up

    def cancel(self) -> None:
        self.answer.cancel()


class UsedTime:
    """The search time of addresses and clients, with exponential decay."""

    def __init__(self) -> None:
        self._used: dict[Hashable, tuple[float, float]] = {}

    def of(self, key: Hashable, now: float) -> float:
        seconds, since = self._used.get(key, (0.0, 0.0))
        return seconds * math.pow(0.5, (now - since) / _HALF_LIFE)

    def add(self, asker: Asker, seconds: float, now: float) -> None:
        self._used |= {key: (self.of(key, now) + seconds, now) for key in (asker[0], asker)}
        if len(self._used) > _MAX_USERS:
            most = sorted(self._used, key=lambda key: -self.of(key, now))[: _MAX_USERS // 2]
            self._used = {key: self._used[key] for key in most}


class SearchPool:
    """The search processes of a lab."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._free = 0  # idle processes for questions of any length
        self._waiting: list[Question] = []
        self._used = UsedTime()
        self._arrival = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None
        self._asked = 0
        self.ready = 0  # processes that have loaded their kernels and can search

    @property
    def waiting(self) -> int:
        return len(self._candidates(is_reserved=False))

    async def start(self) -> None:
        self._task = asyncio.create_task(self._start_one_by_one())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def ask(
        self, function: Answer, argument: Any, asker: Asker = _NOBODY, report: Callable[[bytes], None] | None = None
    ) -> Question:
        """Adds a question to the queue; raises BusyError. `function` must be importable by name.

        If the queue is full, the last question of the client with the most questions is dropped in favour of a client
        with fewer.
        """
        if self.waiting >= MAX_WAITING_QUESTIONS:
            busy = BusyError(f"the lab is busy: {self.waiting} questions are waiting; ask again later")
            counts = Counter(each.asker for each in self._waiting)
            greedy, most = counts.most_common(1)[0]
            if most <= counts[asker] + 1:
                raise busy
            next(each for each in reversed(self._waiting) if each.asker == greedy).answer.set_exception(busy)
        question = Question(asker, function, argument, report)
        await self._enqueue(question)
        return question

    async def answer(self, function: Answer, argument: Any, asker: Asker = _NOBODY) -> bytes:
        """Asks a question and waits for the answer; cancelling the caller cancels the question."""
        question = await self.ask(function, argument, asker)
        try:
            return await question.answer
        finally:
            question.cancel()

    # --- The queue ---

    async def _enqueue(self, question: Question) -> None:
        async with self._arrival:
            self._waiting.append(question)
            self._arrival.notify_all()

    def _candidates(self, *, is_reserved: bool) -> list[Question]:
        """The questions that a process may take: all, or only those for the reserved process. Oldest first."""
        self._waiting = [each for each in self._waiting if not each.answer.done()]
        if not is_reserved:
            return self._waiting
        return [] if self._free else [each for each in self._waiting if each.given_up < _TRIES]

    async def _next(self, *, is_reserved: bool) -> Question:
        """The question of the client with the least used time, including the running searches."""
        self._free += not is_reserved
        async with self._arrival:
            await self._arrival.wait_for(lambda: self._candidates(is_reserved=is_reserved))
            time_of = self._times()
            question = min(self._candidates(is_reserved=is_reserved), key=lambda each: time_of(each.asker))
            self._waiting.remove(question)
            self._free -= not is_reserved
            self._arrival.notify_all()  # for the reserved process, which leaves questions to other idle processes
            return question

    def _times(self) -> Callable[[Asker], tuple[float, ...]]:
        """A function that returns the used and running seconds of an address and of a client there."""
        claims: Counter[Hashable] = Counter(key for each in self._waiting for key in (each.asker[0], each.asker))
        now = time.monotonic()

        def time_of(asker: Asker) -> tuple[float, ...]:
            return tuple(self._used.of(key, now) + SHORT_SECONDS * claims[key] for key in (asker[0], asker))

        return time_of

    def _is_in_the_way(self, question: Question) -> bool:
        """Whether a client with less used time waits for the reserved process, which works on this question."""
        time_of = self._times()
        mine = time_of(question.asker)
        return any(time_of(each.asker) < mine for each in self._candidates(is_reserved=True))

    # --- Workers ---

    async def _start_one_by_one(self) -> None:
        """Starts processes one by one: the first may have to compile; the others find its code in the cache."""
        async with asyncio.TaskGroup() as serving:
            for number in range(self._workers + 1):
                is_reserved = number == self._workers
                process = await self._new_process(is_reserved=is_reserved)
                serving.create_task(self._serve(process, is_reserved=is_reserved))

    async def _new_process(self, *, is_reserved: bool) -> LabProcess:
        """A process that is ready; retries if it cannot be started, for example for lack of memory."""
        while True:
            try:
                process = await LabProcess.start(answer_questions, QUESTION_MEMORY, _NICENESS - 5 * is_reserved)
                break
            except OSError as error:
                _log.warning("a search process cannot be started: %s", one_line(error))
                await asyncio.sleep(_PAUSE)
        try:
            await process.messages.get()
        except asyncio.CancelledError:
            process.kill()
            raise
        self.ready += 1
        return process

    async def _serve(self, process: LabProcess, *, is_reserved: bool) -> None:
        try:
            while True:
                question = await self._next(is_reserved=is_reserved)
                if not process.is_alive:
                    process = await self._replaced(process, is_reserved=is_reserved)
                if not await self._work(process, question, is_reserved=is_reserved):
                    process = await self._replaced(process, is_reserved=is_reserved)
        finally:
            process.kill()

    async def _replaced(self, process: LabProcess, *, is_reserved: bool) -> LabProcess:
        process.kill()
        self.ready -= 1
        return await self._new_process(is_reserved=is_reserved)

    async def _work(self, process: LabProcess, question: Question, *, is_reserved: bool) -> bool:
        """Gets the answer to the question; False if the process must be replaced."""
        self._asked += 1
        number, clock = self._asked, time.monotonic()
        process.send((number, question.function, question.argument))
        work = asyncio.create_task(_last_message(process, question))
        either: set[asyncio.Future[Any]] = {work, question.answer}
        now, timeout, is_given_up = clock, SHORT_SECONDS, False
        try:
            while not is_given_up and now - clock < QUESTION_SECONDS:
                done, _ = await asyncio.wait(either, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
                before, now, timeout = now, time.monotonic(), _LOOK
                self._used.add(question.asker, now - before, now)
                if done:
                    break
                is_given_up = is_reserved and self._is_in_the_way(question)
            if not work.done() and (is_given_up or question.answer.done()):
                process.send(number)
                await asyncio.wait({work}, timeout=_GRACE)
            result: tuple[str, Any, bool] = work.result() if work.done() else ("failed", _TOO_LONG, False)
            kind, content, continues = result
            if question.answer.done():
                pass
            elif is_given_up:
                question.given_up += 1
                await self._enqueue(question)
            elif kind == "answered":
                question.answer.set_result(content)
            else:
                question.answer.set_exception(FailedQuestionError(content))
            return continues
        finally:
            if not work.done():
                work.cancel()
                with suppress(asyncio.CancelledError):
                    await work


async def _last_message(process: LabProcess, question: Question) -> tuple[str, Any, bool]:
    """The answer of the process; forwards intermediate results."""
    while (message := await process.messages.get()) is not None:
        if message[0] != "progress":
            return message[0], message[1], message[2]
        if question.report is not None and not question.answer.done():
            question.report(message[1])
    return "failed", "the search process ended: it ran out of memory or crashed", False
