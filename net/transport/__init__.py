"""net's sockets, threads, clocks and chance: how a peer reaches the world.

discovery        Asking an address or a whole LAN what is there, over RakNet and NetherNet
faulty           A wire with faults: loss, repetition, disorder and delay, the same for the same seed
http_server      Offers of NetherNet by HTTP, from the server's end
http_signalling  The same from the client's end, and what an address speaks
interface        The plug points of the transport: what a session drives, and what drives a host
loopback         Both ends in one thread and in whatever time it is told: no socket, no thread, no clock
udp              A peer on a thread of its own: owns the socket and the peer, and leaves events for the owner
udp_server       The loop of a server process: one UDP socket, one host, one thread; LAN discovery beside it
"""
