"""The records of a recording: one for each thing that a session received or did, in order.

    TurnRecord      a turn begins: its time is valid until the next   ReceivedRecord  a packet came
    FaultRecord     data came that is not a packet                    LoginRecord     the login sent a packet
    JoinedRecord    the login was over                                ViewRecord      the camera moved
    AnchorRecord    columns were pinned, all of them needed           ReleasedRecord  an anchor was removed
    PinnedAnchorRecord   columns were pinned, those visible from an eye needed
    PlanRecord      the planner's result in this turn's tick          SentRecord      the session sent a packet
    TickRecord      the turn's tick, after its plan and its packets
    EndedRecord     the session was over, with the reason             FinishedRecord  the recording was closed
    OmittedRecord   packets of the server that were removed (``net.storage.recent_history``)

Rules:
1. Packets are bytes after decryption and inflation, so that a later decoder may decode more of them.
2. Times used in the session's calculations are doubles, bit for bit: replay is exact. ``TimedRecord.time_us`` is for
   display.
3. The client's decisions are recorded, not repeated: ``PlanRecord`` holds changes of the sub-chunks that are needed and
   not requested; the requests themselves are among the ``SentRecord``. Both come before the ``TickRecord`` of their
   tick.

Bytes of a record: u8 kind, u64 time_us, u32 length, body; one table defines each kind's body in both directions. Texts
are UTF-8; a text that is not the body's rest has a u32 length. Numbers are little endian. A number that no session can
have (an eye or a time that is not finite or out of range) is damage, since playback calculates with it.
"""

import struct
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, Final

import msgspec
import numpy as np

from net.arrays import SubChunkPositions
from net.errors import DecodeError
from net.recording.blocks import BODY_BYTES, FARTHEST_BLOCKS, LONGEST_S


class ReceivedRecord(msgspec.Struct, frozen=True):
    """A packet of the server, header and body."""

    packet: bytes


class SentRecord(msgspec.Struct, frozen=True):
    """A packet that the session sent."""

    packet: bytes


class LoginRecord(msgspec.Struct, frozen=True):
    """A packet of the login, keys and tokens removed; the session does not see it."""

    packet: bytes


class FaultRecord(msgspec.Struct, frozen=True):
    """Bytes that could not be split into packets; the fields of the ``DecodeError``."""

    packet: str
    field: str
    offset: int
    reason: str


class JoinedRecord(msgspec.Struct, frozen=True):
    """The login was over."""


class EndedRecord(msgspec.Struct, frozen=True):
    """The session was over."""

    reason: str


class TurnRecord(msgspec.Struct, frozen=True):
    """A turn begins. ``now`` is the session's time, monotonic seconds, until the next turn."""

    now: float


class TickRecord(msgspec.Struct, frozen=True):
    """The session's tick."""

    round_trip_s: float  # as passed to the tick
    under_way: bool = False  # as passed to the tick: whether sent or received data was still in flight


class ViewRecord(msgspec.Struct, frozen=True):
    """The camera moved, and the player followed it."""

    eye: tuple[float, float, float]  # in blocks
    yaw_deg: float  # 0 = +Z, 90 = -X
    pitch_deg: float  # positive looks down
    fov_deg: float  # vertical
    # height of the picture in an orthographic projection; None: perspective
    ortho_blocks: float | None = None


class AnchorRecord(msgspec.Struct, frozen=True):
    """A rectangle of columns was pinned, or moved."""

    name: str  # of the anchor
    columns: tuple[int, int, int, int]  # low x, low z, high x, high z, corners included


class PinnedAnchorRecord(msgspec.Struct, frozen=True):
    """A pinned anchor with an eye was set or moved: of its columns those visible from the eye are needed."""

    name: str  # of the anchor
    columns: tuple[int, int, int, int]  # low x, low z, high x, high z, corners included
    eye: tuple[float, float, float]  # in blocks


class ReleasedRecord(msgspec.Struct, frozen=True):
    """The anchor of that name was removed."""

    name: str


class PlanRecord(msgspec.Struct, frozen=True, eq=False):
    """The planner's result in the tick that follows."""

    added: SubChunkPositions  # sub-chunks that are now needed and not requested
    removed: SubChunkPositions  # sub-chunks that no longer are

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlanRecord) and all(
            np.array_equal(ours, theirs) for ours, theirs in ((self.added, other.added), (self.removed, other.removed))
        )

    __hash__ = None  # type: ignore[assignment]  # arrays are not hashable


