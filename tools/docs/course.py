"""Executes the notebooks of the course in place and keeps their files small and stable.

    python tools/docs/course.py                                     # all of docs/course
    python tools/docs/course.py docs/course/02-minimax.ipynb
    python tools/docs/course.py --short docs/course/02-minimax.ipynb    # only a check: writes nothing

A notebook runs in a folder of its own, which is removed. Its first code cell has the tag `parameters` and holds the
sizes that cost time, as constants. The metadata of the notebook, `{"inarow": {"short": {"GAMES": 20}}}`, replace them
in the short variant, which the tests run.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import sys
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from PIL import Image

COURSE = Path(__file__).resolve().parents[2] / "docs" / "course"
CELL_SECONDS = 300
"""For one cell: kernels may have to be compiled first."""
COLOURS = 64
"""Of a PNG picture; plots need no more."""
NO_PROGRESS = """
import inarow.terminal

assert inarow.terminal._can_draw
inarow.terminal._can_draw = lambda: False
"""
"""Run by kernels at their start: what a progress bar leaves in a notebook is a widget without content."""
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
KEPT = ("tags", "jupyter", "mystnb")
"""Metadata of cells."""


def notebooks() -> list[Path]:
    """The notebooks of the course in their order."""
    return sorted(COURSE.glob("*.ipynb"))


def executed(path: Path, short: bool = False) -> NotebookNode:
    """The notebook with new outputs. `short` uses the short variant. Raises CellExecutionError if a cell fails."""
    notebook = nbformat.read(path, as_version=4)
    if short:
        insert_short_parameters(notebook)
    with TemporaryDirectory(prefix="inarow-course-", ignore_cleanup_errors=True) as folder, environment(Path(folder)):
        work = Path(folder) / "work"
        work.mkdir()
        client = NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            kernel_name=KERNEL["name"],
            resources={"metadata": {"path": str(work)}},
            record_timing=False,
        )
        asyncio.run(client.async_execute())
    return normalised(notebook)


@contextmanager
def environment(folder: Path) -> Iterator[None]:
    """The settings of `kernel_settings`, for the length of a block."""
    settings = kernel_settings(folder)
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def kernel_settings(folder: Path) -> dict[str, str]:
    """Environment variables that give kernels the settings of the course, kept in `folder`, and none of the person who
    runs them.
    """
    profile = folder / "ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "startup").mkdir(exist_ok=True)
    (profile / "startup" / "progress.py").write_text(NO_PROGRESS, encoding="utf-8")
    # ipykernel 7 warns at each start that its TCP ports, which are on loopback, are not encrypted.
    (profile / "ipython_kernel_config.py").write_text("c.IPKernelApp.log_level = 40\n", encoding="utf-8")
    return {
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "MATPLOTLIBRC": str(COURSE / "matplotlibrc"),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }


def insert_short_parameters(notebook: NotebookNode) -> None:
    """Puts a cell with the short values after the cell with the parameters."""
    values = notebook.metadata["inarow"]["short"]
    (place,) = [number for number, cell in enumerate(notebook.cells) if "parameters" in cell.metadata.get("tags", ())]
    source = "\n".join(f"{name} = {value!r}" for name, value in values.items())
    notebook.cells.insert(place + 1, nbformat.v4.new_code_cell(source, id="short-parameters"))


def normalised(notebook: NotebookNode) -> NotebookNode:
    """The notebook without what differs between machines and runs of the same notebook."""
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = nbformat.from_dict(
        {"inarow": notebook.metadata.get("inarow", {}), "kernelspec": KERNEL, "language_info": {"name": "python"}}
    )
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({name: cell.metadata[name] for name in KEPT if name in cell.metadata})
        if cell.cell_type == "code":
            cell.outputs = merged_streams(cell.outputs)
            for output in cell.outputs:
                shrink_pictures(output)
    return notebook


def merged_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Neighbouring pieces of one stream as one output; the kernel cuts them by time."""
    merged: list[NotebookNode] = []
    for output in outputs:
        last = merged[-1] if merged else None
        if last is not None and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
        else:
            merged.append(output)
    return merged


def shrink_pictures(output: NotebookNode) -> None:
    """Replaces PNG pictures with smaller ones of few colours."""
    data = output.get("data", {})
    if "image/png" in data:
        content = io.BytesIO()
        with Image.open(io.BytesIO(b64decode(data["image/png"]))) as image:
            small = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        small.save(content, format="PNG", optimize=True)
        data["image/png"] = b64encode(content.getvalue()).decode() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Execute notebooks of the course in place.")
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: the whole course")
    parser.add_argument("--short", action="store_true", help="run the short variant and write nothing")
    arguments = parser.parse_args()
    for path in arguments.notebooks or notebooks():
        started = time.monotonic()
        try:
            notebook = executed(path, arguments.short)
        except CellExecutionError as error:
            sys.exit(f"{path.name}: {error}")
        if not arguments.short:
            nbformat.write(notebook, path)
        size = len(nbformat.writes(notebook)) / 1000
        print(f"{path.name}: {time.monotonic() - started:.0f} s, {size:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
