"""Attacks on the lab over its connections. Each once made it hang, grow, or keep others waiting."""

import asyncio
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from inarow.web import connections
from tests.web.lab_server import lab, talking

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="uses /proc and addresses of 127.0.0.0/8")
FILES = 320
"""That the attacked lab may have open; it then has room for 32 connections."""
LONG = {"type": "think", "board": "15x15x5/free", "agent": "hybrid:simulations=1000000"}
HINT = {"type": "hint", "id": 1, "board": "6x7x4", "moves": "44444522562617"}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A lab with few files, whose log is in a file."""
    folder = tmp_path_factory.mktemp("attacked")

    def few_files():
        resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))

    with (folder / "log").open("wb") as log, lab(folder, "--workers", "1", stderr=log, preexec_fn=few_files) as served:
        yield served.wait_until_ready(2)


def idle_connection(served, source="127.0.0.1"):
    made = socket.create_connection(("127.0.0.1", served.port), timeout=20, source_address=(source, 0))
    made.setblocking(False)
    return made


@contextmanager
def idle_connections(served, count, source="127.0.0.1", data=b""):
    with ExitStack() as stack:
        made = [stack.enter_context(idle_connection(served, source)) for _ in range(count)]
        for each in made:
            each.send(data)
        yield made


def is_ended(connection):
    """Whether the lab has closed or refused it."""
    try:
        connection.recv(1 << 16)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def megabytes(served):
    status = Path(f"/proc/{served.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) >> 10


def test_more_idle_connections_than_files_keep_nobody_out(served):
    with idle_connections(served, 2 * FILES) as attackers:
        for _ in range(5):
            assert served.call("/api/health")["ready"] == 2
            time.sleep(0.2)
        assert sum(is_ended(each) for each in attackers) > FILES
        assert len(os.listdir(f"/proc/{served.process.pid}/fd")) < FILES - 64
        with talking(served.socket_address) as ask:
            assert ask(HINT)["type"] == "answer"
    assert (served.folder / "log").stat().st_size < 10_000


def test_an_address_at_its_cap_keeps_no_other_out(served):
    """The attacker's requests are under way, so that none of them makes room."""
    unfinished = f"POST /api/games/read HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nContent-Length: 9\r\n\r\n".encode()
    with idle_connections(served, 40, "127.0.0.7", unfinished) as attackers:
        time.sleep(1)
        assert sum(not is_ended(each) for each in attackers) == 24  # three quarters of all
        with idle_connection(served, "127.0.0.7") as refused:
            time.sleep(0.3)
            assert b"503" in refused.recv(1000)
        with httpx.Client(transport=httpx.HTTPTransport(local_address="127.0.0.8")) as polite:
            assert polite.get(f"{served.address}/api/health").status_code == 200


@pytest.mark.parametrize(
    "data", [b"", b"GET / HT", b"POST /api/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1"]
)
def test_a_request_that_does_not_come_in_time_ends_its_connection(data):
    """In this process, with a shorter time."""

    async def echo(scope, receive, send):
        await receive()
        while (await receive())["type"] == "http.request":
            pass

    async def course(monkeypatch):
        monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.3)
        config = uvicorn.Config(
            echo, http=connections.BoundedHttp, ws=connections.BoundedSocket, lifespan="off", port=0
        )
        server = uvicorn.Server(config)
        config.load()
        made = await asyncio.get_running_loop().create_server(
            lambda: connections.BoundedHttp(config, server.server_state, {}), "127.0.0.1", 0
        )
        reader, writer = await asyncio.open_connection(*made.sockets[0].getsockname())
        writer.write(data)
        with suppress(ConnectionError):
            await asyncio.wait_for(reader.read(), 10)
        writer.close()
        made.close()
        await asyncio.sleep(0)
        assert not server.server_state.connections

    with pytest.MonkeyPatch.context() as monkeypatch:
        asyncio.run(course(monkeypatch))


def wait_until_closed(attacker):
    with suppress(ConnectionClosed):
        while attacker.recv(20):
            pass


def frame(opcode, payload=b"", *, fin=True):
    """A frame of a client, with a mask of zeros."""
    return bytes([opcode | (0x80 if fin else 0), 0x80 | len(payload), 0, 0, 0, 0]) + payload


