"""All parsers of external input, as functions of bytes.

The functions must not raise: they catch InarowError (and other documented errors of a parser), the correct result
for invalid input; everything else is a bug.
"""

from __future__ import annotations

import asyncio
import io
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from inarow.agents.registry import parse_agent
from inarow.arena.suite import Suite
from inarow.arena.sweep_config import plan_sweep
from inarow.engine.gtp import GtpServer
from inarow.engine.moves import parse_position
from inarow.engine.search import parse_go
from inarow.engine.setup import Setup, with_option
from inarow.engine.uci import UciEngine
from inarow.errors import BookError, InarowError, NetError, SuiteError, TableError
from inarow.games.pgn import from_pgn, split_games
from inarow.games.position import Position
from inarow.games.record import from_json_line
from inarow.games.spec import GameSpec
from inarow.learning.alphazero.replay import REPLAY_KIND, Replay
from inarow.learning.alphazero.run_state import read_state
from inarow.learning.config import find_document
from inarow.learning.deep_q.run import load_checkpoint
from inarow.learning.net_file import _read_about
from inarow.learning.tabular.q_table import QTable
from inarow.learning.windows.net import load_window_net
from inarow.search.solver.book import Book
from inarow.storage.array_file import load_arrays
from inarow.storage.journal import open_journal
from inarow.studies.results import ResultsFile
from inarow.studies.verification import read_verification
from inarow.web.job import load_jobs
from inarow.web.messages import decode_request, id_of
from inarow.web.training import check_document

_RUNS = Path("runs")
"""A runs folder for names of files, which are not read."""
SPECS = tuple(map(GameSpec.parse, ("6x7x4", "tictactoe", "16x16x5", "15x15x5/free", "2x3x2/free", "7x8x4")))


def _text(data: bytes) -> str:
    return data.decode("utf-8", errors="surrogateescape")


def _spec_and_text(data: bytes) -> tuple[GameSpec, str]:
    return SPECS[(data[0] if data else 0) % len(SPECS)], _text(data[1:])


def moves(data: bytes) -> None:
    spec, text = _spec_and_text(data)
    try:
        position = Position.parse(text, spec)
    except InarowError:
        return
    assert Position.parse(position.moves, spec) == position


def boards(data: bytes) -> None:
    try:
        spec = GameSpec.parse(_text(data))
    except InarowError:
        return
    assert GameSpec.parse(str(spec)) == spec


def diagrams(data: bytes) -> None:
    spec, text = _spec_and_text(data)
    try:
        position = Position.from_diagram(text, spec)
    except InarowError:
        return
    assert str(Position.from_diagram(str(position), spec)) == str(position)


def agents(data: bytes) -> None:
    try:
        parse_agent(_text(data))
    except InarowError:
        return


def pgn(data: bytes) -> None:
    for game in split_games(_text(data)):
        try:
            from_pgn(game)
        except InarowError:
            return


def json_games(data: bytes) -> None:
    try:
        from_json_line(_text(data))
    except InarowError:
        return


def settings(data: bytes) -> None:
    """Settings of `inarow train --set`."""
    try:
        check_document(find_document("tictactoe-q", _text(data).split("\n")), _RUNS)
    except InarowError:
        return


def documents(data: bytes) -> None:
    """Configs as JSON: from a page, or from the folder of a run."""
    try:
        document = msgspec.json.decode(data, type=dict[str, Any])
    except (ValueError, RecursionError):
        return
    try:
        check_document(document, _RUNS)
    except InarowError:
        return


def toml(data: bytes) -> None:
    path = _file(data, ".toml")
    try:
        check_document(find_document(str(path)), _RUNS)
    except InarowError:
        return


def sweeps(data: bytes) -> None:
    path = _file(data, ".toml")
    try:
        plan_sweep(path)
    except InarowError:
        return


def engine_uci(data: bytes) -> None:
    """Commands of the UCI protocol, without starting a search."""
    setup = Setup.on(SPECS[0], "random", 0)
    for line in _text(data).split("\n")[:20]:
        words = line.split()
        with suppress(InarowError):
            parse_position(words, setup.spec)
        parse_go(words, 1)
        with suppress(InarowError):
            setup = with_option(setup, " ".join(words[:1]), " ".join(words[1:]))
            str(setup.spec)


_THINKING = {"go", "isready"}


def engine_lines(data: bytes) -> None:
    """Whole lines of that protocol, except those that start a search."""
    output = io.StringIO()
    lines = [line for line in _text(data).split("\n")[:20] if not _THINKING & set(line.split())]
    UciEngine(Setup.on(SPECS[0], "random", 0), output).run(["uci", *lines])
    assert "uciok" in output.getvalue()


