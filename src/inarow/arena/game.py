"""One game between two agents."""

import time

import numpy as np

from inarow.agents.agent import Decision
from inarow.agents.custom import AgentLike, as_agent
from inarow.errors import IllegalMoveError, InvalidLimitError, KaggleTimeoutError, one_line
from inarow.games import CONNECT_FOUR, Board, GameRecord, Position
from inarow.games.record import Ply, Termination


def play_game(
    first: AgentLike,
    second: AgentLike,
    spec: Board = CONNECT_FOUR,
    *,
    opening: Position | str | None = None,
    move_seconds: float | None = None,
    seed: int | None = None,
    tags: dict[str, str] | None = None,
) -> GameRecord:
    """Plays a game to the end, from the empty board of `spec` or from `opening`, in which `first` has the odd moves.

    An agent that returns an illegal move, raises an exception or takes longer than `move_seconds`
    for a decision loses the game, as does a Kaggle file that exceeds its own time limit; `termination`
    and `fault` of the record give the reason. A running decision is not interrupted. `seed` is for agents that are not
    objects; `seed` and `tags` are recorded.
    """
    check_seed(seed or 0)
    players = [
        as_agent(agent, np.random.SeedSequence(seed or 0, spawn_key=(side,)))
        for side, agent in enumerate((first, second))
    ]
    position = start = Position.parse(opening or "", spec)
    plies: list[Ply] = []
    termination: Termination = "normal"
    fault = None
    while fault is None and not position.is_over:
        agent = players[position.side_to_move - 1]
        clock = time.perf_counter()
        try:
            decision = agent.decide(position)
            seconds = time.perf_counter() - clock
            if move_seconds is not None and seconds > move_seconds:
                raise _LateDecisionError(f"decided after {seconds:.3f} s; the limit is {move_seconds:g} s")
            position = position.play(decision.action)
        except Exception as error:  # an agent's fault loses the game, and the match continues
            is_late = isinstance(error, (_LateDecisionError, KaggleTimeoutError))
            termination = "time-out" if is_late else "illegal move" if isinstance(error, IllegalMoveError) else "crash"
            fault = one_line(error)
        else:
            plies.append(_ply(decision, seconds))
    return GameRecord(
        board=str(position.spec),
        first=players[0].name,
        second=players[1].name,
        moves=position.moves,
        winner=position.winner if fault is None else 3 - position.side_to_move,
        termination=termination,
        opening=start.ply,
        plies=tuple(plies),
        seed=seed,
        fault=fault,
        tags=tags or {},
    )


def _ply(decision: Decision, seconds: float) -> Ply:
    return Ply(
        score=decision.score,
        value=decision.value,
        depth=decision.depth,
        nodes=decision.nodes,
        seconds=round(seconds * 1e6) / 1e6,  # whole microseconds
        details=decision.details,
    )


def check_seed(seed: int) -> None:
    """Raises InvalidLimitError unless the seed fits in a results store."""
    if not 0 <= seed < 2**63:
        raise InvalidLimitError(f"seed is {seed}; it must be 0 to 2^63 - 1")


class _LateDecisionError(Exception):
    """A decision took too long. Not a TimeoutError, which an agent may raise: that is a crash."""