class FinishedRecord(msgspec.Struct, frozen=True):
    """The recording was closed in order, at the session's time ``now``; no record follows."""

    now: float


class OmittedRecord(msgspec.Struct, frozen=True):
    """A number of packets of the server were here; they do not affect any later state."""

    packets: int


Record = (
    ReceivedRecord
    | SentRecord
    | LoginRecord
    | FaultRecord
    | JoinedRecord
    | EndedRecord
    | TurnRecord
    | TickRecord
    | ViewRecord
    | AnchorRecord
    | PinnedAnchorRecord
    | ReleasedRecord
    | PlanRecord
    | FinishedRecord
    | OmittedRecord
)


class TimedRecord(msgspec.Struct, frozen=True):
    """A record with its time."""

    time_us: int  # since the recording began; of a packet, when its last datagram arrived
    record: Record  # what happened


NUMBERED: Final = (ReceivedRecord, FaultRecord)
"""Kinds that have a packet number, as in ``net.peer``; ``OmittedRecord`` has as many as it counts."""


def numbers_of(record: Record) -> int:
    """How many packet numbers a record uses."""
    return record.packets if isinstance(record, OmittedRecord) else int(isinstance(record, NUMBERED))


_HEAD: Final = struct.Struct("<BQI")
_DOUBLE: Final = struct.Struct("<d")
_SIX: Final = struct.Struct("<6d")
_FOUR: Final = struct.Struct("<4i")
_LOOK_OUT: Final = struct.Struct("<4i3d")
_COUNTS: Final = struct.Struct("<II")
_OFFSET: Final = struct.Struct("<Q")
_LENGTH: Final = struct.Struct("<I")
_MOST_US: Final = (1 << 64) - 1


def write_entry(entry: TimedRecord) -> bytes:
    kind, write = _WRITERS[type(entry.record)]
    body = write(entry.record)
    return _HEAD.pack(kind, min(max(entry.time_us, 0), _MOST_US), len(body)) + body


def read_entries(raw: bytes) -> list[TimedRecord]:
    """The records of one inflated block; unknown kinds are skipped.

    Raises DecodeError: the bytes are not records.
    """
    entries: list[TimedRecord] = []
    offset, end = 0, len(raw)
    while offset < end:
        if end - offset < _HEAD.size:
            raise DecodeError("recording", "record", offset, f"needs {_HEAD.size} bytes, but {end - offset} are left")
        kind, time_us, length = _HEAD.unpack_from(raw, offset)
        start = offset + _HEAD.size
        if length > min(end - start, BODY_BYTES):
            raise DecodeError("recording", "length", offset, f"announces {length} bytes, but {end - start} are left")
        read = _READERS.get(kind)
        if read is not None:
            try:
                entries.append(TimedRecord(time_us, read(raw[start : start + length])))
            except (struct.error, ValueError) as error:  # UnicodeDecodeError is a ValueError
                raise DecodeError("recording", f"record of kind {kind}", offset, str(error)) from None
        offset = start + length
    return entries


def _text(text: str) -> bytes:
    encoded = text.encode(errors="replace")
    return _LENGTH.pack(len(encoded)) + encoded


def _write_fault(fault: FaultRecord) -> bytes:
    return b"".join((_OFFSET.pack(fault.offset), _text(fault.packet), _text(fault.field), _text(fault.reason)))


def _read_fault(body: bytes) -> FaultRecord:
    (offset,) = _OFFSET.unpack_from(body)
    texts, at = [], _OFFSET.size
    for _ in range(3):
        (length,) = _LENGTH.unpack_from(body, at)
        at += _LENGTH.size
        if length > len(body) - at:
            raise ValueError(f"a string announces {length} bytes, but {len(body) - at} are left")
        texts.append(body[at : at + length].decode())
        at += length
    return FaultRecord(texts[0], texts[1], offset, texts[2])


def _write_tick(tick: TickRecord) -> bytes:
    return _DOUBLE.pack(tick.round_trip_s) + b"\1" * tick.under_way


def _read_tick(body: bytes) -> TickRecord:
    round_trip_s, more = _time(body[: _DOUBLE.size]), body[_DOUBLE.size :]
    if more not in (b"", b"\1"):
        raise ValueError(f"a tick is {len(more)} bytes too long")
    return TickRecord(round_trip_s, under_way=bool(more))


def _write_look(look: ViewRecord) -> bytes:
    height = b"" if look.ortho_blocks is None else _DOUBLE.pack(look.ortho_blocks)
    return _SIX.pack(*look.eye, look.yaw_deg, look.pitch_deg, look.fov_deg) + height