FLOODS = {
    "pings": frame(0x9, b"x" * 100) * 1000,
    "empty pings": frame(0x9) * 20_000,
    "pongs": frame(0xA) * 20_000,
    "fragments": frame(0x1, fin=False) + frame(0x0, b"x", fin=False) * 20_000,
    "messages": frame(0x1, b"{}") * 20_000,
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_a_flood_on_a_socket_closes_it(served, flood):
    before = megabytes(served)
    with talking(served.socket_address) as polite, connect(served.socket_address, close_timeout=1) as attacker:
        with suppress(OSError):
            for _ in range(50):
                attacker.socket.sendall(flood)
        wait_until_closed(attacker)
        if attacker.close_code != 1006:  # a reset may overtake the code
            assert attacker.close_code == 1008
        assert polite(HINT)["type"] == "answer"
    assert megabytes(served) - before < 30


def test_a_flooding_socket_gets_the_reason(served):
    with connect(served.socket_address, close_timeout=1) as attacker:
        attacker.socket.sendall(frame(0x9) * 650)
        wait_until_closed(attacker)
        assert (attacker.close_code, attacker.close_reason) == (1008, "too many messages, pings or fragments")


def test_a_short_question_does_not_wait_for_long_ones(served):
    with ExitStack() as stack:
        for number in range(4):
            hostile = stack.enter_context(connect(served.socket_address))
            for id in range(4):
                hostile.send(json.dumps({**LONG, "id": id, "seed": number}))
        time.sleep(1)
        with talking(served.socket_address) as ask:
            for _ in range(3):
                assert ask(HINT)["data"]["exact"]
        assert served.call("/api/health")["waiting"] > 10  # the hostile ones are still at it


def test_a_name_that_resolves_to_this_machine_is_refused(served, monkeypatch):
    """DNS rebinding: another site's name, resolved to 127.0.0.1, in a request like that of a browser."""
    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *rest, **options: resolve(
            "127.0.0.1" if host in ("rebound.example", b"rebound.example") else host, *rest, **options
        ),
    )
    for path in ("/", "/api/lab", "/static/js/main.js", "/pages.json"):
        refused = httpx.get(f"http://rebound.example:{served.port}{path}", trust_env=False)
        assert refused.status_code == 421
        assert "Host header" in refused.json()["error"]
    assert httpx.get(f"http://localhost:{served.port}/api/lab", trust_env=False).status_code == 200


# --- The end of a lab ---


def processes_of(session):
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(folder.name))
    return found


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_the_lab_with_all_its_processes(number, tmp_path):
    with lab(tmp_path, "--workers", "1", stderr=subprocess.PIPE, start_new_session=True) as served:
        served.wait_until_ready()
        job = {"kind": "arena", "agents": ["mcts:simulations=2000", "winblock"], "games": 2000, "workers": 2}
        number_of_job = served.call("/api/jobs", job)["id"]
        while not served.call(f"/api/jobs/{number_of_job}")["done"]:
            time.sleep(0.1)
        with talking(served.socket_address) as ask:
            ask.socket.send(json.dumps({**LONG, "id": 1}))
            time.sleep(0.3)
            assert len(processes_of(served.process.pid)) > 3
            served.process.send_signal(number)
            assert served.process.wait(60) == 128 + number
        said = served.process.stderr.read()
        assert said in ("inarow: terminated\n", "inarow: interrupted\n")
        deadline = time.monotonic() + 30
        while left := processes_of(served.process.pid):
            assert time.monotonic() < deadline, left
            time.sleep(0.1)
        served.process.stderr.close()


# --- Longer ---


@pytest.mark.soak
def test_attackers_who_keep_connecting_keep_nobody_out(served):
    has_ended = threading.Event()

    def attack(source):
        kept = []
        while not has_ended.is_set():
            with suppress(OSError):
                kept.append(idle_connection(served, source))
                kept[-1].send(b"GET / HTTP/1.1\r\nHost: ")
            while len(kept) > 300:
                kept.pop(0).close()
        for each in kept:
            each.close()

    attackers = [threading.Thread(target=attack, args=(f"127.0.0.{9 + number}",)) for number in range(3)]
    for attacker in attackers:
        attacker.start()
    try:
        end, answered, tried = time.monotonic() + 20, 0, 0
        while time.monotonic() < end:
            tried += 1
            with suppress(httpx.HTTPError):
                answered += httpx.get(f"{served.address}/api/health", timeout=10).status_code == 200
            time.sleep(0.1)
    finally:
        has_ended.set()
        for attacker in attackers:
            attacker.join()
    assert answered >= 0.9 * tried
    assert (served.folder / "log").stat().st_size < 20_000
