"""What a peer has counted so far."""

from collections.abc import Mapping

from net.blobs import BlobStats
from net.frozen import frozen
from net.raknet.rtt import GRACE_S


@frozen
class PeerStats:
    """A frozen snapshot of one session; read alike by panels, tests and benchmarks.

    Attributes:
        datagrams_in: UDP payloads received, all kinds.
        datagrams_out: UDP payloads handed out for sending.
        bytes_in: their bytes.
        bytes_out: their bytes.
        datagrams_malformed: received ones that were no RakNet and were ignored.
        datagrams_repeated: received ones that had been received before.
        resends: frames put into another datagram because the first was lost.
        packets_in: packets in received batches, faulty and unknown ones included.
        packets_out: packets sent.
        packet_bytes_in: their decompressed bytes.
        packet_bytes_out: their bytes before compression.
        decode_errors: packets that did not decode.
        unknown: how many packets of each id were skipped because this protocol's table does not name it.
        rtt_s: smoothed round trip in seconds, None before the first answer.
        mtu_bytes: size of an IP packet both sides agreed on, 0 before that.
        queued_bytes: bytes handed in for sending and not yet acknowledged.
        held_bytes: received and not taken yet: by RakNet, of the batch being read, and of events.
        unheard_since: when the oldest that is not acknowledged left for the first time; None: all is.
        blobs: of the client's blob cache; None at a server, and where there is none.
    """

    datagrams_in: int
    datagrams_out: int
    bytes_in: int
    bytes_out: int
    datagrams_malformed: int
    datagrams_repeated: int
    resends: int
    packets_in: int
    packets_out: int
    packet_bytes_in: int
    packet_bytes_out: int
    decode_errors: int
    unknown: Mapping[int, int]
    rtt_s: float | None
    mtu_bytes: int
    queued_bytes: int
    held_bytes: int = 0
    unheard_since: float | None = None
    blobs: BlobStats | None = None

    def under_way(self, now: float) -> bool:
        """Whether something is known not to have come through: to us, whole, or to the other end in a round trip."""
        in_time_s = (self.rtt_s or 0.0) + GRACE_S
        return self.held_bytes > 0 or (self.unheard_since is not None and now - self.unheard_since > in_time_s)
