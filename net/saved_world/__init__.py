"""World folders as the games save them: a LevelDB of columns, and ``columns.dat`` beside it. Read only.

    block             A block of a table: entries in order, each key without what it shares with the one before
    checksum_kernels  LevelDB's checksums: CRC-32C, masked so that a checksum of bytes that hold checksums stays one
    columns           Columns of a world folder, as they were saved
    leveldb           A LevelDB as one ordered map from keys to their newest values, with its manifest; keys of columns
    table             A sorted table: a file of blocks, an index of them, a footer

Rules:
1. Nothing here opens, locks or writes anything, so a world can be looked at while a game has it open.
2. What is damaged is left out, and is one sentence in ``Database.lost``; a checksum decides. Everything else is found.
   Only where nothing can be read at all is it a ``FolderError``.
3. The newest sequence number of a key wins, wherever it stands; levels and bloom filters are not looked at.
4. Tables are looked into when somebody asks for one of their keys: opening reads the manifest and the logs alone.

Theory: ecosystem.md 5 (four worlds of the games), LevelDB's own description of its files.
"""
