"""Published numbers: data beside the code of their study, as printed, read strictly."""

from __future__ import annotations

from importlib.resources import files
from typing import TypeVar

import msgspec

Numbers = TypeVar("Numbers", bound=msgspec.Struct)


def load_published(package: str, kind: type[Numbers]) -> Numbers:
    """What `published.toml` of a study's package says. A key too many or too few is an error."""
    return msgspec.toml.decode((files(package) / "published.toml").read_bytes(), type=kind)
