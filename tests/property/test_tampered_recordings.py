"""A recording that somebody tampered with plays as far as it makes sense, or is refused in one sentence.

Mutated recordings: Recordings that somebody tampered with: values changed between decoding and encoding, or bytes of
the file.

Rules:
1. What is changed follows from a random number generator alone, so a number says which recording it was.
2. Checksums are right again but where bytes of the file are changed: what stands behind them is what is tried.
3. ``play`` lives through one as a viewer does, to the end and back, and counts the turns of its own loop: time is not
   looked at.
"""

import math
import random
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.opening import open_connection, open_replay
from client.errors import UNREADABLE_FILE, ConnectError, UnreadableFile
from client.options import Options
from client.player import Eye, View
from client.recording.recorder import config_of
from client.recording.replay import Replay
from client.session.config import SessionConfig
from client.source import WorldFile
from net.palette import BlockState
from net.recording import records as kinds
from net.recording.file import Recording, RecordingWriter
from net.recording.header import Header
from net.recording.records import OmittedRecord, TickRecord, TimedRecord, TurnRecord, ViewRecord
from net.space import BlockPos
from render.cli import app
from render.cli.console import reported
from tests.support.session.virtual import VirtualSession

# ---------------------------------------------------------------- mutated recordings

NUMBERS: Final = (
    *(math.nan, math.inf, -math.inf, 0.0, -0.0, -1.0, 1e-300, 1e300, -1e300, 5e-324, 1e18, -1e18, 2.0**31, 2.0**63),
    *(1e-9, 0.5, 89.999, 180.0, 1e6, 30_000_000.0),
)
INTEGERS: Final = (0, -1, 1, 127, 128, 1024, 65_535, 1 << 20, (1 << 27) - 1, 1 << 30, (1 << 31) - 1, -(1 << 31))
JSON: Final = (*NUMBERS, *INTEGERS, 1 << 70, None, True, "", "NaN", [], {}, [1], {"radius": 3})
BLOCK_RECORDS: Final = 8
MOST_LOOPS: Final = 4
"""Turns of a viewer's loop for each record there is, there and back."""


def read(path: Path) -> tuple[Header, list[TimedRecord]]:
    """What a sound recording holds."""
    with Recording.open(path) as recording:
        return recording.header, list(recording.entries())


def write(header: Header, entries: Sequence[TimedRecord]) -> bytes:
    """It as a file, in blocks of a few records: what one that cannot be read costs."""
    writer = RecordingWriter(header)
    parts = [writer.front]
    for number, entry in enumerate(entries):
        writer.add(entry)
        if number % BLOCK_RECORDS == 0:
            parts.append(writer.flush())
    return b"".join([*parts, writer.flush()])


def mutated(seed: int, header: Header, entries: Sequence[TimedRecord]) -> bytes:
    """The recording of a number."""
    random_ = random.Random(seed)
    changed = list(entries)
    for _ in range(random_.choice((1, 1, 2, 5, 20))):
        kind = random_.choice((_value, _value, _value, _value, _order, _packet, _header, _time, _plan))
        header = kind(random_, header, changed)
    try:
        file = bytearray(write(header, changed))
    except (ValueError, TypeError, OverflowError, struct.error):  # a header too large, an integer no field holds
        file = bytearray(write(header, entries))
    if random_.random() < 0.2:
        _bytes(random_, file)
    return bytes(file)


def _bytes(random_: random.Random, file: bytearray) -> None:
    for _ in range(random_.choice((1, 3, 30))):
        at = random_.randrange(len(file))
        match random_.randrange(4):
            case 0:
                file[at] ^= 1 << random_.randrange(8)
            case 1:
                file[at] = random_.randrange(256)
            case 2:
                del file[at : at + random_.choice((1, 8, 500))]
            case _:
                file[at:at] = file[at : at + random_.choice((1, 8, 500))]
        if not file:
            return


def _value(random_: random.Random, header: Header, entries: list[TimedRecord]) -> Header:
    """A number of one record; rare kinds are as likely as usual ones, and come where there are none."""
    by_kind: dict[type, list[int]] = {}
    for at, entry in enumerate(entries):
        by_kind.setdefault(type(entry.record), []).append(at)
    made = random_.choice(MADE)(random_)
    if random_.random() < 0.5 or type(made) not in by_kind:
        at = random_.randrange(len(entries))
        entries.insert(at, TimedRecord(entries[at].time_us, made))
        return header
    at = random_.choice(by_kind[type(made)])
    entries[at] = replace(entries[at], record=_one_field(random_, entries[at].record, made))
    return header


