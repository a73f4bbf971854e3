"""The jobs of a lab: a limited number at a time, each in its own process, stored on disk."""

import asyncio
import logging
import os
import time
from datetime import UTC, datetime
from typing import Any

import msgspec

from inarow.errors import InarowError, one_line, shown
from inarow.learning.config import Document
from inarow.learning.run_folder import read_config
from inarow.web.agent_access import check_agent
from inarow.web.job import UNDER_WAY, ArenaPlan, Job, JobError, Plan, Status, load_jobs, save_job
from inarow.web.job_process import run_job
from inarow.web.pool_process import LabProcess
from inarow.web.settings import JOB_SECONDS, MAX_JOBS, MAX_RUNNING_JOBS, MAX_WAITING_JOBS, LabSettings
from inarow.web.training import check_document

_log = logging.getLogger("inarow.web")
_SAVE_EVERY = 2.0
_PATIENCE, _STOP_PATIENCE = 12.0, 30.0
"""Seconds to save when the lab closes, and when a client stops the job, before it is killed."""


class Jobs:
    """Starts, pauses, stops and resumes jobs. All methods run in the event loop."""

    def __init__(self, settings: LabSettings) -> None:
        self._runs, self._store = settings.runs, settings.store
        self._folder = self._runs / "jobs"
        self._jobs: dict[int, Job] = {}
        self._processes: dict[int, LabProcess] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._stopping: set[int] = set()
        self._is_closing = False

    def open(self) -> None:
        """Loads the jobs of earlier labs."""
        self._folder.mkdir(parents=True, exist_ok=True)
        self._jobs = load_jobs(self._folder)
        for job in self._jobs.values():
            if job.status != "finished":
                try:
                    self.checked(job.plan, is_new=False)
                except InarowError as error:
                    self._end(job, "failed", f"the lab does not accept it: {one_line(error)}")
            if job.status == "interrupted":
                self._save(job)

    async def close(self) -> None:
        """Lets all jobs save; they can be resumed by the next lab."""
        self._is_closing = True
        for id, process in self._processes.items():
            if id not in self._stopping:
                process.send("stop")
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=_PATIENCE)
        for process in self._processes.values():
            process.kill()
        for job in self._jobs.values():
            if job.status in UNDER_WAY:
                self._end(job, "interrupted")

    def list(self) -> list[Job]:
        """Newest first."""
        return sorted(self._jobs.values(), key=lambda job: -job.id)

    def get(self, id: int) -> Job:
        if id not in self._jobs:
            raise JobError(f"there is no job {id}")
        return self._jobs[id]

    def add(self, plan: Plan) -> Job:
        """A new job, which starts as soon as there is a free place; raises JobError. Not checked: the plan is valid,
        see `checked`.
        """
        if sum(job.status == "waiting" for job in self._jobs.values()) >= MAX_WAITING_JOBS:
            raise JobError(f"{MAX_WAITING_JOBS} jobs are waiting; stop one or try again later")
        if len(self._jobs) >= MAX_JOBS:
            raise JobError(f"the lab has {MAX_JOBS} jobs, which is the limit; remove some of them")
        job = Job(id=max(self._jobs, default=0) + 1, plan=plan, created=_now())
        save_job(job, self._folder)  # raises OSError if it cannot be kept
        self._jobs[job.id] = job
        self._start_waiting()
        return job

    def checked(self, plan: Plan, *, is_new: bool = True) -> Plan:
        """The plan of a job to start or to resume, with absolute file names; raises InarowError if the lab does not
        accept it. Files in the runs folder are not trusted more than clients.
        """
        if isinstance(plan, ArenaPlan):
            return msgspec.structs.replace(plan, agents=tuple(check_agent(each, self._runs) for each in plan.agents))
        folder = self._runs / plan.name
        document = check_document(plan.document, self._runs)
        if is_new and os.path.lexists(folder):
            raise JobError(f"the runs folder already has {shown(plan.name)}; choose another name")
        if folder.is_symlink():
            raise JobError(f"{shown(plan.name)} is not a folder in the runs folder")
        if (folder / "config.json").exists():  # then the run continues with this config
            check_document(read_config(folder, Document), self._runs)
        return msgspec.structs.replace(plan, document=document)

    def pause(self, id: int) -> Job:
        job = self._in(id, "running")
        if not isinstance(job.plan, ArenaPlan):
            raise JobError("a training run cannot be paused; stop it and resume it later")
        if id in self._processes:  # otherwise `_run` sends the command after the start
            self._processes[id].send("pause")
        return self._mark(job, "paused")

    def resume(self, id: int) -> Job:
        """Continues after a pause, a stop, a failure or an interruption; raises InarowError like `checked`."""
        job = self._in(id, "paused", "stopped", "interrupted", "failed")
        if job.status == "paused":
            if id in self._processes:
                self._processes[id].send("continue")
            return self._mark(job, "running")
        job.plan = self.checked(job.plan, is_new=False)
        job.message = job.ended = None
        self._mark(job, "waiting")
        self._start_waiting()
        return job

    def stop(self, id: int) -> Job:
        """Ends a job and keeps its results. A job that does not end by itself is killed after some time."""
        job = self._in(id, *UNDER_WAY)
        if id not in self._tasks:
            self._end(job, "stopped")
        elif id not in self._stopping:  # a second signal would interrupt it while it saves
            self._stopping.add(id)
            if id in self._processes:
                _stop(self._processes[id])
        return job

    def forget(self, id: int) -> None:
        """Removes a job from the list; keeps its games and its folder."""
        job = self.get(id)
        if job.status in UNDER_WAY:
            raise JobError(f"job {id} is {job.status}; stop it first")
        del self._jobs[id]
        (self._folder / f"{id}.json").unlink(missing_ok=True)

    # --- Work ---

    def _start_waiting(self) -> None:
        """Starts jobs while there are free places; the messages of the others say what they wait for. A paused job
        keeps its place and its process, which continues when the job is resumed.
        """
        waiting = [job for job in self._jobs.values() if job.status == "waiting" and job.id not in self._tasks]
        for job in sorted(waiting, key=lambda job: job.id):
            if len(self._tasks) < MAX_RUNNING_JOBS:
                job.started, job.message = _now(), None
                self._mark(job, "running")
                self._tasks[job.id] = asyncio.create_task(self._run(job))
            else:
                ahead = " or ".join(f"job {id}" for id in sorted(self._tasks))
                job.message = f"waits until {ahead} ends; a paused job keeps its place"

    async def _run(self, job: Job) -> None:
        try:
            process = self._processes[job.id] = await LabProcess.start(run_job, job.plan, self._runs, self._store)
            if job.status == "paused":  # while the process started, as below
                process.send("pause")
            if self._is_closing:
                process.send("stop")
            elif job.id in self._stopping:
                _stop(process)
            async with asyncio.timeout(JOB_SECONDS):
                await self._follow(job, process)
        except TimeoutError:
            self._end(job, "failed", f"it took longer than {JOB_SECONDS / 3600:g} hours")
        except (OSError, RuntimeError) as error:  # no process, or no thread to listen to it
            self._end(job, "failed", f"the lab cannot run it: {one_line(error)}")
        finally:
            if job.id in self._processes:
                self._processes.pop(job.id).kill()
            self._stopping.discard(job.id)
            del self._tasks[job.id]
            if not self._is_closing:
                self._start_waiting()

    async def _follow(self, job: Job, process: LabProcess) -> None:
        saved = 0.0
        while (message := await process.messages.get()) is not None and message[0] == "progress":
            job.result = known = msgspec.json.decode(message[1], type=dict[str, Any])
            job.done, job.total = known["done"], known["total"]
            if time.monotonic() - saved > _SAVE_EVERY:
                saved = time.monotonic()
                self._save(job)
        kind, content = message or ("killed", None)
        if kind in ("stopped", "killed") and self._is_closing:
            self._end(job, "interrupted")
        elif kind == "stopped":
            self._end(job, "stopped")
        elif kind != "killed":
            self._end(job, "finished" if kind == "ended" else "failed", content)
        elif job.id in self._stopping:
            self._end(job, "stopped", "it did not stop by itself and was killed; finished results are kept")
        else:
            self._end(job, "failed", "the process of the job ended: it ran out of memory or was killed")

    def _in(self, id: int, *statuses: Status) -> Job:
        job = self.get(id)
        if job.status not in statuses:
            raise JobError(f"job {id} is {job.status}, not {' or '.join(statuses)}")
        return job

    def _end(self, job: Job, status: Status, message: str | None = None) -> None:
        job.ended, job.message = _now(), message
        self._mark(job, status)

    def _mark(self, job: Job, status: Status) -> Job:
        job.status = status
        self._save(job)
        return job

    def _save(self, job: Job) -> None:
        """Saves the job if possible: a full disk must not stop the lab."""
        try:
            save_job(job, self._folder)
        except OSError as error:
            _log.warning("job %d cannot be saved: %s", job.id, one_line(error))


def _stop(process: LabProcess) -> None:
    """Kills the process if it does not stop soon, because a compiled search does not check for signals."""
    process.send("stop")
    asyncio.get_running_loop().call_later(_STOP_PATIENCE, process.kill)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
