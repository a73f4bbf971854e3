"""The lab over HTTP and sockets: what it answers, what it refuses, what it survives."""

import json
import random
import string
import time

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import inarow
from inarow.games.pgn import from_pgn
from inarow.games.position import Position
from inarow.games.spec import GameSpec
from tests.web.lab_server import lab, talking

ENDLESS = "mcts:seconds=3000"
"""Would keep the only search process longer than anybody here waits for an answer."""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with lab(tmp_path_factory.mktemp("lab"), "--workers", "1") as served:
        yield served.wait_until_ready()


@pytest.fixture(scope="module")
def ask(served):
    with talking(served.socket_address) as ask:
        yield ask


# --- Answers ---


def test_an_agent_thinks_as_it_does_elsewhere_and_reports_its_evidence(ask):
    reply = ask(
        {"type": "think", "id": 1, "board": "6x7x4", "moves": "445", "agent": "mcts:simulations=500", "seed": 3}
    )
    assert (reply["type"], reply["id"]) == ("answer", 1)
    data = reply["data"]
    assert sum(data["visits"]) == 500
    assert data["details"]["simulations"] == 500
    again = ask(
        {"type": "think", "id": 1, "board": "6x7x4", "moves": "445", "agent": "mcts:simulations=500", "seed": 3}
    )
    assert again["data"]["visits"] == data["visits"]


def test_a_long_search_is_reported_while_it_runs(ask):
    ask.progress.clear()
    final = ask({"type": "think", "id": 2, "board": "12x12x5", "agent": "mcts:simulations=30000"})["data"]
    seen = [sum(reply["data"]["visits"]) for reply in ask.progress]
    assert seen
    assert seen == sorted(seen)
    assert seen[-1] <= sum(final["visits"]) == 30000


@pytest.mark.parametrize(("board", "moves"), [("6x7x4", "4453"), ("6x7x4", "44444522562617"), ("tictactoe", "51")])
def test_hints_are_the_scores_of_the_solver(ask, board, moves):
    told = ask({"type": "hint", "id": 3, "board": board, "moves": moves})["data"]
    truth = inarow.analyse(Position.parse(moves, GameSpec.parse(board)))
    assert told["scores"] == list(truth.scores)
    assert (told["score"], tuple(told["best"]), told["plies"], told["exact"]) == (
        truth.score,
        truth.best,
        truth.plies,
        True,
    )


def test_where_nothing_is_solved_a_hint_says_that_it_is_an_estimate(ask):
    told = ask({"type": "hint", "id": 4, "board": "12x12x5", "moves": "6677"})["data"]
    assert (told["exact"], told["score"]) == (False, None)
    assert all(-1 <= value <= 1 for value in told["values"])


def test_a_game_is_reviewed_move_by_move(ask):
    told = ask({"type": "review", "id": 5, "board": "6x7x4", "moves": "44444522562617667"})["data"]["plies"]
    assert [ply["ply"] for ply in told] == list(range(17))
    assert [ply["label"] for ply in told][-3:] == ["blunder"] * 3
    assert told[0]["scores"] == list(inarow.analyse(Position.start()).scores)


def test_a_cancelled_search_makes_room_at_once(ask):
    ask.socket.send(json.dumps({"type": "think", "id": 6, "board": "6x7x4", "agent": ENDLESS}))
    time.sleep(0.3)
    reply = ask({"type": "cancel", "id": 6})
    assert (reply["type"], reply["id"], reply["error"]) == ("error", 6, "cancelled")
    assert ask({"type": "think", "id": 7, "board": "6x7x4", "agent": "random"})["type"] == "answer"


def test_a_closed_socket_ends_its_search(served):
    with talking(served.socket_address) as other:
        other.socket.send(json.dumps({"type": "think", "id": 1, "board": "6x7x4", "agent": ENDLESS}))
        time.sleep(0.3)
    with talking(served.socket_address) as other:
        assert other({"type": "think", "id": 1, "board": "6x7x4", "agent": "random"})["type"] == "answer"


