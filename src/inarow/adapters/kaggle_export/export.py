"""Writing a Kaggle submission."""

from __future__ import annotations

import io
import tarfile
import tempfile
from pathlib import Path

from inarow import __version__
from inarow.adapters.kaggle_export.assemble import assemble
from inarow.adapters.kaggle_export.exporters import Parts, parts_of
from inarow.adapters.kaggle_export.rehearsal import Rehearsal, rehearse
from inarow.agents.registry import format_agent, parse_agent
from inarow.games.spec import GameSpec
from inarow.storage.atomic import atomic_write


def kaggle_source(agent: str, spec: GameSpec) -> str:
    """The Python source of a file that plays as the agent does; raises KaggleFileError where that cannot be."""
    return source_of(format_agent(*parse_agent(agent)), parts_of(agent, spec))


def source_of(name: str, parts: Parts) -> str:
    """The source of a file out of its parts."""
    title = f"{name} of inarow {__version__} for Kaggle's ConnectX. {parts.note}".strip()
    return assemble(parts.modules, title=title, entry=f"agent = Entry({parts.player})")


def export_kaggle(agent: str, out: Path, spec: GameSpec) -> Rehearsal:
    """Writes a Python file, or a gzip tar with a `main.py` if `out` ends with .tar.gz, after it has been played as
    Kaggle would; raises KaggleFileError, and then writes nothing.
    """
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
