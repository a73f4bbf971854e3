"""Parts of the lab that need no server."""

import ast
import asyncio
import inspect
import logging
import resource
import socket
import sys
from types import SimpleNamespace

import msgspec
import pytest

from inarow.agents.registry import make_agent
from inarow.errors import ConfigError, InvalidAgentError, InvalidLimitError
from inarow.games.spec import TIC_TAC_TOE
from inarow.learning.pretrained import shipped_table
from inarow.web import connections, guard, handlers, log, server
from inarow.web.agent_access import check_agent
from inarow.web.app import make_app
from inarow.web.guard import Bucket, Buckets, is_loopback
from inarow.web.job import ArenaPlan, Job, TrainPlan, load_jobs, save_job
from inarow.web.messages import Hint, Review
from inarow.web.pool_process import peak_memory
from inarow.web.pool_worker import Reporter
from inarow.web.server import serve
from inarow.web.settings import LabSettings
from inarow.web.training import check_document, describe_learners, read_curve


def test_agents_name_files_of_the_runs_folder_and_no_others(tmp_path, monkeypatch):
    runs = tmp_path / "runs"
    (runs / "mine").mkdir(parents=True)
    table = runs / "mine" / "table.npz"
    table.write_bytes(shipped_table(TIC_TAC_TOE).read_bytes())
    checked = check_agent("q:table=mine/table.npz", runs)
    assert checked == f"q:table={table}"
    assert check_agent(checked, runs) == checked
    make_agent(checked)
    (tmp_path / "secret.npz").write_bytes(b"")
    (runs / "link.npz").symlink_to(tmp_path / "secret.npz")
    for path in (
        "../secret.npz",
        str(tmp_path / "secret.npz"),
        "link.npz",
        "none.npz",
        "mine/none",
        "pyproject.toml",
        "\0",
    ):
        with pytest.raises(InvalidAgentError, match="runs folder"):
            check_agent(f"q:table={path}", runs)
    assert check_agent("alphazero:net=tictactoe", runs) == "alphazero:net=tictactoe"  # a name, not a file
    (tmp_path / "notes").write_text("")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidAgentError, match="runs folder"):
        check_agent("alphazero:net=notes", runs)
    with pytest.raises(InvalidAgentError, match="human is not an agent of the lab"):
        check_agent("human", runs)


def documents_against(opponent):
    """A config of each learner that has opponents."""
    phases = [{"episodes": 10}, {"episodes": 10, "opponent": opponent}]
    return [
        {"learner": "q", "board": "tictactoe", "phases": phases},
        {"learner": "deep-q", "board": "4x4x4", "episodes": 10, "opponent": opponent},
    ]


def test_opponents_of_learners_name_files_of_the_runs_folder_and_no_others(tmp_path):
    runs = tmp_path / "runs"
    runs.mkdir()
    program = tmp_path / "program.py"
    program.write_text("")
    for document in documents_against(f"kaggle:file={program}"):
        with pytest.raises(InvalidAgentError, match="runs folder"):
            check_document(document, runs)
    (runs / "program.py").write_text("")
    table, net = (check_document(document, runs) for document in documents_against("kaggle:file=program.py"))
    whole = f"kaggle:file={runs / 'program.py'}"
    assert [phase["opponent"] for phase in table["phases"]] == ["self", whole]
    assert net["opponent"] == whole
    for opponent in ("self", "frozen", "mcts:simulations=20"):
        assert check_document(documents_against(opponent)[0], runs)["phases"][1]["opponent"] == opponent


def test_training_begins_with_nets_of_the_runs_folder_and_no_others(tmp_path):
    runs = tmp_path / "runs"
    (runs / "mine").mkdir(parents=True)
    for folder in (tmp_path, runs / "mine"):
        (folder / "net.onnx").write_bytes(b"")
    document = {"learner": "alphazero", "board": "6x7x4", "minutes": 1}
    with pytest.raises(InvalidAgentError, match="runs folder"):
        check_document({**document, "start": str(tmp_path / "net.onnx")}, runs)
    assert check_document({**document, "start": "mine/net.onnx"}, runs)["start"] == str(runs / "mine" / "net.onnx")
    assert check_document({**document, "start": "connect4"}, runs)["start"] == "connect4"
    assert check_document(document, runs) == document


