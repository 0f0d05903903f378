r"""Recordings (.cscope): what one session was told and said, in order, so that it can be lived through again.

    blocks   Blocks: the framing that lets a cut or damaged file keep all the rest
    file     Records to bytes and back; whoever owns the file appends what a writer gives
    header   The first bytes of a recording
    records  What a recording holds: one record for each thing a session was told or said

Rules:
1. All of it is pure but for ``Recording.open``: a writer gives bytes to whoever owns the file, a reader reads a binary
   file object. The thread that writes is ``net.storage``.
2. A file ends wherever its writer was stopped. What follows the last whole block is one ``Damage``, and so is a block
   that does not hold what its checksums say; all other blocks stay readable.
3. Nothing is believed before it is checked: lengths have limits, a block inflates into a buffer of its stated size.
4. Times are microseconds since the recording began; little endian everywhere. Unknown kinds of record are skipped.
"""

from net.recording.blocks import Damage, RecordingBlock
from net.recording.file import Recording, RecordingWriter
from net.recording.header import FORMAT, Header
from net.recording.records import (
    AnchorRecord,
    EndedRecord,
    FaultRecord,
    FinishedRecord,
    JoinedRecord,
    LoginRecord,
    OmittedRecord,
    PinnedAnchorRecord,
    PlanRecord,
    ReceivedRecord,
    Record,
    ReleasedRecord,
    SentRecord,
    TickRecord,
    TimedRecord,
    TurnRecord,
    ViewRecord,
)

__all__ = [
    "FORMAT",
    "AnchorRecord",
    "Damage",
    "EndedRecord",
    "FaultRecord",
    "FinishedRecord",
    "Header",
    "JoinedRecord",
    "LoginRecord",
    "OmittedRecord",
    "PinnedAnchorRecord",
    "PlanRecord",
    "ReceivedRecord",
    "Record",
    "Recording",
    "RecordingBlock",
    "RecordingWriter",
    "ReleasedRecord",
    "SentRecord",
    "TickRecord",
    "TimedRecord",
    "TurnRecord",
    "ViewRecord",
]
