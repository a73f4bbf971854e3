"""No code out of data: what the sources of inarow never do, and the few places where they must."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "inarow"
FORBIDDEN_MODULES = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml"}
FORBIDDEN_CALLS = {
    *("eval", "exec", "compile", "__import__", "os.system", "os.popen", "tempfile.mktemp"),
    *("torch.load", "torch.save", "pickle.loads", "pickle.load", "numpy.fromfile", "runpy.run_path"),
}
ALLOWED = {
    # Processes of one's own talk in pickle, as multiprocessing does; nothing from outside gets there.
    ("workers/protocols.py", "pickle"),
    ("workers/protocols.py", "pickle.loads"),
    # So do registrations on their way from a program to the worker processes that it starts.
    ("plugins.py", "pickle"),
    ("plugins.py", "pickle.loads"),
    # A Kaggle agent is a program of the user's. It runs in a process of its own.
    ("agents/kaggle_host.py", "compile"),
    ("agents/kaggle_host.py", "exec"),
    # So does the agent file of a student.
    ("agents/student_host.py", "compile"),
    ("agents/student_host.py", "exec"),
    # The empty text: see there.
    ("cli/app.py", "exec"),
}


@cache
def trees():
    paths = sorted(SOURCE.rglob("*.py"))
    return [(str(path.relative_to(SOURCE)), list(ast.walk(ast.parse(path.read_text("utf-8"))))) for path in paths]


def dotted(node: ast.expr) -> str:
    """The name that is called: `os.system`."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def test_no_code_comes_out_of_data():
    found = set()
    for name, nodes in trees():
        for node in nodes:
            if isinstance(node, ast.Import):
                found |= {(name, each.name) for each in node.names if each.name.partition(".")[0] in FORBIDDEN_MODULES}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in FORBIDDEN_MODULES:
                found.add((name, node.module))
            elif isinstance(node, ast.Call) and dotted(node.func) in FORBIDDEN_CALLS:
                found.add((name, dotted(node.func)))
    assert found == ALLOWED


def test_no_command_goes_through_a_shell_and_no_array_through_pickle():
    for name, nodes in trees():
        for node in nodes:
            if not isinstance(node, ast.Call):
                continue
            if name == "cli/completion.py":  # `shell` is the name of one there, and no process is started
                continue
            options = {option.arg: getattr(option.value, "value", None) for option in node.keywords}
            assert options.get("shell", False) is False, name
            assert options.get("allow_pickle", False) is False, name
            assert dotted(node.func) != "np.load" or "allow_pickle" in options, name


def test_statements_of_the_store_are_made_of_constants():
    """Whatever stands in braces in an SQL text is a name of this file, all capitals, or a number of its own."""
    braces = defaultdict(set)
    for name in ("arena/store.py", "arena/store_schema.py"):
        for node in ast.walk(ast.parse((SOURCE / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr) and any(
                isinstance(part, ast.Constant) and str(part.value).startswith(("SELECT", "INSERT", "UPDATE", "PRAGMA"))
                for part in node.values
            ):
                braces[name] |= {
                    ast.unparse(part.value) for part in node.values if isinstance(part, ast.FormattedValue)
                }
    assert braces == {
        "arena/store.py": {"_COUNTS", "_MATCH_COLUMNS", "GAME_COLUMNS", "_PAGE"},
        "arena/store_schema.py": {"APPLICATION_ID", "len(MIGRATIONS)", "name"},
    }


def test_every_test_that_a_promise_names_exists():
    """`::name` after the first test of a cell is in the same file."""
    page = (ROOT / "docs/explanation/security.md").read_text()
    table = page.partition("## Promises and their tests")[2].partition("\n## ")[0]
    named = re.findall(r"`(tests/[\w/]+\.py)?(?:::(\w+))?`", table)
    assert len(named) > 20
    path = ""
    for file, test in named:
        path = file or path
        text = (ROOT / path).read_text()
        assert not test or f"def {test}(" in text, f"{path}::{test}"


def test_every_pinned_version_has_its_hashes():
    pinned, hashed = (pins((ROOT / name).read_text()) for name in ("constraints.txt", "tools/hashes.txt"))
    assert pinned.keys() == hashed.keys()
    assert all(hashed.values())


def pins(text: str) -> dict[tuple[str, str], int]:
    """Name and version of each pin in a requirements file, and how many hashes follow it."""
    found = {}
    for line in text.splitlines():
        if match := re.match(r"([\w.-]+)==([\w.+-]+)", line):
            pin = (re.sub(r"[-_.]+", "-", match[1]).lower(), match[2])
            found[pin] = 0
        elif line.lstrip().startswith("--hash=sha256:"):
            found[pin] += 1
    return found
