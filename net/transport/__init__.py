"""net's sockets, threads, clocks and randomness.

discovery        Queries an address or a whole LAN for servers, over RakNet and NetherNet
faulty           A simulated wire with loss, repetition, reordering and delay, repeatable by seed
http_server      Offers of NetherNet by HTTP, server's end
http_signalling  Offers of NetherNet by HTTP, client's end; finds the transports of an address
interface        The interfaces ``Transport`` (a session's connection) and ``ServerTransport`` (a host)
loopback         Both ends in one thread and in virtual time: no socket, no thread, no clock
udp              A peer on a thread of its own, which owns socket and peer and queues events for the owner
udp_server       The loop of a server process: one UDP socket, one host, one thread; also LAN discovery
"""
