"""The JSON API over HTTP. `docs/web.md` documents it; the pages use nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from inarow.errors import InarowError, one_line
from inarow.games.spec import GameSpec
from inarow.web import notation, stored
from inarow.web.arena_job import check_arena
from inarow.web.curve import read_curve
from inarow.web.guard import int_or
from inarow.web.job import ArenaPlan, Job, JobError, Plan, TrainPlan
from inarow.web.jobs import Jobs
from inarow.web.lab_facts import describe_lab
from inarow.web.learners import agent_of_run, describe_learners
from inarow.web.loop_lag import LoopLag
from inarow.web.pool_worker import Answer
from inarow.web.search_pool import BusyError, SearchPool
from inarow.web.settings import LabSettings

_SERVED = {".html", ".md", ".csv", ".json", ".jsonl", ".toml", ".txt", ".pgn"}
_MAX_REPORTS = 200


class Api:
    """The routes of a lab."""

    def __init__(self, settings: LabSettings, search_pool: SearchPool, jobs: Jobs, loop_lag: LoopLag) -> None:
        self._settings, self._thinkers, self._jobs, self._pulse = settings, search_pool, jobs, loop_lag

    def routes(self) -> list[BaseRoute]:
        return [
            _route("/api/lab", self._lab),
            _route("/api/health", self._health),
            _route("/api/learners", self._learners),
            _route("/api/games/read", self._read_games, "POST"),
            _route("/api/games/write", self._write_game, "POST"),
            _route("/api/boards", self._boards),
            _route("/api/leaderboard", self._leaderboard),
            _route("/api/matches", self._matches),
            _route("/api/matches/{id:int}/games", self._games),
            _route("/api/reports", self._reports),
            _route("/api/jobs", self._list_jobs),
            _route("/api/jobs", self._add_job, "POST"),
            _route("/api/jobs/{id:int}", self._job),
            _route("/api/jobs/{id:int}", self._forget_job, "DELETE"),
            _route("/api/jobs/{id:int}/curve", self._curve),
            _route("/api/jobs/{id:int}/{action:str}", self._act, "POST"),
            Route("/runs/{path:path}", self._file, methods=["GET"]),
        ]

    # --- The lab ---

    async def _lab(self, request: Request) -> object:
        return await asyncio.to_thread(describe_lab)

    async def _health(self, request: Request) -> object:
        return {"ready": self._thinkers.ready, "waiting": self._thinkers.waiting, "latency": self._pulse.latency()}

    async def _learners(self, request: Request) -> object:
        return await asyncio.to_thread(describe_learners)

    # --- Games and results ---

    async def _read_games(self, request: Request) -> object:
        return await self._ask(notation.read_games, await _body(request, notation.GameText))

    async def _write_game(self, request: Request) -> object:
        return notation.write_game(await _body(request, notation.PlayedGame))

    async def _boards(self, request: Request) -> object:
        return await self._ask(stored.boards, self._store_question())

    async def _leaderboard(self, request: Request) -> object:
        return await self._ask(stored.leaderboard, self._store_question(board=_board(request)))

    async def _matches(self, request: Request) -> object:
        question = self._store_question(board=_board(request), offset=_offset(request))
        return await self._ask(stored.matches, question)

    async def _games(self, request: Request) -> object:
        question = self._store_question(match=request.path_params["id"], offset=_offset(request))
        return await self._ask(stored.games, question)

    async def _reports(self, request: Request) -> object:
        return await asyncio.to_thread(_find_reports, self._settings.runs)

    async def _file(self, request: Request) -> Response:
        """A file of the runs folder that is meant to be read, and no other."""
        root = self._settings.runs.resolve()
        try:
            path = (root / request.path_params["path"]).resolve()
            is_served = path.is_relative_to(root) and path.suffix in _SERVED and path.is_file()
        except (OSError, ValueError):
            is_served = False
        if not is_served:
            raise HTTPException(404, "there is no such file")
        kind = "text/html" if path.suffix == ".html" else "text/plain"
        return FileResponse(path, media_type=kind)

    # --- Jobs ---

    async def _list_jobs(self, request: Request) -> object:
        return [self._shown(job, whole=False) for job in self._jobs.list()]

    async def _add_job(self, request: Request) -> object:
        plan = self._jobs.checked(await _body(request, Plan))
        if isinstance(plan, ArenaPlan):
            await self._ask(check_arena, plan)
        return self._shown(self._jobs.add(plan))

    async def _job(self, request: Request) -> object:
        return self._shown(self._jobs.get(request.path_params["id"]))

    async def _forget_job(self, request: Request) -> object:
        self._jobs.forget(request.path_params["id"])
        return {}

    async def _curve(self, request: Request) -> object:
        job = self._jobs.get(request.path_params["id"])
        if not isinstance(job.plan, TrainPlan):
            raise JobError(f"job {job.id} is no training run")
        return await asyncio.to_thread(read_curve, self._settings.runs / job.plan.name)

    async def _act(self, request: Request) -> object:
        actions = {"pause": self._jobs.pause, "resume": self._jobs.resume, "stop": self._jobs.stop}
        action = request.path_params["action"]
        if action not in actions:
            raise HTTPException(404, f"actions are {', '.join(actions)}")
        return self._shown(actions[action](request.path_params["id"]))

    def _shown(self, job: Job, *, whole: bool = True) -> dict[str, Any]:
        """The job as JSON, with the agent that plays what a training run has learnt so far."""
        shown: dict[str, Any] = msgspec.to_builtins(job)
        if isinstance(job.plan, TrainPlan):
            shown["agent"] = agent_of_run(job.plan.document, self._settings.runs / job.plan.name)
        if not whole:
            del shown["result"]
        return shown

    # --- Asking ---

    async def _ask(self, function: Answer, argument: object) -> msgspec.Raw:
        return msgspec.Raw(await self._thinkers.answer(function, argument))

    def _store_question(self, **about: Any) -> stored.StoreQuestion:
        return stored.StoreQuestion(path=str(self._settings.store), **about)


def _route(path: str, serve: Callable[[Request], Awaitable[object]], method: str = "GET") -> Route:
    """A route that answers in JSON; whatever is wrong with a request is one line."""

    async def endpoint(request: Request) -> Response:
        try:
            return json_response(await serve(request))
        except BusyError as error:
            return json_response({"error": one_line(error)}, 503)
        except (InarowError, OSError) as error:
            return json_response({"error": one_line(error)}, 400)

    return Route(path, endpoint, methods=[method])


def json_response(document: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(document), status, media_type="application/json")


async def _body(request: Request, wanted: Any) -> Any:
    """The body as a value of a type; raises HTTPException with one line."""
    try:
        return msgspec.json.decode(await request.body(), type=wanted)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise HTTPException(400, f"the request cannot be read: {one_line(error)}") from None


def _board(request: Request) -> str:
    return str(GameSpec.parse(request.query_params.get("board", "6x7x4")))


def _offset(request: Request) -> int:
    return int_or(request.query_params.get("offset"), 0)


def _find_reports(runs: Path) -> list[dict[str, str]]:
    """Pages in the runs folder and one or two folders below it, newest first."""
    found = [path for pattern in ("*.html", "*/*.html", "*/*/*.html") for path in runs.glob(pattern)]
    found.sort(key=lambda path: -path.stat().st_mtime)
    return [{"path": path.relative_to(runs).as_posix()} for path in found[:_MAX_REPORTS]]
