"""What a connection costs, pool by pool: what came and is not applied, the store, the light, requests."""

from collections.abc import Iterable

from client.session.session import Session
from client.world.reserved import PoolBytes
from net.peer import Event, PeerStats, Received


def memory(
    session: Session, peer: PeerStats, pending: Iterable[Event], past_bytes: int | None = None
) -> tuple[PoolBytes, ...]:
    """The bytes of every pool.

    Args:
        session: whose realm counts.
        peer: what the transport counts: packets it holds, and parts of packets that wait for blobs.
        pending: events that were taken from it and are not applied yet.
        past_bytes: of the last minutes, where they are kept.
    """
    taken = sum(event.size_bytes + event.objects_bytes for event in pending if isinstance(event, Received))
    queues = {
        "inbound queues": peer.held_bytes + taken,
        "outbound queue": peer.queued_bytes,
        "waiting for blobs": peer.blobs.waiting_bytes if peer.blobs else 0,
    }
    if past_bytes is not None:
        queues["the last minutes"] = past_bytes
    return (
        *session.realm.memory(),
        session.ledger.entries.memory(),
        *(PoolBytes(name, size, size, size, size) for name, size in queues.items()),
    )
