"""The rules: boards, positions, notation, records, counting. This module exports the names that every package uses."""

from inarow.games.position import Position as Position
from inarow.games.record import GameRecord as GameRecord
from inarow.games.spec import CONNECT_FOUR as CONNECT_FOUR
from inarow.games.spec import TIC_TAC_TOE as TIC_TAC_TOE
from inarow.games.spec import Board as Board
from inarow.games.spec import GameSpec as GameSpec