@pytest.mark.parametrize("name", [[], {}, None, 7, "nobody"])
def test_a_learner_that_does_not_exist_is_reported(name, tmp_path):
    with pytest.raises(ConfigError, match="there is no learner"):
        check_document({"learner": name}, tmp_path)


def test_memory_is_counted_in_bytes_on_every_system(monkeypatch):
    monkeypatch.setattr(resource, "getrusage", lambda who: SimpleNamespace(ru_maxrss=5 << 20))
    for platform, size in (("linux", 5 << 30), ("darwin", 5 << 20)):
        with monkeypatch.context() as change:
            change.setattr(sys, "platform", platform)
            peak = peak_memory()
        assert peak == size


@pytest.mark.compiled
def test_a_cancelled_hint_is_not_estimated_to_the_end():
    told = handlers.hint(Hint(id=1, board="15x15x5", moves="88"), Reporter(bytes, lambda: True))
    assert 0 < sum(told["visits"]) < 1000


@pytest.mark.compiled
def test_a_review_whose_time_is_up_makes_do_with_rough_estimates(monkeypatch):
    monkeypatch.setattr(handlers, "_SOLVING_SECONDS", 0.0)
    monkeypatch.setattr(handlers, "_REVIEW_SECONDS", 0.0)
    told = handlers.review(Review(id=1, board="15x15x5", moves="8877"), Reporter(bytes, lambda: False))
    assert [(ply["ply"], ply["exact"]) for ply in told["plies"]] == [(ply, False) for ply in range(4)]
    assert all(0 < sum(ply["visits"]) < 1000 for ply in told["plies"])


def test_the_address_of_a_lab_keeps_its_token_whole(tmp_path):
    settings = LabSettings(token="50%&more/#", runs=tmp_path, store=tmp_path / "lab.sqlite")
    assert server.addresses(settings, 8000) == ["http://127.0.0.1:8000/#token=50%25%26more%2F%23"]


def test_a_lab_for_others_is_announced_by_name_and_by_number(tmp_path, monkeypatch):
    assert server._own_number(socket.AF_INET, "127.0.0.1") == ["127.0.0.1"]
    settings = LabSettings(host="0.0.0.0", token="a-token", runs=tmp_path, store=tmp_path / "lab.sqlite")
    for numbers in (["192.168.1.5"], []):
        monkeypatch.setattr(server, "_own_number", lambda *arguments, numbers=numbers: numbers)
        hosts = [socket.gethostname(), *numbers]
        assert server.addresses(settings, 80) == [f"http://{host}:80/#token=a-token" for host in hosts]


def test_a_curve_is_read_whatever_its_columns_are(tmp_path):
    assert read_curve(tmp_path) == {"columns": [], "rows": []}
    (tmp_path / "curve.csv").write_text("step,loss,note\n1,0.5,a\n2,nan,b\n")
    assert read_curve(tmp_path) == {"columns": ["step", "loss", "note"], "rows": [[1, 0.5, None], [2, None, None]]}
    (tmp_path / "curve.csv").write_text("step\n" + "\n".join(map(str, range(12_345))))
    rows = read_curve(tmp_path)["rows"]
    assert len(rows) <= 1000
    assert rows[-1] == [12_344]


def test_jobs_are_kept_and_those_under_way_come_back_interrupted(tmp_path):
    plans = [ArenaPlan(agents=("random", "greedy")), TrainPlan(name="a", document={"board": "tictactoe"})]
    for number, status in enumerate(("running", "finished", "paused", "stopped", "waiting", "failed"), start=9):
        save_job(Job(id=number, plan=plans[number % 2], status=status, created="now"), tmp_path)
    (tmp_path / "99.json").write_text('{"id": ')
    jobs = load_jobs(tmp_path)
    assert list(jobs) == [9, 10, 11, 12, 13, 14]
    statuses = [job.status for job in jobs.values()]
    assert statuses == ["interrupted", "finished", "interrupted", "stopped", "interrupted", "failed"]
    assert jobs[9].plan.document == {"board": "tictactoe", "learner": "q"}  # that of first-edition jobs without one


def test_a_bucket_runs_dry_and_each_client_has_its_own():
    bucket = Bucket(per_second=1e-6)
    assert bucket.take() > 0  # so slow that it holds less than one
    assert Bucket(per_second=1).take() == 0
    buckets = Buckets(per_second=1e-3 + 1 / 3)
    assert [buckets.take("a") > 0 for _ in range(2)] == [False, True]
    assert buckets.take("b") == 0


