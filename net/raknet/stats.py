"""What a connection has counted so far."""

from dataclasses import replace

from net.frozen import frozen
from net.raknet.session import Session


@frozen
class LinkStats:
    """A frozen snapshot; sizes are those of UDP payloads.

    Attributes:
        datagrams_in: received, all kinds.
        datagrams_out: handed out.
        bytes_in: their bytes.
        bytes_out: their bytes.
        malformed: received and no RakNet; ignored.
        repeated: received for the second time; acknowledged again and ignored.
        resends: frames sent again.
        held_back: data datagrams neither stored nor acknowledged because the owner was not keeping up.
        rtt_s: smoothed round trip, None before the first acknowledgement.
        mtu_bytes: agreed size of an IP packet, 0 before that.
        queued_bytes: handed in and not acknowledged.
        held_bytes: of payloads that are incomplete, early, or not taken yet, with what holding them costs.
        window_bytes: what may be on the way, 0 before there is a session.
        unheard_since: when the oldest that is not acknowledged left for the first time; None: all is.
    """

    datagrams_in: int = 0
    datagrams_out: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    malformed: int = 0
    repeated: int = 0
    resends: int = 0
    held_back: int = 0
    rtt_s: float | None = None
    mtu_bytes: int = 0
    queued_bytes: int = 0
    held_bytes: int = 0
    window_bytes: int = 0
    unheard_since: float | None = None


def link_stats(session: Session | None, counted: LinkStats) -> LinkStats:
    """What a connection counted itself, with what its session knows."""
    if session is None:
        return counted
    sender = session.sender
    return replace(
        counted,
        malformed=counted.malformed + session.malformed,
        repeated=session.repeated,
        resends=sender.resends,
        unheard_since=sender.unheard_since,
        held_back=session.held_back,
        rtt_s=sender.round_trip.smoothed_s,
        mtu_bytes=session.mtu_bytes,
        queued_bytes=sender.queued_bytes,
        held_bytes=session.held_bytes,
        window_bytes=int(sender.window.window_bytes),
    )
