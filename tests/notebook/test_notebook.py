"""The notebook of the documentation, executed in a kernel of its own, and exported."""

import json
import os
import re
import shutil
import subprocess
import sys
from base64 import b64decode
from pathlib import Path

import pytest

for package in ("anywidget", "nbconvert", "ipykernel"):
    pytest.importorskip(package, reason=f"needs {package}")

NOTEBOOK = Path(__file__).parents[2] / "docs" / "tutorials" / "notebook.ipynb"
SECONDS = 400
"""For all of it: the kernel may have to compile."""
WIDGET = "application/vnd.jupyter.widget-view+json"
FOLDERS = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")


def nbconvert(folder: Path, *arguments: str) -> None:
    """Runs nbconvert, which uses the kernel of this environment, with all its settings in a folder."""
    command = [sys.executable, "-m", "nbconvert", *arguments, "notebook.ipynb"]
    own = {name: str(folder / name.lower()) for name in FOLDERS}
    done = subprocess.run(
        command, cwd=folder, env=os.environ | own, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebook")
    shutil.copy(NOTEBOOK, folder)
    nbconvert(folder, "--to", "notebook", "--execute", "--inplace", "--ExecutePreprocessor.timeout=300")
    return folder


@pytest.fixture(scope="module")
def outputs(folder):
    """The outputs of every cell of code by its name."""
    cells = json.loads((folder / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: cell["outputs"] for cell in cells if cell["cell_type"] == "code"}


def data(outputs, name):
    """What the value of a cell shows, by kind; the cell has printed nothing."""
    (output,) = outputs[name]
    return output["data"]


def text(outputs, name):
    return "".join(data(outputs, name)["text/plain"])


def test_no_cell_fails_or_prints(outputs):
    kinds = {name: [output["output_type"] for output in each] for name, each in outputs.items()}
    assert len(kinds) == 9
    assert all(each == ["execute_result"] for each in kinds.values()), kinds


@pytest.mark.parametrize("name", ["board", "function", "trained"])
def test_boards_are_widgets_with_a_picture_beside_them(outputs, name):
    assert {WIDGET, "image/svg+xml"} <= data(outputs, name).keys()


@pytest.mark.parametrize("name", ["position", "analysis", "record", "match", "run"])
def test_values_show_themselves(outputs, name):
    pictures = [data(outputs, name).get(kind, "") for kind in ("image/svg+xml", "text/html")]
    assert any("<svg" in "".join(picture) or "<table" in "".join(picture) for picture in pictures)


def test_the_agent_answers_in_the_notebook(outputs):
    assert re.fullmatch(r"\('44532\d', -?\d+, 'mcts:simulations=2000'\)", text(outputs, "shared"))


def test_an_exported_page_has_the_board_or_its_picture(folder):
    """JupyterLab saves the state of widgets only on request; without it nothing in the page could draw them."""
    path = folder / "notebook.ipynb"
    notebook = json.loads(path.read_text(encoding="utf-8"))
    with_boards = exported(folder)
    assert "inarow-board" in with_boards  # the script of the board
    del notebook["metadata"]["widgets"]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    with_pictures = exported(folder)
    assert "inarow-board" not in with_pictures
    assert len(pictures_of(with_pictures)) == len(pictures_of(with_boards)) + 3


def exported(folder):
    nbconvert(folder, "--to", "html")
    return (folder / "notebook.html").read_text(encoding="utf-8")


def pictures_of(page):
    return [b64decode(found) for found in re.findall(r"data:image/svg\+xml;base64,([^\"]+)", page)]
