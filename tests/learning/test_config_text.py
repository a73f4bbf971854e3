"""Configs as text."""

import tomllib

import pytest

from inarow.learning.config import find_document, presets, to_config
from inarow.learning.config_text import config_toml, preset_infos
from inarow.learning.learner import find_learner


@pytest.mark.parametrize("name", presets())
def test_the_whole_config_of_a_preset_gives_the_same_config(name):
    document = find_document(name)
    text = config_toml(document, name)
    kind = find_learner(document).config
    assert to_config(tomllib.loads(text), kind, "text") == to_config(document, kind, name)
    assert max(map(len, text.splitlines())) <= 80
    assert "(not set)" in text


def test_a_config_has_settings_and_the_meaning_of_its_keys():
    text = config_toml(find_document("tictactoe-q", ["alpha=0.25", "policy.rule=quantum"]), "here")
    assert "# learning rate; above 0 to 1\nalpha = 0.25\n" in text
    assert "\n[policy]\n" in text
    assert "\n[policy.temperature]\n" in text
    assert "\n[[phases]]\n" in text


def test_every_preset_has_a_short_summary():
    infos = preset_infos()
    assert [info.name for info in infos] == sorted(presets())
    assert all(0 < len(info.summary) <= 42 for info in infos)
    assert {info.board for info in infos if info.name == "universal"} == {"many"}
