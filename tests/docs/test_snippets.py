"""Every command and every Python block of the documentation runs, page by page, in a folder of its own."""

from __future__ import annotations

import doctest
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
import urllib.request
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from cyclopts import CycloptsError

import inarow
from inarow.arena.suite import standard_suite
from inarow.cli.app import app
from inarow.studies.harman.runs import SelfPlay
from inarow.studies.provenance import Provenance, code_digest
from inarow.studies.results import Finished
from tests.cli.command_line import inarow as run_inarow
from tests.cli.command_line import inarow_process, process_command
from tests.docs import snippets
from tests.docs.snippets import ROOT, Block, blocks, inarow_words, pages, shortened

RUNNABLE = [
    page
    for page, text in pages().items()
    if any(block.language in ("sh", "console", "python") for block in blocks(text))
]
SERVERS = sorted({command for _, command in snippets.all_commands() if re.match(snippets.SERVERS, command)})


class Page:
    """Runs the blocks of a page in order: later ones find the files and names of earlier ones."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._names: dict[str, object] = {"__name__": "__main__"}
        self._runner = doctest.DocTestRunner()

    def run(self, block: Block) -> None:
        if block.language == "python" and ">>> " in block.text:
            self._run_session(block)
        elif block.language == "python":
            self._run_python(block)
        elif block.language == "toml":
            tomllib.loads(block.text)
        elif block.language == "json":
            json.loads(block.text)
        for command, shown in block.commands():
            self._run_command(command, shown, f"{self.name}:{block.line}: {command}")

    def _run_session(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, {}, self.name, self.name, block.line)
        test.globs = self._names
        out = StringIO()
        with redirect_stdout(sys.__stdout__):
            failed = self._runner.run(test, out=out.write, clear_globs=False).failed
        assert not failed, out.getvalue()

    def _run_python(self, block: Block) -> None:
        if self.name in snippets.PYTHON_ELSEWHERE:
            return
        text = "\n" * (block.line - 1) + block.text  # so that line numbers are those of the page
        for pattern, short in snippets.SHORTER_PYTHON:
            text = re.sub(pattern, short, text)
        exec(compile(text, str(ROOT / self.name), "exec"), self._names)

    def _run_command(self, command: str, shown: list[str] | None, place: str) -> None:
        words = inarow_words(command)
        if words is None or command in SERVERS or snippets.reason_not_to_run(command):
            return
        if shown is None:
            words = shortened(self.name, words)
            self._make_room(words)
        stdin = snippets.piped_input(command) or snippets.INPUT.get(words[0], "")
        result = (inarow_process if words[0] in snippets.OWN_PROCESS else run_inarow)(*words, stdin=stdin)
        assert result.returncode == 0, f"{place}: {result.stderr}"
        if shown:
            printed = [line.rstrip() for line in result.stdout.rstrip().splitlines()]
            if shown[-1] == "...":  # what follows depends on the machine
                shown = shown[:-1]
                printed = printed[: len(shown)]
            assert printed == shown, place

    @staticmethod
    def _make_room(words: list[str]) -> None:
        """Pages show several ways to train one preset; without `--out` a run replaces the one before."""
        if words[0] == "train" and not {"--out", "-o", "--resume"} & set(words):
            shutil.rmtree(Path("runs") / Path(words[1]).stem, ignore_errors=True)


OWN = Provenance("", "", code_digest(SelfPlay("3x5x4")), {})
"""Lets commands continue from committed results, which other code computed."""


@pytest.mark.compiled
@pytest.mark.usefixtures("forgotten_registrations")
@pytest.mark.parametrize("name", RUNNABLE)
def test_a_page_runs_from_top_to_bottom(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    lay_out_files(tmp_path, pages()[name])
    page = Page(name)
    for block in blocks(pages()[name]):
        page.run(block)


def lay_out_files(folder: Path, text: str) -> None:
    """What commands find in a clone, and what their page asks for: results, a replay, a suite, files to grade."""
    for path in set(re.findall(r"\bdocs/[\w/.-]+\.toml", text)):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes((ROOT / path).read_bytes())
    for study in (ROOT / "docs" / "studies").glob("*/results.jsonl"):
        if f"reproduce {study.parent.name}" in text:
            copy = folder / "reproductions" / f"{study.parent.name}-paper"
            copy.mkdir(parents=True)
            finished = [msgspec.json.decode(line, type=Finished) for line in study.read_bytes().splitlines()]
            own = [msgspec.structs.replace(each, computed=OWN) for each in finished]
            (copy / study.name).write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in own))
    if "inarow assign" in text:
        (folder / "submissions").mkdir()
        for name, block in zip(
            ("carol", "dave"), (each for each in blocks(text) if each.language == "python"), strict=False
        ):
            (folder / "submissions" / f"{name}.py").write_text(block.text)
        (rubric,) = (block for block in blocks(text) if block.language == "toml")
        (folder / "rubric.toml").write_text(rubric.text)
    if "episode.json" in text:
        (folder / "episode.json").write_text(json.dumps(kaggle_episode("444421213")))
    if "inarow grade" in text:
        whole = standard_suite(inarow.CONNECT_FOUR)
        few = replace(whole, name="few", positions=whole.positions[::300], scores=whole.scores[::300])
        few.save(folder / "few.npz")


def kaggle_episode(moves: str) -> dict[str, object]:
    """A replay as Kaggle offers it: after the empty board, the agent at move t is t mod 2; the other's action is 0."""
    steps = [[{"action": 0}, {"action": 0}]]
    for ply, move in enumerate(moves):
        step = [{"action": 0}, {"action": 0}]
        step[ply % 2]["action"] = int(move) - 1
        steps.append(step)
    return {"configuration": {"rows": 6, "columns": 7, "inarow": 4}, "steps": steps}


