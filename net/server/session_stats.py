"""How far a client is, and what its session counts."""

from enum import Enum

from net.frozen import frozen
from net.server.open_blobs import OpenBlobStats


class Phase(Enum):
    """How far a client is; see ``sessions``."""

    JOINING = "joining"
    WAITING = "waiting"
    LOADING = "loading"
    PLAYING = "playing"
    GONE = "gone"


@frozen
class SessionStats:
    """A snapshot of one client's counters.

    Attributes:
        phase: how far it is.
        columns_sent: columns, whole or as skeletons.
        columns_waiting: columns still to be sent.
        entries_sent: answered sub-chunks.
        entries_waiting: sub-chunks asked for and not answered yet.
        entries_dropped: sub-chunks whose request was dropped.
        jumps: steps that were not believed.
        rtt_s: round trip of the last keep-alive, None before it.
        initialized: whether the client has said that it is in the world.
        blobs: of its blob cache, None where it has none.
        player: its number on this server.
        dimension: that it is in.
    """

    phase: Phase
    columns_sent: int
    columns_waiting: int
    entries_sent: int
    entries_waiting: int
    entries_dropped: int
    jumps: int
    rtt_s: float | None
    initialized: bool
    blobs: OpenBlobStats | None
    player: int
    dimension: int
