"""RakNet without I/O: a reliable, ordered stream of payloads over datagrams, for both ends.

    client          The client's end: finds the datagram size that passes, opens a session, and then is that session
    congestion      How much data may be in flight, and at what rate it is sent
    connection      One connected pair of ends: datagrams in and out, payloads out and in
    datagram        Datagrams of a connection: frames of data, ACK and NACK (wire.md 5.2)
    handshake       Messages before a connection exists, and addresses (wire.md 5.1)
    limits          Timings and limits of a connection
    listener        The server's end: one socket, many sessions, answers to pings
    ping            Unconnected ping and pong: a server's description of itself (wire.md 5.1)
    receive_window  Received data: each datagram once and acknowledged, each reliable frame once, in order
    send_queue      Sent data: payloads cut into frames, frames packed into datagrams, lost frames packed again

Rules:
1. ``now`` is monotonic seconds and comes in with each call; no module uses a clock, a socket or randomness.
2. Every buffer has a limit in ``limits``. A stranger's bytes cost at most their own size.
3. ``receive`` never raises for the bytes of a peer: a datagram that is not RakNet is counted and ignored, an exceeded
   limit ends that one session with a reason.
"""

from net.raknet.client import ClientConnection
from net.raknet.connection import LinkStats
from net.raknet.datagram import Reliability
from net.raknet.handshake import Address
from net.raknet.limits import Limits
from net.raknet.listener import Listener, ServerConnection
from net.raknet.ping import Pong

__all__ = ["Address", "ClientConnection", "Limits", "LinkStats", "Listener", "Pong", "Reliability", "ServerConnection"]
