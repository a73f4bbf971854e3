"""Settings of a tree search: selection rules as NamedTuples for kernels, and the config of a search with a network."""

from __future__ import annotations

import math
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

USUAL_EXPLORATION = 1 / math.sqrt(2)
"""Of UCT, for results between 0 and 1; the same as sqrt 2 where losses count -1."""


class SearchConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
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


class Uct(NamedTuple):
    """Upper confidence bounds applied to trees: mean + c sqrt(ln N / n). For rollout trees."""

    exploration: float = USUAL_EXPLORATION


class Puct(NamedTuple):
    """Predictor UCT: Q + c P sqrt(N) / (1 + n). For network trees."""

    exploration: float
    first_play: float
    """How much less than its parent an unvisited child is worth."""


class SearchRules(NamedTuple):
    """`SearchConfig` for kernels."""

    rule: tuple[float, ...]
    """The selection rule below the root: a `Puct`, or another one that is registered."""
    is_gumbel: bool
    """Whether the root uses sequential halving instead of `rule`."""
    value_weight: float
    value_visits: float
    softness: float
    noise: float
    """Weight of Dirichlet noise in the root's priors under PUCT."""


def search_rules(config: SearchConfig, *, noise: float = 0.0, rule: tuple[float, ...] | None = None) -> SearchRules:
    """The rules that a config describes; `rule` replaces PUCT."""
    puct = Puct(np.float64(config.exploration), np.float64(config.first_play))
    return SearchRules(
        rule=puct if rule is None else rule,
        is_gumbel=config.root == "gumbel",
        value_weight=np.float64(config.value_weight),
        value_visits=np.float64(config.value_visits),
        softness=np.float64(config.softness),
        noise=np.float64(noise),
    )
