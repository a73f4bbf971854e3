"""How fast one client may come."""

from __future__ import annotations

import time
from collections import OrderedDict

_BURST = 3
"""So many seconds' worth may come at once."""
_MAX_CLIENTS = 4096


class Bucket:
    """Fills at a rate, and is emptied by what comes."""

    def __init__(self, per_second: float) -> None:
        self._rate = per_second
        self._level = self._most = per_second * _BURST
        self._clock = time.monotonic()

    def take(self) -> float:
        """Seconds to wait until this one would have been welcome; 0 if it is."""
        now = time.monotonic()
        self._level = min(self._most, self._level + (now - self._clock) * self._rate)
        self._clock = now
        if self._level >= 1:
            self._level -= 1
            return 0.0
        return (1 - self._level) / self._rate


class Buckets:
    """One bucket a client; those not seen for longest are forgotten."""

    def __init__(self, per_second: float) -> None:
        self._rate = per_second
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, client: str) -> float:
        bucket = self._buckets.pop(client, None) or Bucket(self._rate)
        self._buckets[client] = bucket
        if len(self._buckets) > _MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return bucket.take()
