"""``packets``: lists packets of a recording, decoded field by field with their bytes; or requests with their answers.

The recording is read block by block and written row by row: memory is one block. A packet is undecodable as in the
session: its fields do not decode, or a sub-chunk in it. Offsets count from the packet's first byte; those of ``why``
from the sub-chunk's. The server's packets are numbered from 1, as in ``why`` and in moments (``#N``).
"""

import json
import re
import sys
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import msgspec
import numpy as np

from client.connection.opening import counted, open_recording
from client.errors import CHECK_FAILED, DONE, UnreadableFile, UsageError
from client.options import Moment
from client.report.why_facts import code_name
from client.source import WorldFile, one_line
from net import bedrock
from net.bedrock import packets as all_packets
from net.errors import DecodeError, LimitExceeded, LocalProtocolError
from net.recording.file import Recording
from net.recording.records import FaultRecord, LoginRecord, ReceivedRecord, SentRecord, numbers_of
from net.space import VANILLA, BlockPos, ColumnPos, SubChunkPos, coordinates
from net.subchunk.biomes import tail_makes_sense
from net.subchunk.block_entities import find_entities
from net.subchunk.decode import BAD_INDEX, Scanned, fault_of, scan, scan_sequence, unpack
from net.subchunk.legacy import MOST_ENTITIES, light_bytes_behind, read_named
from net.subchunk.storage import SubChunkFault
from net.wire.fields import Profile

SENDERS: Final = ("server", "client")
MOST_INLINE: Final = 64
"""Sub-chunks of a whole column that are decoded, as in ``client.world.answers``."""
SECTIONS: Final = (*(dimension.sections for dimension in VANILLA.values()), MOST_INLINE)
"""Heights of the usual dimensions, and of a taller one: a packet does not contain the height of its own."""
SHOWN_BYTES: Final = 64  # of a field, in text; JSON has all
LINE_BYTES: Final = 16
LONGEST_SAYS: Final = 120
MOST_OPEN: Final = 4096
"""Most open requests in a waterfall; beyond it the oldest is written as it is."""
BAR: Final = 40  # width of a waterfall in characters


class PacketFilter(msgspec.Struct, frozen=True):
    """Conditions for shown packets; all must hold."""

    types: tuple[str, ...] = ()  # names, or numbers, of packets; empty: all
    at: BlockPos | None = None  # only packets about the sub-chunk of that block, or about its column
    sender: str = ""  # "server" or "client"; empty: both
    text: str = ""  # part of a packet's name or of a text or number in it, in any case
    first: Moment = Moment()  # start
    last: Moment | None = None  # end; None: of the recording
    faulty: bool = False  # only undecodable ones

    def __post_init__(self) -> None:
        if self.sender not in ("", *SENDERS):
            raise UsageError(f"'{self.sender}' does not send packets: choose server or client.")
        first, last = self.first, self.last
        if last is not None and (first.packet is None) == (last.packet is None) and _order(last) < _order(first):
            raise UsageError(f"There are no packets from {first} to {last}: the last moment is before the first.")


def _order(moment: Moment) -> float:
    """Of moments that are both times, or both packet numbers."""
    return moment.time_s if moment.packet is None else moment.packet


class PacketFault(msgspec.Struct, frozen=True):
    """An undecodable part of a packet."""

    field: str  # as errors name it
    offset: int  # of the byte, from the packet's first one
    reason: str  # what is wrong
    subchunk: SubChunkPos | None = None  # of its bytes; None for other bytes, or if unknown

    def __str__(self) -> str:
        place = "" if self.subchunk is None else f", sub-chunk {coordinates(self.subchunk)},"
        return f"{self.field}{place} at byte {self.offset}: {self.reason}"


class PacketField(msgspec.Struct, frozen=True):
    """A field with its bytes."""

    name: str  # with indices; empty for bytes behind the last field
    offset: int  # of its first byte in the packet
    value: str  # short; empty if only its parts have values
    hex: str  # its bytes