def _read_look(body: bytes) -> ViewRecord:
    *eye, yaw_deg, pitch_deg, fov_deg = _SIX.unpack(body[: _SIX.size])
    if not (isfinite(yaw_deg) and isfinite(pitch_deg) and 0.0 < fov_deg < 180.0):
        raise ValueError(f"a look of yaw {yaw_deg:g}, pitch {pitch_deg:g}, {fov_deg:g} degrees wide")
    ortho_blocks = _DOUBLE.unpack(body[_SIX.size :])[0] if len(body) > _SIX.size else None
    if ortho_blocks is not None and not 0.0 < ortho_blocks <= FARTHEST_BLOCKS:
        raise ValueError(f"a picture {ortho_blocks:g} blocks high")
    return ViewRecord(_eye(eye), yaw_deg, pitch_deg, fov_deg, ortho_blocks)


def _write_look_out(record: PinnedAnchorRecord) -> bytes:
    return _LOOK_OUT.pack(*record.columns, *record.eye) + record.name.encode(errors="replace")


def _read_look_out(body: bytes) -> PinnedAnchorRecord:
    low_x, low_z, high_x, high_z, *eye = _LOOK_OUT.unpack_from(body)
    return PinnedAnchorRecord(body[_LOOK_OUT.size :].decode(), (low_x, low_z, high_x, high_z), _eye(eye))


def _eye(values: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = values
    if not all(abs(value) <= FARTHEST_BLOCKS for value in values):  # written so that NaN fails, too
        raise ValueError(f"an eye at {x:g} {y:g} {z:g}, which is not a position")
    return x, y, z


def _time(body: bytes) -> float:
    (time_s,) = _DOUBLE.unpack(body)
    if not abs(time_s) <= LONGEST_S:
        raise ValueError(f"a time of {time_s:g} s")
    return float(time_s)


def _write_plan(plan: PlanRecord) -> bytes:
    counts = _COUNTS.pack(len(plan.added), len(plan.removed))
    return counts + plan.added.astype("<i4").tobytes() + plan.removed.astype("<i4").tobytes()


def _read_plan(body: bytes) -> PlanRecord:
    added, removed = _COUNTS.unpack_from(body)
    if len(body) != _COUNTS.size + 12 * (added + removed):
        raise ValueError(f"announces {added} + {removed} positions in {len(body)} bytes")
    positions = np.frombuffer(body, "<i4", offset=_COUNTS.size).reshape(-1, 3).astype(np.int32)
    return PlanRecord(positions[:added], positions[added:])


_FORMS: Final[tuple[tuple[int, type, Callable[[Any], bytes], Callable[[bytes], Any]], ...]] = (
    (1, ReceivedRecord, lambda record: record.packet, ReceivedRecord),
    (2, SentRecord, lambda record: record.packet, SentRecord),
    (3, FaultRecord, _write_fault, _read_fault),
    (4, JoinedRecord, lambda _: b"", lambda _: JoinedRecord()),
    (5, EndedRecord, lambda record: record.reason.encode(errors="replace"), lambda body: EndedRecord(body.decode())),
    (6, LoginRecord, lambda record: record.packet, LoginRecord),
    (16, TurnRecord, lambda record: _DOUBLE.pack(record.now), lambda body: TurnRecord(_time(body))),
    (17, TickRecord, _write_tick, _read_tick),
    (18, ViewRecord, _write_look, _read_look),
    (
        19,
        AnchorRecord,
        lambda record: _FOUR.pack(*record.columns) + record.name.encode(errors="replace"),
        lambda body: AnchorRecord(body[_FOUR.size :].decode(), _FOUR.unpack_from(body)),
    ),
    (
        20,
        ReleasedRecord,
        lambda record: record.name.encode(errors="replace"),
        lambda body: ReleasedRecord(body.decode()),
    ),
    (21, PlanRecord, _write_plan, _read_plan),
    (22, FinishedRecord, lambda record: _DOUBLE.pack(record.now), lambda body: FinishedRecord(_time(body))),
    (23, PinnedAnchorRecord, _write_look_out, _read_look_out),
    (24, OmittedRecord, lambda record: _LENGTH.pack(record.packets), lambda body: OmittedRecord(*_LENGTH.unpack(body))),
)
"""(kind, record, to its body, from its body). Any: each pair handles its own record."""

_WRITERS: Final = {record: (kind, write) for kind, record, write, _ in _FORMS}
_READERS: Final = {kind: read for kind, _, _, read in _FORMS}
