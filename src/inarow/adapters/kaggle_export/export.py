"""`inarow export kaggle`: writes a Kaggle submission after test games by Kaggle's rules."""

import io
import json as json_format
import random
import statistics
import sys
import tarfile
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from inarow.adapters.kaggle_export.exporters import Parts, assemble, parts_of
from inarow.agents.kaggle import KaggleProcess
from inarow.agents.kind import format_agent
from inarow.agents.registry import parse_agent
from inarow.errors import IllegalMoveError, KaggleFileError, one_line
from inarow.games import CONNECT_FOUR, Board, GameSpec, Position
from inarow.storage.atomic import atomic_write
from inarow.version import __version__

_ACT_SECONDS, _OVERAGE = 2.0, 60.0  # seconds that Kaggle allows per move, and per game beyond that


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Test games of a file by the rules of Kaggle."""

    games: int
    moves: int  # of the file
    slowest: float  # seconds of its slowest move; the first move of a game includes loading
    overage: float  # largest overage of a game, in seconds beyond the time per move


def kaggle(agent: str, *, out: Path, board: str = "connect4", json: bool = False, seed: int = 0) -> None:
    """Write a Kaggle ConnectX submission.

    The file is one Python file that needs only the standard library and NumPy. Before it is written it plays two games
    by Kaggle's loading rules, in an empty folder, without inarow.

    Args:
        agent: Agent string.
        out: File to write; if its name ends with .tar.gz, an archive with a main.py.
        board: Board: ROWSxCOLUMNSxINAROW, with /free for no gravity, connect4 or tictactoe.
        json: Print one JSON document and nothing else.
        seed: Accepted for uniformity; this command is deterministic.

    Examples:
        inarow export kaggle mcts:seconds=1 --out submission.py
        inarow export kaggle alphazero:simulations=100 -o submission.py
    """
    spec = GameSpec.parse(board)
    if sys.stderr.isatty():
        print(f"exporting {agent} ...", file=sys.stderr)
    rehearsal = export_kaggle(agent, out, spec)
    size = out.stat().st_size
    if json:
        print(json_format.dumps({"agent": agent, "file": str(out), "bytes": size, **asdict(rehearsal)}, indent=2))
        return
    overage = f", {rehearsal.overage:.3f} s of Kaggle's 60 s per game" if rehearsal.overage else ""
    print(
        f"{out}: {size:,} bytes; played {rehearsal.games} games as on Kaggle, slowest of {rehearsal.moves} moves "
        f"{rehearsal.slowest:.3f} s{overage}"
    )


def kaggle_source(agent: str, spec: GameSpec) -> str:
    """The Python source of a file that plays like the agent; raises KaggleFileError if the agent cannot be exported."""
    return source_of(format_agent(*parse_agent(agent)), parts_of(agent, spec))


def source_of(name: str, parts: Parts) -> str:
    """The source of a file made of `parts`."""
    title = f"{name} of inarow {__version__} for Kaggle's ConnectX. {parts.note}".strip()
    return assemble(parts.modules, title=title, entry=f"agent = Entry({parts.player})")


def export_kaggle(agent: str, out: Path | str, board: Board = CONNECT_FOUR) -> Rehearsal:
    """Writes a Python file that plays like an agent string, or a gzip tar with a `main.py` if `out` ends with .tar.gz,
    after a rehearsal; raises KaggleFileError without writing anything.
    """
    out, spec = Path(out), GameSpec.parse(board)
    content = kaggle_source(agent, spec).encode()
    if out.name.endswith(".tar.gz"):
        content = _archive(content)
    with tempfile.TemporaryDirectory(prefix="inarow-export-") as folder:
        draft = Path(folder) / out.name
        draft.write_bytes(content)
        rehearsal = rehearse(draft, spec)
    with atomic_write(out) as file:
        file.write(content)
    return rehearsal


def _archive(main: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        entry = tarfile.TarInfo("main.py")
        entry.size = len(main)
        archive.addfile(entry, io.BytesIO(main))
    return buffer.getvalue()


def rehearse(file: Path, spec: GameSpec, *, games: int = 2, seed: int = 0) -> Rehearsal:
    """Plays games against random moves, with alternating sides, in an empty folder, in processes that can import only
    the standard library and NumPy. Raises KaggleFileError if Kaggle would reject the file or most of its moves
    are too slow: Kaggle's additional time per game is meant for loading, and would not last for a long game.
    """
    rng = random.Random(seed)
    played = [_play(file, spec, game % 2, rng) for game in range(games)]
    times = [seconds for of_game, _ in played for seconds in of_game]
    return Rehearsal(games, len(times), max(times), max(overage for _, overage in played))


def _play(file: Path, spec: GameSpec, side: int, rng: random.Random) -> tuple[list[float], float]:
    """(times of the file's moves, overage used) in a game in which the file plays `side`, 0 or 1."""
    process = KaggleProcess(file, _ACT_SECONDS, _OVERAGE, bare=True)
    times: list[float] = []
    position = Position.start(spec)
    try:
        while not position.is_over:
            if position.ply % 2 != side:
                position = position.play(rng.choice(position.legal_actions))
                continue
            reply = process.ask(position)
            times.append(reply.seconds)
            if reply.kind != "int":
                raise KaggleFileError(f"an answer is of type {reply.kind}; Kaggle only accepts a plain int")
            position = position.play(reply.column())
        usual = statistics.median(times[1:] or [0.0])  # a single slow move may be caused by this machine
        if usual > _ACT_SECONDS:
            raise KaggleFileError(
                f"its moves took {usual:.2f} s without loading; the limit of Kaggle is {_ACT_SECONDS:g} s"
            )
        return times, _OVERAGE - process.overage
    except (IllegalMoveError, KaggleFileError) as error:
        raise KaggleFileError(f"not written: after {position.moves!r} {one_line(error)}") from None
    finally:
        process.close()
