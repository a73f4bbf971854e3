"""Packages that extend inarow from outside: a module or two and entry points, as pip would install them."""

import os
from collections.abc import Mapping
from pathlib import Path


def install(folder: Path, files: Mapping[str, str], entry_points: str) -> Path:
    """Writes a package into a folder, which belongs on the path then; returns the folder."""
    metadata = folder / "outside-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(entry_points)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def path_with(folder: Path) -> str:
    """PYTHONPATH for a process that finds the packages of a folder, too."""
    return os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
