"""Every kind of file that inarow reads: how a sound small one is made, and how it is read."""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from inarow.agents.registry import make_agent
from inarow.arena.store import Store
from inarow.arena.store_schema import AgentIdentity
from inarow.arena.suite import Suite
from inarow.arena.suite_build import build_suite
from inarow.errors import BookError
from inarow.games.pgn import to_pgn
from inarow.games.position import Position
from inarow.games.record import GameRecord, to_json_line
from inarow.games.spec import GameSpec
from inarow.learning.config import find_document, presets, to_config
from inarow.learning.deep_q.run import DeepQRun
from inarow.learning.tabular.config import QConfig
from inarow.learning.tabular.run import QRun
from inarow.learning.windows.net import Weights, WindowNet, load_window_net
from inarow.search.solver.book import Book
from inarow.search.solver.book_build import build_book
from inarow.storage.journal import open_journal
from inarow.studies.results import ResultsFile
from inarow.studies.runner import run_trials, verify
from inarow.studies.verification import read_verification
from inarow.web.job import load_jobs
from inarow.web.training import check_document, read_curve
from tests.arena.store_processes import match, numbered
from tests.learning.deep_q.nets import config_of, write_net
from tests.studies.small_study import DICE

SMALL = GameSpec(3, 4, 3)


@dataclass(frozen=True)
class Format:
    """Files of a kind."""

    name: str
    make: Callable[[Path], Path]
    """Writes a sound file into an empty folder, with what belongs to it, and names it."""
    read: Callable[[Path], Any]
    """All that it says, comparable; raises InarowError, or leaves out what it does not understand."""
    later: Callable[[bytes], bytes] | None = None
    """The file as a later version of inarow might write it; None where the format has no version."""
    is_checked: bool = False
    """Whether a checksum detects every change of the content."""
    refuses: bool = True
    """Whether a bad file is an error; if not, it is passed over."""
    is_log: bool = False
    """Whether lines are added to it: then a cut costs the last one, and the rest is read."""


def later_arrays(content: bytes) -> bytes:
    with np.load(io.BytesIO(content)) as arrays:
        named = {name: arrays[name] for name in arrays}
    header = json.loads(bytes(named["header"]))
    text = json.dumps({**header, "version": header["version"] + 1}).encode()
    file = io.BytesIO()
    np.savez_compressed(file, **{**named, "header": np.frombuffer(text, np.uint8)})
    return file.getvalue()


def later_text(version: bytes) -> Callable[[bytes], bytes]:
    """Of a file in which the version stands as text; as long as before, since lengths of parts stand elsewhere."""

    def later(content: bytes) -> bytes:
        assert content.count(version) == 1
        return content.replace(version, version[:-1] + b"2")

    return later


def make_run(folder: Path) -> Path:
    settings = ("board=3x4x3", "phases.0.episodes=50", "phases.0.opponent=random")
    QRun.start(to_config(find_document("tictactoe-q", settings), QConfig, "test"), folder).train()
    return folder / "table.npz"


def read_run(path: Path) -> Any:
    trainer = QRun.resume(path.parent).trainer
    rows = len(trainer.table)
    return trainer.table.keys[:rows].tolist(), trainer.table.values[:rows].tolist(), trainer.state()


def make_window_net(folder: Path) -> Path:
    weights = Weights.random(GameSpec(3, 3, 3), 4, np.random.default_rng(0))
    WindowNet(GameSpec(3, 3, 3), weights).save(folder / "net.npz")
    return folder / "net.npz"


def read_window_net(path: Path) -> Any:
    return [array.tolist() for array in load_window_net(path).weights]


def make_deep_q_run(folder: Path) -> Path:
    DeepQRun.start(config_of("4x4x4", episodes=10, batch=10), folder).train()
    return folder / "checkpoint.safetensors"


def read_deep_q_run(path: Path) -> Any:
    return DeepQRun.resume(path.parent).trainer.episodes


