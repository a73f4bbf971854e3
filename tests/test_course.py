"""The course: notebooks run in their short variants, and their files follow the conventions of tools/docs/course.py."""

import ast
import json
import re
import sys
from pathlib import Path

import pytest
from docutils.utils.math.latex2mathml import tex2mathml

from tests.test_docs import anchors, links
from tests.test_language import dialect

for package in ("nbclient", "ipykernel", "PIL"):
    pytest.importorskip(package, reason=f"needs {package}")

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools" / "docs"))
import course  # noqa: E402

NEEDS = {"07": ("torch", "qiskit"), "08": ("torch",), "10": ("torch",)}
"""Packages of extras, by the number of the notebook."""
MACHINE = re.compile(r"/home/|/root/|/tmp/|/var/|/work/|\.venv|site-packages|[A-Z]:\\\\|\bat 0x[0-9a-f]{6}")
WIDGET = "application/vnd.jupyter.widget-view+json"
COURSE_BYTES = 2_100_000

every_notebook = pytest.mark.parametrize("path", course.notebooks(), ids=lambda path: path.stem)


def text(lines):
    return "".join(lines)


def cells(path, kind):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell for cell in notebook["cells"] if cell["cell_type"] == kind]


def prose(path):
    return "\n\n".join(text(cell["source"]) for cell in cells(path, "markdown"))


def tags(cell):
    return cell["metadata"].get("tags", [])


def errors_and_noise(notebook):
    """Outputs that readers must not see: errors, and anything on the error stream."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    return [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"]


def widgets_without_picture(notebook):
    """Outputs of which a page without scripts shows nothing, such as those of progress bars."""
    contents = [output.get("data", {}) for cell in notebook["cells"] for output in cell.get("outputs", ())]
    return [data for data in contents if WIDGET in data and "image/svg+xml" not in data]


def assigned(source):
    """Names and values of the constants that a cell assigns."""
    statements = [node for node in ast.parse(source).body if isinstance(node, ast.Assign)]
    return {node.targets[0].id: ast.literal_eval(node.value) for node in statements}


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::RuntimeWarning:zmq")
@every_notebook
def test_the_short_variant_runs(path):
    for package in NEEDS.get(path.name[:2], ()):
        pytest.importorskip(package, reason=f"needs {package}")
    assert not errors_and_noise(course.executed(path, short=True))


def test_the_course_has_ten_notebooks_which_the_overview_lists_in_order():
    names = [path.name for path in course.notebooks()]
    assert [name[:2] for name in names] == [f"{number:02}" for number in range(1, 11)]
    overview = (course.COURSE / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\((\d\d-[a-z-]+\.ipynb)\)", overview) == names


def test_the_course_is_small():
    assert sum(path.stat().st_size for path in course.notebooks()) < COURSE_BYTES


@every_notebook
def test_the_file_is_stable(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert set(notebook["metadata"]) == {"inarow", "kernelspec", "language_info"}
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    for cell in notebook["cells"]:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", cell["id"]), cell["id"]
        assert not re.fullmatch(r"[0-9a-f]{8}", cell["id"]), f"{cell['id']} is not a readable name"
        assert set(cell["metadata"]) <= set(course.KEPT)
    assert not MACHINE.search(path.read_text(encoding="utf-8"))


@every_notebook
def test_all_cells_were_executed_in_order_and_have_clean_outputs(path):
    counts = [cell["execution_count"] for cell in cells(path, "code")]
    assert counts == list(range(1, len(counts) + 1))
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert not errors_and_noise(notebook)
    assert not widgets_without_picture(notebook)
    assert sum(bool(cell["outputs"]) for cell in cells(path, "code")) > 5


@every_notebook
def test_the_first_code_cell_has_the_parameters_of_the_short_variant(path):
    first, *others = cells(path, "code")
    assert "parameters" in tags(first)
    assert not any("parameters" in tags(cell) for cell in others)
    assert "# larger numbers: smoother curves, more time" in text(first["source"])
    short = json.loads(path.read_text(encoding="utf-8"))["metadata"]["inarow"]["short"]
    long = assigned(text(first["source"]))
    assert short.keys() <= long.keys()
    assert all(name.isupper() for name in long)


@every_notebook
def test_every_exercise_has_a_hidden_solution(path):
    titles = re.findall(r"^### (Exercise \d)\b", prose(path).partition("\n## Exercises\n")[2], re.MULTILINE)
    assert titles == [f"Exercise {number}" for number in range(1, len(titles) + 1)]
    assert 2 <= len(titles) <= 4
    hidden = [cell for cell in cells(path, "code") if "hide-cell" in tags(cell)]
    assert [text(cell["source"]).splitlines()[0] for cell in hidden] == [
        title.replace("Exercise", "# Solution") for title in titles
    ]
    for cell in hidden:
        assert cell["metadata"]["jupyter"] == {"source_hidden": True}
        assert cell["outputs"] or "assert " in text(cell["source"])


@every_notebook
def test_the_notebook_ends_with_where_next(path):
    last = text(cells(path, "markdown")[-1]["source"])
    assert last.startswith("## Where next\n")
    assert "(../explanation/" in last or "(../studies/" in last
    following = [other.name for other in course.notebooks() if other.name > path.name]
    assert not following or f"({following[0]})" in last


@every_notebook
def test_links_of_notebooks_resolve(path):
    for link in links(prose(path)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), link
        if anchor and target.suffix == ".md" and "{include}" not in target.read_text(encoding="utf-8"):
            assert anchor in anchors(target.read_text(encoding="utf-8")), link


@every_notebook
def test_formulas_can_be_drawn(path):
    """By the function that tools/docs/mathml.py uses; it raises MathError."""
    text = re.sub(r"`[^`\n]*`", "", prose(path))
    for block, inline in re.findall(r"\$\$(.+?)\$\$|(?<![\w$])\$([^$\n]+?)\$(?!\w)", text, re.DOTALL):
        assert tex2mathml(block or inline)


@every_notebook
def test_notebooks_are_in_plain_english(path):
    assert not dialect(f"{path.stem}.md", prose(path))
