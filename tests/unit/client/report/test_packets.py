"""``packets`` lists what a recording holds: filtered, field by field, with the bytes that make no sense."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from client.errors import MissingFile, UnreadableFile, UsageError
from client.options import Moment
from client.report.packets import PacketFilter, PacketReader, PacketRow, RequestRow, write_packets
from client.source import WorldFile
from net.bedrock import Codec, LevelChunk, Message, SetTime, SubChunk, SubChunkEntry, SubChunkRequest, UpdateBlock
from net.recording.file import RecordingWriter
from net.recording.header import Header
from net.recording.records import FaultRecord, ReceivedRecord, Record, SentRecord, TimedRecord
from net.space import BlockPos, ColumnPos, SubChunkPos
from tests.recordings import NAMES, recording

CODEC = Codec(486)
CENTRE = SubChunkPos(1, 4, -2)
SOUND = bytes([8, 1, 1 << 1 | 1, 0])  # version 8, one storage of one block: a byte of bits, a palette of one id
CUT = bytes([8, 1, 4 << 1 | 1, 7, 7])


def heard(message: Message) -> ReceivedRecord:
    return ReceivedRecord(CODEC.encode(message))


def said(message: Message) -> SentRecord:
    return SentRecord(CODEC.encode(message))


def request(*offsets: tuple[int, int, int]) -> SubChunkRequest:
    return SubChunkRequest(0, CENTRE, np.array(offsets, np.int8))


def answer(*entries: SubChunkEntry) -> SubChunk:
    return SubChunk(False, 0, CENTRE, entries)


SESSION: tuple[Record, ...] = (
    heard(SetTime(6000)),
    said(request((0, 0, 0), (0, 1, 0), (0, 2, 0))),
    heard(answer(SubChunkEntry(0, 0, 0, 1, CUT), SubChunkEntry(0, 1, 0, 6))),
    heard(UpdateBlock(BlockPos(20, 70, -20), 5)),
    ReceivedRecord(b"\xae\x01\x00"),  # a SubChunk that ends too soon
    FaultRecord("batch", "length", 3, "runs past the end"),
    said(request((0, 2, 0))),
    heard(answer(SubChunkEntry(0, 2, 0, 3))),
    ReceivedRecord(b"\xff\x07"),  # a number that no packet has
)
"""One record each millisecond."""


def written(folder: Path, records: Sequence[Record] = SESSION) -> WorldFile:
    writer = RecordingWriter(Header(486, "bedrock", "here"))
    body = writer.front
    for index, record in enumerate(records):
        writer.add(TimedRecord(1000 * index, record))
        body += writer.flush() if index % 2 else b""  # several blocks
    path = folder / "session.cscope"
    path.write_bytes(body + writer.flush())
    return WorldFile(path)


def rows(source: WorldFile, *, fields: bool = False, **wanted: object) -> list[PacketRow]:
    with PacketReader.open(source, PacketFilter(**wanted)) as reader:  # type: ignore[arg-type]  # as a test spells them
        return list(reader.rows(fields=fields))


def requests(source: WorldFile, **wanted: object) -> list[RequestRow]:
    with PacketReader.open(source, PacketFilter(**wanted)) as reader:  # type: ignore[arg-type]
        return list(reader.requests())


def test_each_packet_is_a_row_and_the_servers_are_numbered_as_moments_are(tmp_path: Path) -> None:
    found = rows(written(tmp_path))
    assert [(row.number, row.name) for row in found] == [
        (1, "SetTime"), (None, "SubChunkRequest"), (2, "SubChunk"), (3, "UpdateBlock"), (4, "SubChunk"), (5, "batch"),
        (None, "SubChunkRequest"), (6, "SubChunk"), (7, "packet 1023"),
    ]  # fmt: skip
    assert [row.time_s for row in found] == [index / 1000 for index in range(9)]
    assert found[0].says == "time 6000"
    assert found[1].says == "3 sub-chunks around 1,4,-2"
    assert found[2].says == "around 1,4,-2: 1 data, 1 all air"
    assert found[7].says == "around 1,4,-2: 1 code 3 (wrong dimension)"


def test_invalid_bytes_are_named_by_field_sub_chunk_and_offset_in_the_packet(tmp_path: Path) -> None:
    found = rows(written(tmp_path), faulty=True, fields=True)
    assert [row.number for row in found] == [2, 4, 5]
    (fault,) = found[0].faults
    packet = CODEC.encode(SESSION_ANSWER)
    assert (fault.field, fault.subchunk) == ("entries[0].payload.storage", CENTRE)
    assert fault.offset == packet.index(CUT) + 2
    assert any(line.strip().endswith("entries[0].payload = 5 bytes") and "[09]" in line for line in found[0].lines())
    assert str(found[1].faults[0]).startswith("dimension at byte 3: ")
    assert found[2].faults[0].reason == "runs past the end"


SESSION_ANSWER = answer(SubChunkEntry(0, 0, 0, 1, CUT), SubChunkEntry(0, 1, 0, 6))


def test_of_a_place_its_own_invalid_bytes_come_first_and_the_others_are_counted(tmp_path: Path) -> None:
    both = heard(answer(SubChunkEntry(0, 0, 0, 1, CUT), SubChunkEntry(0, 1, 0, 1, CUT), SubChunkEntry(0, 2, 0, 6)))
    source = written(tmp_path, [both])
    (row,) = rows(source, at=BlockPos(16, 80, -32))
    assert [fault.subchunk for fault in row.faults] == [SubChunkPos(1, 5, -2), CENTRE]
    _, wrong, others = row.lines()
    assert "entries[1].payload.storage, sub-chunk 1,5,-2, at byte " in wrong
    assert others.strip() == "and 1 other undecodable entry of this packet"
    (row,) = rows(source)
    assert [fault.subchunk for fault in row.faults] == [CENTRE, SubChunkPos(1, 5, -2)]
    assert len(row.lines()) == 3
    with PacketReader.open(source, PacketFilter()) as reader:
        assert len(list(reader.rows())) == 1
        assert reader.report().lines()[0].endswith("; 1 packet has invalid bytes (at 2 places)")


@pytest.mark.parametrize(
    ("count", "limit", "words"),
    [(None, 9, "no blocks, limit 9"), (None, None, "no blocks, no limit"), (0, None, "0 sub-chunks in the packet")],
)
def test_the_extent_of_a_column_is_in_words(tmp_path: Path, count: int | None, limit: int | None, words: str) -> None:
    column = heard(LevelChunk(ColumnPos(0, 0), None, count, limit, None, b""))
    (row,) = rows(written(tmp_path, [column]), fields=True)
    assert {field.name: field.value for field in row.fields}["extent"] == words


def test_fields_stand_beside_all_of_their_bytes(tmp_path: Path) -> None:
    for row in rows(written(tmp_path), fields=True):
        assert sum(len(field.hex) // 2 for field in row.fields) == row.bytes
        offset = 0
        for field in row.fields:
            assert field.offset == offset
            offset += len(field.hex) // 2
    named = {
        field.name: field.value for field in rows(written(tmp_path), types=("updateblock",), fields=True)[0].fields
    }
    assert named == {"header": "21 UpdateBlock", "position": "20,70,-20", "runtime_id": "5", "flags": "3", "layer": "0"}


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ({"types": ("SUBCHUNK",)}, [2, 4, 6]),
        ({"types": ("10", "UpdateBlock")}, [1, 3]),
        ({"sender": "client"}, [None, None]),
        ({"at": BlockPos(20, 70, -20)}, [None, 2, 3]),
        ({"at": BlockPos(20, 100, -20)}, [None, None, 6]),
        ({"at": BlockPos(20, 64, 900)}, []),
        ({"text": "6000"}, [1]),
        ({"text": "PAST the end"}, [4, 5]),
        ({"first": Moment(0.006)}, [None, 6, 7]),
        ({"first": Moment(packet=5), "last": Moment(packet=6)}, [5, None, 6]),
        ({"last": Moment(0.001)}, [1, None]),
    ],
    ids=str,
)
def test_filters_by_type_sender_place_text_and_moment(
    tmp_path: Path, wanted: dict[str, object], numbers: list[int | None]
) -> None:
    assert [row.number for row in rows(written(tmp_path), **wanted)] == numbers


def test_undecodable_packets_of_unknown_place_are_counted(tmp_path: Path) -> None:
    with PacketReader.open(written(tmp_path), PacketFilter(at=BlockPos(20, 70, -20))) as reader:
        assert len(list(reader.rows())) == 3
        report = reader.report()
    assert (report.packets, report.shown, report.undecodable, report.placeless, report.exit_code) == (9, 3, 3, 2, 0)
    assert "2 undecodable packets are not shown: their place is unknown" in report.lines()


def test_a_waterfall_gives_each_request_its_answers(tmp_path: Path) -> None:
    source = written(tmp_path)
    first, second = requests(source)
    assert (first.time_s, first.requested, first.answered, first.first_ms, first.last_ms) == (0.001, 3, 2, 1.0, 1.0)
    assert first.results == {"data": 1, "all air": 1}
    assert (second.requested, second.answered, second.results) == (1, 1, {"code 3 (wrong dimension)": 1})
    assert "1 without an answer" in first.line(0.0, 0.01)
    (one, other) = requests(source, at=BlockPos(20, 100, -20))
    assert (one.requested, one.answered, one.first_ms) == (1, 0, None)
    assert "?" in one.line(0.0, 0.01)
    assert other.answered == 1


def test_a_cut_recording_lists_what_is_whole_and_names_the_rest(tmp_path: Path) -> None:
    source = written(tmp_path)
    source.path.write_bytes(source.path.read_bytes()[:-5])
    with PacketReader.open(source, PacketFilter()) as reader:
        assert [row.number for row in reader.rows()][-1] == 6
        assert any("the file ends inside a block" in line for line in reader.report().lines())


@pytest.mark.parametrize("name", NAMES)
def test_every_packet_of_a_foreign_server_decodes_beside_its_bytes(name: str) -> None:
    with PacketReader.open(WorldFile(recording(name)), PacketFilter()) as reader:
        for row in reader.rows(fields=True):
            assert not row.faults, row
            assert "".join(field.hex for field in row.fields) or not row.bytes
            assert sum(len(field.hex) for field in row.fields) == 2 * row.bytes or row.name.startswith("packet ")
        assert reader.report().undecodable == 0


@pytest.mark.parametrize("sections", [24, 16, 8])
@pytest.mark.parametrize("light", [0, 2048, 4096])
def test_light_behind_old_sub_chunks_of_a_column_is_no_fault(tmp_path: Path, sections: int, light: int) -> None:
    old = bytes([0]) + b"\x01" * 4096 + bytes(2048) + b"\x0a" * light
    biomes = b"\x00\x04" * sections + b"\x00"  # as servers write them that leave the lowest bit of headers unset
    column = LevelChunk(ColumnPos(0, 0), None, 2, None, None, old + old + biomes)
    assert rows(written(tmp_path, (heard(column),)), faulty=True) == []


def test_what_cannot_be_meant_is_one_sentence(tmp_path: Path) -> None:
    source = written(tmp_path)
    with pytest.raises(UsageError, match=r"Protocol 486 has no packet 'SubChnk' \(near names: SubChunk"):
        rows(source, types=("SubChnk",))
    with pytest.raises(UsageError, match="choose server or client"):
        PacketFilter(sender="nobody")
    with pytest.raises(UsageError, match=r"no packets from 2 s to 1\.5 s: the last moment is before the first"):
        PacketFilter(first=Moment(2.0), last=Moment(1.5))
    with pytest.raises(UsageError, match="no packets from packet 9 to packet 8"):
        PacketFilter(first=Moment(packet=9), last=Moment(packet=8))
    with pytest.raises(UsageError, match=r"lasts \d+\.\d\d s, so 99 s lies outside it"):
        write_packets(source, PacketFilter(first=Moment(99.0)))
    with pytest.raises(MissingFile, match="does not exist"):
        rows(WorldFile(tmp_path / "none.cscope"))
    (tmp_path / "text.cscope").write_text("not a recording at all")
    with pytest.raises(UnreadableFile, match="not a recording"):
        rows(WorldFile(tmp_path / "text.cscope"))
