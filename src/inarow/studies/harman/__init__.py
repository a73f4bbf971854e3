"""The study harman: Q-learning against Monte Carlo tree search on small boards, and its published numbers."""

import msgspec

from inarow.studies.experiment import published_numbers


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    window: int
    curve: dict[str, float]  # figures of the moving average of rewards per game


published = published_numbers(__name__, Published)
