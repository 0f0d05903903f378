r"""Recordings (.cscope): everything that one session received and sent, in order, for playback.

    blocks   Blocks: the framing that keeps the rest of a cut or damaged file readable
    file     Records to bytes and back; the owner of the file writes the bytes that a writer returns
    header   The first bytes of a recording
    records  The records: one for each thing that a session received or did

Rules:
1. Everything is pure except ``Recording.open``: a writer returns bytes to the owner of the file, a reader reads a
   binary file object. The writing thread is in ``net.storage``.
2. A file ends wherever its writer was stopped. Bytes after the last whole block are one ``Damage``, and so is a block
   that does not match its checksums; all other blocks stay readable.
3. Everything is checked before it is used: lengths have limits, a block inflates into a buffer of its stated size.
4. Times are microseconds since the recording began; numbers are little endian. Unknown kinds of record are skipped.
"""
