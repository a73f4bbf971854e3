import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inarow.errors import InvalidLimitError, TaskError
from inarow.workers import interrupts_deferred, open_pool, open_worker_processes
from tests.workers.tasks import (
    die,
    fail_awkwardly,
    fail_on_three,
    much,
    remember,
    slow_square,
    square_nothing_slowly,
    unpicklable,
)


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_tasks(workers):
    calls = []
    with open_pool(workers) as pool:
        results = list(pool.map(slow_square, range(20), progress=lambda *call: calls.append(call)))
        again = list(pool.map(slow_square, [5]))
    assert results == [number * number for number in range(20)]
    assert again == [25]
    assert calls == [(done, 20) for done in range(1, 21)]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exception_carries_the_task_that_failed(workers):
    done = []
    with pytest.raises(TaskError, match="task '3' failed: three is too many") as error, open_pool(workers) as pool:
        done.extend(pool.map(fail_on_three, range(8)))
    assert error.value.task == 3
    assert isinstance(error.value.__cause__, ValueError)


def test_results_before_a_failure_are_not_lost():
    with open_pool(2) as pool:
        results = pool.map(fail_on_three, range(8))
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(TaskError):
            next(results)


def test_as_completed_yields_results_as_they_arrive():
    with open_pool(2) as pool:
        list(pool.map(slow_square, range(8)))  # both workers have started
        found = list(pool.as_completed(square_nothing_slowly, range(6)))
    assert sorted(found) == [(number, number * number) for number in range(6)]
    assert found[-1] == (0, 0)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failure_ends_as_completed(workers):
    with open_pool(workers) as pool:
        with pytest.raises(TaskError, match="task '3' failed: three is too many") as error:
            list(pool.as_completed(fail_on_three, range(8)))
        assert error.value.task == 3
        assert dict(pool.as_completed(slow_square, range(8))) == {number: number * number for number in range(8)}


def test_a_pool_works_after_a_failure():
    with open_pool(2) as pool:
        with pytest.raises(TaskError):
            list(pool.map(fail_on_three, range(8)))
        assert list(pool.map(slow_square, range(8))) == [number * number for number in range(8)]


@pytest.mark.parametrize(("task", "reason"), [(fail_awkwardly, "1 is awkward"), (unpicklable, "pickle|local object")])
def test_what_cannot_be_pickled_is_an_error_and_not_a_hang(task, reason):
    with pytest.raises(TaskError, match=reason), open_pool(2) as pool:
        list(pool.map(task, [1]))


def test_workers_can_be_ended_in_the_middle_of_a_result():
    for wait in (0.0, 0.01, 0.02):
        with open_pool(2) as pool:
            next(pool.map(much, range(100)))
            time.sleep(wait)


def test_a_worker_that_dies_is_an_error_and_not_a_hang():
    for way in ("map", "as_completed"):
        with pytest.raises(TaskError, match="ended unexpectedly"), open_pool(2) as pool:
            list(getattr(pool, way)(die, range(4)))


@pytest.mark.parametrize("workers", [0, -1, 10_000])
def test_an_invalid_number_of_workers_is_rejected(workers):
    with pytest.raises(InvalidLimitError, match="it must be 1 to 256"), open_pool(workers):
        pass


SCRIPT = """
import sys
from inarow.workers import open_pool
from tests.workers.tasks import stay
if __name__ == "__main__":
    with open_pool(2) as pool:
        list(pool.map(stay, [sys.argv[1]] * 4))
"""


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_their_parent(tmp_path, end):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    marks = tmp_path / "marks"
    marks.mkdir()
    root = Path(__file__).parents[2]
    parent = subprocess.Popen(
        [sys.executable, str(script), str(marks)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        stderr=subprocess.PIPE,
        text=True,
    )
    workers = _wait_for(lambda: [int(mark.name) for mark in marks.iterdir()], lambda pids: len(pids) == 2)
    parent.send_signal(end)
    _, errors = parent.communicate(timeout=20)
    assert _wait_for(lambda: [pid for pid in workers if _is_alive(pid)], lambda alive: not alive) == []
    if end == signal.SIGINT:
        assert errors.count("Traceback") == 1  # the parent's own; the workers are silent


def _wait_for(look, is_enough, seconds=20.0):
    until = time.monotonic() + seconds
    while not is_enough(seen := look()) and time.monotonic() < until:
        time.sleep(0.05)
    assert is_enough(seen)
    return seen


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_deferred_interrupts_arrive_at_the_end_of_the_block():
    done = []

    def work():
        with interrupts_deferred():
            signal.raise_signal(signal.SIGINT)
            done.append("the rest")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["the rest"]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)  # as before


def test_worker_processes_run_alongside_and_keep_their_state():
    with open_worker_processes(2) as (first, second):
        for number in (1, 2, 3):
            first.give(remember, number)
        second.give(remember, 9)
        assert first.due == 3
        results = []
        while first.due:
            results += first.take(10)
        assert results == [[1], [1, 2], [1, 2, 3]]
        assert second.take(10) == [[9]]
        assert first.take() == []
    with open_worker_processes(0) as none:
        assert none == ()


def test_a_worker_process_that_fails_or_dies_is_an_error():
    with open_worker_processes(2) as (first, second):
        first.give(fail_on_three, 3)
        with pytest.raises(TaskError, match="task '3' failed: three is too many"):
            first.take(10)
        first.give(fail_on_three, 4)
        assert first.take(10) == [4]
        second.give(die, 1)
        with pytest.raises(TaskError, match="task '1' failed: a worker process ended unexpectedly"):
            second.take(10)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_task_is_made_when_a_worker_is_free_for_it(workers):
    taken = []

    def tasks():
        for number in range(6):
            assert len(taken) > number - workers  # all but those that run now are finished and known
            yield number

    with open_pool(workers) as pool:
        for task, result in pool.as_completed(slow_square, tasks()):
            taken.append((task, result))
    assert sorted(taken) == [(number, number * number) for number in range(6)]
