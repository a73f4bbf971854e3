"""Q-learning configs for tests."""

from inarow.learning.config import find_document, to_config
from inarow.learning.tabular.config import QConfig


def config(**changes) -> QConfig:
    """A few hundred episodes."""
    document = {
        "board": "3x4x3",
        "alpha": 0.3,
        "gamma": 0.9,
        "symmetry": False,
        "exploration": {"start": 0.4, "floor": 0.4},
        "phases": [{"episodes": 300}],
        "report": 100,
    }
    return to_config(document | changes, QConfig, "test")


def find_q_config(name: str, settings=()) -> QConfig:
    """The config of a preset or a TOML file, changed by settings."""
    return to_config(find_document(name, settings), QConfig, name)
