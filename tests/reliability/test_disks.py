"""Disks that are full, folders that cannot be written, clocks that jump."""

import ast
import os
import random
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.reliability.faults import last_line, report_fault, rounds
from tests.reliability.long_work import PROJECT, WORKS, LongWork, run

SECONDS = 15.0
"""For each kind of work, when all is tried."""
WITHOUT_ROOTS_RIGHTS = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
"""Root writes where nobody may, unless these are taken."""


def works(quick: set[str], seconds: float = SECONDS):
    few = [pytest.param(work, 0.0, id=work.name) for work in WORKS if work.name in quick]
    long = [pytest.param(work, seconds, id=f"{work.name}, long", marks=pytest.mark.soak) for work in WORKS]
    return pytest.mark.parametrize(("work", "seconds"), [*few, *long])


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder of finished work."""
    known = {}

    def find(work: LongWork) -> Path:
        if work.name not in known:
            known[work.name] = tmp_path_factory.mktemp("whole")
            code, said = run(work, known[work.name])
            assert code == 0, said
        return known[work.name]

    return find


@pytest.mark.full_disk
@works(quick={"reproduce"})
def test_a_full_disk_is_one_line_and_loses_nothing_that_was_finished(work, seconds, tmp_path, whole):
    largest = max(path.stat().st_size for path in whole(work).rglob("*") if path.is_file())
    chance, told, full, lost = random.Random(f"full {work.name}"), set(), 0, 0
    folder = tmp_path / "work"
    for number in rounds(1, seconds):
        folder.mkdir(exist_ok=True)
        limit = int(largest * chance.uniform(0, 1.1)) if number else largest // 2
        before = work.finished(folder)
        code, said = run(work, folder, preexec_fn=lambda limit=limit: limit_files(limit))
        if code == 0:
            assert work.result(folder) == work.result(whole(work))
            shutil.rmtree(folder)
            continue
        assert code == 2, said
        told.add(last_line(said))
        full += 1
        lost += max(0, before - work.finished(folder))
    folder.mkdir(exist_ok=True)
    code, said = run(work, folder)
    assert code == 0, said
    assert work.result(folder) == work.result(whole(work))
    assert lost == 0
    assert full
    assert all(line.startswith("inarow: ") for line in told)
    seen = min(told, key=len).replace(f"{tmp_path}/", "")
    report_fault(
        "full disk (limit on the size of files)", work.name, injected=full, lost=f"{lost} {work.unit}", seen=seen
    )


def limit_files(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.soak
@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.name)
def test_a_small_file_system_that_is_full_is_one_line_and_loses_nothing(work, tmp_path, whole):
    used = sum(path.stat().st_size for path in whole(work).rglob("*") if path.is_file())
    folder = tmp_path / "work"
    folder.mkdir()
    chance, told, full, lost = random.Random(f"tmpfs {work.name}"), set(), 0, 0
    mount = ["mount", "-t", "tmpfs", "-o", room_for(used // 8), "tmpfs", folder]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("file systems cannot be mounted here")
    try:
        for _ in rounds(1, SECONDS):
            before = work.finished(folder)
            code, said = run(work, folder)
            if code == 0:
                break
            assert code == 2, said
            told.add(last_line(said))
            full += 1
            lost += max(0, before - work.finished(folder))
            held = sum(path.stat().st_blocks * 512 for path in folder.rglob("*"))
            room = room_for(held + int(chance.uniform(0.05, 0.5) * used))
            subprocess.run(["mount", "-o", f"remount,{room}", folder], check=True)
        subprocess.run(["mount", "-o", f"remount,{room_for(20 * used + (1 << 24))}", folder], check=True)
        code, said = run(work, folder)
        assert code == 0, said
        assert work.result(folder) == work.result(whole(work))
    finally:
        subprocess.run(["umount", folder], check=True)
    assert lost == 0
    assert full
    seen = min(told, key=len).replace(f"{tmp_path}/", "")
    report_fault("full disk (small file system)", work.name, injected=full, lost=f"{lost} {work.unit}", seen=seen)


def room_for(size: int) -> str:
    return f"size={(size + 4095) // 4096 * 4096 + 4096}"


@works(quick={"train q", "reproduce"}, seconds=1.0)
def test_a_folder_that_cannot_be_written_is_one_line(work, seconds, tmp_path, whole):
    before = ()
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root writes everywhere, and there is no setpriv")
        before = WITHOUT_ROOTS_RIGHTS
    new, finished = tmp_path / "new", tmp_path / "finished"
    new.mkdir()
    folders = [new]
    if seconds:
        shutil.copytree(whole(work), finished)
        folders.append(finished)
    told = ""
    for folder in folders:
        try:
            for path in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
                path.chmod(0o555)
            code, said = run(work, folder, before=before)
        finally:
            for path in (folder, *folder.rglob("*")):
                path.chmod(0o755)
        if folder is new or code:
            assert code == 2, said
            told = last_line(said)
    if seconds:
        assert work.result(finished) == work.result(whole(work))
    assert told.startswith("inarow: ")
    report_fault(
        "read-only folder", work.name, injected=len(folders), lost="nothing", seen=told.replace(f"{tmp_path}/", "")
    )


@pytest.mark.soak
@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.name)
def test_a_clock_that_jumps_changes_nothing(work, tmp_path, whole):
    code, said = run(work, tmp_path, env={"INAROW_TEST_CLOCK": "jumps"})
    assert code == 0, said
    assert work.result(tmp_path) == work.result(whole(work))
    report_fault("clock set to another day all the time", work.name, injected=1, lost="nothing", seen="same result")


LABELS = {"arena/store.py", "web/jobs.py", "learning/run_folder.py"}
"""Where the date is written down, for people."""


def test_no_deadline_hangs_on_the_wall_clock():
    source = PROJECT / "src" / "inarow"
    users = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and (getattr(node.value, "id", ""), node.attr) in WALL_CLOCKS
    }
    assert users == LABELS


WALL_CLOCKS = {
    *(("time", name) for name in ("time", "time_ns", "localtime", "gmtime")),
    *(("datetime", name) for name in ("now", "utcnow", "today")),
    ("date", "today"),
}
