"""Installed packages whose modules end the program when they are imported: broken like others, and no more."""

import os

import pytest

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
    with pytest.warns(UserWarning, match="the page 'leaving' is left out: its module calls sys.exit"):
        assert installed_pages() == {}
