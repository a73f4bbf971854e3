"""What a search with a network is told."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta

from inarow.learning.alphazero.selection import RULES
from inarow.learning.config import ConfigPart


class SearchConfig(ConfigPart, frozen=True, kw_only=True):
    """How a tree is searched; see `selection.py`."""

    root: Annotated[
        Literal["gumbel", "puct"], Meta(description="how the root chooses: sequential halving, or as below it")
    ] = "gumbel"
    exploration: Annotated[float, Meta(gt=0, le=100, description="c of PUCT")] = 1.5
    first_play: Annotated[
        float, Meta(ge=0, le=2, description="how much less than its parent a move without a visit is worth")
    ] = 0.2
    softness: Annotated[float, Meta(gt=0, le=100, description="priors are softmax(logits / softness)")] = 1.8
    considered: Annotated[int, Meta(ge=1, le=256, description="moves that sequential halving looks at")] = 16
    value_weight: Annotated[float, Meta(gt=0, le=100, description="w of sigma(q) = w (b + most visits) q")] = 0.15
    value_visits: Annotated[float, Meta(ge=0, le=10_000, description="b of it")] = 50.0


def search_rules(config: SearchConfig, *, noise: float = 0.0) -> Any:
    """The same for kernels, as a record array of length 1; `noise` is the weight of Dirichlet noise."""
    rules: Any = np.zeros(1, RULES).view(np.recarray)
    for name in ("exploration", "first_play", "softness", "considered", "value_weight", "value_visits"):
        setattr(rules[0], name, getattr(config, name))
    rules[0].is_gumbel = config.root == "gumbel"
    rules[0].noise = noise
    return rules
