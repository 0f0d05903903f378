"""net's sockets, threads, clocks and chance: how a peer reaches the world.

contract    Transport (what a session drives) and Host (what drives a server)
udp         a peer on a thread of its own
udp_host    the loop of a server process
loopback    both ends in one thread and in virtual time
faulty      a scripted wire for it
dice        chance for faults, the same for the same seed
ping        asking an address what it is         scan   asking everybody who is there
disk        threads that write files: recordings
recording   what a session was told and said, as a file
"""