@cache
def _gtp() -> tuple[GtpServer, io.StringIO]:
    output = io.StringIO()
    return GtpServer(SPECS[1], "random", seed=0, notation="columns", output=output), output


def engine_gtp(data: bytes) -> None:
    server, output = _gtp()
    server.run(["boardsize 3 3 3", "clear_board", *_text(data).split("\n")[:20]])
    assert output.tell() > 0
    output.seek(0)
    output.truncate()


def socket_messages(data: bytes) -> None:
    text = _text(data)
    with suppress(ValueError):
        decode_request(text)
    id_of(text)


def net_metadata(data: bytes) -> None:
    try:
        _read_about({"inarow": _text(data)}, "a net")
    except InarowError:
        return


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """A folder that is removed at the end of the process."""
    return tempfile.TemporaryDirectory(prefix="inarow-fuzz-")


def _file(data: bytes, suffix: str) -> Path:
    path = Path(_folder().name) / f"file{suffix}"
    path.write_bytes(data)
    return path


def tables(data: bytes) -> None:
    try:
        QTable.load(_file(data, ".npz"))
    except TableError:
        return


def window_nets(data: bytes) -> None:
    try:
        load_window_net(_file(data, ".npz"))
    except NetError:
        return


def books(data: bytes) -> None:
    try:
        Book.load(_file(data, ".npz"))
    except BookError:
        return


def suites(data: bytes) -> None:
    try:
        Suite.load(_file(data, ".npz"))
    except SuiteError:
        return


def examples(data: bytes) -> None:
    """Examples of a run of AlphaZero."""
    try:
        with load_arrays(_file(data, ".npz"), REPLAY_KIND) as (_, arrays):
            replay = Replay((SPECS[1],), 64)
            replay.restore({name: arrays[name] for name in replay.state()})
    except InarowError:
        return


def states(data: bytes) -> None:
    """States of a run of AlphaZero."""
    try:
        read_state(_file(data, ".json"))
    except InarowError:
        return


def checkpoints(data: bytes) -> None:
    """Checkpoints of deep Q-learning."""
    try:
        load_checkpoint(_file(data, ".safetensors"))
    except InarowError:
        return


def jobs(data: bytes) -> None:
    folder = Path(_folder().name) / "jobs"
    folder.mkdir(exist_ok=True)
    (folder / "1.json").write_bytes(data)
    load_jobs(folder)


def study_results(data: bytes) -> None:
    try:
        ResultsFile(_file(data, ".jsonl"))
    except InarowError:
        return


def verifications(data: bytes) -> None:
    try:
        read_verification(_file(data, ".json"))
    except InarowError:
        return


class _EnoughError(Exception):
    pass


def journals(data: bytes) -> None:
    path = _file(data, ".npz.journal")
    try:
        with open_journal(path.with_suffix(""), "book 4x4x4 2", BookError):
            raise _EnoughError
    except (BookError, _EnoughError):
        return


@cache
def _lab() -> tuple[Any, asyncio.AbstractEventLoop]:
    from inarow.web.app import make_app
    from inarow.web.settings import LabSettings

    folder = Path(_folder().name) / "lab"
    (folder / "jobs").mkdir(parents=True, exist_ok=True)
    return make_app(LabSettings(runs=folder, store=folder / "lab.sqlite")), asyncio.new_event_loop()


def http(data: bytes) -> None:
    """A request to a lab without search processes; first line, headers and body are the parts of the data."""
    app, loop = _lab()
    first, _, rest = data.partition(b"\r\n")
    head, _, body = rest.partition(b"\r\n\r\n")
    method, _, target = first.partition(b" ")
    path, _, query = target.partition(b"?")
    headers = [
        tuple(part.strip() for part in line.lower().split(b":", 1)) for line in head.split(b"\r\n") if b":" in line
    ]
    scope = {
        "type": "http",
        "method": "POST" if method.upper() == b"POST" else "GET",
        "path": path.decode("utf-8", "replace") or "/",
        "raw_path": path,
        "root_path": "",
        "scheme": "http",
        "query_string": query,
        "headers": [(b"host", b"127.0.0.1"), *headers],
        "client": (str(hash(data)), 1),  # a new client each time, so that rate limits do not apply
        "server": ("127.0.0.1", 80),
    }
    statuses: list[int] = []

    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        return messages.pop() if messages else {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    try:
        loop.run_until_complete(asyncio.wait_for(app(scope, receive, send), 0.2))
    except TimeoutError:  # a question to the search processes, which do not exist
        return
    assert statuses, "no answer"
    assert statuses[0] != 500, (scope, body)
