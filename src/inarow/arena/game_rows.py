"""A game as a row of a table."""

from collections.abc import Iterable

from inarow.games import GameRecord

GAME_COLUMNS = (
    *("board", "first", "second", "result", "winner", "termination", "opening", "plies", "moves", "seed", "fault"),
    *("first_seconds_per_move", "second_seconds_per_move", "first_nodes_per_move", "second_nodes_per_move"),
)


def game_row(record: GameRecord) -> dict[str, object]:
    """A game as a row of a table, by `GAME_COLUMNS`. Times and nodes are means of what the agents reported."""
    row = {name: getattr(record, name) for name in GAME_COLUMNS if hasattr(record, name)}
    row["plies"] = len(record.actions)
    for side, name in ((1, "first"), (2, "second")):
        plies = record.plies[(side - 1 - record.opening) % 2 :: 2]
        row[f"{name}_seconds_per_move"] = _mean(ply.seconds for ply in plies)
        row[f"{name}_nodes_per_move"] = _mean(ply.nodes for ply in plies)
    return {name: row[name] for name in GAME_COLUMNS}


def _mean(values: Iterable[float | None]) -> float | None:
    """The mean of the known values; None if there are none."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
