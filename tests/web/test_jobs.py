"""Jobs and what is asked of them, with processes that do only what a test wants."""

import asyncio
import json
import resource
import shutil
import subprocess
import time

import pytest

from inarow.errors import InarowError, InvalidAgentError
from inarow.web import jobs as jobs_module
from inarow.web.job import ArenaPlan, TrainPlan
from inarow.web.jobs import Jobs
from inarow.web.settings import LabSettings
from tests.web.lab_server import lab, talking

ARENA = ArenaPlan(agents=("random", "greedy"))
TRAINING = TrainPlan(name="run", document={"learner": "q", "board": "tictactoe", "phases": [{"episodes": 10}]})


class Process:
    """Stands for the process of a job: records its messages, and sends what a test puts into `messages`."""

    def __init__(self):
        self.messages = asyncio.Queue()
        self.told = []

    def send(self, message):
        self.told.append(message)

    def kill(self):
        self.messages.put_nowait(None)


class Processes:
    """Stands for `LabProcess`: processes start when a test lets them."""

    def __init__(self):
        self.may_start = asyncio.Event()
        self.started = []
        self.error = None

    async def start(self, *arguments):
        await self.may_start.wait()
        if self.error is not None:
            raise self.error
        self.started.append(Process())
        return self.started[-1]


@pytest.fixture
def processes(monkeypatch):
    made = Processes()
    monkeypatch.setattr(jobs_module, "LabProcess", made)
    return made


@pytest.fixture
def jobs(tmp_path, processes):
    made = Jobs(LabSettings(runs=tmp_path / "runs", store=tmp_path / "lab.sqlite"))
    made.open()
    return made