def test_games_are_read_and_written_in_all_notations(served):
    written = served.call("/api/games/write", {"board": "6x7x4", "moves": "4453", "first": "me", "second": "you"})
    assert from_pgn(written["pgn"]).moves == "4453"
    for text in (written["pgn"], written["json"], "4453", " 44 53\n"):
        (game,) = served.call("/api/games/read", {"text": text, "board": "6x7x4"})
        assert (game["moves"], game["board"]) == ("4453", "6x7x4")
    refused = served.call("/api/games/read", {"text": "4444444", "board": "6x7x4"}, expect=400)
    assert "column 4 is full" in refused["error"]


# --- Refusals ---

BAD_MESSAGES = [
    ("{", "truncated"),
    ("{]", "malformed"),
    ("[]", "object"),
    ('{"type": "think"}', "id"),
    ('{"type": "dance", "id": 1}', "dance"),
    ('{"type": "think", "id": "x", "board": "6x7x4", "agent": "random"}', "int"),
    ('{"type": "think", "id": 1, "board": 6, "agent": "random"}', "str"),
    ('{"type": "think", "id": 1, "board": "6x7x4", "agent": "random", "extra": 1}', "extra"),
    ('{"type": "think", "id": 1, "board": "99x7x4", "agent": "random"}', "rows is 99"),
    ('{"type": "think", "id": 1, "board": "6x7x4", "moves": "4444444", "agent": "random"}', "column 4 is full"),
    ('{"type": "think", "id": 1, "board": "6x7x4", "moves": "9", "agent": "random"}', "is not a move"),
    ('{"type": "think", "id": 1, "board": "6x7x4", "moves": "1212121", "agent": "random"}', "over"),
    ('{"type": "think", "id": 1, "board": "6x7x4", "agent": "gnugo"}', "there is no agent"),
    ('{"type": "think", "id": 1, "board": "6x7x4", "agent": "human"}', "human is not an agent of the lab"),
    ('{"type": "think", "id": 1, "board": "6x7x4", "agent": "q:table=../../../etc/passwd"}', "runs folder"),
    ('{"type": "think", "id": 1, "board": "6x7x4", "agent": "q:table=/etc/passwd"}', "runs folder"),
    ('{"type": "think", "id": 1, "board": "6x7x4", "agent": "mcts:seconds=1,memory=4096"}', "MB"),
    ('{"type": "cancel", "id": 77}', "no open question 77"),
    ("x" * 100_000, "the limit is"),
    ("[" * 10_000, "object"),
    (b"\x00\xff", "binary"),
]


@pytest.mark.parametrize(("message", "reason"), BAD_MESSAGES)
def test_a_bad_message_gets_one_clear_line(ask, message, reason):
    reply = ask(message)
    assert reply["type"] == "error"
    assert reason in reply["error"]
    assert "\n" not in reply["error"]


