"""A camera path cut into stretches, each a rectangle of columns that is loaded whole before its frames are made.

Theory. What a visitor knows of a world depends on where it has been, and when; frames that are equal in every run need
knowledge that depends on the frame alone. So for each stretch everything in a rectangle is asked for, seen or not, and
nothing else is drawn. The rectangle reaches past every eye of the stretch as far as fog lets one see, so where one
stretch ends and the next begins shows in no pixel.

Rules:
1. Which stretch a frame belongs to follows from the path, the radius and the spare columns alone.
2. A stretch's eyes lie in at most ``2 * spare + 1`` columns each way.
"""

from collections.abc import Sequence
from typing import Final

from client.player import Eye, View
from client.streaming.anchors import RELEASE_MARGIN_COLUMNS, Anchor
from net.frozen import frozen
from net.space.positions import ColumnPos

SPARE_COLUMNS: Final = 4
"""How far a stretch's eyes are from its middle: 9 columns each way, 30 x 30 to be loaded at radius 8."""
LIGHT_COLUMNS: Final = 1
"""Light at the rim of what is drawn comes from at most so far beyond: it falls by one a block, from 15."""


@frozen
class Stretch:
    """Frames whose world is loaded at once.

    Attributes:
        first: its first frame.
        count: how many there are.
        columns: of its eyes.
        height: of its middle frame's eye, in blocks.
    """

    first: int
    count: int
    columns: Anchor
    height: float

    def drawn(self, radius: int) -> Anchor:
        """The columns that its frames may show."""
        return self.columns.grown(radius + RELEASE_MARGIN_COLUMNS)

    def known(self, radius: int) -> Anchor:
        """The columns that must be known for that."""
        return self.drawn(radius).grown(LIGHT_COLUMNS)

    @property
    def middle(self) -> Eye:
        """Where the player stands, so that the server announces them all."""
        centre = self.columns.centre
        return Eye(centre.x * 16 + 8.0, self.height, centre.z * 16 + 8.0)


def stretches_of(views: Sequence[View], spare: int = SPARE_COLUMNS) -> tuple[Stretch, ...]:
    """Cuts a film.

    Args:
        views: of each frame.
        spare: see rule 2.
    """
    cut: list[Stretch] = []
    low = high = views[0].eye.column
    first = 0
    for frame, view in enumerate(views):
        column = view.eye.column
        lower = ColumnPos(min(low.x, column.x), min(low.z, column.z))
        higher = ColumnPos(max(high.x, column.x), max(high.z, column.z))
        if max(higher.x - lower.x, higher.z - lower.z) > 2 * spare:
            cut.append(_stretch(views, first, frame, Anchor(low, high)))
            first, lower, higher = frame, column, column
        low, high = lower, higher
    return (*cut, _stretch(views, first, len(views), Anchor(low, high)))


def _stretch(views: Sequence[View], first: int, end: int, columns: Anchor) -> Stretch:
    return Stretch(first, end - first, columns, views[(first + end) // 2].eye.y)


def radius_to_ask(radius: int, spare: int = SPARE_COLUMNS) -> int:
    """The visibility radius around a stretch's middle that holds all it needs; one column more is always known."""
    return radius + RELEASE_MARGIN_COLUMNS + spare


def spare_of(granted_radius: int, radius: int) -> int:
    """How far from its middle a stretch may lead where a server grants so much: all that is usual, or less."""
    return max(0, min(SPARE_COLUMNS, granted_radius - RELEASE_MARGIN_COLUMNS - radius))