def make_alphazero_run(file: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        from tests.learning.alphazero.tiny_runs import trained

        trained(folder, iterations=1, iteration_games=8)
        return next(folder.glob(file))

    return make


def read_alphazero_run(path: Path) -> Any:
    from inarow.learning.alphazero.run import AlphaZeroRun

    return AlphaZeroRun.resume(path.parent).state.games


def make_book(folder: Path) -> Path:
    build_book(folder / "book.npz", "4x4x4", plies=2, memory=1 << 20)
    return folder / "book.npz"


def read_book(path: Path) -> Any:
    book = Book.load(path)
    return book.spec, book.plies, book.keys.tolist(), book.scores.tolist()


def make_suite(folder: Path) -> Path:
    build_suite(folder / "suite.npz", SMALL, positions=30, seed=1, memory=1 << 20)
    return folder / "suite.npz"


def read_suite(path: Path) -> Any:
    suite = Suite.load(path)
    return suite.spec, [position.moves for position in suite.positions], suite.scores.tolist()


def read_net(path: Path) -> Any:
    spec = GameSpec(4, 4, 4)
    return make_agent(f"dqn:net={path}").decide(Position.start(spec)).scores


def make_config(folder: Path) -> Path:
    path = folder / "run.toml"
    path.write_bytes(presets()["tictactoe-q"].read_bytes())
    return path


def read_config(path: Path) -> Any:
    return check_document(find_document(str(path)), path.parent)


RECORD = GameRecord.of_position(Position.parse("14253", GameSpec.parse("tictactoe")), "random", "winblock")


def make_text(name: str, text: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_text(text, encoding="utf-8")
        return folder / name

    return make


def read_games(path: Path) -> Any:
    """As `inarow analyse` does."""
    from inarow.cli.analyse import _read_game

    return _read_game(str(path), "tictactoe", 1)


def make_store(folder: Path) -> Path:
    path = folder / "lab.sqlite"
    with Store(path) as store:
        store.add_games(store.add_match(match("one")), numbered(0, 30))
        store.add_grade(AgentIdentity.parse("random"), "tictactoe", "exhaustive", {"outcome_accuracy": 0.5})
        store.finish_run(store.start_run("match", {}, command="inarow match"))
    return path


def read_store(path: Path) -> Any:
    with Store(path) as store:
        return (
            [
                list(store.games()),
                store.grades("tictactoe"),
                store.runs(),
                store.results(store.counted_matches("tictactoe")),
            ],
            store.match_tallies(store.matches()),
        )


def later_store(content: bytes) -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.deserialize(content[:18] + b"\1\1" + content[20:])  # without the log that a memory cannot have
    connection.execute("PRAGMA user_version = 99")
    later: bytes = connection.serialize()
    connection.close()
    return later


def make_results(folder: Path) -> Path:
    run_trials(DICE.plan("quick", ("corrected",), 0), ResultsFile(folder / "results.jsonl"))
    return folder / "results.jsonl"


def read_results(path: Path) -> Any:
    return ResultsFile(path).finished


def make_verification(folder: Path) -> Path:
    make_results(folder)
    verify(DICE, out=folder, progress=False)
    return folder / "verified.json"


class _Killed(Exception):
    pass


def make_journal(folder: Path) -> Path:
    with suppress(_Killed), open_journal(folder / "book.npz", "book 4x4x4 2", BookError) as journal:
        journal.add([f"{number} 0 77" for number in range(1, 30)])
        raise _Killed
    return folder / "book.npz.journal"


def read_journal(path: Path) -> Any:
    found: list[str] = []
    with suppress(_Killed), open_journal(path.with_suffix(""), "book 4x4x4 2", BookError) as journal:
        found += journal.lines
        raise _Killed
    return found


def make_job(folder: Path) -> Path:
    plan = {"kind": "arena", "agents": ["random", "greedy"], "board": "tictactoe", "games": 10}
    job = {"id": 1, "plan": plan, "created": "2026-01-01T00:00:00+00:00", "status": "finished"}
    (folder / "1.json").write_text(json.dumps(job))
    return folder / "1.json"


def make_curve(folder: Path) -> Path:
    make_run(folder)
    return folder / "curve.csv"


FORMATS = (
    Format("Q-table", make_run, read_run, later_arrays, is_checked=True),
    Format("window net", make_window_net, read_window_net, later_arrays, is_checked=True),
    Format("book", make_book, read_book, later_arrays, is_checked=True),
    Format("suite", make_suite, read_suite, later_arrays, is_checked=True),
    Format(
        "net",
        lambda folder: write_net(folder / "net.onnx", "4x4x4"),
        read_net,
        later_text(b'"version": 1'),
    ),
    Format("checkpoint of deep-q", make_deep_q_run, read_deep_q_run, later_text(b'\\"version\\": 1')),
    Format("weights of alphazero", make_alphazero_run("learner-*"), read_alphazero_run),
    Format("examples of alphazero", make_alphazero_run("replay-*"), read_alphazero_run, later_arrays),
    Format("state of alphazero", make_alphazero_run("state.json"), read_alphazero_run, later_text(b'"version": 1')),
    Format("net of alphazero", make_alphazero_run("net.onnx"), read_alphazero_run, later_text(b'"version": 1')),
    Format("config of a run", lambda folder: make_run(folder).with_name("config.json"), read_run),
    Format("curve of a run", make_curve, lambda path: read_curve(path.parent), refuses=False),
    Format("training config (TOML)", make_config, read_config),
    Format("game (JSON)", make_text("games.jsonl", to_json_line(RECORD) + "\n"), read_games),
    Format("game (PGN)", make_text("games.pgn", to_pgn(RECORD)), read_games),
    Format("results store", make_store, read_store, later_store),
    Format("results of a study", make_results, read_results, is_log=True),
    Format("verification of a study", make_verification, read_verification),
    Format("journal", make_journal, read_journal, is_checked=True, is_log=True),
    Format("job of the lab", make_job, lambda path: load_jobs(path.parent), refuses=False),
)
