"""Q-learning that writes every new value to the mirror image as well, as harman's program does. So in a position that
is its own mirror image, mirrored actions share their values.
"""

from inarow_peers.plain_q import PlainQ


class MirroredQ(PlainQ):
    """A row for each position; those of mirror images are kept equal."""

    def _own_choice(self, position, row):
        self._positions = getattr(self, "_positions", {}) | {id(row): position}
        return super()._own_choice(position, row)

    def _teach(self, move, target):
        super()._teach(move, target)
        if move is not None:
            row, action = move
            position = self._positions[id(row)]
            columns = position.spec.columns
            image = action + columns - 1 - 2 * (action % columns)
            twin = self.values.setdefault(position.mirror().key, [0.0] * position.spec.actions)
            twin[image] = row[action]
