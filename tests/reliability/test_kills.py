"""kill -9, Ctrl-C and a second process, at any moment of any long work."""

import random
import shutil
import signal
import time
from pathlib import Path

import pytest

from tests.reliability.faults import last_line, report_fault, rounds
from tests.reliability.long_work import WORKS, LongWork, run, start

SECONDS = 40.0
"""For each kind of work, when all is tried."""
SOONER = 0.8
"""Factor for the time of the next fault after work that ended before its fault."""
WITH_TESTS_ELSEWHERE = {
    "sweep",
    "train q",
    "train deep-q",
    "train alphazero",
    "tournament",
    "reproduce",
    "suite build",
    "store",
}
"""Killed in the tests of their packages; here only with `-m soak`."""


def works(at_least: int, quick: set[str]):
    """Every work: those of `quick` a few times in every run of the tests, all of them for long with `-m soak`."""
    few = [pytest.param(work, at_least, 0.0, id=work.name) for work in WORKS if work.name in quick]
    long = [pytest.param(work, at_least, SECONDS, id=f"{work.name}, long", marks=pytest.mark.soak) for work in WORKS]
    return pytest.mark.parametrize(("work", "at_least", "seconds"), [*few, *long])


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What undisturbed work results in, and how long it takes."""
    known = {}

    def find(work: LongWork):
        if work.name not in known:
            folder = tmp_path_factory.mktemp("whole")
            clock = time.monotonic()
            code, said = run(work, folder)
            assert code == 0, said
            known[work.name] = work.result(folder), time.monotonic() - clock
        return known[work.name]

    return find


@works(2, quick={work.name for work in WORKS} - WITH_TESTS_ELSEWHERE)
def test_a_kill_at_any_moment_loses_nothing_that_was_finished(work, at_least, seconds, tmp_path, whole):
    result, duration = whole(work)
    chance, kills, lost = random.Random(f"kill {work.name}"), 0, 0
    folder, end = new_folder(tmp_path), time.monotonic() + seconds
    while kills < at_least or time.monotonic() < end:
        process = start(work, folder)
        time.sleep(chance.uniform(0, duration))
        before = work.finished(folder)
        if process.poll() is not None:
            finish(work, folder, process, result)
            folder = new_folder(tmp_path, folder)
            duration *= SOONER
            continue
        process.kill()
        process.communicate()
        kills += 1
        lost += max(0, before - work.finished(folder))
    finish(work, folder, start(work, folder), result)
    assert lost == 0
    report_fault(
        "kill -9 at a random moment",
        work.name,
        injected=kills,
        lost=f"{lost} {work.unit}",
        seen="continues, same result",
    )


@works(2, quick={"book build"})
def test_an_interrupt_at_any_moment_keeps_what_was_finished(work, at_least, seconds, tmp_path, whole):
    result, duration = whole(work)
    chance, stops, lost = random.Random(f"stop {work.name}"), 0, 0
    folder, end = new_folder(tmp_path), time.monotonic() + seconds
    while stops < at_least or time.monotonic() < end:
        ready = tmp_path / "ready"
        ready.unlink(missing_ok=True)
        process = start(work, folder, env={"INAROW_TEST_READY": str(ready)})
        while not ready.exists():  # before that it is Python that starts, which has a traceback of its own
            time.sleep(0.01)
        time.sleep(chance.uniform(0, duration))
        before = work.finished(folder)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=100)
        if process.returncode == 0:
            finish(work, folder, process, result)
            folder = new_folder(tmp_path, folder)
            duration *= SOONER
            continue
        assert process.returncode in (130, -signal.SIGINT), said
        stops += 1
        lost += max(0, before - work.finished(folder))
        line = last_line(said)
        # Ended by the signal itself, it says nothing: it was still loading, or all was said.
        assert (line == "inarow: interrupted") == (process.returncode == 130)
    finish(work, folder, start(work, folder), result)
    assert lost == 0
    report_fault(
        "Ctrl-C at a random moment", work.name, injected=stops, lost=f"{lost} {work.unit}", seen="inarow: interrupted"
    )


@works(1, quick={"tournament", "reproduce"})
def test_a_second_process_is_refused_and_the_first_continues(work, at_least, seconds, tmp_path, whole):
    tries, told = 0, ""
    folder = new_folder(tmp_path)
    for _ in rounds(at_least, seconds / 3):
        first = start(work, folder)
        while first.poll() is None and not work.finished(folder):
            time.sleep(0.01)
        if work.is_alone:
            first.send_signal(signal.SIGSTOP)  # so that it has not ended when the second comes
        code, said = run(work, folder)
        if not work.is_alone:
            assert code == 0, said
            tries, told = tries + 1, "both write in turn"
        elif first.poll() is None:  # else it has ended before it was stopped
            assert code == 2, said
            told = last_line(said)
            tries += 1
        first.send_signal(signal.SIGCONT)
        finish(work, folder, first, whole(work)[0] if seconds else None)
        folder = new_folder(tmp_path, folder)
    assert tries
    report_fault(
        "a second process on the folder",
        work.name,
        injected=tries,
        lost="nothing",
        seen=told.replace(f"{tmp_path}/", ""),
    )


def new_folder(tmp_path: Path, old: Path | None = None) -> Path:
    if old is not None:
        shutil.rmtree(old)
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def finish(work: LongWork, folder: Path, process, result) -> None:
    """The process ends well, and leaves what an undisturbed one leaves, if that is given."""
    _, said = process.communicate(timeout=500)
    assert process.returncode == 0, said
    assert result is None or work.result(folder) == result
    drafts = [path.name for path in folder.rglob(".*")]
    assert not drafts
