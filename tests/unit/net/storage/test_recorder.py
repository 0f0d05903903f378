"""The disk thread: what is put is in the file, whole, redacted, and the owner never waits.

Recent history: The last minutes in memory: what is about columns that are gone goes, what is not stays, and all of it
is bounded.
"""

import threading
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from net.bedrock import Codec, Login, NetworkStackLatency, ServerToClientHandshake, SetTime
from net.recording.file import Recording
from net.recording.header import Header, redacted
from net.recording.records import (
    FinishedRecord,
    OmittedRecord,
    ReceivedRecord,
    SentRecord,
    TickRecord,
    TimedRecord,
    TurnRecord,
    ViewRecord,
    numbers_of,
)
from net.storage import Arrived, HistoryBuffer, Recorder, TimedTurn
from net.storage import recorder as turns_module
from net.storage.recent_history import least_missed, thinned

# ---------------------------------------------------------------- recorder

HEADER = Header(486, "bedrock", "embedded:flat:1")
CODEC = Codec()


def entries_of(path: Path) -> list[TimedRecord]:
    with Recording.open(path) as recording:
        found = list(recording.entries())
        assert recording.damages == ()
        return found


def test_what_is_put_is_in_the_file_after_close(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.cscope", HEADER, CODEC.encode)
    recorder.put(
        [
            (1, TurnRecord(2.5)),
            (2, ReceivedRecord(b"\x22abc")),
            (3, NetworkStackLatency(7, False)),
            (3, TickRecord(0.1)),
        ]
    )
    recorder.close(3.5, 9)
    recorder.close(4.5, 10)
    said = SentRecord(CODEC.encode(NetworkStackLatency(7, False)))
    expected = [
        (1, TurnRecord(2.5)),
        (2, ReceivedRecord(b"\x22abc")),
        (3, said),
        (3, TickRecord(0.1)),
        (9, FinishedRecord(3.5)),
    ]
    assert entries_of(recorder.path) == [TimedRecord(*each) for each in expected]
    assert recorder.failure is None
    assert recorder.written_bytes == recorder.path.stat().st_size


def test_what_was_put_is_flushed_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_module, "FLUSH_S", 0.0)
    flushed = threading.Event()
    recorder = Recorder(tmp_path / "a.cscope", HEADER, CODEC.encode)
    store = recorder._store

    def told(block: bytes) -> None:
        store(block)
        if block:
            flushed.set()

    monkeypatch.setattr(recorder, "_store", told)
    recorder.put([(1, TurnRecord(2.5)), (2, ReceivedRecord(b"\x22abc"))])
    assert flushed.wait(200.0)
    assert entries_of(recorder.path) == [TimedRecord(1, TurnRecord(2.5)), TimedRecord(2, ReceivedRecord(b"\x22abc"))], (
        "without a close"
    )
    recorder.close(3.0, 3)


