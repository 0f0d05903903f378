"""RakNet or NetherNet, and Bedrock over it, without I/O: datagrams on one side, typed messages on the other.

    client         The client's end of a Bedrock session, including its login (wire.md 5.5)
    packet_stream  Packets over one link, in both directions, and the events of a session
    server         The server's end: a listener whose connections are Bedrock sessions

Rules:
1. No module sleeps, reads a clock or touches a socket: ``now`` (monotonic seconds) comes in with every call.
2. A packet or batch that does not decode gives one ``Faulty`` event; the session goes on (ecosystem.md 2.4). A broken
   stream (encryption tag, RakNet's own limits, silence) gives one ``Closed`` event, the last.
3. Messages of the login are emitted too, so that a session can read StartGame wherever it comes.
"""

from net.peer.client import ClientPeer
from net.peer.packet_stream import Closed, Event, Faulty, Joined, PeerStats, Received, Sent
from net.peer.server import PeerListener, ServerPeer, Transports

__all__ = [
    "ClientPeer",
    "Closed",
    "Event",
    "Faulty",
    "Joined",
    "PeerListener",
    "PeerStats",
    "Received",
    "Sent",
    "ServerPeer",
    "Transports",
]
