"""World folders as the games save them: a LevelDB of columns, and ``level.dat`` beside it. Read only.

    block             Blocks of a table, batches and log records: LevelDB's formats inside its files
    checksum_kernels  LevelDB's masked CRC-32C checksums
    columns           Columns of a world folder as saved bytes, and ``level.dat``
    leveldb           A LevelDB as one ordered map from keys to their newest values, with its manifest; keys of columns
    table             A sorted table: a file of blocks, an index of them, a footer

Rules:
1. Nothing is locked or written, so a world can be read while a game has it open.
2. Data that fails its checksum is left out and reported as one sentence in ``Database.lost``; everything else is found.
   Only if nothing can be read at all does it raise ``FolderError``.
3. The newest sequence number of a key wins, in whichever file; levels and bloom filters are not used.
4. A table is read when one of its keys is requested: opening reads only the manifest and the logs.

Theory: ecosystem.md 5 (four worlds of the games), LevelDB's own description of its files.
"""
