"""Bytes to messages and back, and both ends of the wire; see README.md beside this file.

arrays        Types of the arrays that cross module borders
bedrock/      Packets of the game: one class each, a codec per protocol and profile, batches, the login
blobs/        The client's blob cache, without I/O: which packet waits for which blob (wire.md 2.7, 4)
config        TOML files written by users, read strictly; errors name file, line and key
errors        The errors of the wire, one tree
files         Files that are written whole or not at all; locks
kernels/      Kernels: how they are compiled, stored, found and called
nbt           NBT, the games' tagged binary format, in its network and disk flavours (wire.md 1)
nethernet/    NetherNet without I/O: WebRTC data channels as a link of packets, for both ends
palette       Block states and their runtime ids, one list a protocol (wire.md 6.1)
peer/         RakNet or NetherNet, and Bedrock over it, without I/O
raknet/       RakNet without I/O: a reliable, ordered stream of payloads over datagrams, for both ends
recording/    Recordings (.cscope): everything that one session received and sent, in order
releases      All supported releases: protocol number, name, RakNet version (wire.md 7)
saved_world/  World folders as the games save them: a LevelDB of columns, and ``level.dat`` beside it
serve_arguments  The options of our server, for its process and for ``chunkscope serve``
server/       A small real server on the same stack
space         Positions, directions, dimensions
storage/      Threads that write files, so that no session waits for a disk
subchunk/     Sub-chunks as bytes and as arrays: scan, unpack, encode, masks, heights, biomes, block entities
transport/    net's sockets, threads, clocks and randomness
visibility/   How soon a place is needed; the same answer for the client that requests and for the server that sends
wire/         Bytes of the Bedrock wire: cursors, varints, limits
"""