class PacketRow(msgspec.Struct, frozen=True):
    """One packet."""

    number: int | None  # number of the server's packet, from 1; None of the client's
    time_s: float  # since the recording began
    sender: str  # "server" or "client"
    name: str  # "packet N" for an unknown number
    bytes: int  # its length
    says: str  # its content, in short
    faults: tuple[PacketFault, ...]  # empty if it decodes
    fields: tuple[PacketField, ...]  # empty unless requested
    about: SubChunkPos | ColumnPos | None = None  # its first place, or its first undecodable one, or None
    elsewhere: int = 0  # the last ones of ``faults``, which are not about the place of the filter

    def lines(self) -> list[str]:
        """Lines for the report: one line, one more for each fault, and the fields."""
        number = "" if self.number is None else f"#{self.number}"
        said = f"{number:>8} {self.time_s:10.3f} s  {self.sender}  {self.name:<28} {self.bytes:>8}  {self.says}"
        here = self.faults[: len(self.faults) - self.elsewhere]
        faults = [f"{'':>21}  undecodable: {fault}" for fault in here]
        if self.elsewhere:
            other = "entry" if self.elsewhere == 1 else "entries"
            faults += [f"{'':>21}  and {self.elsewhere} other undecodable {other} of this packet"]
        marked = {fault.offset for fault in self.faults}
        return [said.rstrip(), *faults, *(line for field in self.fields for line in _beside(field, marked))]


class PacketsReport(msgspec.Struct, frozen=True):
    """The summary after the rows."""

    path: str  # of the recording
    packets: int  # read ones, between the first moment and the last
    shown: int  # those that passed the filter
    undecodable: int  # of the read ones
    placeless: int  # undecodable ones that were left out since their place is unknown
    damages: tuple[str, ...]  # unreadable parts of the file
    requests: int | None = None  # in a waterfall: number of shown requests
    faults: int = 0  # undecodable parts of all undecodable packets, for example entries of SubChunk

    @property
    def exit_code(self) -> int:
        """0, or 1 if no packet passes the filter."""
        return DONE if self.shown or self.requests else CHECK_FAILED

    def lines(self) -> list[str]:
        wrong = f"{counted(self.undecodable, 'packet')} {'has' if self.undecodable == 1 else 'have'} invalid bytes"
        if self.undecodable:
            wrong += f" (at {counted(self.faults, 'place')})"
        said = f"{self.path}: {self.shown} of {self.packets} packets shown; {wrong}"
        if self.requests is not None:
            said = f"{self.path}: {counted(self.requests, 'request')}"
        placeless = f"{self.placeless} undecodable packets are not shown: their place is unknown"
        return [said, *([placeless] if self.placeless else []), *(f"damaged: {each}" for each in self.damages)]


class RequestRow(msgspec.Struct, frozen=True):
    """A request with its answers."""

    time_s: float  # when it was sent, since the start of the recording
    centre: SubChunkPos  # the origin of its offsets
    requested: int  # sub-chunks
    answered: int  # of these, until the next request for the same ones
    first_ms: float | None  # from the request to the first answer; None without answers
    last_ms: float | None  # to the last answer
    results: Mapping[str, int]  # count of each result

    def line(self, begin_s: float, end_s: float) -> str:
        """The row for the report, with a bar of the time from the request to the last answer within a range."""
        scale = BAR / max(end_s - begin_s, 1e-6)
        at, first, last = (
            min(max(int((self.time_s + ms / 1e3 - begin_s) * scale), 0), BAR - 1)
            for ms in (0.0, self.first_ms or 0.0, self.last_ms or 0.0)
        )
        waited = "?" * (BAR - at) if self.last_ms is None else "." * (first - at) + "#" * (last - first + 1)
        times = [f"{ms:9.1f}" if ms is not None else f"{'-':>9}" for ms in (self.first_ms, self.last_ms)]
        bar = f"|{' ' * at + waited:<{BAR}}|"
        return f"{self.time_s:10.3f} {self.requested:9} {' '.join(times)}  {bar}  {self.says}"

    @property
    def says(self) -> str:
        missing = self.requested - self.answered
        said = [f"{count:,} {name}" for name, count in self.results.items()]
        said += [f"{missing} without an answer"] if missing else []
        return f"around {coordinates(self.centre)}: {', '.join(said)}"


WATERFALL_HEAD: Final = (
    f"{'time s':>10} {'requested':>9} {'first ms':>9} {'last ms':>9}"
    f"  |{'. to the first answer, # to the last':<{BAR}}|  answers"
)


