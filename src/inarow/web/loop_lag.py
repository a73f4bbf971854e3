"""How late the event loop is: what people feel when a lab is overloaded."""

from __future__ import annotations

import asyncio
import time
from collections import deque

_BEAT = 0.02
_KEPT = 3000
"""Beats: the last minute."""


class LoopLag:
    """Measures while it runs."""

    def __init__(self) -> None:
        self._late: deque[float] = deque(maxlen=_KEPT)

    async def run(self) -> None:
        while True:
            clock = time.perf_counter()
            await asyncio.sleep(_BEAT)
            self._late.append(time.perf_counter() - clock - _BEAT)

    def latency(self) -> dict[str, float]:
        """Seconds that the loop was late in the last minute: `p50, p99, max`."""
        late = sorted(self._late) or [0.0]
        return {
            "p50": round(late[len(late) // 2], 5),
            "p99": round(late[int(len(late) * 0.99)], 5),
            "max": round(late[-1], 5),
        }
