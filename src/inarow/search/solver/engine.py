"""One interface to the compiled searches: a question about a position, and its answer.

An engine answers "is the score at least beta?" with a bound. Several threads may ask at the same
time, each with its own worker; they share what they find through the engine's table.
"""

from __future__ import annotations

from typing import Protocol

from inarow.games.position import Position


class SearchWorker(Protocol):
    """Where one thread works."""

    @property
    def nodes(self) -> int:
        """Positions visited since the worker was opened; may be read while it works."""
        ...

    @property
    def quick_nodes(self) -> int:
        """Nodes that take some milliseconds: beyond them a question is worth a thread, where it can be stopped."""
        ...

    def ask(self, position: Position, beta: int, *, nodes: int | None = None) -> int | None:
        """A lower bound >= beta, or an upper bound < beta, of the score of an unfinished position;
        None if stopped, or after about `nodes` nodes.
        """
        ...

    def stop(self) -> None:
        """Ends the question that another thread is asking here, within milliseconds. A question that
        is about to start may miss it: stop again until the answer comes.
        """
        ...


class Engine(Protocol):
    """A compiled search on one board, with its table."""

    @property
    def max_workers(self) -> int:
        """How many threads may work at the same time."""
        ...

    def open_worker(self) -> SearchWorker: ...

    def clear(self) -> None:
        """Forgets everything."""
        ...