# ---------------------------------------------------------------- reading


class PacketReader:
    """The packets of one recording that pass a filter; a context manager."""

    def __init__(self, recording: Recording, path: Path, wanted: PacketFilter) -> None:
        """Owns the recording. Raises UnreadableFile: its protocol is unknown; UsageError: no such packet type."""
        self.recording = recording
        header = recording.header
        try:
            self._codec = bedrock.Codec(header.protocol, Profile(header.profile))
            self._types = frozenset(number_of_type(name, header.protocol) for name in wanted.types)
        except (LocalProtocolError, ValueError, UsageError) as error:
            self.recording.close()
            raise error if isinstance(error, UsageError) else UnreadableFile(f"{path}: {error}.") from None
        self._path, self._wanted = path, wanted
        self._packets = self._shown = self._undecodable = self._placeless = 0
        self._requests: int | None = None
        self._faults = 0

    @classmethod
    def open(cls, source: WorldFile, wanted: PacketFilter) -> Self:
        """Opens a file. Raises MissingFile, UnreadableFile, and UsageError as the constructor."""
        return cls(open_recording(source.path), source.path, wanted)

    def __enter__(self) -> "PacketReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.recording.close()

    @property
    def range_s(self) -> tuple[float, float]:
        """The time range of the filter; the whole recording if the filter is in packets."""
        wanted, end_s = self._wanted, self.recording.duration_us / 1e6
        begin_s = wanted.first.time_s if wanted.first.packet is None else 0.0
        return begin_s, end_s if wanted.last is None or wanted.last.packet is not None else min(
            wanted.last.time_s, end_s
        )

    def report(self) -> PacketsReport:
        damages = tuple(str(damage) for damage in self.recording.damages)
        counts = self._packets, self._shown, self._undecodable, self._placeless
        return PacketsReport(str(self._path), *counts, damages, self._requests, self._faults)

    def rows(self, *, fields: bool = False) -> Iterator[PacketRow]:
        """The packets; ``fields``: each field with its bytes."""
        return (row for row, _ in self.rows_with_bytes(fields=fields))

    def rows_with_bytes(self, *, fields: bool = False) -> Iterator[tuple[PacketRow, bytes]]:
        """The rows with the packets; empty bytes for data that could not be split into packets."""
        for one in self._within():
            row = self._row(one, fields)
            if row is not None:
                self._shown += 1
                yield row, b"" if isinstance(one.record, FaultRecord) else one.record.packet

    def fields(self, packet: bytes) -> tuple[PacketField, ...]:
        """One of its packets, field by field with its bytes."""
        return fields_of(self._codec.trace(packet), packet) if packet else ()

    def requests(self) -> Iterator[RequestRow]:
        """Sub-chunk requests with their answers, in the order in which they were sent."""
        waiting: OrderedDict[int, _OpenRequest] = OrderedDict()
        asked: dict[tuple[int, ...], int] = {}
        serial = self._requests = 0
        for _, time_us, record in self._within():
            match self._message(record):
                case bedrock.SubChunkRequest() as request:
                    at = self._wanted.at and self._wanted.at.subchunk
                    places = [place for place in _requested(request) if at in (None, place[1:])]
                    if not places:
                        continue
                    serial += 1
                    waiting[serial] = _OpenRequest(time_us, request.centre, len(places), set(places))
                    for place in places:
                        older = waiting.get(asked.get(place, 0))
                        if older is not None:
                            older.open.discard(place)
                        asked[place] = serial
                case bedrock.SubChunk() as answer:
                    for at, one in _positions(answer):
                        place = (answer.dimension, *at)
                        found = waiting.get(asked.pop(place, 0))
                        if found is not None:
                            found.answer(place, time_us, one.result)
            while waiting and (not next(iter(waiting.values())).open or len(waiting) > MOST_OPEN):
                done = waiting.popitem(last=False)[1]
                for place in done.open:
                    asked.pop(place, None)
                self._requests += 1
                yield done.row()
        for left in waiting.values():
            self._requests += 1
            yield left.row()

    def _within(self) -> Iterator["_Packet"]:
        """The records from the first moment to the last."""
        first, last = self._wanted.first, self._wanted.last
        for index, block in enumerate(self.recording.blocks):
            if first.packet is None and block.last_us < first.time_s * 1e6:
                continue
            if last is not None and last.packet is None and block.first_us > last.time_s * 1e6:
                continue
            number = block.first_number
            for entry in self.recording.read(index):
                number += numbers_of(entry.record)
                record = entry.record
                if not isinstance(record, ReceivedRecord | FaultRecord | SentRecord | LoginRecord):
                    continue
                ours = isinstance(record, SentRecord | LoginRecord)
                if entry.time_us < first.time_s * 1e6 if first.packet is None else number < first.packet:
                    continue
                if last is not None and (
                    entry.time_us > last.time_s * 1e6 if last.packet is None else number > last.packet
                ):
                    continue
                self._packets += 1
                yield _Packet(None if ours else number, entry.time_us, record)

    def _message(self, record: "_PacketRecord") -> bedrock.Message | None:
        if isinstance(record, FaultRecord):
            return None
        try:
            return self._codec.decode(record.packet)
        except DecodeError:
            return None

    def _row(self, one: "_Packet", fields: bool) -> PacketRow | None:
        wanted, (number, time_us, record) = self._wanted, one
        sender = SENDERS[number is None]
        if isinstance(record, FaultRecord):  # bytes that could not be split into packets
            trace = bedrock.PacketTrace(None, record.packet, None, {}, (), None)
            packet = b""
            faults: tuple[PacketFault, ...] = (PacketFault(record.field, record.offset, record.reason),)
        else:
            packet = record.packet
            trace = self._codec.trace(packet)
            faults = faults_of(trace)
        self._undecodable += bool(faults)
        self._faults += len(faults)
        if (
            (wanted.sender and wanted.sender != sender)
            or (wanted.faulty and not faults)
            or (wanted.types and trace.packet_id not in self._types)
        ):
            return None
        if wanted.at is not None:
            at = wanted.at.subchunk, wanted.at.column  # of a block, or of all of its column
            if trace.message is None or not any(place in at for place in places_of(trace.message)):
                self._placeless += trace.message is None and bool(faults)
                return None
        elsewhere = [fault for fault in faults if wanted.at and fault.subchunk not in (None, wanted.at.subchunk)]
        faults = (*(fault for fault in faults if fault not in elsewhere), *elsewhere)
        name = trace.name or (f"packet {trace.packet_id}" if trace.packet_id is not None else "packet")
        says = "" if trace.message is None else in_short(trace.message)
        text = wanted.text.lower()
        if text and not any(text in each.lower() for each in (name, *map(str, faults), *_texts(trace.message))):
            return None
        beside = fields_of(trace, packet) if fields else ()
        about: SubChunkPos | ColumnPos | None = next((fault.subchunk for fault in faults if fault.subchunk), None)
        if about is None and trace.message is not None:
            about = next(places_of(trace.message), None)
        return PacketRow(
            number, round(time_us / 1e6, 6), sender, name, len(packet), says, faults, beside, about, len(elsewhere)
        )


