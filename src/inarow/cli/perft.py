"""`inarow perft`."""

from inarow.cli.options import Board, Json, Moves, UnusedSeed
from inarow.cli.output import number_table, print_json, print_table, progress_bar
from inarow.errors import InvalidLimitError
from inarow.games import GameSpec, Position
from inarow.games.perft import count_positions, count_sequences


def perft(
    depth: int,
    *,
    board: Board = "connect4",
    moves: Moves = "",
    distinct: bool = False,
    json: Json = False,
    seed: UnusedSeed = 0,
) -> None:
    """Count move sequences and distinct positions by ply.

    A finished game has no further moves.

    Args:
        depth: Plies to count to.
        distinct: Also count distinct positions, finished positions and complete games.

    Examples:
        inarow perft 8
        inarow perft 9 --board tictactoe --distinct
    """
    start = Position.parse(moves, GameSpec.parse(board))
    left = start.spec.cells - start.ply
    if not 0 <= depth <= left:
        raise InvalidLimitError(f"depth is {depth}; on {start.spec} it must be 0 to {left}, the number of empty cells")
    with progress_bar("sequences") as progress:
        columns = {"sequences": count_sequences(start, depth, progress=progress)}
    if distinct:
        with progress_bar("positions") as progress:
            counts = count_positions(start, depth, progress=progress)
        columns |= {"positions": counts.positions, "terminal": counts.terminal, "games": counts.games}
    if json:
        print_json({"board": str(start.spec), "moves": start.moves, **columns})
        return
    table = number_table("ply", *columns)
    for ply, row in enumerate(zip(*columns.values(), strict=True)):
        table.add_row(str(ply), *(f"{number:,}" for number in row))
    if distinct:
        table.add_section()
        table.add_row("sum", *(f"{sum(numbers):,}" for numbers in columns.values()))
    print_table(table)