def test_a_thousand_bad_messages_disturb_no_other_game(served):
    chance = random.Random(1)

    def garbage():
        kind = chance.randrange(4)
        if kind == 0:
            return "".join(chance.choices(string.printable, k=chance.randrange(200)))
        if kind == 1:
            return bytes(chance.randrange(256) for _ in range(50))
        if kind == 2:
            return chance.choice(BAD_MESSAGES)[0]
        words = {
            "type": chance.choice(["think", "hint", "review", "cancel", None, 7]),
            "id": chance.choice([1, -1, 2**70, "a", None]),
        }
        return json.dumps(
            {
                **words,
                "board": chance.choice(["6x7x4", "0x0x0", [], None]),
                "moves": chance.choice(["99", 5, "4" * 500]),
            }
        )

    with talking(served.socket_address) as vandal, talking(served.socket_address) as player:
        moves = ""
        for number in range(1000):
            assert vandal(garbage())["type"] == "error"
            if number % 100 == 0:
                answer = player(
                    {"type": "think", "id": number, "board": "6x7x4", "moves": moves, "agent": "greedy", "seed": 1}
                )
                position = Position.parse(moves).play(answer["data"]["action"])
                moves = "" if position.is_over else position.moves


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:80"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": "192.168.1.2"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://localhost"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
def test_other_sites_are_refused(served, headers, status):
    for path in ("/api/lab", "/api/jobs", "/runs/x.html"):
        assert httpx.get(f"{served.address}{path}", headers=headers).status_code == status
    assert httpx.post(f"{served.address}/api/jobs", headers=headers, json={}).status_code == status
    with pytest.raises(InvalidStatus), connect(served.socket_address, additional_headers=headers):
        pass
    assert httpx.get(f"{served.address}/api/lab", headers={"Host": f"localhost:{served.port}"}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/runs/../lab.sqlite",
        "/runs/%2e%2e/lab.sqlite",
        "/runs/..%2flab.sqlite",
        "/runs//etc/passwd",
        "/runs/secret.npz",
        "/runs/link.html",
        "/runs/%00",
        "/runs/",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2f..%2fapp.py",
        "/static/",
    ],
)
def test_no_file_outside_the_folders_is_served(served, path):
    (served.folder / "outside.html").write_text("secret")
    link = served.folder / "runs" / "link.html"
    if not link.is_symlink():
        link.symlink_to(served.folder / "outside.html")
    (served.folder / "runs" / "secret.npz").write_text("secret")
    # httpx tidies paths up, so the request is written by hand.
    with httpx.Client() as client:
        request = client.build_request("GET", served.address)
        request.url = request.url.copy_with(raw_path=path.encode())
        response = client.send(request)
    assert response.status_code in (404, 405)
    assert "secret" not in response.text


def test_a_report_is_served_in_a_sandbox_and_pages_with_a_strict_policy(served):
    (served.folder / "runs" / "report.html").write_text("<script>1</script>")
    report = httpx.get(f"{served.address}/runs/report.html")
    assert report.headers["content-security-policy"].startswith("sandbox allow-scripts; default-src 'none'")
    assert {"path": "report.html"} in served.call("/api/reports")
    page = httpx.get(served.address)
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["x-content-type-options"] == "nosniff"


def test_large_bodies_and_bad_documents_are_refused_in_one_line(served):
    assert httpx.post(f"{served.address}/api/games/read", content=b"x" * (1 << 20 | 1)).status_code == 413

    def endless():
        for _ in range(40):
            yield b"x" * (1 << 16)

    assert httpx.post(f"{served.address}/api/games/read", content=endless()).status_code == 413
    assert "<script>" not in served.call("/api/games/read", {"text": "<script>"}, expect=400)["error"]
    for bad in ({}, [], {"kind": "arena"}, {"kind": "arena", "agents": ["random"]}, {"kind": "x"}):
        assert "\n" not in served.call("/api/jobs", bad, expect=400)["error"]
    wrong = {"kind": "train", "name": "../x", "document": {}}
    assert "name" in served.call("/api/jobs", wrong, expect=400)["error"]
    odd = {"kind": "train", "name": "x", "document": {"learner": []}}
    assert "there is no learner '[]'" in served.call("/api/jobs", odd, expect=400)["error"]
    phases = [{"episodes": 10, "opponent": "kaggle:file=/etc/passwd"}]
    document = {"learner": "q", "board": "tictactoe", "phases": phases}
    foreign = {"kind": "train", "name": "x", "document": document}
    assert "runs folder" in served.call("/api/jobs", foreign, expect=400)["error"]
    assert "there is no job 999" in served.call("/api/jobs/999", expect=400)["error"]


def test_beyond_loopback_a_token_is_made_up_and_every_call_and_socket_needs_it(tmp_path):
    with lab(tmp_path, "--host", "0.0.0.0", "--workers", "1") as served:
        token = served.announcement.split("#token=")[1].split()[0]
        assert len(token) >= 20
        for path in ("/api/lab", "/api/health", "/api/jobs", "/runs/report.html"):
            assert httpx.get(f"{served.address}{path}").status_code == 401
            assert httpx.get(f"{served.address}{path}?token=wrong").status_code == 401
        right = {"Authorization": f"Bearer {token}"}
        assert httpx.get(f"{served.address}/api/health", headers=right).status_code == 200
        assert httpx.get(f"{served.address}/api/health", headers={**right, "Host": "evil.example"}).status_code == 421
        with pytest.raises(InvalidStatus), connect(served.socket_address):
            pass
        with connect(f"{served.socket_address}?token={token}"):
            pass