_PacketRecord = ReceivedRecord | FaultRecord | SentRecord | LoginRecord


class _Packet(NamedTuple):
    """A packet's record."""

    number: int | None  # number of the server's packet, from 1; None of the client's
    time_us: int  # since the recording began
    record: _PacketRecord


class _OpenRequest:
    """A request that collects its answers."""

    def __init__(self, time_us: int, centre: SubChunkPos, requested: int, places: set[tuple[int, ...]]) -> None:
        self.open = places  # those that are neither answered nor requested again
        self._time_us, self._centre, self._requested = time_us, centre, requested
        self._first_us: int | None = None
        self._last_us: int | None = None
        self._results: Counter[str] = Counter()

    def answer(self, place: tuple[int, ...], time_us: int, result: int) -> None:
        self.open.discard(place)
        self._first_us = time_us if self._first_us is None else self._first_us
        self._last_us = time_us
        self._results[result_name(result)] += 1

    def row(self) -> RequestRow:
        first, last = (
            None if at is None else round((at - self._time_us) / 1e3, 3) for at in (self._first_us, self._last_us)
        )
        answered = self._results.total()
        return RequestRow(
            self._time_us / 1e6, self._centre, self._requested, answered, first, last, dict(self._results.most_common())
        )


def number_of_type(name: str, protocol: int) -> int:
    """The number of a packet, by its name in any case or as a number. Raises UsageError: no such packet."""
    if name.isascii() and name.isdigit() and len(name) < 5:
        return int(name)
    known = {kind.__name__.lower(): kind for kind in all_packets(protocol)}
    if name.lower() in known:
        return known[name.lower()].ID
    near = [known[each].__name__ for each in get_close_matches(name.lower(), known, 3, 0.5)]
    advice = f"near names: {', '.join(near)}" if near else "for example LevelChunk, SubChunk or SubChunkRequest"
    raise UsageError(f"Protocol {protocol} has no packet '{name}' ({advice}).")


