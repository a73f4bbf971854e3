"""Kernels that show what the compiled rules say, for comparison with the plain ones."""

from __future__ import annotations

from inarow.games import bits, rules
from inarow.games.kernels import completes_line, hash_key, kernel


@kernel
def probe_sets(layout, stones, mask):
    return (
        rules.playable(mask, layout),
        rules.winning_cells(stones, mask, layout),
        rules.mirror(stones, layout),
        rules.gravity_key(stones, mask, layout),
    )


@kernel
def probe_facts(layout, stones, mask, cell):
    return (
        rules.has_line(stones, layout),
        rules.has_line_through(stones, cell, layout),
        completes_line(stones, cell, layout),
        bits.any_cell(stones),
        bits.has_cell(stones, cell),
        bits.count_cells(stones),
        bits.first_cell(mask),
    )


@kernel
def probe_landing(layout, mask, action):
    return rules.landing_cell(mask, action, layout)


@kernel
def probe_places(layout, cell):
    row, column = rules.row_and_column(cell, layout)
    return row, column, rules.cell_at(row, column, layout), rules.action_of(cell, layout)


@kernel
def probe_shifts(left, right, distance):
    return left & right, left | right, left ^ right, ~left, left << distance, left >> distance


@kernel
def probe_single(cell, like):
    return bits.single_cell(cell, like)


@kernel
def probe_hash(layout, stones, mask):
    return hash_key(stones, mask, layout)
