"""What a recording holds: one record for each thing a session was told or said, in the order in which it was.

    Turned      a turn begins: the time, for all until the next one       Heard    a packet came
    Fault       something came that is no packet                         Greeted  the login sent a packet
    Joining     the login was over                                       Looked   the camera moved
    Anchored    columns were pinned, all of them wanted                  Released an anchor went away
    LookedOut   columns were pinned, what an eye sees of them wanted
    Planned     what the planner wanted in this turn's tick              Said     the session sent a packet
    Ticked      the turn's tick, behind what it planned and sent
    Ended       the session was over, with the reason                    Finished the recording was closed
    Omitted     packets of the server that are not here any more (``thinning``)

Rules:
1. Packets are bytes as they were after decryption and inflation, so that a later decoder may know more of them.
2. Times that a session computes with are doubles, bit for bit: replay is exact. ``Entry.time_us`` serves people.
3. What the client decided is written, not decided again: ``Planned`` holds the change of what is wanted and not asked;
   what was asked is the requests among what was ``Said``. Both stand before the ``Ticked`` that did them.
"""

from typing import Final

import numpy as np

from net.frozen import frozen
from net.space.layout import SubChunkPositions


@frozen
class Heard:
    """A packet of the server, header and body."""

    packet: bytes


@frozen
class Said:
    """A packet of the session's."""

    packet: bytes


@frozen
class Greeted:
    """A packet of the login, keys and tokens taken out; a session does not know of it."""

    packet: bytes


@frozen
class Fault:
    """Bytes that could not even be cut into packets; the fields of the ``DecodeError``."""

    packet: str
    field: str
    offset: int
    reason: str


@frozen
class Joining:
    """The login was over."""


@frozen
class Ended:
    """The session was over."""

    reason: str


@frozen
class Turned:
    """A turn begins. ``now`` is the session's time, monotonic seconds, until the next turn."""

    now: float


@frozen
class Ticked:
    """The session ticked.

    Attributes:
        round_trip_s: as it was told.
        under_way: whether it was told that something said or answered was on its way.
    """

    round_trip_s: float
    under_way: bool = False


@frozen
class Looked:
    """The camera moved, and the player followed it.

    Attributes:
        eye: in blocks.
        yaw_deg: 0 = +Z, 90 = -X.
        pitch_deg: positive looks down.
        fov_deg: vertical.
        ortho_blocks: height of the picture where lines of sight were parallel; None: it was in perspective.
    """

    eye: tuple[float, float, float]
    yaw_deg: float
    pitch_deg: float
    fov_deg: float
    ortho_blocks: float | None = None


@frozen
class Anchored:
    """A rectangle of columns was pinned, or moved.

    Attributes:
        name: of the anchor.
        columns: low x, low z, high x, high z, corners included.
    """

    name: str
    columns: tuple[int, int, int, int]


@frozen
class LookedOut:
    """A look-out was pinned, or moved: columns, of which is wanted what can be seen from an eye of its own.

    Attributes:
        name: of the anchor.
        columns: low x, low z, high x, high z, corners included.
        eye: in blocks.
    """

    name: str
    columns: tuple[int, int, int, int]
    eye: tuple[float, float, float]


@frozen
class Released:
    """The anchor of that name went away."""

    name: str


@frozen(eq=False)
class Planned:
    """A plan was made in the tick that follows.

    Attributes:
        added: sub-chunks that are wanted and not asked, and were not before.
        removed: those that are so no longer.
    """

    added: SubChunkPositions
    removed: SubChunkPositions

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Planned) and all(
            np.array_equal(ours, theirs) for ours, theirs in ((self.added, other.added), (self.removed, other.removed))
        )

    __hash__ = None  # type: ignore[assignment] # arrays have none


@frozen
class Finished:
    """The recording was closed in order, at the session's time ``now``; nothing follows."""

    now: float


@frozen
class Omitted:
    """So many packets of the server came here, and nothing that is known later is left of them."""

    packets: int


Record = (
    Heard
    | Said
    | Greeted
    | Fault
    | Joining
    | Ended
    | Turned
    | Ticked
    | Looked
    | Anchored
    | LookedOut
    | Released
    | Planned
    | Finished
    | Omitted
)


@frozen
class Entry:
    """A record with its time.

    Attributes:
        time_us: since the recording began; of a packet, when its last datagram came.
        record: what happened.
    """

    time_us: int
    record: Record


NUMBERED: Final = (Heard, Fault)
"""Kinds that take the next packet number, as in ``net.peer.events``; ``Omitted`` takes as many as it stands for."""


def numbers_of(record: Record) -> int:
    """How many packet numbers a record takes."""
    return record.packets if isinstance(record, Omitted) else int(isinstance(record, NUMBERED))
