"""Saves the world as it was after one tick, in several storages that agree on the tick (seed 003).

    edit_log      Log of the edits since the last snapshot; a killed process loses none that clients have seen
    players       Each player's position, under a hash of its login id
    saving        Everything that one host saves, and what earlier runs saved
    terrain       Changed sub-chunks as rows: position, version, names and states of their blocks
    transactions  When a tick is saved; the interfaces of storages and of the commit record

Rules:
1. A snapshot is taken between two ticks, without copying: its contents never change (``net.server.column_snapshots``).
   The storages encode and write it on their own threads (``net.storage.server_save``); this package starts no thread.
2. A tick counts once every storage has reported it and the commit record names it. Until then the data of the tick
   before is kept, and the next snapshot waits.
3. A failure is reported in one sentence, the game goes on, and everything it affected is written again later.
4. Storages hold names and states, never runtime or local ids: any protocol opens them.
"""
