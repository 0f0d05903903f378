"""What the last minutes of a session are made of: parts between marks, with keyframes at the ends of some; both thin.

Rules:
1. A part ends at a mark, where it is known which columns stay: only there it may be cut off and thinned.
2. A keyframe stands at the end of its part; a thinned part keeps the last one's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from typing import Final, Protocol

from net.frozen import frozen
from net.transport.disk.recorder import Turn
from net.transport.recording import Header, Recording, RecordingWriter
from net.transport.recording.records import NUMBERED, numbers_of
from net.transport.recording.thinning import Columns, thinned

TRACE_BYTES: Final = 200
"""What is kept of a packet's columns, beside 8 bytes for each (190 measured)."""


class Keyframe(Protocol):
    """What a session was at one moment; whoever made it knows what that is."""

    size_bytes: int
    """What it takes, once it is packed."""

    def pack(self) -> None:
        """Makes it small; called once, on the thread."""
        ...


@frozen
class Start:
    """Where in a tape a keyframe stands.

    Attributes:
        keyframe: packed.
        offset: of the first block behind it.
        time_us: of the last turn before it.
        packets: of the server before it.
        ticks: before it.
    """

    keyframe: Keyframe
    offset: int
    time_us: int
    packets: int
    ticks: int


@frozen
class Noted:
    """A turn, and what is known of it.

    Attributes:
        turn: in order.
        traces: by its place among the turn's packets of the server: the columns it was about; nothing where all stays.
        known: columns that are known now, where it is time to say so.
        keyframe: what the session is now, where it is time for one; only beside ``known``.
    """

    turn: Turn
    traces: Mapping[int, Columns]
    known: Columns | None = None
    keyframe: Keyframe | None = None


@frozen
class Part:
    """Some blocks, up to a mark.

    Attributes:
        blocks: as a file has them.
        number: of the first packet in them.
        last_us: time of the mark.
        traces: of their packets, by number.
        known: columns that are known at its end.
        size_bytes: of all this.
        end_number: of the first packet behind it.
        end_ticks: before its end.
        keyframe: at its end.
    """

    blocks: bytes
    number: int
    last_us: int
    traces: Mapping[int, Columns]
    known: Columns
    size_bytes: int
    end_number: int
    end_ticks: int
    keyframe: Keyframe | None = None


def least_missed(times_us: Sequence[int]) -> int:
    """Which of some keyframes may go: without it the gap around it is least, measured by how long ago that is.

    So gaps grow with age, and a way back is as short as it can be where one goes back to most. The last one stays while
    there are others, and the first while there are two others.
    """
    last_us = times_us[-1]
    threes = zip(times_us, times_us[1:], times_us[2:], strict=False)
    gaps = [(after - before) / (1 + last_us - at) for before, at, after in threes]
    return 1 + gaps.index(min(gaps)) if gaps else 0


def thin_part(header: Header, parts: Sequence[Part]) -> Part:
    """One part of some that follow each other, thinned by what is known at the end of the last."""
    last, number = parts[-1], parts[0].number
    traces = {at: columns for part in parts for at, columns in part.traces.items()}
    writer, blocks, kept = RecordingWriter(header, number), bytearray(), dict[int, Columns]()
    recording = Recording(BytesIO(b"".join((writer.front, *(part.blocks for part in parts)))))
    for entry in thinned(recording.entries(), number, traces, last.known):
        writer.add(entry)
        if number in traces and isinstance(entry.record, NUMBERED):
            kept[number] = traces[number]
        number += numbers_of(entry.record)
        if writer.full:
            blocks += writer.flush()
    blocks += writer.flush()
    size = len(blocks) + sum(TRACE_BYTES + columns.nbytes for columns in kept.values()) + last.known.nbytes
    return replace(last, blocks=bytes(blocks), number=parts[0].number, traces=kept, size_bytes=size)
