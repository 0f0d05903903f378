"""A small real server of the same stack: worlds, sessions, skeleton columns and answers to sub-chunk requests.

    worlds/       what there is: generators, pure functions of a seed and a position; worlds that games saved
    realm         one dimension: its world, provider, provision and wire forms
    realms        all of them, and whose turn it is to be made
    provider      cache -> generator, plus what was changed on top; the one place of edits (seed 003)
    provision     what is to be made next: all players' wishes merged by the best one
    persistence/  what outlives the process: storages that agree about one tick
    snapshots     one column as bytes: encoded sub-chunks, height maps, biome tail; alike for all clients of a release
    openings      through which faces each section of a column lets sight
    local_states  local ids and what they are, in no protocol's words
    wire_forms    how clients of one release read them; release_words: what a release calls the blocks of another
    answers       requests that wait -> packets; entries: one sub-chunk -> one honest result code and what belongs to it
    interest/     what each player needs, and how soon
    tracking      which columns and versions one client has, which it must get next, when its publisher moves
    quota         what one client may cost, counted in buckets
    greeting      what a client is told first: StartGame, the tables, how tall the world is
    whereabouts   where a player is, as far as that is believed; crossing: its way into another dimension
    commands      what a player may say in words: /dimension NAME [X Y Z]
    presence      all of it, and the area that its client is sent
    sessions      one client: what it may say when, and the queue of what it is owed
    keep_alive    how long a client takes to answer
    pong          what a ping is told
    host          all clients of one socket, sans I/O: receive / datagrams / next_timer / tick
    warming       columns made ahead while nobody is there
    save_options  where a world is saved, as the command line says it
    telling       what of a saved world is damaged or unknown, told when it is found
    faults        answers spoilt on purpose, for tests of the other side
    __main__      the process: one UDP socket, one line of JSON, ends with its standard input

Rules:
1. Nothing but ``__main__`` touches a socket, a clock, a thread or a file; a saved world's files are opened by
   ``net.transport.disk`` there and in ``virtual_host``.
2. A world is deterministic and idempotent: whatever is asked, in whatever order, gives the same blocks (seed 003).
3. Nobody imports this package but its own process and tests.
"""