def test_every_preset_offered_fits_the_form_of_its_learner(tmp_path):
    offered = describe_learners()
    assert list(offered["learners"]) == ["q", "deep-q", "alphazero"]
    assert "tictactoe-q" in offered["presets"]
    for document in offered["presets"].values():
        check_document(document, tmp_path)
    for schema in offered["learners"].values():
        assert schema["$ref"].startswith("#/$defs/")
    msgspec.json.encode(offered)


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("lab.local", False)],
)
def test_only_this_machine_reaches_loopback(host, local):
    assert is_loopback(host) == local


@pytest.mark.parametrize("options", [{"port": 70_000}, {"port": -1}, {"token": "short"}, {"workers": 0}])
def test_serve_refuses_what_makes_no_sense(options, tmp_path):
    with pytest.raises(InvalidLimitError):
        serve(**options, runs=tmp_path)


# --- The token ---

PUBLIC = {"/", "/static", "/pages.json"}


def test_every_path_but_those_of_the_pages_needs_the_token(tmp_path):
    """Whatever route is added to the lab: it is asked without a token, with a wrong one, and with the right one."""
    settings = LabSettings(token="the-right-token", runs=tmp_path, store=tmp_path / "lab.sqlite")
    app = make_app(settings)
    paths = {route.path for route in app._app.routes if not route.path.startswith("/pages/")} - PUBLIC
    assert len(paths) >= 15
    assert "/api/socket" in paths
    for path in paths:
        for kind in ("http", "websocket"):
            for headers, query, is_refused in (
                ([], b"", True),
                ([(b"authorization", b"Bearer the-right-tokex")], b"", True),
                ([], b"token=the-right-toke", True),
                ([(b"authorization", b"Bearer the-right-token")], b"", False),
                ([], b"token=the-right-token", False),
            ):
                scope = {"type": kind, "path": path, "query_string": query, "client": None}
                refusal = app._refusal({**scope, "headers": [(b"host", b"localhost"), *headers]})
                assert (refusal is not None and refusal[0] == 401) == is_refused


def test_tokens_are_compared_in_constant_time():
    """The source compares the token with `hmac.compare_digest` and nothing else."""
    tree = ast.parse(inspect.getsource(guard))
    reads = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "token"]
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "hmac.compare_digest"
    ]
    compared = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Compare)}
    assert len(calls) == 1
    assert "self._settings.token" in ast.unparse(calls[0])
    assert len(reads) == 2
    assert {text for text in compared if "token" in text} == {"self._settings.token is None"}


# --- The log and the connections ---


def test_a_line_is_logged_once_a_minute_and_tracebacks_are_few(monkeypatch):
    now = 0.0
    monkeypatch.setattr(log.time, "monotonic", lambda: now)
    limit = log.LogLimit()
    records = [logging.makeLogRecord({"msg": "again"}) for _ in range(1000)]
    assert sum(limit.filter(record) for record in records) == 1
    for record in records:
        record.exc_info = (ValueError, ValueError("x"), None)
    assert sum(limit.filter(record) for record in records) == 20
    now = 61.0
    assert limit.filter(logging.makeLogRecord({"msg": "again"}))


def test_an_error_of_the_system_is_one_line(caplog):
    async def course():
        log.limit_log()
        context = {"message": "socket.accept() out of system resource", "exception": OSError(24, "Too many open files")}
        for _ in range(100):
            asyncio.get_running_loop().call_exception_handler(context)

    asyncio.run(course())
    lines = [record for record in caplog.records if record.name == "inarow.web"]
    assert len(lines) == 1
    assert lines[0].getMessage() == "socket.accept() out of system resource: Too many open files"
    assert not lines[0].exc_info


@pytest.mark.parametrize(("files", "most"), [(64, 8), (320, 32), (1024, 384), (20_000, 1024), (-1, 1024)])
def test_connections_leave_files_for_the_lab(monkeypatch, files, most):
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (files, files))
    assert connections.most_connections.__wrapped__() == most
    assert connections.share_of("127.0.0.1", most) > connections.share_of("192.0.2.1", most) > 0
