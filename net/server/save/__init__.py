"""What outlives the process: the world as it was after one tick, in several storages that agree about which (seed 003).

    edit_log      Edits since the last snapshot: what was broadcast outlives a kill of the process
    players       Where each player was, under a hash of the id it logs in with
    saving        Everything that one host saves, and what it found saved
    terrain       Changed sub-chunks as rows: where they are, their version, the names and states of their blocks
    transactions  What the server asks of a storage and of the record that says which tick counts

Rules:
1. A snapshot is taken between two ticks, without copying: what it holds never changes
   (``net.server.column_snapshots``). It is encoded and written on the storages' own threads
   (``net.storage.server_save``); no thread is started here.
2. A tick counts once every storage has reported it and the commit record names it. Until then what the tick before
   needs is kept; the next snapshot waits.
3. What fails is told in one sentence, the game goes on, and everything it concerned is written again later.
4. Storages hold names and states, never runtime or local ids: any protocol opens them.
"""
