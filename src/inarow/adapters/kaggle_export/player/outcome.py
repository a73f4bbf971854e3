"""Win, draw or loss on 6x7x4 by exact search, in Python that Numba compiles unchanged.

A position is four sets of cells as integers: `stones` of the side to move and `others` of its opponent, `wins` and
`other_wins`, the empty cells that complete a line of each. A position is quiet if the side to move cannot win at once
and has several safe cells: playable cells that block every immediate threat and are not directly below a winning cell
of the opponent. Outcomes are 1 for a win, 0 for a draw and -1 for a loss of the side to move.
"""

from __future__ import annotations

ROWS, COLUMNS, STRIDE = 6, 7, 7
COLUMN = (1 << ROWS) - 1
BOTTOM = sum(1 << STRIDE * column for column in range(COLUMNS))
CELLS = BOTTOM * COLUMN
ODD_ROWS = BOTTOM * 0b010101  # rows 1, 3 and 5
EVEN_ROWS = BOTTOM * 0b101010
GUARDS = BOTTOM << ROWS
FULL_COLUMN = (1 << STRIDE) - 1
CENTRE = (0, 8, 16, 24, 16, 8, 0)
AREA = ROWS * COLUMNS
UNKNOWN = 2
NEAR = 9  # plies; faster wins are looked for first
NODES, LIMIT = 0, 1  # entries of `effort`: nodes so far, and their limit


def count_cells(cells: int) -> int:
    return cells.bit_count()


def winning_cells(stones: int, free: int) -> int:
    """The cells of `free` that complete a line of four of `stones`."""
    found = (stones << 1) & (stones << 2) & (stones << 3)
    for step in (STRIDE - 1, STRIDE, STRIDE + 1):
        pairs = (stones << step) & (stones << 2 * step)
        found |= pairs & ((stones << 3 * step) | (stones >> step))
        pairs = (stones >> step) & (stones >> 2 * step)
        found |= pairs & ((stones << step) | (stones >> 3 * step))
    return found & free


def has_line(cells: int) -> bool:
    """Whether four of these cells are in a row."""
    for step in (1, STRIDE - 1, STRIDE, STRIDE + 1):
        pairs = cells & (cells >> step)
        if pairs & (pairs >> 2 * step):
            return True
    return False


def safe_cells(mask: int, other_wins: int) -> int:
    """Playable cells after which the opponent cannot win at once; the side to move cannot win at once."""
    playable = (mask + BOTTOM) & CELLS
    attacked = playable & other_wins
    if attacked:
        playable = attacked if attacked & (attacked - 1) == 0 else 0
    return playable & ~(other_wins >> 1)


def follow(
    stones: int, others: int, wins: int, other_wins: int, ply: int, safe: int
) -> tuple[int, int, int, int, int, int, int]:
    """Plays the cell `safe` and forced moves as long as there is just one safe cell. Returns the position reached, its
    ply, its safe cells, and its outcome if it has none.
    """
    mask = stones | others
    while True:
        mask |= safe
        stones |= safe
        free = CELLS & ~mask
        wins, other_wins = other_wins & free, winning_cells(stones, free)
        stones, others = others, stones
        ply += 1
        safe = safe_cells(mask, other_wins)
        if safe & (safe - 1):
            return stones, others, wins, other_wins, ply, safe, 0
        if safe == 0:
            return stones, others, wins, other_wins, ply, safe, 0 if free == 0 else -1


def proven(stones: int, others: int, other_wins: int, ply: int, goal: int) -> int:
    """1 if a proof without search shows that the side to move of a quiet position reaches the outcome `goal` (0 or 1),
    0 if one shows that it does not, UNKNOWN otherwise.
    """
    free = CELLS & ~(stones | others)
    if goal > 0:
        if not has_line(stones | free):
            return 0
    elif not has_line(others | free):
        return 1
    if ply & 1:
        return 0 if first_follows_up(stones, others, other_wins, goal) else UNKNOWN
    return 0 if second_follows_up(stones, others, other_wins, goal) else UNKNOWN


def upward(cells: int) -> int:
    """These cells and all above them in their columns."""
    return ((GUARDS - cells) | cells) & CELLS


def second_follows_up(stones: int, others: int, other_wins: int, goal: int) -> bool:
    """Whether the first side, which is to move, misses the goal because the second answers directly above every odd-row
    cell: so it gets its lowest even-row winning cell of each column, and the first side no other even-row cell.
    """
    closed = upward(other_wins & EVEN_ROWS)
    if goal == 0 and closed == 0:
        return False
    mask = stones | others
    reach = (ODD_ROWS & ~mask) | ((mask + BOTTOM) & CELLS)
    return not has_line((reach & ~closed) | stones)


def first_follows_up(stones: int, others: int, other_wins: int, goal: int) -> bool:
    """Whether the second side, which is to move, misses the goal because the first has an odd-row winning cell: in its
    column the first side answers even rows by odd ones, elsewhere odd rows by even ones, and gets that cell in the end.
    """
    targets = other_wins & ODD_ROWS
    mask = stones | others
    for column in range(COLUMNS):
        column_cells = COLUMN << STRIDE * column
        target = targets & column_cells
        if target:
            target &= -target
            closed = upward((other_wins & EVEN_ROWS & ~column_cells) | target)
            reach = ((ODD_ROWS ^ column_cells) & ~mask) | ((mask + BOTTOM) & CELLS)
            if not has_line((reach & ~closed) | stones):
                return True
    return False


