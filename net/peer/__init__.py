"""RakNet and Bedrock stacked, still without I/O: datagrams on one side, typed messages on the other.

    ClientPeer     one session with one server, run through its login
    PeerListener   many sessions on one address, each a ServerPeer

Rules:
1. Nothing here sleeps, reads a clock or touches a socket: ``now`` (monotonic seconds) comes in with every call.
2. A packet or batch that does not decode is one ``Faulty`` event; the session goes on (ecosystem.md 2.4). A broken
   stream (encryption tag, RakNet's own limits, silence) is one ``Closed`` event, the last.
3. Messages of the login are emitted too, so that a session can read StartGame wherever it comes.
"""

from net.peer.client import ClientPeer
from net.peer.events import Closed, Event, Faulty, Joined, Received, Sent
from net.peer.server import PeerListener, ServerPeer
from net.peer.stats import PeerStats

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
]
