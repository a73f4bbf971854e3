"""Jobs: tournaments and training runs, with their progress. One JSON file each."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from inarow.errors import ConfigError, InarowError
from inarow.storage.atomic import atomic_write
from inarow.storage.inputs import read_input
from inarow.web.settings import MAX_JOB_WORKERS

_MAX_BYTES = 64 << 20

Status = Literal["waiting", "running", "paused", "stopped", "finished", "failed", "interrupted"]
"""`stopped` by a user, `interrupted` by the end of the lab; both can be resumed."""

UNDER_WAY: tuple[Status, ...] = ("waiting", "running", "paused")
RunName = Annotated[str, Meta(pattern=r"^(?!jobs$)[A-Za-z0-9][A-Za-z0-9_-]{0,63}$", description="folder of the run")]


class JobError(InarowError, ValueError):
    """A job that does not exist, or an action that is invalid in its state."""


class _Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind"):
    pass


class ArenaPlan(_Plan, frozen=True, kw_only=True, tag="arena"):
    """A round robin, or a gauntlet of the first agent."""

    agents: Annotated[tuple[str, ...], Meta(min_length=2, max_length=24)]
    board: Annotated[str, Meta(max_length=32)] = "6x7x4"
    games: Annotated[int, Meta(ge=2, le=10_000, description="games per pair of agents; even")] = 20
    seed: Annotated[int, Meta(ge=0, le=2**53)] = 0
    gauntlet: bool = False
    openings: Literal["balanced", "random"] = "balanced"
    move_seconds: Annotated[float, Meta(gt=0, le=3600)] | None = None
    workers: Annotated[int, Meta(ge=1, le=MAX_JOB_WORKERS)] = 1


class TrainPlan(_Plan, frozen=True, kw_only=True, tag="train"):
    """A training run."""

    name: RunName
    document: dict[str, Any]  # the config; its key `learner` names the learner


Plan = ArenaPlan | TrainPlan


class Job(msgspec.Struct, kw_only=True):
    """The data of a job."""

    id: int
    plan: Plan
    status: Status = "waiting"
    created: str  # UTC, ISO 8601
    started: str | None = None
    ended: str | None = None
    done: int = 0
    total: int | None = None
    message: str | None = None  # the reason why it failed or waits, in one line
    result: dict[str, Any] | None = None  # the result so far; for an arena the cross table and ratings


def save_job(job: Job, folder: Path) -> None:
    with atomic_write(folder / f"{job.id}.json") as file:
        file.write(msgspec.json.format(msgspec.json.encode(job), indent=1))


def load_jobs(folder: Path) -> dict[int, Job]:
    """All jobs of a folder by id. Jobs that were running when their lab ended are `interrupted`. Damaged files are
    skipped.
    """
    jobs = {}
    for path in sorted(folder.glob("*.json"), key=lambda path: (len(path.name), path.name)):
        try:
            job = msgspec.json.decode(read_input(path, _MAX_BYTES, ConfigError), type=Job)
        except (ValueError, RecursionError):  # ConfigError is one
            continue
        if path.name != f"{job.id}.json":
            continue
        if job.status in UNDER_WAY:
            job.status = "interrupted"
        if isinstance(job.plan, TrainPlan):
            job.plan.document.setdefault("learner", "q")  # written by the first edition, where this key had a default
        jobs[job.id] = job
    return jobs
