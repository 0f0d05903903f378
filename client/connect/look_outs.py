"""Look-outs: places that stay loaded wherever the player goes, pinned by users (command line, API, viewer).

Two kinds. One *looks*: what can be seen from its eye is asked for, as for a player who stands there. One wants
*everything*: each announced place of its columns, seen or not, as ``dump`` does. Both keep what they have when the
player leaves; outside the publisher's circle it is flagged stale (``client.session.staleness``).

Loads no kernel: the command line reads its options before there are any. ``standing`` says where an eye is.

Limit: servers announce columns around the player alone, so a look-out out there gets nothing until a player comes by.
"""

from typing import Final

from client.connect.errors import UsageError
from client.player import Eye
from client.streaming.anchor import FARTHEST_COLUMN, Anchor
from net.frozen import frozen

MOST_LOOK_OUTS: Final = 64
"""At once: each is walked as often as the player's sight."""
MOST_RADIUS: Final = 64
USUAL_RADIUS: Final = 4
"""A ticking area's."""
ACTIVITY_MARGIN_COLUMNS: Final = 1
"""Around what is shown of a look-out, for faces and light."""
LONGEST_NAME: Final = 64
FARTHEST_BLOCKS: Final = 16 * (FARTHEST_COLUMN - MOST_RADIUS - 4)
"""Beyond it an anchor would reach out of any world."""


@frozen
class LookOut:
    """One look-out.

    Attributes:
        x: of its eye, in blocks; likewise z.
        z: of its eye.
        radius: columns around it that are shown (Chebyshev), 0..MOST_RADIUS; one more is kept.
        y: height of its eye in blocks; None: a head above the ground where the surface is known, else above the
            world's roof, from where everything under the open sky is seen.
        everything: whether all of it is wanted whatever can be seen.
    """

    x: float
    z: float
    radius: int = USUAL_RADIUS
    y: float | None = None
    everything: bool = False

    def __post_init__(self) -> None:
        """Refuses values that cannot be meant.

        Raises:
            UsageError: naming the value.
        """
        if not 0 <= self.radius <= MOST_RADIUS:
            raise UsageError(f"A look-out's radius of {self.radius} columns is not between 0 and {MOST_RADIUS}.")
        for axis in (self.x, self.z, 0.0 if self.y is None else self.y):
            if not abs(axis) < FARTHEST_BLOCKS:
                raise UsageError(f"A look-out at {axis:g} blocks lies outside any world.")

    @property
    def anchor(self) -> Anchor:
        """The columns that it keeps."""
        return Anchor.square(Eye(self.x, 0.0, self.z).column, self.radius + ACTIVITY_MARGIN_COLUMNS)


def parse_pin(text: str, everything: bool = False) -> LookOut:
    """Reads ``X,Z`` or ``X,Z,RADIUS``: blocks, and columns.

    Raises:
        UsageError: when it is neither, or lies outside any world, or is too large.
    """
    meaning = f"'{text}' is no look-out: write X,Z or X,Z,RADIUS, X and Z in blocks, RADIUS in columns."
    x, _, rest = text.partition(",")
    z, comma, radius = rest.partition(",")
    try:
        blocks = float(x), float(z)
        columns = int(radius) if comma else USUAL_RADIUS
    except ValueError:
        raise UsageError(meaning) from None
    return LookOut(*blocks, radius=columns, everything=everything)


def expect_name(name: str, taken: bool, count: int) -> None:
    """Refuses a name that cannot be pinned.

    Args:
        name: of the look-out.
        taken: whether one of that name is pinned, which is moved then.
        count: how many are.

    Raises:
        UsageError: it is empty or too long, or one too many.
    """
    if not 0 < len(name) <= LONGEST_NAME:
        raise UsageError(f"A look-out's name has 1 to {LONGEST_NAME} characters, not {len(name)}.")
    if not taken and count >= MOST_LOOK_OUTS:
        raise UsageError(f"{MOST_LOOK_OUTS} look-outs are pinned already; release one first.")
