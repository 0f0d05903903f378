"""RakNet without I/O: a reliable, ordered stream of payloads over datagrams, for both ends.

    offline, ping      messages before a connection exists
    address, online    what both handshakes carry
    frames, acks       bytes of a datagram
    outgoing, flight   a payload while it is cut, a datagram while it is on its way
    arrivals, order, fragments     what came: once, in order, put together again
    rtt, congestion, sender        what goes: paced, counted, sent again when lost
    session            one connected pair of ends
    client, listener   how each end gets there

Rules:
1. ``now`` is monotonic seconds and comes in with each call; nothing here knows a clock, a socket or chance.
2. Every buffer has a bound in ``limits``. A stranger's bytes cost at most their own size.
3. ``receive`` never raises for the bytes of a peer: a datagram that is no RakNet is counted and ignored, a broken
   limit ends that one session with a reason.
"""

from net.raknet.address import Address
from net.raknet.client import ClientConnection
from net.raknet.frames import Reliability
from net.raknet.limits import Limits
from net.raknet.listener import Listener, ServerConnection
from net.raknet.ping import Pong
from net.raknet.stats import LinkStats

__all__ = ["Address", "ClientConnection", "Limits", "LinkStats", "Listener", "Pong", "Reliability", "ServerConnection"]
