"""MaskablePPO of sb3-contrib learns in the Gymnasium environment, as docs/reference/adapters.md shows."""

import re
from pathlib import Path

import pytest

import inarow

pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "adapters.md"


def test_maskable_ppo_trains_against_winblock_and_plays_in_matches():
    (example,) = re.findall(r"```python\n([^`]*MaskablePPO[^`]*)```", PAGE.read_text(encoding="utf-8"))
    names: dict = {}
    exec(compile(example.replace("20_000", "2_000"), str(PAGE), "exec"), names)
    match = inarow.play_match(names["ppo"], "random", "4x4x3", games=20)
    assert {record.termination for record in match.records} == {"normal"}
    assert names["model"].num_timesteps >= 2_000
