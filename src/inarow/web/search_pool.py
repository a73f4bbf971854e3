"""Search processes with a bounded queue.

A question is a function and its argument. Askers take turns, so that one with many questions does not block the
others. A question may be cancelled at any time: if its search does not end soon, its process is replaced.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from inarow.errors import InarowError, one_line
from inarow.web.pool_process import LabProcess
from inarow.web.pool_worker import Answer, answer_questions
from inarow.web.settings import MAX_WAITING_QUESTIONS, QUESTION_MEMORY, QUESTION_SECONDS

_log = logging.getLogger(__name__)
_PAUSE = 1.0
"""Seconds before another attempt to start a process."""
_GRACE = 1.0
"""Seconds for a cancelled search to end by itself, before its process is killed."""


class BusyError(InarowError, RuntimeError):
    """The queue is full."""


class FailedQuestionError(InarowError, RuntimeError):
    """A question has no answer; the text states the reason."""


@dataclass(eq=False, slots=True)
class Question:
    """A question in the queue. `answer` becomes JSON, or a FailedQuestionError, or is cancelled."""

    asker: Hashable
    function: Answer
    argument: Any
    report: Callable[[bytes], None] | None
    """Receives intermediate results as JSON."""
    answer: asyncio.Future[bytes] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def cancel(self) -> None:
        self.answer.cancel()


class SearchPool:
    """The search processes of a lab."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._waiting: OrderedDict[Hashable, deque[Question]] = OrderedDict()
        self._arrival = asyncio.Condition()
        self._tasks: list[asyncio.Task[None]] = []
        self._asked = 0
        self.ready = 0
        """Processes that have their kernels and can search."""

    @property
    def waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    async def start(self) -> None:
        self._tasks = [asyncio.create_task(self._start_one_by_one())]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def ask(
        self, function: Answer, argument: Any, *, asker: Hashable = None, report: Callable[[bytes], None] | None = None
    ) -> Question:
        """Puts a question into the queue; raises BusyError. `function` must be importable by name."""
        if self.waiting >= MAX_WAITING_QUESTIONS:
            raise BusyError(f"the lab is busy: {self.waiting} questions are waiting; ask again later")
        question = Question(asker, function, argument, report)
        async with self._arrival:
            self._waiting.setdefault(asker, deque()).append(question)
            self._arrival.notify()
        return question

    async def answer(self, function: Answer, argument: Any) -> bytes:
        """Asks and waits; cancelling the caller cancels the question."""
        question = await self.ask(function, argument)
        try:
            return await question.answer
        finally:
            question.cancel()

    # --- Workers ---

    async def _start_one_by_one(self) -> None:
        """The first process may have to compile; the others find that in the cache."""
        serving = []
        try:
            for _ in range(self._workers):
                process = await self._new_process()
                self.ready += 1
                serving.append(asyncio.create_task(self._serve(process)))
            await asyncio.gather(*serving)
        finally:
            for task in serving:
                task.cancel()
            await asyncio.gather(*serving, return_exceptions=True)

    async def _new_process(self) -> LabProcess:
        process = await LabProcess.start(answer_questions, QUESTION_MEMORY)
        try:
            await process.messages.get()  # it is ready
        except asyncio.CancelledError:
            process.kill()
            raise
        return process

    async def _serve(self, process: LabProcess) -> None:
        try:
            while True:
                question = await self._next()
                if not process.is_alive:
                    process = await self._replaced(process)
                if not await self._work(process, question):
                    process = await self._replaced(process)
        finally:
            process.kill()

    async def _replaced(self, process: LabProcess) -> LabProcess:
        """A new process for one that has ended, as soon as it can be started: the machine may be short of memory."""
        process.kill()
        self.ready -= 1
        while True:
            try:
                process = await self._new_process()
            except OSError as error:
                _log.warning("a search process cannot be started: %s", one_line(error))
                await asyncio.sleep(_PAUSE)
                continue
            self.ready += 1
            return process

    async def _next(self) -> Question:
        """The oldest question of the asker whose turn it is."""
        while True:
            async with self._arrival:
                await self._arrival.wait_for(lambda: self._waiting)
                asker, questions = self._waiting.popitem(last=False)
                question = questions.popleft()
                if questions:
                    self._waiting[asker] = questions
            if not question.answer.done():
                return question

    async def _work(self, process: LabProcess, question: Question) -> bool:
        """Gets the answer to the question; False if the process must be replaced."""
        self._asked += 1
        number = self._asked
        process.send((number, question.function, question.argument))
        work = asyncio.create_task(_answered(process, question))
        try:
            either: set[asyncio.Future[Any]] = {work, question.answer}
            await asyncio.wait(either, timeout=QUESTION_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if not work.done() and question.answer.cancelled():
                process.send(number)
                await asyncio.wait({work}, timeout=_GRACE)
            if work.done():
                return work.result()
            if not question.answer.done():
                question.answer.set_exception(
                    FailedQuestionError(f"the search took longer than {QUESTION_SECONDS:g} s and was ended")
                )
            return False
        finally:
            if not work.done():
                work.cancel()
                with suppress(asyncio.CancelledError):
                    await work


async def _answered(process: LabProcess, question: Question) -> bool:
    """Forwards the messages of the process until it has answered; False if it died or is about to end."""
    while (message := await process.messages.get()) is not None:
        if message[0] == "progress":
            if question.report is not None and not question.answer.done():
                question.report(message[1])
            continue
        kind, content, continues = message
        if not question.answer.done():
            if kind == "answered":
                question.answer.set_result(content)
            else:
                question.answer.set_exception(FailedQuestionError(content))
        return bool(continues)
    if not question.answer.done():
        question.answer.set_exception(FailedQuestionError("the search process ended: it ran out of memory or crashed"))
    return False
