"""A small real server of the same stack: worlds, sessions, skeleton columns and answers to sub-chunk requests.

    __main__          The server as a process: ``python -m net.server --world hills --port 0``
    blob_cache        The server's end of the blob cache for one client
    block_ids         How a world's blocks look on the wire to clients of one release
    chunk_sender      Chunk data and changes of blocks on their way to one client
    building          What players build: blocks that they break and place, by creative rules
    client_session    One client on the server, from the end of its login to its goodbye (wire.md 5.5)
    column_provider   Where columns come from: cache, then generator with what a storage holds on top
    column_snapshots  One column as a server hands it out
    commands          Commands that change the world, from players and from the server's standard input
    dimensions        One dimension of what is served
    entities          Entities of one host, and which of them each client is shown: players and animals
    falling_blocks    Blocks that fall
    faults            What goes wrong on purpose, so that the other side's answers to it can be tried against a real
                      server
    generation_queue  What is to be made next: the wishes of all players merged
    host              All clients of one socket, sans I/O: datagrams and time go in, datagrams come out
    join_packets      What a client that has joined is told before it may ask for anything
    mods              Python files of a world's owner that change columns after they are made, and hear of edits
    options           How a host serves: frozen, chosen once
    player            Where one player is, what is saved of it, and the area that its client is sent
    player_priority   What each player of a server needs, and how soon (seed 003's player attention predictor)
    requests          What a client is owed for its requests, in packets of bounded size
    save/             What outlives the process: the world as it was after one tick
    sent_chunks       Which columns a client has been told of and which version of each sub-chunk it has
    virtual_host      Our server in the caller's process and on the caller's clock
    worlds/           Worlds and how they are chosen

Rules:
1. Nothing but ``__main__`` touches a socket, a clock, a thread or a file; a saved world's files are opened by
   ``net.storage`` there and in ``virtual_host``.
2. A world is deterministic and idempotent: whatever is asked, in whatever order, gives the same blocks (seed 003).
3. Nobody imports this package but its own process and tests.
"""