def _one_field(random_: random.Random, record: Any, made: Any) -> Any:
    """The record with one field of another of its kind."""
    named = list(record.__struct_fields__)
    if not named:
        return record
    name = random_.choice(named)
    return replace(record, **{name: getattr(made, name)})


def _number(random_: random.Random) -> float:
    return random_.choice(NUMBERS)


def _some(random_: random.Random) -> float:
    """A number a session may have, mostly."""
    return random_.uniform(-100.0, 200.0) if random_.random() < 0.6 else _number(random_)


def _eye(random_: random.Random) -> tuple[float, float, float]:
    return _some(random_), _some(random_), _some(random_)


def _columns(random_: random.Random) -> tuple[int, int, int, int]:
    if random_.random() < 0.5:
        x, z = random_.randrange(-9, 9), random_.randrange(-9, 9)
        return x, z, x + random_.choice((0, 3, 70, 250)), z + random_.choice((0, 3, 70, 250))
    low_x, low_z, high_x, high_z = (random_.choice(INTEGERS) for _ in range(4))
    return low_x, low_z, high_x, high_z


def _name(random_: random.Random) -> str:
    return random_.choice(("player", "box", "", "x" * 3000, "look-out 1", str(random_.randrange(200))))


MADE: Final[tuple[Callable[[random.Random], kinds.Record], ...]] = (
    lambda r: kinds.TurnRecord(_some(r)),
    lambda r: kinds.TickRecord(_some(r)),
    lambda r: kinds.FinishedRecord(_some(r)),
    lambda r: kinds.ViewRecord(_eye(r), _some(r), _some(r), _some(r), None),
    lambda r: kinds.ViewRecord(_eye(r), 0.0, 0.0, 70.0, r.choice((1.0, 1e-9, 1e300, 4096.0))),
    lambda r: kinds.AnchorRecord(_name(r), _columns(r)),
    lambda r: kinds.PinnedAnchorRecord(_name(r), _columns(r), _eye(r)),
    lambda r: kinds.ReleasedRecord(_name(r)),
    lambda r: kinds.OmittedRecord(r.choice((0, 1, 1000, (1 << 32) - 1))),
    lambda r: kinds.JoinedRecord(),
    lambda r: kinds.EndedRecord(_name(r)),
    lambda r: kinds.FaultRecord("SubChunk", "x", r.choice((0, 1 << 63)), "y"),
)


def _plan(random_: random.Random, header: Header, entries: list[TimedRecord]) -> Header:
    """A plan that no state agrees with."""

    def positions() -> Any:
        many = random_.choice((0, 1, 30, 5000))
        if random_.random() < 0.5:
            rows = [
                [random_.randrange(-9, 9), random_.randrange(-8, 24), random_.randrange(-9, 9)] for _ in range(many)
            ]
        else:
            rows = [[random_.choice(INTEGERS) for _ in range(3)] for _ in range(many)]
        return np.array(rows, np.int32).reshape(-1, 3)

    at = random_.randrange(len(entries))
    entries.insert(at, TimedRecord(entries[at].time_us, kinds.PlanRecord(positions(), positions())))
    return header


def _order(random_: random.Random, header: Header, entries: list[TimedRecord]) -> Header:
    """Records are lost, told twice or elsewhere."""
    at, to = random_.randrange(len(entries)), random_.randrange(len(entries))
    many = random_.choice((1, 1, 5, 50))
    match random_.randrange(3):
        case 0:
            del entries[at : at + min(many, len(entries) - 1)]
        case 1:
            entries[to:to] = entries[at : at + many]
        case _:
            entries[at], entries[to] = entries[to], entries[at]
    return header


