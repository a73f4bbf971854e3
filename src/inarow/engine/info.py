"""What the engine tells about a decision: UCI's `info` lines.

Scores are for the side to move. `mate m` counts own moves to the end, negative when losing; `raw s`
is the exact score in Pons' scale; `cp` is a hundred times a value from -1 to 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from inarow.agents.agent import Decision
from inarow.engine.moves import format_engine_move
from inarow.games.position import Position
from inarow.search.solver.solution import plies_to_end


def info_lines(position: Position, decision: Decision, seconds: float, lines: int) -> Iterator[str]:
    """The best move first, then as many others as are wanted and known."""
    details: dict[str, Any] = decision.details or {}
    for number, action in enumerate(_ranked(position, decision, lines), start=1):
        words = ["info"]
        if decision.depth is not None:
            words.append(f"depth {decision.depth}")
        if lines > 1:
            words.append(f"multipv {number}")
        words += _score(position, decision, action)
        words += _work(decision, seconds)
        moves = [action, *(details.get("pv", ()) if action == decision.action else ())]
        words.append("pv " + " ".join(format_engine_move(move, position.spec) for move in moves))
        if "bounds" in details:
            words.append("string score from {} to {}".format(*details["bounds"]))
        yield " ".join(words)


def _ranked(position: Position, decision: Decision, lines: int) -> list[int]:
    scores = decision.scores
    comparable = decision.score is not None or decision.visits is not None
    if lines == 1 or scores is None or not comparable:
        return [decision.action]
    others = [
        (float(score), action)
        for action, score in enumerate(scores)
        if score is not None and action != decision.action and action in position.legal_actions
    ]
    others.sort(key=lambda pair: (-pair[0], pair[1]))
    return [decision.action, *(action for _, action in others)][:lines]


def _score(position: Position, decision: Decision, action: int) -> list[str]:
    value = decision.value
    if decision.score is not None:
        score = decision.score
        if action != decision.action and decision.scores is not None:
            score = int(decision.scores[action] or 0)
        if score == 0:
            return ["score cp 0 score raw 0"]
        return [f"score mate {_own_moves(plies_to_end(score, position), score > 0)} score raw {score}"]
    if action != decision.action and decision.scores is not None:
        value = decision.scores[action]
    elif decision.details and decision.details.get("ends_in") and value:
        return [f"score mate {_own_moves(decision.details['ends_in'], value > 0)}"]
    return [] if value is None else [f"score cp {round(100 * value)}"]


def _own_moves(plies: int, is_win: bool) -> int:
    return (plies + 1) // 2 if is_win else -(plies // 2)


def _work(decision: Decision, seconds: float) -> list[str]:
    if decision.nodes is None:
        return [f"time {round(1000 * seconds)}"]
    return [
        f"nodes {decision.nodes} nps {round(decision.nodes / max(seconds, 1e-6))} time {round(1000 * seconds)}",
    ]