def test_large_turns_become_several_blocks(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.cscope", HEADER, CODEC.encode)
    packets = [ReceivedRecord(bytes((0x22, n)) + bytes(700_000)) for n in range(5)]
    recorder.put([(1, TurnRecord(1.0)), *((n, packet) for n, packet in enumerate(packets))])
    recorder.close(3.0, 3)
    heard = [entry.record for entry in entries_of(recorder.path) if isinstance(entry.record, ReceivedRecord)]
    assert heard == packets
    with Recording.open(recorder.path) as recording:
        assert len(recording.blocks) == 3
        assert [type(recording.read(n)[0].record) for n in range(3)] == [TurnRecord] * 3


def test_a_disk_that_fails_ends_the_recording_alone(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.cscope", HEADER, CODEC.encode)
    recorder._file.close()
    recorder.put([(1, ReceivedRecord(b"\x22abc"))])
    recorder.close(1.0, 1)
    assert recorder.failure is not None
    recorder.put([(1, ReceivedRecord(b"\x22abc"))])


def test_a_queue_that_is_too_long_ends_the_recording_with_a_reason(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.cscope", HEADER, CODEC.encode, queued_bytes=1000)
    recorder.put([(1, ReceivedRecord(b"\x22" + bytes(2000)))])
    assert "too slow" in str(recorder.failure)
    recorder.close(1.0, 1)
    assert entries_of(recorder.path) == [TimedRecord(1, FinishedRecord(1.0))]


def test_a_place_that_cannot_be_written_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        Recorder(tmp_path / "nowhere" / "a.cscope", HEADER, CODEC.encode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_told_with_the_files_name() -> None:
    with pytest.raises(OSError, match="No space left") as told:
        Recorder(Path("/dev/full"), HEADER, CODEC.encode)
    assert told.value.filename == "/dev/full"


def test_keys_and_tokens_never_reach_the_file(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.cscope", HEADER, CODEC.encode)
    login = Login(486, '{"chain":["SECRET"]}', "SECRET" * 20)
    recorder.put(
        [(1, SentRecord(CODEC.encode(login))), (2, ReceivedRecord(CODEC.encode(ServerToClientHandshake("SECRET"))))]
    )
    recorder.close(1.0, 1)
    said, heard, _ = (entry.record for entry in entries_of(recorder.path))
    assert isinstance(said, SentRecord)
    assert isinstance(heard, ReceivedRecord)
    assert CODEC.decode(said.packet) == Login(486, "", "")
    assert CODEC.decode(heard.packet) == ServerToClientHandshake("")


def test_redaction_leaves_other_packets_and_odd_ones_alone() -> None:
    for packet in (b"", b"\xff\xff\xff\xff\xff\xff", b"\x22rest", CODEC.encode(NetworkStackLatency(1, True))):
        assert redacted(packet) == packet
    assert b"SECRET" not in redacted(b"\x01SECRET")
    assert b"SECRET" not in redacted(b"\x83\x00SECRET")


def test_a_disk_that_hangs_does_not_hold_up_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns_module, "CLOSE_S", 0.0)
    gate = threading.Event()
    recorder = Recorder(tmp_path / "a.cscope", HEADER, CODEC.encode)
    finish = recorder.finish
    monkeypatch.setattr(recorder, "finish", lambda *words: (gate.wait(), finish(*words)))
    recorder.close(3.5, 9)
    assert "the end was not written to disk" in str(recorder.failure)
    gate.set()
    recorder._turns._thread.join(60.0)


# ---------------------------------------------------------------- recent history

HERE, GONE = np.array([[0, 0]], np.int32), np.array([[9, 9]], np.int32)
LOOK = (1.0, 2.0, 3.0)


@pytest.fixture
def buffer() -> Iterator[Callable[[float, int], HistoryBuffer]]:
    buffers: list[HistoryBuffer] = []

    def make(kept_s: float, most_bytes: int) -> HistoryBuffer:
        buffers.append(HistoryBuffer(HEADER, CODEC.encode, kept_s, most_bytes))
        return buffers[-1]

    yield make
    for each in buffers:
        each.close(0.0)


def second(number: int, columns: np.ndarray | None, known: np.ndarray | None, size: int = 4) -> TimedTurn:
    """A turn with one packet."""
    at_us = number * 1_000_000
    packet = b"\x22" + np.random.default_rng(number).bytes(size)
    turn = [(at_us, TurnRecord(float(number))), (at_us, ReceivedRecord(packet)), (at_us, TickRecord(0.0))]
    return TimedTurn(turn, {} if columns is None else {0: columns}, known)


def heard(buffer: HistoryBuffer) -> list[int]:
    """At which seconds there are packets yet."""
    with Recording(buffer.tape()) as recording:
        assert recording.damages == ()
        return [entry.time_us // 1_000_000 for entry in recording.entries() if isinstance(entry.record, ReceivedRecord)]


def test_a_tape_is_all_that_was_put(buffer: Callable[[float, int], HistoryBuffer]) -> None:
    kept = buffer(60.0, 1 << 20)
    for number in range(5):
        kept.put(second(number, GONE, None))
    assert heard(kept) == [0, 1, 2, 3, 4]
    assert kept.whole_from_us == 0
    kept.put(second(5, GONE, HERE))
    assert heard(kept) == [0, 1, 2, 3, 4, 5]


def test_what_is_too_old_goes_if_its_columns_are_gone(buffer: Callable[[float, int], HistoryBuffer]) -> None:
    kept = buffer(10.0, 1 << 20)
    for number in range(40):
        columns = (GONE, HERE, None)[number % 3]
        kept.put(second(number, columns, HERE))
    there = heard(kept)
    whole_from = kept.whole_from_us // 1_000_000
    assert 40 - 1 - 12.5 <= whole_from <= 40 - 1 - 10
    assert [number for number in range(40) if number % 3 or number > whole_from] == there


def test_a_column_that_goes_later_takes_its_packets_with_it(buffer: Callable[[float, int], HistoryBuffer]) -> None:
    kept = buffer(2.0, 1 << 20)
    for number in range(60):
        kept.put(second(number, HERE if number < 5 else None, HERE if number < 20 else GONE))
    assert heard(kept) == list(range(5, 60)), "parts that were thinned already are thinned again"


def test_bytes_are_bounded_by_a_shorter_past(buffer: Callable[[float, int], HistoryBuffer]) -> None:
    kept = buffer(1e6, 50_000)
    for number in range(100):
        kept.put(second(number, GONE, HERE, 3000))
        assert kept.failure is None
    assert heard(kept)[-1] == 99
    assert kept.size_bytes <= 50_000
    assert kept.whole_from_us > 80_000_000


def test_what_cannot_go_and_is_too_much_ends_it_in_words(buffer: Callable[[float, int], HistoryBuffer]) -> None:
    kept = buffer(1e6, 50_000)
    for number in range(40):
        kept.put(second(number, HERE, HERE, 3000))
    with pytest.raises(OSError, match=r"the world takes 0\.1 MB, and the limit of the history is 0\.1"):
        kept.tape()
    assert kept.size_bytes == 0
    kept.put(second(41, None, None))


def test_a_message_without_a_packet_is_encoded(buffer: Callable[[float, int], HistoryBuffer]) -> None:
    kept = buffer(60.0, 1 << 20)
    kept.put(TimedTurn([(0, TurnRecord(0.0)), (0, Arrived(SetTime(77), 100)), (0, TickRecord(0.0))], {}))
    with Recording(kept.tape()) as recording:
        packets = [entry.record.packet for entry in recording.entries() if isinstance(entry.record, ReceivedRecord)]
    assert [CODEC.decode(packet) for packet in packets] == [SetTime(77)]


records = st.one_of(
    st.just(ReceivedRecord(b"\x22a")),
    st.just(OmittedRecord(3)),
    st.just(TickRecord(0.0)),
    st.just(TurnRecord(1.0)),
    st.integers(0, 5).map(lambda yaw: ViewRecord(LOOK, float(yaw), 0.0, 70.0)),
)


@given(st.lists(records, max_size=30), st.integers(0, 5), st.data())
def test_thinning_keeps_numbers_ticks_and_the_last_look(
    rows: list[ReceivedRecord | OmittedRecord | TickRecord | TurnRecord | ViewRecord], first: int, data: st.DataObject
) -> None:
    rows = [TurnRecord(0.0), *rows, TickRecord(0.0)]
    entries = [TimedRecord(at, record) for at, record in enumerate(rows)]
    traces = {number: data.draw(st.sampled_from([HERE, GONE])) for number in range(first, first + 40, 2)}
    left = list(thinned(entries, first, traces, HERE))
    assert sum(numbers_of(entry.record) for entry in left) == sum(map(numbers_of, rows))
    assert [e.record for e in left if isinstance(e.record, TickRecord | TurnRecord)] == [
        record for record in rows if isinstance(record, TickRecord | TurnRecord)
    ]
    assert looks(left) == looks(entries)
    number, numbered = first, []
    for entry in left:
        if isinstance(entry.record, ReceivedRecord):
            numbered.append(number)
        number += numbers_of(entry.record)
    number = first
    for record in rows:
        if isinstance(record, ReceivedRecord):
            assert (number in numbered) == (traces.get(number) is not GONE)
        number += numbers_of(record)


def looks(entries: list[TimedRecord]) -> list[ViewRecord | None]:
    """Where one looks at each tick."""
    last: ViewRecord | None = None
    seen = []
    for entry in entries:
        if isinstance(entry.record, ViewRecord):
            last = entry.record
        elif isinstance(entry.record, TickRecord):
            seen.append(last)
    return seen


class Weight:
    """A checkpoint of so many bytes."""

    def __init__(self, size_bytes: int) -> None:
        self.size_bytes = size_bytes

    def pack(self) -> None:
        """Small already."""


def test_checkpoints_lie_the_closer_the_younger_they_are(buffer: Callable[[float, int], HistoryBuffer]) -> None:
    kept = buffer(1e6, 1 << 20)
    for number in range(1, 401):
        kept.put(msgspec.structs.replace(second(number, None, HERE), checkpoint=Weight(1 << 15)))
    _, starts = kept.tape_with_starts()
    ages_s = [400 - start.time_us // 1_000_000 for start in reversed(starts)]
    gaps_s = [after - before for before, after in pairwise(ages_s)]
    assert kept.checkpoint_bytes == len(starts) << 15 == kept.most_bytes // 2
    assert ages_s[:3] == [0, 1, 2]
    assert ages_s[-1] == 399
    assert all(gap <= max(2, age) for gap, age in zip(gaps_s, ages_s, strict=False)), gaps_s


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=20, unique=True).map(sorted))
def test_the_last_checkpoint_stays_while_there_are_others(times_us: list[int]) -> None:
    gone = least_missed(times_us)
    assert gone == 0 if len(times_us) < 3 else 0 < gone < len(times_us) - 1
