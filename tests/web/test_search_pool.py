"""The pool of search processes: who is served first, and what ends."""

import asyncio
from typing import ClassVar

import pytest

from inarow.web import search_pool


class LastAnswer:
    """Stands for a search process that ends after its first answer, but looks alive for a while."""

    is_alive = True

    def __init__(self):
        self.messages = asyncio.Queue()
        self.messages.put_nowait(("ready", None))
        self._replies = [("answered", b"1", False), None]

    @classmethod
    async def start(cls, *arguments):
        return cls()

    def send(self, message):
        self.messages.put_nowait(self._replies.pop(0))

    def kill(self):
        pass


def test_no_question_goes_to_a_process_that_is_about_to_end(monkeypatch):
    monkeypatch.setattr(search_pool, "LabProcess", LastAnswer)

    async def ask_twice():
        asked = search_pool.SearchPool(1)
        await asked.start()
        try:
            return [await asked.answer(min, ()) for _ in range(2)]
        finally:
            await asked.stop()

    assert asyncio.run(ask_twice()) == [b"1", b"1"]


class Endless:
    """Stands for a search process: it answers an argument of bytes at once, and any other only when it is cancelled."""

    is_alive = True
    started: ClassVar[list] = []

    def __init__(self):
        self.messages = asyncio.Queue()
        self.messages.put_nowait(("ready", None))
        self.taken = []
        self.started.append(self)

    @classmethod
    async def start(cls, *arguments):
        return cls()

    def send(self, message):
        if isinstance(message, int):
            self.messages.put_nowait(("answered", b"cut off", True))
            return
        self.taken.append(message[2])
        if isinstance(message[2], bytes):
            self.messages.put_nowait(("progress", b"0"))
            self.messages.put_nowait(("answered", message[2], True))

    def kill(self):
        pass


@pytest.fixture
def fake_processes(monkeypatch):
    monkeypatch.setattr(search_pool, "LabProcess", Endless)
    monkeypatch.setattr(search_pool, "SHORT_SECONDS", 0.01)
    monkeypatch.setattr(search_pool, "_LOOK", 0.01)
    monkeypatch.setattr(Endless, "started", [])
    return Endless.started


def with_pool(workers, course):
    async def run():
        pool = search_pool.SearchPool(workers)
        await pool.start()
        while pool.ready < workers + 1:
            await asyncio.sleep(0)
        try:
            await asyncio.wait_for(course(pool), 60)
        finally:
            await pool.stop()

    asyncio.run(run())


def test_short_questions_pass_long_ones_whose_answers_are_never_cut_off(fake_processes):
    async def course(pool):
        long = [await pool.ask(min, number, asker=("a", number % 5)) for number in range(40)]
        for number in range(10):
            assert await pool.answer(min, b"%d" % number, ("b", None)) == b"%d" % number
        assert not any(question.answer.done() for question in long)
        assert pool.waiting >= 38
        for question in long:
            question.cancel()
        assert await pool.answer(min, b"last", ("b", None)) == b"last"

    with_pool(1, course)


def test_the_reserved_process_gives_a_long_question_up_only_a_few_times(fake_processes):
    async def course(pool):
        for number in range(5):
            await pool.ask(min, number, asker=("a", number))
        while sum(question.given_up for question in pool._waiting) < 9:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        assert all(fake_processes[1].taken.count(number) <= 3 for number in range(5))
        assert fake_processes[0].taken == [0]

    with_pool(1, course)


def test_without_others_a_long_question_stays_where_it_is(fake_processes):
    async def course(pool):
        first, second = [await pool.ask(min, number, asker=("a", number)) for number in range(2)]
        await asyncio.sleep(0.2)
        assert (first.given_up, second.given_up, pool.waiting) == (0, 0, 0)

    with_pool(1, course)


def test_whoever_has_used_less_time_comes_first_and_addresses_before_askers(monkeypatch):
    used = search_pool.UsedTime()
    used.add(("a", 1), 8.0, now=0.0)
    used.add(("a", 2), 2.0, now=0.0)
    used.add(("b", 1), 4.0, now=0.0)
    assert (used.of("a", 0.0), used.of(("a", 1), 0.0), used.of("b", 0.0), used.of("c", 0.0)) == (10.0, 8.0, 4.0, 0.0)
    assert used.of("a", search_pool._HALF_LIFE) == 5.0
    for number in range(5000):
        used.add(("c", number), 0.001, now=0.0)
    assert len(used._used) <= 1024
    assert used.of("b", 0.0) == 4.0


def test_a_full_queue_takes_from_the_greediest(fake_processes, monkeypatch):
    monkeypatch.setattr(search_pool, "MAX_WAITING_QUESTIONS", 10)
    monkeypatch.setattr(search_pool, "SHORT_SECONDS", 60.0)

    async def course(pool):
        greedy = []
        while pool.waiting < 10:
            greedy.append(await pool.ask(min, 0, asker=("a", 1)))
            await asyncio.sleep(0)
        with pytest.raises(search_pool.BusyError, match="busy"):
            await pool.ask(min, 0, asker=("a", 1))
        polite = await pool.ask(min, 0, asker=("a", 2))
        with pytest.raises(search_pool.BusyError, match="busy"):
            await greedy[-1].answer
        assert not polite.answer.done()
        assert pool.waiting == 10

    with_pool(1, course)
