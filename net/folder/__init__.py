"""World folders as the games save them: a LevelDB of columns, and ``level.dat`` beside it. Read only.

    files          what a folder is to us: names and bytes; who opens them is ``net.transport.disk.world_files``
    log            records in blocks of 32 KiB, the form of write-ahead logs and of the manifest
    batch          a record of a write-ahead log: what was put and deleted
    manifest       which tables and logs are alive
    block, table   sorted tables: footer, index, blocks of entries, four kinds of compression
    database       all of it as one ordered map, the newest value of each key
    column_keys    keys of columns: x, z, dimension, tag, section
    level          ``level.dat``: name, spawn, time, version
    folder         columns as they were saved

Rules:
1. Nothing here opens, locks or writes anything, so a world can be looked at while a game has it open.
2. What is damaged is left out, and is one sentence in ``Database.lost``; a checksum decides. Everything else is found.
   Only where nothing can be read at all is it a ``FolderError``.
3. The newest sequence number of a key wins, wherever it stands; levels and bloom filters are not looked at.
4. Tables are looked into when somebody asks for one of their keys: opening reads the manifest and the logs alone.

Theory: ecosystem.md 5 (four worlds of the games), LevelDB's own description of its files.
"""
