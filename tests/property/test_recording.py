"""Recordings survive everything: what was written comes back, and what was not never crashes or hangs a reader."""

import io
import struct

import numpy as np
import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from net.errors import DecodeError
from net.recording import header
from net.recording.blocks import _CHECKED, _FIELDS, BLOCK_BYTES, MARKER
from net.recording.file import Recording, RecordingWriter
from net.recording.header import Header, write_header
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
    ReleasedRecord,
    SentRecord,
    TickRecord,
    TimedRecord,
    TurnRecord,
    ViewRecord,
    read_entries,
    write_entry,
)

HEADER = Header(486, "bedrock", "embedded:flat:1", "chunkscope", 1.5, {"radius": 2})
texts = st.text(max_size=30)
doubles = st.floats(-1e9, 1e9)
positions = st.lists(st.tuples(*[st.integers(-(2**31), 2**31 - 1)] * 3), max_size=5).map(
    lambda rows: np.array(rows, np.int32).reshape(-1, 3)
)
packets = st.binary(max_size=200).map(lambda body: b"\x22" + body)  # a number that is never redacted
records = st.one_of(
    packets.map(ReceivedRecord),
    packets.map(SentRecord),
    packets.map(LoginRecord),
    st.builds(FaultRecord, texts, texts, st.integers(0, 2**40), texts),
    st.just(JoinedRecord()),
    texts.map(EndedRecord),
    st.builds(TickRecord, doubles, st.booleans()),
    st.builds(
        ViewRecord,
        st.tuples(doubles, doubles, doubles),
        doubles,
        doubles,
        st.floats(1.0, 179.0),
        st.none() | st.floats(1.0, 4096.0),
    ),
    st.builds(AnchorRecord, texts, st.tuples(*[st.integers(-(2**31), 2**31 - 1)] * 4)),
    st.builds(
        PinnedAnchorRecord,
        texts,
        st.tuples(*[st.integers(-(2**31), 2**31 - 1)] * 4),
        st.tuples(doubles, doubles, doubles),
    ),
    texts.map(ReleasedRecord),
    st.builds(PlanRecord, positions, positions),
    st.integers(0, 2**32 - 1).map(OmittedRecord),
)
entries = st.builds(TimedRecord, st.integers(0, 2**63), records)


def written(groups: list[list[TimedRecord]], finished: bool = True) -> bytes:
    writer = RecordingWriter(HEADER)
    out = bytearray(writer.front)
    for group in groups:
        for entry in group:
            writer.add(entry)
        out += writer.flush()
    return bytes(out + writer.finish(9.25, 12)) if finished else bytes(out)


def opened(raw: bytes) -> Recording:
    return Recording(io.BytesIO(raw))


def everything(recording: Recording) -> list[TimedRecord]:
    return list(recording.entries())


@given(st.lists(st.lists(entries, max_size=6), max_size=5))
def test_what_was_written_is_read(groups: list[list[TimedRecord]]) -> None:
    recording = opened(written(groups))
    assert recording.header == HEADER
    assert everything(recording) == [entry for group in groups for entry in group] + [
        TimedRecord(12, FinishedRecord(9.25))
    ]
    assert recording.damages == ()


@given(st.lists(st.lists(entries, min_size=1, max_size=4), min_size=1, max_size=3))
@settings(max_examples=10)
def test_a_file_cut_at_any_byte_keeps_its_whole_blocks(groups: list[list[TimedRecord]]) -> None:
    raw = written(groups, finished=False)
    whole = opened(raw)
    blocks = [(block.end, whole.read(index)) for index, block in enumerate(whole.blocks)]
    front = whole.blocks[0].offset
    for size in range(len(raw)):
        if size < front:
            with pytest.raises(DecodeError):
                opened(raw[:size])
            continue
        cut = opened(raw[:size])
        assert everything(cut) == [entry for end, kept in blocks if end <= size for entry in kept]
        lost = size - max([front, *[end for end, _ in blocks if end <= size]])
        assert [damage.size for damage in cut.damages] == ([lost] if lost else [])


GROUPS = [[TimedRecord(n * 10 + k, ReceivedRecord(bytes((34, n, k)) * 20)) for k in range(5)] for n in range(4)]


