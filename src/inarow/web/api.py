"""The JSON API over HTTP, as documented in `docs/reference/web-api.md`. The pages use nothing else."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from inarow.agents.kind import parameter_infos
from inarow.agents.levels import level_ratings
from inarow.agents.registry import registry
from inarow.errors import InarowError, one_line
from inarow.games import GameSpec
from inarow.version import __version__
from inarow.web import stored
from inarow.web.agent_access import file_in
from inarow.web.guard import int_or
from inarow.web.job import ArenaPlan, Job, JobError, Plan, TrainPlan
from inarow.web.job_process import check_arena
from inarow.web.jobs import Jobs
from inarow.web.messages import GameText, PlayedGame, read_games, write_game
from inarow.web.pool_worker import Answer
from inarow.web.search_pool import BusyError, SearchPool
from inarow.web.settings import LabSettings
from inarow.web.training import agent_of_run, describe_learners, read_curve

_SERVED = {".html", ".md", ".csv", ".json", ".jsonl", ".toml", ".txt", ".pgn"}
_MAX_REPORTS = 200
_LAG_SECONDS, _LAGS = 0.02, 3000  # interval and number of measurements: the last minute
_BOARDS = (
    ("Connect Four", "6x7x4"),
    ("Tic Tac Toe", "3x3x3/free"),
    ("Small", "4x4x4"),
    ("Wide", "8x9x5"),
    ("Large", "12x12x5"),
    ("Gomoku 15", "15x15x5/free"),
)
"""Suggested boards; users can type any other."""


class LoopLag:
    """Measures the delay of the event loop, which clients notice when a lab is overloaded."""

    def __init__(self) -> None:
        self._late: deque[float] = deque(maxlen=_LAGS)

    async def run(self) -> None:
        while True:
            clock = time.perf_counter()
            await asyncio.sleep(_LAG_SECONDS)
            self._late.append(time.perf_counter() - clock - _LAG_SECONDS)

    def latency(self) -> dict[str, float]:
        """Delays of the loop in seconds, in the last minute: `p50, p99, max`."""
        late = sorted(self._late) or [0.0]
        picks = {"p50": len(late) // 2, "p99": int(len(late) * 0.99), "max": -1}
        return {name: round(late[index], 5) for name, index in picks.items()}


class Api:
    """The routes of a lab."""

    def __init__(self, settings: LabSettings, search_pool: SearchPool, jobs: Jobs, loop_lag: LoopLag) -> None:
        self._settings, self._pool, self._jobs, self._lag = settings, search_pool, jobs, loop_lag

    def routes(self) -> list[BaseRoute]:
        return [
            _route("/api/lab", lambda request: asyncio.to_thread(describe_lab)),
            _route("/api/health", self._health),
            _route("/api/learners", lambda request: asyncio.to_thread(describe_learners)),
            _route("/api/games/read", self._read_games, "POST"),
            _route("/api/games/write", self._write_game, "POST"),
            _route("/api/boards", self._stored(stored.boards)),
            _route("/api/leaderboard", self._stored(stored.leaderboard)),
            _route("/api/matches", self._stored(stored.matches)),
            _route("/api/matches/{id:int}/games", self._stored(stored.games)),
            _route("/api/reports", lambda request: asyncio.to_thread(_find_reports, self._settings.runs)),
            _route("/api/jobs", self._list_jobs),
            _route("/api/jobs", self._add_job, "POST"),
            _route("/api/jobs/{id:int}", self._job),
            _route("/api/jobs/{id:int}", self._forget_job, "DELETE"),
            _route("/api/jobs/{id:int}/curve", self._curve),
            _route("/api/jobs/{id:int}/{action:str}", self._act, "POST"),
            Route("/runs/{path:path}", self._file, methods=["GET"]),
        ]

    async def _health(self, request: Request) -> object:
        return {"ready": self._pool.ready, "waiting": self._pool.waiting, "latency": self._lag.latency()}

    # --- Games and results ---

    async def _read_games(self, request: Request) -> object:
        return await self._ask(request, read_games, await _body(request, GameText))

    async def _write_game(self, request: Request) -> object:
        return write_game(await _body(request, PlayedGame))

    def _stored(self, function: Answer) -> Callable[[Request], Awaitable[object]]:
        """A route that answers from the results store."""

        async def serve(request: Request) -> object:
            question = stored.StoreQuestion(
                path=str(self._settings.store),
                board=str(GameSpec.parse(request.query_params.get("board", "6x7x4"))),
                match=request.path_params.get("id"),
                offset=int_or(request.query_params.get("offset"), 0),
            )
            return await self._ask(request, function, question)

        return serve

    async def _file(self, request: Request) -> Response:
        """Serves a readable file, only from the runs folder."""
        path = file_in(self._settings.runs, request.path_params["path"])
        if path is None or path.suffix not in _SERVED:
            raise HTTPException(404, "no such file")
        kind = "text/html" if path.suffix == ".html" else "text/plain"
        return FileResponse(path, media_type=kind)

    # --- Jobs ---

    async def _list_jobs(self, request: Request) -> object:
        return [self._shown(job, whole=False) for job in self._jobs.list()]

    async def _add_job(self, request: Request) -> object:
        plan = self._jobs.checked(await _body(request, Plan))
        if isinstance(plan, ArenaPlan):
            await self._ask(request, check_arena, plan)
        return self._shown(self._jobs.add(plan))

    async def _job(self, request: Request) -> object:
        return self._shown(self._jobs.get(request.path_params["id"]))

    async def _forget_job(self, request: Request) -> object:
        self._jobs.forget(request.path_params["id"])
        return {}

    async def _curve(self, request: Request) -> object:
        job = self._jobs.get(request.path_params["id"])
        if not isinstance(job.plan, TrainPlan):
            raise JobError(f"job {job.id} is not a training run")
        return await asyncio.to_thread(read_curve, self._settings.runs / job.plan.name)

    async def _act(self, request: Request) -> object:
        actions = {"pause": self._jobs.pause, "resume": self._jobs.resume, "stop": self._jobs.stop}
        action = request.path_params["action"]
        if action not in actions:
            raise HTTPException(404, f"actions are {', '.join(actions)}")
        return self._shown(actions[action](request.path_params["id"]))

    def _shown(self, job: Job, *, whole: bool = True) -> dict[str, Any]:
        """The job as JSON, with the agent of a training run so far."""
        shown: dict[str, Any] = msgspec.to_builtins(job)
        if isinstance(job.plan, TrainPlan):
            shown["agent"] = agent_of_run(job.plan.document, self._settings.runs / job.plan.name)
        if not whole:
            del shown["result"]
        return shown

    # --- Search processes ---

    async def _ask(self, request: Request, function: Answer, argument: object) -> msgspec.Raw:
        asker = (request.client.host if request.client else "", None)
        return msgspec.Raw(await self._pool.answer(function, argument, asker))


def _route(path: str, serve: Callable[[Request], Awaitable[object]], method: str = "GET") -> Route:
    """A route with JSON replies; errors are one line."""

    async def endpoint(request: Request) -> Response:
        try:
            return json_response(await serve(request))
        except (InarowError, OSError) as error:
            return json_response({"error": one_line(error)}, 503 if isinstance(error, BusyError) else 400)

    return Route(path, endpoint, methods=[method])


def json_response(document: object, status: int = 200) -> Response:
    return Response(msgspec.json.encode(document), status, media_type="application/json")


async def _body(request: Request, wanted: Any) -> Any:
    """The body as a value of a type; raises HTTPException with one line."""
    try:
        return msgspec.json.decode(await request.body(), type=wanted)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ClientDisconnect) as error:
        raise HTTPException(400, f"the request cannot be read: {one_line(error)}") from None


@lru_cache(maxsize=1)
def describe_lab() -> dict[str, Any]:
    """`version, boards, agents, levels`; agents with their parameters, as in `inarow agents`."""
    return {
        "version": __version__,
        "boards": [{"name": name, "board": board} for name, board in _BOARDS],
        "agents": [
            {"name": kind.name, "summary": kind.summary, "parameters": parameter_infos(kind)}
            for kind in registry().values()
            if kind.name != "human"
        ],
        "levels": level_ratings().levels,
    }


def _find_reports(runs: Path) -> list[dict[str, str]]:
    """HTML pages in the runs folder and up to two folders below, newest first."""
    found = [path for pattern in ("*.html", "*/*.html", "*/*/*.html") for path in runs.glob(pattern)]
    found.sort(key=lambda path: -path.stat().st_mtime)
    return [{"path": path.relative_to(runs).as_posix()} for path in found[:_MAX_REPORTS]]