def _packet(random_: random.Random, header: Header, entries: list[TimedRecord]) -> Header:
    """Bytes of a packet."""
    found = [
        at for at, entry in enumerate(entries) if isinstance(entry.record, kinds.ReceivedRecord | kinds.SentRecord)
    ]
    if not found:
        return header
    at = random_.choice(found)
    record: Any = entries[at].record
    packet = bytearray(record.packet)
    if packet:
        _bytes(random_, packet)
    entries[at] = replace(entries[at], record=type(record)(bytes(packet)))
    return header


def _time(random_: random.Random, header: Header, entries: list[TimedRecord]) -> Header:
    at = random_.randrange(len(entries))
    entries[at] = replace(entries[at], time_us=random_.choice((0, 1, 1 << 40, (1 << 63) - 1, (1 << 64) - 1)))
    return header


def _header(random_: random.Random, header: Header, entries: list[TimedRecord]) -> Header:
    value = random_.choice(JSON)
    if random_.random() < 0.2:
        name = random_.choice(list(header.__struct_fields__))
        return replace(header, **{name: value})
    session = dict(header.session) if isinstance(header.session, dict) else {}
    name = random_.choice([*session, "radius", "started_at"])
    part = session.get(name)
    if isinstance(part, dict) and part and random_.random() < 0.9:
        session[name] = {**part, random_.choice(list(part)): value}
    else:
        session[name] = value
    return replace(header, session=session)


def play(path: Path) -> int:
    """Lives through a recording; turns of the loop that it took.

    Raises:
        ConnectError: it cannot be played, in one sentence.
    """
    with open_connection(WorldFile(path), Options(light=False, speed=None)) as connection:
        return _to_the_end_and_back(connection)


def _to_the_end_and_back(connection: Connection) -> int:
    replay = connection.replay
    assert isinstance(replay, Replay)
    records = sum(1 for _ in replay._recording.entries())
    most = MOST_LOOPS * records + 64
    loops = 0
    for go in (
        lambda: replay.seek(replay.duration_s),
        lambda: replay.seek(replay.duration_s / 2),
        lambda: replay.step(-3),
        lambda: replay.step_ticks(2),
        lambda: replay.play(None),
    ):
        go()
        while not replay.resting:
            loops += 1
            if loops > most:
                raise AssertionError(f"{loops} turns, and no end, at {replay.position}")
            connection.pump()
    return loops


def refusal(file: bytes, path: Path) -> str | None:
    """Why a recording of these bytes cannot be played, in a sentence; None where it can."""
    path.write_bytes(file)
    try:
        play(path)
    except ConnectError as error:
        return str(error)
    return None


# ---------------------------------------------------------------- tampered recordings

NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short session with a join, an edit, a look-out and a look elsewhere."""
    path = tmp_path_factory.mktemp("recording") / "a.cscope"
    virtual = VirtualSession("flat:1")
    with virtual.connection(Options(radius=1, light=False, record=path)) as live:
        live.wait_settled()
        virtual.host.set_block(BlockPos.containing(*virtual.world.spawn.feet), BlockState("minecraft:glowstone"))
        eye = live.session.movement.view.eye
        live.look(View(Eye(eye.x + 60.0, eye.y, eye.z), 90.0, 10.0))
        for _ in range(20):
            live.pump()
    return path


@given(seed=st.integers(0, (1 << 32) - 1))
@settings(deadline=None, max_examples=40)
def test_a_tampered_recording_plays_or_is_refused_in_one_sentence(sound: Path, seed: int) -> None:
    path, (header, entries) = sound, read(sound)
    said = refusal(mutated(seed, header, entries), path.with_name("b.cscope"))
    assert said is None or (said.endswith(".") and "\n" not in said)


COMMANDS: Final = (
    ("packets",),
    ("packets", "--json", "--bytes"),
    ("packets", "--waterfall"),
    ("find", "stone"),
    ("find", "*", "--entities"),
    ("why", "--at", "0,-60,0"),
    ("health",),
    ("join",),
)
"""What follows the file stands behind it."""
FINE, DIFFERENT, NOT_ALL_THERE = 0, 1, 4


@given(seed=st.integers(0, (1 << 32) - 1))
@settings(deadline=None, max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_each_command_answers_of_a_tampered_recording_or_refuses_it_in_one_sentence(
    sound: Path, capsys: pytest.CaptureFixture[str], seed: int
) -> None:
    path, (header, entries) = sound, read(sound)
    odd = path.with_name("g.cscope")
    odd.write_bytes(mutated(seed, header, entries))
    for name, *more in (*COMMANDS, ("diff", str(sound))):
        code = reported(app, [name, str(odd), *more])
        told = capsys.readouterr()
        assert code in {FINE, DIFFERENT, NOT_ALL_THERE, UNREADABLE_FILE}, (name, code, told.err)
        assert "Traceback" not in told.err + told.out
        if code == UNREADABLE_FILE:
            assert told.err.startswith("chunkscope: ")
            assert told.err.count("\n") == 1, "one sentence"


def test_a_sound_recording_plays_there_and_back(sound: Path) -> None:
    path, (header, entries) = sound, read(sound)
    assert refusal(write(header, entries), path.with_name("c.cscope")) is None


@pytest.mark.parametrize(
    "record",
    [
        TurnRecord(NAN),
        TurnRecord(INF),
        TickRecord(-INF),
        ViewRecord((NAN, 0.0, 0.0), 0.0, 0.0, 70.0),
        ViewRecord((0.0, 1e18, 0.0), 0.0, 0.0, 70.0),
        ViewRecord((0.0, 0.0, 0.0), INF, 0.0, 70.0),
        ViewRecord((0.0, 0.0, 0.0), 0.0, 0.0, 0.0),
        ViewRecord((0.0, 0.0, 0.0), 0.0, 0.0, 180.0),
        ViewRecord((0.0, 0.0, 0.0), 0.0, 0.0, 70.0, 1e300),
    ],
    ids=str,
)
def test_a_number_that_no_session_has_is_damage_and_the_rest_is_played(sound: Path, record: Any) -> None:
    path, (header, entries) = sound, read(sound)
    file = write(header, entries)
    block = write(header, [TimedRecord(entries[-1].time_us, record)])
    front = len(write(header, []))
    odd = path.with_name("d.cscope")
    odd.write_bytes(file + block[front:])
    replay = open_replay(odd)
    replay.play(None)
    while not replay.resting:
        replay.run()
    assert replay.position.packets == len(
        [e for e in entries if isinstance(e.record, kinds.ReceivedRecord | kinds.FaultRecord)]
    )
    assert len(replay.damages) == 1
    replay.close("")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("radius", 1024),
        ("radius", 0),
        ("tick_s", 0),
        ("tick_s", NAN),
        ("quiet_s", -1.0),
        ("started_at", INF),
        ("player", {"level_speed_blocks_s": 0.0}),
        ("player", {"climb_speed_blocks_s": -1.0}),
        ("player", {"longest_step_s": 1e300}),
        ("limits", {"packet_interval_s": 0.0}),
        ("limits", {"entries_per_packet": 0.5}),
        ("limits", {"outstanding": 1 << 40}),
    ],
)
def test_a_header_that_no_session_has_is_refused_with_the_file_and_the_value(
    sound: Path, name: str, value: Any
) -> None:
    path, (header, entries) = sound, read(sound)
    odd = path.with_name("e.cscope")
    said = Header(**{**{n: getattr(header, n) for n in header.__slots__}, "session": {**header.session, name: value}})
    odd.write_bytes(write(said, entries))
    with pytest.raises(UnreadableFile, match=r"e\.cscope: its header does not describe a session") as refused:
        open_replay(odd)
    assert refused.value.exit_code == UNREADABLE_FILE
    assert np.isfinite(config_of(header)[1])


@pytest.mark.parametrize("session", [{"radius": 8.0}, {"limits": {"tries": 6.0}}, {"limits": None, "player": None}])
def test_headers_of_other_writers_may_say_whole_numbers_as_fractions_and_defaults_as_null(session: Any) -> None:
    header = Header(486, "bedrock", "a server", "another program", 0.0, session)
    config, started_at = config_of(header)
    assert (config, started_at) == (SessionConfig(), 0.0)
    assert (type(config.radius), type(config.limits.tries)) == (int, int)


def test_packets_that_were_left_out_without_end_are_counted_to_an_end(sound: Path) -> None:
    path, (header, entries) = sound, read(sound)
    many = [TimedRecord(0, OmittedRecord((1 << 32) - 1)) for _ in range(3)]
    assert refusal(write(header, [*many, *entries]), path.with_name("f.cscope")) is None
