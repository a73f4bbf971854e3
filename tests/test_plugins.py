"""Installed packages whose modules end the program when they are imported: broken like others, and no more."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numba
import numpy as np
import pytest

from inarow.plugins import source_digest
from inarow.web.pages import installed_pages
from tests import outside
from tests.cli.command_line import inarow_process

GROUPS = ("agents", "learners", "studies", "commands", "pages")
ENTRY_POINTS = "\n".join(f"[inarow.{group}]\nleaving = leaving_module:THING\n" for group in GROUPS)
REASON = "its module calls sys.exit('enough')"


@pytest.fixture
def site(tmp_path):
    return outside.install(tmp_path / "site", {"leaving_module.py": "raise SystemExit('enough')"}, ENTRY_POINTS)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["match", "leaving", "random"], f"the plug-in leaving is broken: ImportError: {REASON}"),
        (["reproduce", "leaving"], f"; the plug-in leaving is broken: ImportError: {REASON}"),
        (["train", "FILE.toml"], f"; the plug-in leaving is broken: ImportError: {REASON}"),
        (["leaving"], f"the command leaving cannot be loaded from leaving_module:THING: {REASON}"),
    ],
    ids=["agent", "study", "learner", "command"],
)
def test_a_plugin_that_exits_is_reported_as_broken(site, tmp_path, arguments, reason):
    (tmp_path / "FILE.toml").write_text('learner = "leaving"\n')
    words = [str(tmp_path / word) if word == "FILE.toml" else word for word in arguments]
    result = inarow_process(*words, env={**os.environ, "PYTHONPATH": outside.path_with(site)})
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.endswith(f"{reason}\n")


def test_other_commands_work_beside_a_plugin_that_exits(site):
    environment = {**os.environ, "PYTHONPATH": outside.path_with(site)}
    listed = inarow_process("agents", env=environment)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "winblock" in listed.stdout
    assert "Broken: cannot be loaded" in inarow_process("--help", env=environment).stdout


def test_a_page_that_exits_is_left_out_with_a_warning(site, monkeypatch):
    monkeypatch.syspath_prepend(site)
    with pytest.warns(UserWarning, match="the page 'leaving' is skipped: its module calls sys.exit"):
        assert installed_pages() == {}


# --- Identity of code ---

BODY = "def worth(board):\n    return SCALE * helper(board) + OTHER.sum()\n"


def made(source=BODY, scale=2, helper="def helper(board): return 1.0", other=(1.0, 2.0)):
    """A function without a source file, as a console has it."""
    names = {"SCALE": scale, "OTHER": np.array(other), "__name__": "console", "np": np}
    exec(helper, names)
    exec(source, names)
    return names["worth"]


def test_the_digest_of_typed_code_follows_all_that_it_does():
    digests = [
        source_digest(each)
        for each in (
            made(),
            made(scale=3),
            made(helper="def helper(board): return 2.0"),
            made(other=(1.0, 3.0)),
            made(BODY.replace("+", "-")),
            made(BODY.replace("board)", "board, extra=1)", 1)),
            made(BODY.replace("board)", "board, extra=2)", 1)),
        )
    ]
    assert len(set(digests)) == len(digests)
    assert source_digest(made()) == digests[0]


def made_with(value):
    def inner(board):
        return value

    return inner


def test_the_digest_of_a_function_is_that_of_its_source_and_its_closure():
    assert source_digest(made_with(1)) == source_digest(made_with(1)) != source_digest(made_with(2))
    assert source_digest(numba.njit(made_with(1))) == source_digest(made_with(1))
    assert source_digest(partial(made, scale=1)) != source_digest(partial(made, scale=2))
    assert source_digest(TestedClass) == source_digest(TestedClass()) != source_digest(made)
    assert source_digest(made_with({"a": [1, {2}]})) != source_digest(made_with({"a": [1, {3}]}))


def test_the_digest_of_code_whose_file_is_not_its_source_is_that_of_its_bytecode():
    digests = []
    for page, value in (("CHANGELOG.md", 1.0), ("README.md", 1.0), ("none.py", 1.0), ("CHANGELOG.md", 2.0)):
        names = {}
        exec(compile(f"\n\n\ndef worth(board):\n    return {value}\n", page, "exec"), names)
        digests.append(source_digest(names["worth"]))
    assert len(set(digests[:3])) == 1
    assert digests[0] != digests[3]
    one, two = (lambda board: 1.0, lambda board: 2.0)
    assert source_digest(one) != source_digest(two)


class TestedClass:
    __test__ = False

    def __call__(self, board):
        return 0.0


def test_the_digest_of_a_recursive_function_ends():
    assert source_digest(first_of_two) == source_digest(first_of_two) != source_digest(second_of_two)


def first_of_two(board):
    return second_of_two(board)


def second_of_two(board):
    return first_of_two(board)


def test_a_digest_is_the_same_in_another_process():
    program = "from tests.test_plugins import *; print(source_digest(made()), source_digest(made_with({'b', 'a'})))"
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(["src", ".", "tools"])},
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[1],
        ).stdout
        for seed in ("1", "2")
    }
    assert printed == {f"{source_digest(made())} {source_digest(made_with({'b', 'a'}))}\n"}
