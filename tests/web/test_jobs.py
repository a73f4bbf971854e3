"""Jobs and what is asked of them, with processes that do only what a test wants."""

import asyncio

import pytest

from inarow.errors import InvalidAgentError
from inarow.web import jobs as jobs_module
from inarow.web.job import ArenaPlan, TrainPlan
from inarow.web.jobs import Jobs
from inarow.web.settings import LabSettings

ARENA = ArenaPlan(agents=("random", "greedy"))
TRAINING = TrainPlan(name="run", document={"board": "tictactoe", "phases": [{"episodes": 10}]})


class Process:
    """Stands for the process of a job: it notes what it is told, and says what a test puts into `messages`."""

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


def test_what_is_asked_while_a_process_starts_is_told_when_it_has_started(jobs, processes):
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
        jobs.checked(TrainPlan(name="run", document={"board": "6x7x4", "phases": phases}))
    (tmp_path / "runs" / "program.py").write_text("")
    phases[0]["opponent"] = "kaggle:file=program.py"
    checked = jobs.checked(TrainPlan(name="run", document={"board": "6x7x4", "phases": phases}))
    assert checked.document["phases"][0]["opponent"] == f"kaggle:file={tmp_path / 'runs' / 'program.py'}"