# ---------------------------------------------------------------- place and content of a packet


def places_of(message: bedrock.Message) -> Iterator[SubChunkPos | ColumnPos]:
    """The sub-chunks, or the whole columns, that it is about, in its order; none for packets without a place."""
    match message:
        case bedrock.SubChunkRequest():
            yield from (SubChunkPos(*place[1:]) for place in _requested(message))
        case bedrock.SubChunk():
            yield from (position for position, _ in _positions(message))
        case bedrock.UpdateBlock() | bedrock.UpdateBlockSynced():
            yield message.position.subchunk
        case bedrock.UpdateSubChunkBlocks():
            yield from (change.position.subchunk for change in (*message.layer0, *message.layer1))
        case _:
            yield from message.columns() or ()


def in_short(message: bedrock.Message) -> str:
    """Its content in a part of a line."""
    match message:
        case bedrock.SubChunkRequest():
            return f"{len(message.offsets)} sub-chunks around {coordinates(message.centre)}"
        case bedrock.SubChunk():
            counts = Counter(result_name(entry.result) for entry in message.entries)
            results = ", ".join(f"{count:,} {name}" for name, count in counts.most_common()) or "no answers"
            return f"around {coordinates(message.centre)}: {results}"
        case _:
            values = [(name, _short(getattr(message, name))) for name in message.__struct_fields__]
            text = one_line(", ".join(f"{name} {value}" for name, value in values if value))
            return text if len(text) <= LONGEST_SAYS else f"{text[:LONGEST_SAYS]}..."


def result_name(result: int) -> str:
    """An answer's result code in words."""
    if result == bedrock.SubChunkResult.SUCCESS:
        return "data"
    if result == bedrock.SubChunkResult.SUCCESS_ALL_AIR:
        return "all air"
    return f"code {result} ({code_name(result)})"


def _requested(request: bedrock.SubChunkRequest) -> list[tuple[int, ...]]:
    """Dimension and position of each sub-chunk."""
    at = (request.offsets + np.asarray(request.centre, np.int64)).tolist()
    return [(request.dimension, *each) for each in at]


def _positions(answer: bedrock.SubChunk) -> Iterator[tuple[SubChunkPos, bedrock.SubChunkEntry]]:
    x, y, z = answer.centre
    for entry in answer.entries:
        yield SubChunkPos(x + entry.dx, y + entry.dy, z + entry.dz), entry


