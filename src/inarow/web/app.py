"""The lab as an ASGI application."""

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

from inarow.web.api import Api, LoopLag, json_response
from inarow.web.guard import Guard
from inarow.web.jobs import Jobs
from inarow.web.log import limit_log
from inarow.web.pages import page_routes
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
        limit_log()
        jobs.open()
        await search_pool.start()
        lag_task = asyncio.create_task(loop_lag.run())
        try:
            yield
        finally:
            lag_task.cancel()
            await jobs.close()
            await search_pool.stop()

    app = Starlette(
        routes=[
            Route("/", _page, methods=["GET"]),
            WebSocketRoute("/api/socket", sockets.serve),
            *Api(settings, search_pool, jobs, loop_lag).routes(),
            Mount("/static", StaticFiles(directory=STATIC)),
            *page_routes(),
        ],
        lifespan=lifespan,
        exception_handlers={HTTPException: _http_error, Exception: _internal_error},
    )
    return Guard(app, settings)


async def _page(request: Request) -> Response:
    return FileResponse(STATIC / "index.html")


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return json_response({"error": error.detail}, error.status_code)


async def _internal_error(request: Request, error: Exception) -> Response:
    """For errors of the lab itself: details go to the log, not to the client."""
    return json_response({"error": "internal error; see the log of the lab"}, 500)