@given(st.data())
def test_flipped_bits_cost_at_most_the_blocks_they_are_in(data: st.DataObject) -> None:
    raw = bytearray(written(GROUPS))
    whole = opened(bytes(raw))
    front = whole.blocks[0].offset
    flips = data.draw(st.lists(st.integers(front * 8, len(raw) * 8 - 1), min_size=1, max_size=4, unique=True))
    for flip in flips:
        raw[flip // 8] ^= 1 << flip % 8
    hurt = {block.offset for block in whole.blocks for flip in flips if block.offset <= flip // 8 < block.end}
    kept = [entry for i, block in enumerate(whole.blocks) if block.offset not in hurt for entry in whole.read(i)]
    damaged = opened(bytes(raw))
    assert everything(damaged) == kept
    assert sum(damage.size for damage in damaged.damages) == sum(
        block.end - block.offset for block in whole.blocks if block.offset in hurt
    )


def test_a_block_that_lost_its_rest_does_not_swallow_the_block_behind_it() -> None:
    long = [TimedRecord(1, ReceivedRecord(b"\x22" + bytes(np.random.default_rng(1).integers(0, 256, 9000, np.uint8))))]
    raw = written([long, *GROUPS], finished=False)
    first = opened(raw).blocks[0]
    holed = opened(raw[: first.offset + 200] + raw[first.end :])
    assert everything(holed) == [entry for group in GROUPS for entry in group]
    (damage,) = holed.damages
    assert (damage.offset, damage.size, damage.reason) == (first.offset, 200, "part of a block is missing")


class Counted(io.BytesIO):
    """Counts the bytes that were read."""

    read_bytes = 0

    def read(self, size: int | None = -1) -> bytes:
        found = super().read(size)
        self.read_bytes += len(found)
        return found


def test_blocks_that_claim_more_than_there_is_cost_time_linear_in_the_files_size() -> None:
    claims = _FIELDS.pack(MARKER, BLOCK_BYTES, 1, 1, 0, 0, 0, 0)
    file = Counted(write_header(HEADER) + (claims + _CHECKED.pack(xxhash.xxh3_64_intdigest(claims))) * 50_000)
    recording = Recording(file)
    assert recording.blocks == ()
    assert len(recording.damages) == 1
    assert file.read_bytes < 2 * len(file.getvalue())


@given(st.data())
def test_a_damaged_header_is_told_with_its_offset(data: st.DataObject) -> None:
    raw = bytearray(written(GROUPS))
    flip = data.draw(st.integers(0, opened(bytes(raw)).blocks[0].offset * 8 - 1))
    raw[flip // 8] ^= 1 << flip % 8
    with pytest.raises(DecodeError) as told:
        opened(bytes(raw))
    assert 0 <= told.value.offset <= len(raw)


@given(st.lists(st.one_of(st.binary(max_size=80), st.just(MARKER), st.just(written(GROUPS)[-90:])), max_size=12))
def test_any_bytes_behind_a_header_are_read_without_a_crash(parts: list[bytes]) -> None:
    front = RecordingWriter(HEADER).front
    recording = opened(front + b"".join(parts))
    for entry in everything(recording):
        assert isinstance(entry, TimedRecord)
    covered = [(b.offset, b.end) for b in recording.blocks] + [(d.offset, d.offset + d.size) for d in recording.damages]
    assert sum(end - start for start, end in set(covered)) == sum(map(len, parts))


@given(st.binary(max_size=300))
def test_any_bytes_are_no_recording_or_a_readable_one(raw: bytes) -> None:
    with pytest.raises(DecodeError):
        opened(raw)


def test_a_block_in_a_turn_begins_with_that_turn() -> None:
    turn = TimedRecord(5, TurnRecord(77.125))
    groups = [
        [turn, TimedRecord(6, ReceivedRecord(b"\x22a"))],
        [TimedRecord(7, ReceivedRecord(b"\x22b"))],
        [TimedRecord(9, TurnRecord(78.0))],
    ]
    recording = opened(written(groups, finished=False))
    assert recording.read(1) == [turn, TimedRecord(7, ReceivedRecord(b"\x22b"))]
    assert recording.read(2) == [TimedRecord(9, TurnRecord(78.0))]
    assert [block.first_number for block in recording.blocks] == [0, 1, 2]


@pytest.mark.parametrize("number", ["1e999", "-Infinity", "NaN", "[]", '"x"', "null"])
def test_a_header_whose_protocol_is_no_whole_number_is_no_recording(number: str) -> None:
    body = f'{{"protocol": {number}, "profile": "bedrock", "source": "a"}}'.encode()
    front = header._FRONT.pack(header.MAGIC, header.FORMAT, len(body), header._checksum(header.FORMAT, body))
    with pytest.raises(DecodeError, match="lacks a required value"):
        opened(front + body)


def test_a_file_of_another_format_says_which() -> None:
    raw = bytearray(written([]))
    raw[8:12] = struct.pack("<I", 7)
    with pytest.raises(
        DecodeError, match=r"recording\.format at byte 8: is 7; this version of chunkscope reads 1, 2, 3, 4 and 5"
    ):
        opened(bytes(raw))


def test_a_file_of_the_first_format_is_read() -> None:
    raw = bytearray(written(GROUPS))
    front = header._FRONT.size
    (length,) = struct.unpack_from("<I", raw, 12)
    raw[:front] = header._FRONT.pack(header.MAGIC, 1, length, header._checksum(1, bytes(raw[front : front + length])))
    assert everything(opened(bytes(raw))) == [entry for group in GROUPS for entry in group] + [
        TimedRecord(12, FinishedRecord(9.25))
    ]


@pytest.mark.parametrize("height", [0.0, -1.0, float("nan"), float("inf")])
def test_a_picture_without_a_height_is_no_record(height: float) -> None:
    raw = write_entry(TimedRecord(5, ViewRecord((0.0, 0.0, 0.0), 0.0, 0.0, 70.0, height)))
    with pytest.raises(DecodeError, match="record of kind 18"):
        read_entries(raw)