async def settle():
    """Lets everything happen that waits for nothing else."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_what_is_asked_while_a_process_starts_is_sent_when_it_has_started(jobs, processes):
    async def course():
        job = jobs.add(ARENA)
        await settle()
        assert jobs.pause(job.id).status == "paused"
        assert jobs.resume(job.id).status == "running"
        assert jobs.pause(job.id).status == "paused"
        jobs.stop(job.id)
        processes.may_start.set()
        await settle()
        (process,) = processes.started
        assert process.told == ["pause", "stop"]
        process.messages.put_nowait(("stopped", None))
        await settle()
        assert (job.status, job.message) == ("stopped", None)

    asyncio.run(course())


def test_a_job_that_does_not_stop_is_killed(jobs, processes, monkeypatch):
    monkeypatch.setattr(jobs_module, "_STOP_PATIENCE", 0.05)

    async def course():
        processes.may_start.set()
        job = jobs.add(ARENA)
        await settle()
        jobs.stop(job.id)
        jobs.stop(job.id)  # impatience does not disturb it while it saves
        assert processes.started[0].told == ["stop"]
        assert job.status == "running"
        for _ in range(200):
            await asyncio.sleep(0.01)
            if job.status != "running":
                break
        assert job.status == "stopped"
        assert "was killed" in job.message
        assert jobs.resume(job.id).status == "running"  # a new process, which nobody told to stop
        await settle()
        assert processes.started[1].told == []
        processes.started[1].messages.put_nowait(("ended", None))
        await settle()
        assert (job.status, job.message) == ("finished", None)

    asyncio.run(course())


@pytest.mark.parametrize("error", [OSError("no more processes"), RuntimeError("can't start new thread")])
def test_a_job_whose_process_cannot_be_started_fails_and_leaves_its_place(jobs, processes, error):
    async def course():
        processes.may_start.set()
        processes.error = error
        failed = [jobs.add(ARENA) for _ in range(3)]
        await settle()
        assert [job.status for job in failed] == ["failed"] * 3
        assert str(error) in failed[0].message
        processes.error = None
        job = jobs.add(ARENA)
        await settle()
        assert job.status == "running"
        processes.started[0].messages.put_nowait(("ended", None))
        await settle()

    asyncio.run(course())


def test_a_waiting_job_says_what_it_waits_for(jobs, processes):
    async def course():
        processes.may_start.set()
        first, second = jobs.add(ARENA), jobs.add(ARENA)
        await settle()
        for job in (first, second):
            jobs.pause(job.id)
        waiting = jobs.add(TRAINING)
        assert waiting.status == "waiting"
        assert waiting.message == "waits until job 1 or job 2 ends; a paused job keeps its place"
        processes.started[0].messages.put_nowait(("ended", None))
        await settle()
        assert (waiting.status, waiting.message) == ("running", None)
        for process in processes.started[1:]:
            process.messages.put_nowait(("ended", None))
        await settle()
        assert waiting.status == second.status == "finished"

    asyncio.run(course())


def test_a_training_run_may_play_against_files_of_the_runs_folder_only(jobs, tmp_path):
    program = tmp_path / "program.py"
    program.write_text("")
    phases = [{"episodes": 10, "opponent": f"kaggle:file={program}"}]
    with pytest.raises(InvalidAgentError, match="runs folder"):
        jobs.checked(TrainPlan(name="run", document={"learner": "q", "board": "6x7x4", "phases": phases}))
    (tmp_path / "runs" / "program.py").write_text("")
    phases[0]["opponent"] = "kaggle:file=program.py"
    checked = jobs.checked(TrainPlan(name="run", document={"learner": "q", "board": "6x7x4", "phases": phases}))
    assert checked.document["phases"][0]["opponent"] == f"kaggle:file={tmp_path / 'runs' / 'program.py'}"


# --- Jobs that were planted in the runs folder ---


def add_file(runs, number, plan, status="interrupted"):
    (runs / "jobs").mkdir(parents=True, exist_ok=True)
    job = {"id": number, "plan": plan, "status": status, "created": "2026-01-01T00:00:00+00:00"}
    (runs / "jobs" / f"{number}.json").write_text(json.dumps(job))


def planted_plans(tmp_path):
    """Plans that would leave `mark` if they were executed, each in a way of its own."""
    program = tmp_path / "program.py"
    program.write_text(f"open({str(tmp_path / 'mark')!r}, 'w')\ndef act(observation, configuration): return 0\n")
    agent = f"kaggle:file={program}"
    runs = tmp_path / "runs"
    document = {"learner": "q", "board": "6x7x4", "phases": [{"episodes": 10, "opponent": agent}]}
    harmless = {"learner": "q", "board": "6x7x4", "phases": [{"episodes": 10}]}
    (runs / "old").mkdir(parents=True)
    (runs / "old" / "config.json").write_text(json.dumps({"learner": "q", **document}))
    (tmp_path / "elsewhere").mkdir()
    (runs / "link").symlink_to(tmp_path / "elsewhere")
    (runs / "way.py").symlink_to(program)
    return [
        {"kind": "arena", "agents": [agent, "random"], "board": "6x7x4", "games": 2},
        {"kind": "arena", "agents": ["kaggle:file=../program.py", "random"], "board": "6x7x4", "games": 2},
        {"kind": "arena", "agents": ["kaggle:file=way.py", "random"], "board": "6x7x4", "games": 2},
        {"kind": "train", "name": "new", "document": document},
        {"kind": "train", "name": "old", "document": harmless},
        {"kind": "train", "name": "link", "document": harmless},
        {"kind": "train", "name": "new", "document": {"learner": "nobody"}},
    ]


@pytest.mark.parametrize("status", ["interrupted", "running", "stopped", "failed"])
def test_a_planted_job_is_refused_when_it_is_found_and_when_it_is_resumed(tmp_path, processes, status):
    for number, plan in enumerate(planted_plans(tmp_path), start=1):
        add_file(tmp_path / "runs", number, plan, status)
    jobs = Jobs(LabSettings(runs=tmp_path / "runs", store=tmp_path / "lab.sqlite"))
    jobs.open()
    assert len(jobs.list()) == 7
    for job in jobs.list():
        assert job.status == "failed"
        assert job.message.startswith("the lab does not accept it: ")
        assert "\n" not in job.message
        with pytest.raises(InarowError):
            jobs.resume(job.id)
        assert job.status == "failed"
    assert not processes.started


def test_a_job_whose_file_was_changed_since_it_was_found_is_refused(tmp_path, processes):
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "mine.py").write_text("")
    add_file(runs, 1, {"kind": "arena", "agents": ["kaggle:file=mine.py", "random"]})
    jobs = Jobs(LabSettings(runs=runs, store=tmp_path / "lab.sqlite"))
    jobs.open()
    assert jobs.get(1).status == "interrupted"
    (runs / "mine.py").unlink()
    (runs / "mine.py").symlink_to(tmp_path / "program.py")
    with pytest.raises(InvalidAgentError, match="runs folder"):
        jobs.resume(1)


@pytest.mark.parametrize("plan", [{"kind": "train", "name": "jobs", "document": {}}, {"kind": "train", "name": "../x"}])
def test_a_planted_job_with_a_folder_of_its_own_is_passed_over(tmp_path, jobs, plan):
    add_file(tmp_path / "runs", 1, plan)
    add_file(tmp_path / "runs", 2, {"kind": "arena", "agents": ["random", "greedy"]})
    (tmp_path / "runs" / "jobs" / "2.json").rename(tmp_path / "runs" / "jobs" / "3.json")
    jobs.open()
    assert not jobs.list()


@pytest.mark.compiled
def test_a_lab_does_not_execute_what_was_planted(tmp_path):
    for number, plan in enumerate(planted_plans(tmp_path), start=1):
        add_file(tmp_path / "runs", number, plan)
    with lab(tmp_path, "--workers", "1") as served:
        for number in range(1, 8):
            assert "\n" not in served.call(f"/api/jobs/{number}/resume", {}, expect=400)["error"]
        assert {job["status"] for job in served.call("/api/jobs")} == {"failed"}
        time.sleep(1)
    assert not (tmp_path / "mark").exists()
    assert not list((tmp_path / "elsewhere").iterdir())


# --- Full disks ---


def test_a_job_that_cannot_be_saved_runs_and_ends_as_any_other(jobs, processes, monkeypatch, caplog):
    async def course():
        processes.may_start.set()
        job = jobs.add(ARENA)
        await settle()
        monkeypatch.setattr(jobs_module, "save_job", full)
        processes.started[0].messages.put_nowait(("progress", b'{"done": 1, "total": 2}'))
        processes.started[0].messages.put_nowait(("failed", "no space left on device"))
        await settle()
        assert (job.status, job.message, job.done) == ("failed", "no space left on device", 1)
        with pytest.raises(OSError, match="full"):
            jobs.add(ARENA)
        assert jobs.list() == [job]
        await jobs.close()

    def full(job, folder):
        raise OSError("the disk is full")

    asyncio.run(course())
    assert all("cannot be saved: the disk is full" in record.message for record in caplog.records)


@pytest.mark.compiled
@pytest.mark.full_disk
@pytest.mark.parametrize("kind", ["arena", "train"])
def test_a_job_that_fills_the_disk_fails_in_one_line_and_the_lab_stays(tmp_path, kind):
    plans = {
        "arena": {"kind": "arena", "agents": ["random", "greedy"], "games": 5000},
        "train": {
            "kind": "train",
            "name": "big",
            "document": {
                "learner": "q",
                "board": "4x4x4",
                "phases": [{"episodes": 10_000_000}],
                "seed": 1,
                "report": 100_000,
            },
        },
    }

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18))

    with lab(tmp_path, "--workers", "1", preexec_fn=small_files) as served:
        served.wait_until_ready()
        job = served.wait_for_job(served.call("/api/jobs", plans[kind])["id"], "failed", "finished")
        assert job["status"] == "failed"
        assert "\n" not in job["message"]
        again = served.call(
            "/api/jobs", {"kind": "arena", "agents": ["random", "greedy"], "games": 2, "board": "3x3x3"}
        )
        assert served.wait_for_job(again["id"], "failed", "finished")["ended"]


@pytest.mark.compiled
def test_a_full_file_system_stops_the_job_and_not_the_lab(tmp_path):
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", tmp_path]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("file systems cannot be mounted here")
    try:
        with lab(tmp_path, "--workers", "1") as served:
            served.wait_until_ready()
            job = served.call("/api/jobs", {"kind": "arena", "agents": ["random", "greedy"], "games": 10_000})
            job = served.wait_for_job(job["id"], "failed", "finished")
            assert job["status"] == "failed"
            assert "full" in job["message"] or "No space" in job["message"]
            assert "\n" not in job["message"]
            assert served.call("/api/health")["ready"]
            with talking(served.socket_address) as ask:
                assert ask({"type": "think", "id": 1, "board": "6x7x4", "agent": "random"})["type"] == "answer"
    finally:
        subprocess.run(["umount", "--lazy", tmp_path], check=True)
