"""A small real server on the same stack: worlds, client sessions, skeleton columns and answers to sub-chunk requests.

    __main__          The server as a process: ``python -m net.server --world hills --port 0``
    blob_cache        The server's side of one client's blob cache
    block_ids         Block ids as clients of one release read them
    chunk_sender      Sends chunk data and block changes to one client
    building          Blocks that players break and place, by creative rules
    client_session    One client on the server, from login to disconnect (wire.md 5.5)
    column_provider   Provides columns: from the cache, or generated with the stored edits on top
    column_snapshots  One version of one column, with its encoded bytes
    commands          Commands that change the world, from players and from standard input
    dimensions        The served dimensions
    entities          The entities of one host, and which of them each client sees: players and animals
    falling_blocks    Falling blocks
    faults            Faults that the server injects on purpose, to test how clients react
    generation_queue  Chooses the next column to generate from the requests of all players
    host              All clients of one socket, sans I/O: datagrams and time go in, datagrams come out
    host_options      The options of a host, frozen
    join_packets      The packets that a client gets when it joins
    mods              Python files that change generated columns and react to edits
    player            One player's position, its saved state, and the area sent to its client
    player_priority   Which columns each player needs, and how soon (seed 003's player attention predictor)
    requests          Answers sub-chunk requests in packets of bounded size
    save/             Saves the world as it was after one tick
    sent_chunks       Which columns and which sub-chunk versions a client has
    virtual_host      The server in the caller's process and on the caller's clock
    worlds/           Worlds and how they are chosen

Rules:
1. Only ``__main__`` touches a socket, a clock or a file, and only it and ``mods`` a thread. ``net.storage`` opens a
   saved world's files, called from there and from ``virtual_host``.
2. A world is deterministic and idempotent: it gives the same blocks whatever is requested, in whatever order (seed
   003).
3. Only the server's own process and tests import this package.
"""
