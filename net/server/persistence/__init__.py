"""What outlives the process: the world as it was after one tick, in several storages that agree about which (seed 003).

    storage        what a storage must be able to do; rows of bytes under keys
    terrain        the sub-chunks that were changed, as names and states
    players        where each player was
    world_state    the tick and the clock
    transactions   when a tick is saved, and who has to have reported before it counts
    saving         all of it for one host

Rules:
1. A snapshot is taken between two ticks, without copying: what it holds never changes (``server.snapshots``). It is
   encoded and written on the storages' own threads (``net.transport.disk.row_storage``); no thread is started here.
2. A tick counts once every storage has reported it and the commit record names it. Until then what the tick before
   needs is kept; the next snapshot waits.
3. What fails is told in one sentence, the game goes on, and everything it concerned is written again later.
4. Storages hold names and states, never runtime or local ids: any protocol opens them.
"""
