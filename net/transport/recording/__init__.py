r"""Recordings (.cscope): what one session was told and said, in order, so that it can be lived through again.

    file    = magic "\x89CSCOPE\n", u32 format, u32 length, u64 checksum, header (JSON, UTF-8)
    block   = marker, u32 stored, u32 inflated, u32 records, u64 first_us, u64 last_us, u64 first_number,
              u64 checksum of what is stored, u64 checksum of the fields before; then ``stored`` bytes of Zstandard
    record  = u8 kind, u64 time_us, u32 length, body

    header   the file's first bytes, and what a session must know before its first packet
    records  what happened: packets both ways, and the session's other inputs; record_bytes: their bodies
    blocks   framing: independently compressed, found again after damage
    writer   records to bytes                    reader   bytes to records, bounded, whatever the bytes are
    redact   takes keys and tokens out of packets before they are written
    thinning what of an older part must stay, so that a later one can be lived through

Rules:
1. All of it is pure but for ``Recording.open``: a writer gives bytes to whoever owns the file, a reader reads a binary
   file object. The thread that writes is ``net.transport.disk``.
2. A file ends wherever its writer was stopped. What follows the last whole block is one ``Damage``, and so is a block
   that does not hold what its checksums say; all other blocks stay readable.
3. Nothing is believed before it is checked: lengths have limits, a block inflates into a buffer of its stated size.
4. Times are microseconds since the recording began; little endian everywhere. Unknown kinds of record are skipped.
"""

from net.transport.recording.blocks import Block, Damage
from net.transport.recording.header import FORMAT, Header
from net.transport.recording.reader import Recording
from net.transport.recording.records import (
    Anchored,
    Ended,
    Entry,
    Fault,
    Finished,
    Greeted,
    Heard,
    Joining,
    Looked,
    LookedOut,
    Omitted,
    Planned,
    Record,
    Released,
    Said,
    Ticked,
    Turned,
)
from net.transport.recording.writer import RecordingWriter

__all__ = [
    "FORMAT",
    "Anchored",
    "Block",
    "Damage",
    "Ended",
    "Entry",
    "Fault",
    "Finished",
    "Greeted",
    "Header",
    "Heard",
    "Joining",
    "Looked",
    "LookedOut",
    "Omitted",
    "Planned",
    "Record",
    "Recording",
    "RecordingWriter",
    "Released",
    "Said",
    "Ticked",
    "Turned",
]
