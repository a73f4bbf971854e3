"""The lab as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from inarow.web.api import Api, json_response
from inarow.web.guard import Guard
from inarow.web.jobs import Jobs
from inarow.web.loop_lag import LoopLag
from inarow.web.search_pool import SearchPool
from inarow.web.settings import LabSettings
from inarow.web.socket import Sockets

STATIC = Path(str(files("inarow.web"))) / "static"


def make_app(settings: LabSettings) -> ASGIApp:
    """The lab behind its guard. Processes start and end with the lifespan of the application."""
    search_pool, jobs, loop_lag = SearchPool(settings.search_processes), Jobs(settings), LoopLag()
    sockets = Sockets(search_pool, settings.runs)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        jobs.open()
        await search_pool.start()
        beat = asyncio.create_task(loop_lag.run())
        try:
            yield
        finally:
            beat.cancel()
            await jobs.close()
            await search_pool.stop()

    app = Starlette(
        routes=[
            Route("/", _page, methods=["GET"]),
            WebSocketRoute("/api/socket", sockets.serve),
            *Api(settings, search_pool, jobs, loop_lag).routes(),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        lifespan=lifespan,
        exception_handlers={HTTPException: _explain, Exception: _apologise},
    )
    return Guard(app, settings)


async def _page(request: Request) -> Response:
    return FileResponse(STATIC / "index.html")


async def _explain(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return json_response({"error": error.detail}, error.status_code)


async def _apologise(request: Request, error: Exception) -> Response:
    """For faults of the lab: the log has them, a client gets no details."""
    return json_response({"error": "the lab made a mistake; its log says more"}, 500)
