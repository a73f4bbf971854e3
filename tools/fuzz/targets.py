"""The fuzz targets: every parser of `parsers.py` with valid inputs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools.fuzz import parsers


@dataclass(frozen=True)
class Target:
    """A parser with valid inputs."""

    name: str
    parse: Callable[[bytes], None]
    seeds: tuple[bytes, ...]
    words: tuple[bytes, ...] = ()
    """Tokens of its inputs."""
    share: float = 1.0
    """Relative share of the inputs; slow parsers get fewer."""


_GAME = (
    b'[White "a"]\n[Black "b"]\n[Rows "3"]\n[Cols "3"]\n[InARow "3"]\n[Gravity "0"]\n[Result "1-0"]\n'
    b'[Termination "normal"]\n\n1. 1 {+2 v0.5 d3 n17 0.1s} 4 2. 2 5 3. 3 1-0'
)
_JSON_GAME = (
    b'{"board":"3x3x3/free","first":"a","second":"b","moves":"14253","winner":1,"termination":"normal","opening":0,'
    b'"plies":[{"nodes":1}],"seed":7,"fault":null,"tags":{}}'
)
_DOCUMENT = json.dumps(
    {"learner": "q", "board": "tictactoe", "phases": [{"episodes": 10, "opponent": "random"}]}
).encode()
_VERIFICATION = (
    b'{"study":"dice","equal":0,"trials":[{"experiment":"die","variant":"corrected","seed":0,"figures":1,"points":0,'
    b'"different":{"mean":[3.1,null]},"different_curves":["means"],"stored":null}],'
    b'"computed":{"processor":"p","instructions":"i","code":"c","versions":{"numpy":"2"}}}'
)
_RESULT = (
    b'{"experiment":{"study":"dice","name":"die","variant":"corrected","seed":0,"size":{"throws":50}},"version":"0.1.0",'
    b'"measured":{"figures":{"mean":3.1},"curves":{},"timings":{"run":0.5},"files":{}}}\n'
)
_JOB = b'{"id":1,"plan":{"kind":"arena","agents":["random","greedy"]},"status":"running","created":"2026-11-16"}'
_REQUEST = b"GET /api/leaderboard?board=6x7x4 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def _made(kind: str) -> tuple[bytes, ...]:
    """A small valid file, created once and kept beside this module."""
    return (Path(__file__).with_name("seeds").joinpath(kind).read_bytes(),)


TARGETS = (
    Target("moves", parsers.moves, (b"\x004453", b"\x0115", b"\x021,2,256", b"\x05"), (b"4453", b",", b"z", b"a"), 4.0),
    Target("boards", parsers.boards, (b"6x7x4", b"tictactoe", b"15x15x5/free"), (b"x", b"/free", b"connect4"), 4.0),
    Target(
        "diagrams",
        parsers.diagrams,
        (b"\x01. . .\nx o .\n. . .", b"\x00.......\n" * 6),
        (b"x", b"o", b".", b"\n", b" "),
        2.0,
    ),
    Target(
        "agents",
        parsers.agents,
        (b"minimax:depth=4,heuristic=windows", b"mcts:simulations=800"),
        (b"=", b",", b"q:table="),
        2.0,
    ),
    Target("pgn", parsers.pgn, (_GAME,), (b"[", b"]", b'"', b"{", b"}", b"1-0", b"\n\n"), 1.0),
    Target("json games", parsers.json_games, (_JSON_GAME,), (b'"', b"null", b"1e999", b"[", b"{"), 2.0),
    Target(
        "settings",
        parsers.settings,
        (b"alpha=0.5", b"phases.0.episodes=5\nseed=1"),
        (b"=", b".", b"[", b"{", b"phases"),
        0.3,
    ),
    Target(
        "documents",
        parsers.documents,
        (_DOCUMENT,),
        (b'"learner"', b'"deep-q"', b'"alphazero"', b"null", b"1e999"),
        1.0,
    ),
    Target(
        "toml",
        parsers.toml,
        (b'learner = "q"\nboard = "tictactoe"\n[[phases]]\nepisodes = 5\n',),
        (b"=", b"[[", b"]]"),
        0.3,
    ),
    Target(
        "sweeps",
        parsers.sweeps,
        (
            b'base = "tictactoe-q"\n[search]\nalpha = { low = 0.1, high = 0.9, log = true }\n',
            b'base = "tictactoe-q"\n[search]\n"phases.0.episodes" = { choices = [5, 9] }\n'
            b'[objective]\nkind = "curve"\ncolumn = "wins"\n[pruning]\ntrials = 2\n',
        ),
        (b"low", b"high", b"step = 1", b"choices", b"[search.rewards]", b'kind = "score"', b"inf", b"nan"),
        0.1,
    ),
    Target(
        "engine uci",
        parsers.engine_uci,
        (b"fen 7/7/7/7/3o3/3x3 moves 5", b"Rows 9\ndepth 4 wtime 100"),
        (b"fen", b"moves"),
        1.0,
    ),
    Target(
        "engine lines",
        parsers.engine_lines,
        (b"setoption name Rows value 9\nposition startpos moves 4 4\nstop", b"ucinewgame\nposition fen 7/7/7/7/7/3x3"),
        (b"setoption name ", b" value ", b"position", b"Agent"),
        0.5,
    ),
    Target(
        "engine gtp",
        parsers.engine_gtp,
        (b"play b 1\ngenmove w\nundo\nshowboard", b"7 boardsize 6 7 4"),
        (b"play", b"b"),
        0.5,
    ),
    Target(
        "socket",
        parsers.socket_messages,
        (b'{"type":"think","id":1,"board":"6x7x4","agent":"random"}',),
        (b"hint", b"cancel"),
        2.0,
    ),
    Target(
        "net metadata",
        parsers.net_metadata,
        (b'{"format":"inarow-net","version":1,"kind":"deep-q","board":"any","config":{},"seed":1}',),
        (),
        1.0,
    ),
    Target("Q-tables", parsers.tables, _made("table.npz"), (b"PK\x03\x04",), 0.1),
    Target("window nets", parsers.window_nets, _made("window.npz"), (b"PK\x03\x04",), 0.1),
    Target("books", parsers.books, _made("book.npz"), (b"PK\x03\x04",), 0.1),
    Target("suites", parsers.suites, _made("suite.npz"), (b"PK\x03\x04",), 0.1),
    Target("examples", parsers.examples, _made("examples.npz"), (b"PK\x03\x04",), 0.1),
    Target("states", parsers.states, _made("state.json"), (b"null", b"1e999", b'"version"'), 0.3),
    Target("checkpoints", parsers.checkpoints, _made("checkpoint.safetensors"), (b'"dtype"', b'"F32"'), 0.1),
    Target("jobs", parsers.jobs, (_JOB,), (b'"plan"', b"null", b"1e999"), 0.5),
    Target("results of studies", parsers.study_results, (_RESULT,), (b"\n", b'{"experiment":'), 0.5),
    Target("verifications of studies", parsers.verifications, (_VERIFICATION,), (b"null", b"1e999", b'"trials"'), 0.3),
    Target("journals", parsers.journals, (b"a5f3d3f1 book 4x4x4 2\n", b""), (b"\n", b"book"), 0.3),
    Target(
        "http",
        parsers.http,
        (_REQUEST, b"POST /api/games/read HTTP/1.1\r\n\r\n{}"),
        (b"/api/", b"/runs/", b"?token=", b"jobs"),
        0.05,
    ),
)
