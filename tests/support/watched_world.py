"""The flat world, which knows what was made of it."""

from net.server.worlds.flat import FlatWorld
from net.server.worlds.world import GeneratedColumn
from net.space.positions import ColumnPos


class WatchedWorld(FlatWorld):
    """``made`` are the columns that were asked of it, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[ColumnPos] = []

    def column(self, position: ColumnPos) -> GeneratedColumn:
        self.made.append(position)
        return super().column(position)