# --- Nothing is left out ---


def test_there_is_much_to_run():
    commands = [command for _, command in snippets.all_commands() if inarow_words(command)]
    not_run = [command for command in commands if snippets.reason_not_to_run(command)]
    assert len(commands) > 80
    assert len(not_run) < len(commands) / 10


@pytest.mark.parametrize("page", pages())
def test_every_line_of_a_page_is_in_a_category(page):
    for block in blocks(pages()[page]):
        assert block.language in snippets.DATA, f"{page}:{block.line}: no test knows the language {block.language}"
        for command, _ in block.commands():
            known = inarow_words(command) is not None or any(re.match(each, command) for each in snippets.ELSEWHERE)
            assert known, f"{page}:{block.line}: {command}: not run by the tests; see tests/docs/snippets.py"


@pytest.mark.parametrize("page", pages())
def test_commands_parse_as_they_are_written(page):
    for block in blocks(pages()[page]):
        for command, _ in block.commands():
            if words := inarow_words(command):
                try:
                    app.parse_args(words, exit_on_error=False, print_error=False)
                except CycloptsError as error:
                    pytest.fail(f"{page}:{block.line}: {command}: {error}")


def test_a_wrong_command_does_not_parse():
    with pytest.raises(CycloptsError):
        app.parse_args(["match", "random", "greedy", "--gmaes", "10"], exit_on_error=False, print_error=False)


@pytest.mark.parametrize("table", ["NOT_RUN", "ELSEWHERE"])
def test_no_exception_is_out_of_use(table):
    commands = [command for _, command in snippets.all_commands()]
    for pattern in getattr(snippets, table):
        assert any(re.match(pattern, command) for command in commands), pattern


def test_no_rule_is_out_of_use():
    lines = [
        f"{page}: {' '.join(words)}"
        for page, command in snippets.all_commands()
        if (words := inarow_words(command)) is not None
    ]
    for pattern, _ in snippets.SHORTER:
        assert any(re.search(pattern, line) for line in lines), pattern


def test_tools_that_pages_name_exist():
    for page, command in snippets.all_commands():
        if found := re.match(r"python (tools/\S+)", command):
            assert (ROOT / found[1]).exists(), f"{page}: {command}"


def test_a_new_kind_of_line_is_noticed():
    (block,) = blocks("```sh\ncurl https://example.org\n```\n")
    ((command, _),) = block.commands()
    assert inarow_words(command) is None
    assert not any(re.match(each, command) for each in snippets.ELSEWHERE)


def test_options_are_replaced():
    words = ["train", "connect4-5min", "--set", "minutes=+20", "--set", "seed=1", "--ray", "HOST:6379", "--out", "x"]
    kept = ["train", "connect4-5min", "--set", "seed=1", "--out", "x"]
    assert shortened("page", words) == [*kept, "--set", "minutes=0.01", "--set", "workers=1"]
    assert shortened("page", ["solve", "4453"]) == ["solve", "4453"]


# --- Servers ---


@pytest.mark.parametrize("command", SERVERS)
def test_a_server_starts_answers_and_stops(command, tmp_path):
    words = shortened("", inarow_words(command) or [])
    process = subprocess.Popen(
        process_command(*words),
        cwd=tmp_path,
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path), "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = re.search(r":(\d+/\S*)", process.stdout.readline())
        assert address is not None
        with urllib.request.urlopen(f"http://127.0.0.1:{address[1]}", timeout=60) as page:
            assert b"inarow" in page.read()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 130