def _short(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case bytes():
            return f"{len(value)} bytes"
        case np.ndarray():
            return f"{value.dtype}[{','.join(map(str, value.shape))}]"
        case float():
            return f"{value:g}"
        case str():
            return one_line(value) if len(value) <= SHOWN_BYTES else f"{one_line(value[:SHOWN_BYTES])}..."
        case tuple() | list() if len(value) > 4 or any(isinstance(each, tuple | dict) for each in value):
            return f"{len(value)} elements"
        case tuple() | list():
            return ",".join(map(_short, value))
        case Mapping():
            return f"{len(value)} values"
        case msgspec.Struct():
            return type(value).__name__
        case _:
            return one_line(str(value))


def _texts(value: object) -> Iterator[str]:
    """All texts and numbers in a value."""
    match value:
        case msgspec.Struct():
            for name in value.__struct_fields__:
                yield from _texts(getattr(value, name))
        case Mapping():
            for key, one in value.items():
                yield str(key)
                yield from _texts(one)
        case tuple() | list():
            for one in value:
                yield from _texts(one)
        case str() | int() | float():
            yield str(value)


# ---------------------------------------------------------------- undecodable parts


def faults_of(trace: bedrock.PacketTrace) -> tuple[PacketFault, ...]:
    """Faults of its fields, and of the sub-chunks in it."""
    found = [] if trace.fault is None else [_fault(trace.fault, trace.fault.field, 0)]
    match trace.message:
        case bedrock.SubChunk() as answer if not answer.cache_enabled:
            held = [(index, *each) for index, each in enumerate(_positions(answer)) if each[1].payload]
            starts = _payload_starts(trace)
            scanned = scan([entry.payload for *_, entry in held])
            for at, error in _broken(scanned, [f"entries[{index}].payload" for index, *_ in held]):
                index, position, _ = held[at]
                found.append(_fault(error, error.field, starts[index], position))
        case bedrock.LevelChunk(inline_count=count, payload=payload, blob_ids=None) if count:
            start = max(span.end for span in trace.fields if span.name == "payload") - len(payload)
            scanned = scan_sequence(
                payload,
                min(count, MOST_INLINE),
                lambda tail: any(tail_makes_sense(sections, tail) for sections in SECTIONS),
            )
            before = scanned.starts
            for at, error in _broken(scanned, [f"payload.subchunks[{i}]" for i in range(len(before))], whole=True):
                found.append(_fault(error, error.field, start + int(before[at])))
                break  # the start of later ones is unknown
    return tuple(found)


def _fault(error: DecodeError, field: str, start: int, subchunk: SubChunkPos | None = None) -> PacketFault:
    return PacketFault(field, start + error.offset, error.reason, subchunk)


def _payload_starts(trace: bedrock.PacketTrace) -> dict[int, int]:
    """Where the payload of each entry of a SubChunk begins, by entry."""
    assert isinstance(trace.message, bedrock.SubChunk)
    starts: dict[int, int] = {}
    index = -1
    for span in trace.fields:
        index += span.name == "head"
        if span.name == "payload":
            starts[index] = span.end - len(trace.message.entries[index].payload)
    return starts


def _broken(scanned: Scanned, names: Sequence[str], whole: bool = False) -> Iterator[tuple[int, DecodeError]]:
    """Entries that do not decode; ``whole``: bytes behind them are not theirs."""
    by, old, faults = scanned.sort(), scanned.legacy(), dict[int, DecodeError]()
    for layer, entries in ((0, by.indexed), (1, by.second)):
        if len(entries):
            count, nothing = len(entries), np.zeros(len(scanned.palette), np.uint16)
            slots, flags = np.arange(count, dtype=np.int32), np.zeros(1 << 16, np.uint32)
            blocks, slot_flags = np.empty((count, 4096), np.uint16), np.zeros(count, np.uint32)
            found = unpack(scanned, entries, layer, slots, nothing, flags, blocks, slot_flags)
            for index in entries[found == BAD_INDEX].tolist():
                faults.setdefault(index, fault_of(scanned, index, ("", names[index]), layer))
    for index, name in enumerate(names):
        if scanned.status[index] == SubChunkFault.NAMED_PALETTE:
            start = int(scanned.starts[index])
            error = _named_fault(scanned.buffer[start : int(scanned.limits[index])].tobytes(), name)
            if error is not None:
                faults[index] = error
        elif scanned.status[index] != SubChunkFault.NONE:
            faults[index] = fault_of(scanned, index, ("", name))
        elif not whole and index not in faults:
            end = int(scanned.ends[index] - scanned.starts[index])
            end += light_bytes_behind(scanned.bytes_of(index, end)) if old[index] else 0
            fault = find_entities(scanned.bytes_of(index, end), MOST_ENTITIES).fault
            if isinstance(fault, DecodeError):
                faults[index] = DecodeError("", f"{name}.{fault.field}", end + fault.offset, fault.reason)
    yield from sorted(faults.items())


def _named_fault(data: bytes, name: str) -> DecodeError | None:
    try:
        read_named(data, "", name)
    except DecodeError as error:
        return error
    except LimitExceeded as error:
        return DecodeError("", name, 0, str(error))
    return None


# ---------------------------------------------------------------- field by field


INDEX: Final = re.compile(r"\[(\d+)\]")


def fields_of(trace: bedrock.PacketTrace, packet: bytes) -> tuple[PacketField, ...]:
    fields, entry = [], -1
    parts = isinstance(trace.message, bedrock.SubChunk) or trace.name == bedrock.SubChunk.__name__
    for span in trace.fields:
        name = span.name
        if parts and name not in ("header", "", *trace.values) and not name.startswith("entries"):
            entry += name == "head"
            name = f"entries[{entry}].{name}"
        value = _value(trace, name) if name else ""
        fields.append(PacketField(name, span.start, value, packet[span.start : span.end].hex()))
    return tuple(fields)


def _value(trace: bedrock.PacketTrace, name: str) -> str:
    """The value of a field by name, in short; empty if only its parts have values."""
    if name == "header":
        return f"{trace.packet_id} {trace.name}".strip()
    if name == "extent" and name in trace.values:
        return _extent(*trace.values[name])
    first, *parts = re.sub(r"\[(\d+)\]", r".\1", name).split(".")
    value: Any = trace.values.get(first)  # Any: fields are of any kind
    for part in parts:
        if part == "head" and isinstance(value, bedrock.SubChunkEntry):
            return f"offset {coordinates((value.dx, value.dy, value.dz))}, {result_name(value.result)}"
        try:
            value = value[int(part)] if part.isdigit() else getattr(value, part)
        except (AttributeError, IndexError, KeyError, TypeError):
            return ""
    return _short(value)


def _extent(inline_count: int | None, limit: int | None) -> str:
    if inline_count is not None:
        return counted(inline_count, "sub-chunk") + " in the packet"
    return "no blocks, no limit" if limit is None else f"no blocks, limit {limit}"


def _beside(field: PacketField, marked: set[int]) -> list[str]:
    """Lines of a field: offset, bytes, name and value; faulty bytes are in brackets."""
    raw = bytes.fromhex(field.hex)
    faulty = {at - at % LINE_BYTES for offset in marked if 0 <= (at := offset - field.offset) < len(raw)}
    shown = sorted({*range(0, min(len(raw), SHOWN_BYTES), LINE_BYTES), *faulty})
    lines: list[str] = []
    for at in shown:
        cells = [
            f"[{byte:02x}]" if field.offset + at + index in marked else f" {byte:02x} "
            for index, byte in enumerate(raw[at : at + LINE_BYTES])
        ]
        text = "".join(cells).rstrip().replace("  ", " ")
        said = f"{field.name or '(not read)'} = {field.value}" if field.value else field.name or "(not read)"
        lines.append(f"{field.offset + at:>12}  {text:<50}  {said if not lines else ''}".rstrip())
    left = len(raw) - len(shown) * LINE_BYTES
    return [*lines, f"{'':>12}   ... {left} more bytes"] if left > 0 else lines


# ---------------------------------------------------------------- writing


def write_packets(
    source: WorldFile, wanted: PacketFilter, *, fields: bool = False, waterfall: bool = False, as_json: bool = False
) -> int:
    """Writes the packets that pass a filter to stdout, row by row, and returns the exit code.

    ``fields``: each field with its bytes. ``waterfall``: requests with their answers instead. Raises MissingFile,
    UnreadableFile, UsageError: see ``PacketReader``; UsageError also: the first moment is after the end.
    """
    with PacketReader.open(source, wanted) as reader:
        if wanted.first.time_s * 1e6 > reader.recording.duration_us:
            duration_s = reader.recording.duration_us / 1e6
            raise UsageError(f"{source} lasts {duration_s:.2f} s, so {wanted.first} lies outside it.")
        write, range_s = sys.stdout.write, reader.range_s
        rows: Iterator[PacketRow | RequestRow] = reader.requests() if waterfall else reader.rows(fields=fields)
        if as_json:
            write(f'{{"recording": {json.dumps(str(source))}, "{"requests" if waterfall else "packets"}": [')
            for index, row in enumerate(rows):
                write((",\n" if index else "\n") + json.dumps(msgspec.to_builtins(row)))
            write(f'\n], "summary": {json.dumps(msgspec.to_builtins(reader.report()))}}}\n')
        else:
            if waterfall:
                write(WATERFALL_HEAD + "\n")
            for row in rows:
                lines = row.lines() if isinstance(row, PacketRow) else [row.line(*range_s)]
                write("\n".join(lines) + "\n")
            write("\n".join(reader.report().lines()) + "\n")
        return reader.report().exit_code