def promise(move: int, wins: int, other_wins: int, mask: int, plies: int) -> int:
    """How promising a move is, which leads to this position after `plies`: few free choices for the opponent, winning
    cells of the side that moved near playable cells, and the centre.
    """
    worth = 24 * plies
    if plies & 1:  # the opponent is to move
        wins, other_wins = other_wins, wins
    else:
        worth += 64
    playable = mask + BOTTOM
    worth += 104 * count_cells(wins & (playable << 1)) + 40 * count_cells(wins & (playable << 2))
    worth += 12 * count_cells(wins & ~(upward(other_wins) << 1))
    return worth + CENTRE[count_cells(move - 1) // STRIDE]


def key_of(stones: int, mask: int) -> int:
    """A number that no other position has; the same for its mirror image."""
    key = stones | (mask + BOTTOM)
    mirrored, left = 0, key
    for _ in range(COLUMNS):
        mirrored = (mirrored << STRIDE) | (left & FULL_COLUMN)
        left >>= STRIDE
    return min(key, mirrored)


def reaches(
    stones: int,
    others: int,
    wins: int,
    other_wins: int,
    ply: int,
    goal: int,
    last: int,
    known: dict[int, int],
    effort: list[int],
) -> bool:
    """Whether the side to move of a quiet position reaches the outcome `goal`, 0 or 1, against every defence, if only
    lines up to stone number `last` count.

    `known` has earlier answers for the same `last`: bit 0 or 1 for a goal that is reached, bit 2 or 3 for one that is
    missed. The answer is meaningless once effort[NODES] exceeds effort[LIMIT].
    """
    effort[NODES] += 1
    if effort[NODES] > effort[LIMIT]:
        return False
    children = [(0, 0, 0, 0, 0, 0)]  # Numba learns the types from it
    children.clear()
    safe = safe_cells(stones | others, other_wins)
    is_reached = False
    while safe and not is_reached:
        move = safe & -safe
        safe ^= move
        s, o, w, ow, p, cells, outcome = follow(stones, others, wins, other_wins, ply, move)
        again = (p - ply) & 1 == 0
        answer = settled(s, o, ow, p, cells, outcome, goal if again else 1 - goal, last, known)
        if answer == UNKNOWN:
            children.append((promise(move, w, ow, s | o, p - ply), s, o, w, ow, p))
        elif (answer == 1) == again:
            is_reached = True
    if not is_reached:
        children.sort(reverse=True)
        for _, s, o, w, ow, p in children:
            again = (p - ply) & 1 == 0
            if reaches(s, o, w, ow, p, goal if again else 1 - goal, last, known, effort) == again:
                is_reached = True
                break
            if effort[NODES] > effort[LIMIT]:
                return False
        if effort[NODES] > effort[LIMIT]:
            return False
    key = key_of(stones, stones | others)
    # Who wins also draws; who does not even draw does not win.
    known[key] = known.get(key, 0) | ((3 if goal else 1) if is_reached else (8 if goal else 12))
    return is_reached


def settled(
    stones: int,
    others: int,
    other_wins: int,
    ply: int,
    safe: int,
    outcome: int,
    goal: int,
    last: int,
    known: dict[int, int],
) -> int:
    """1 if it is known that the side to move reaches the goal, 0 if that it does not, else UNKNOWN; `outcome` counts if
    there is no safe cell.
    """
    if safe == 0:
        return 1 if outcome >= goal or (goal == 0 and ply + 2 > last) else 0
    if goal == 1 and ply + 3 > last:  # not at once, so with the next stone but one at the earliest
        return 0
    if goal == 0 and ply + 4 > last:
        return 1
    found = known.get(key_of(stones, stones | others), 0)
    if found >> goal & 1:
        return 1
    if found >> (2 + goal) & 1:
        return 0
    if goal == 0 and last < AREA:
        return 1 if not has_line(CELLS & ~stones) else UNKNOWN
    return proven(stones, others, other_wins, ply, goal)


def choose(stones: int, others: int, near: dict[int, int], full: dict[int, int], effort: list[int]) -> tuple[int, int]:
    """(cell, outcome) of a move that keeps the outcome of an unfinished position: a fast win if one is near; in a lost
    position, the move that takes most effort to refute. Both are meaningless once effort[NODES] exceeds effort[LIMIT].

    `near` and `full` are empty; they store what was found.
    """
    mask = stones | others
    ply, free = count_cells(mask), CELLS & ~mask
    playable = (mask + BOTTOM) & CELLS
    wins, other_wins = winning_cells(stones, free), winning_cells(others, free)
    if wins & playable:
        return (wins & playable) & -(wins & playable), 1
    safe = safe_cells(mask, other_wins)
    if safe == 0:
        left = playable & other_wins if playable & other_wins else playable
        return left & -left, -1
    children = [(0, 0, 0, 0, 0, 0, 0, 0, 0)]  # Numba learns the types from it
    children.clear()
    while safe:
        move = safe & -safe
        safe ^= move
        s, o, w, ow, p, cells, outcome = follow(stones, others, wins, other_wins, ply, move)
        order = promise(move, w, ow, s | o, p - ply)
        children.append((order, move, s, o, w, ow, p, cells, outcome))
    children.sort(reverse=True)
    hardest, most = children[0][1], -1
    for goal, last in ((1, min(ply + NEAR, AREA)), (1, AREA), (0, AREA)):
        known = full if last == AREA else near
        for _, move, s, o, w, ow, p, cells, outcome in children:
            again = (p - ply) & 1 == 0
            asked = goal if again else 1 - goal
            before = effort[NODES]
            answer = settled(s, o, ow, p, cells, outcome, asked, last, known)
            if answer == UNKNOWN:
                answer = 1 if reaches(s, o, w, ow, p, asked, last, known, effort) else 0
                if effort[NODES] > effort[LIMIT]:
                    return move, 0
            if (answer == 1) == again:
                return move, goal
            if goal == 0 and effort[NODES] - before > most:
                hardest, most = move, effort[NODES] - before
    return hardest, -1