# --- Jobs ---

ARENA = {"kind": "arena", "agents": ["random", "greedy", "winblock"], "games": 4, "seed": 1}


def test_an_arena_runs_to_its_end_and_its_games_can_be_browsed(served):
    job = served.call("/api/jobs", ARENA)
    job = served.wait_for_job(job["id"], "finished", "failed")
    assert (job["status"], job["done"], job["total"]) == ("finished", 12, 12)
    result = job["result"]
    assert {rating["agent"] for rating in result["ratings"]} == set(ARENA["agents"])
    assert sum(points for row in result["cross"] for points, _ in row) == 12
    assert {"board": "6x7x4", "matches": 3} in served.call("/api/boards")
    assert len(served.call("/api/leaderboard?board=6x7x4")[0]) == 3
    match = served.call("/api/matches?board=6x7x4")[0]
    assert match["wins"] + match["draws"] + match["losses"] == match["games"] == 4
    games = served.call(f"/api/matches/{match['id']}/games")
    assert len(games) == 4
    assert all(Position.parse(game["moves"]).is_over for game in games)


def test_an_arena_pauses_continues_and_stops(served):
    job = served.call("/api/jobs", {**ARENA, "agents": ["mcts:simulations=2000", "winblock"], "games": 2000, "seed": 2})
    while served.call(f"/api/jobs/{job['id']}")["done"] == 0:
        time.sleep(0.1)
    assert served.call(f"/api/jobs/{job['id']}/pause", {})["status"] == "paused"
    time.sleep(1.5)
    halted = served.call(f"/api/jobs/{job['id']}")["done"]
    time.sleep(1)
    assert served.call(f"/api/jobs/{job['id']}")["done"] == halted
    assert served.call(f"/api/jobs/{job['id']}/resume", {})["status"] == "running"
    while served.call(f"/api/jobs/{job['id']}")["done"] == halted:
        time.sleep(0.1)
    served.call(f"/api/jobs/{job['id']}/stop", {})
    assert served.wait_for_job(job["id"], "stopped")["done"] < 2000
    served.call(f"/api/jobs/{job['id']}", method="DELETE")
    assert "no job" in served.call(f"/api/jobs/{job['id']}", expect=400)["error"]


def test_jobs_of_a_killed_lab_are_interrupted_and_can_be_resumed(tmp_path):
    with lab(tmp_path, "--workers", "1") as first:
        first.wait_until_ready()
        phases = [{"episodes": 1_000_000_000}]
        document = {"learner": "q", "board": "tictactoe", "phases": phases, "seed": 1, "report": 100_000}
        run = first.call("/api/jobs", {"kind": "train", "name": "mine", "document": document})
        while not first.call(f"/api/jobs/{run['id']}/curve")["rows"]:
            time.sleep(0.1)
        # Long enough that the lab is killed before its end, on a fast machine too.
        arena = first.call("/api/jobs", {**ARENA, "agents": ["mcts:simulations=10000", "winblock"], "games": 100})
        while not first.call(f"/api/jobs/{arena['id']}")["done"]:
            time.sleep(0.1)
        first.kill()
    with lab(tmp_path, "--workers", "1", port=first.port) as second:
        for each in (run, arena):
            assert second.call(f"/api/jobs/{each['id']}")["status"] == "interrupted"
            second.call(f"/api/jobs/{each['id']}/resume", {})
        assert second.wait_for_job(arena["id"], "finished", "failed")["done"] == 100
        before = len(second.call(f"/api/jobs/{run['id']}/curve")["rows"])
        while len((curve := second.call(f"/api/jobs/{run['id']}/curve"))["rows"]) == before:
            time.sleep(0.1)
        second.call(f"/api/jobs/{run['id']}/stop", {})
        assert second.wait_for_job(run["id"], "stopped", "failed")["status"] == "stopped"
        episodes = [row[curve["columns"].index("episode")] for row in curve["rows"]]
        assert episodes == [100_000.0 * number for number in range(1, len(episodes) + 1)]
