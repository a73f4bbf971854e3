"""Agents out of exported files."""

import tempfile
from functools import lru_cache
from pathlib import Path

from inarow.adapters.kaggle_export.export import kaggle_source
from inarow.agents.kaggle_host import load_last_callable
from inarow.games.position import Position
from inarow.games.spec import GameSpec


@lru_cache(maxsize=64)
def agent_of_file(text: str, spec: GameSpec | None = None):
    """The last callable of a source; with a spec, of the file that is made of an agent string."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "main.py"
        file.write_text(text if spec is None else kaggle_source(text, spec))
        return load_last_callable(str(file))


def choice(agent, position: Position, seconds: float = 60.0) -> int:
    """The answer in a position; `seconds` is what Kaggle gives for it."""
    spec = position.spec
    observation = {"board": position.to_kaggle(), "mark": position.side_to_move}
    configuration = {"rows": spec.rows, "columns": spec.columns, "inarow": spec.inarow, "actTimeout": seconds}
    action = agent(observation, configuration)
    assert type(action) is int
    return action
