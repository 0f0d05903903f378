"""A recording that somebody tampered with plays as far as it makes sense, or is refused in one sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client.connection.opening import open_replay
from client.errors import UNREADABLE_FILE, UnreadableFile
from client.options import Options
from client.player import Eye, View
from client.recording.config import config_of
from net.palette import BlockState
from net.recording import Header, OmittedRecord, TickRecord, TimedRecord, TurnRecord, ViewRecord
from net.space.positions import BlockPos
from tests.support import mutated_recordings
from tests.support.virtual_session import VirtualSession

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
    path, (header, entries) = sound, mutated_recordings.read(sound)
    said = mutated_recordings.refusal(mutated_recordings.mutated(seed, header, entries), path.with_name("b.cscope"))
    assert said is None or (said.endswith(".") and "\n" not in said)


def test_a_sound_recording_plays_there_and_back(sound: Path) -> None:
    path, (header, entries) = sound, mutated_recordings.read(sound)
    assert mutated_recordings.refusal(mutated_recordings.write(header, entries), path.with_name("c.cscope")) is None


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
    path, (header, entries) = sound, mutated_recordings.read(sound)
    file = mutated_recordings.write(header, entries)
    block = mutated_recordings.write(header, [TimedRecord(entries[-1].time_us, record)])
    front = len(mutated_recordings.write(header, []))
    odd = path.with_name("d.cscope")
    odd.write_bytes(file + block[front:])
    replay = open_replay(odd)
    replay.play(None)
    while not replay.resting:
        replay.run()
    assert replay.position.packets == len([e for e in entries if type(e.record).__name__ in ("Heard", "Fault")])
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
    path, (header, entries) = sound, mutated_recordings.read(sound)
    odd = path.with_name("e.cscope")
    said = Header(**{**{n: getattr(header, n) for n in header.__slots__}, "session": {**header.session, name: value}})
    odd.write_bytes(mutated_recordings.write(said, entries))
    with pytest.raises(UnreadableFile, match=r"e\.cscope: its header says no session") as refused:
        open_replay(odd)
    assert refused.value.exit_code == UNREADABLE_FILE
    assert np.isfinite(config_of(header)[1])


def test_packets_that_were_left_out_without_end_are_counted_to_an_end(sound: Path) -> None:
    path, (header, entries) = sound, mutated_recordings.read(sound)
    many = [TimedRecord(0, OmittedRecord((1 << 32) - 1)) for _ in range(3)]
    assert (
        mutated_recordings.refusal(mutated_recordings.write(header, [*many, *entries]), path.with_name("f.cscope"))
        is None
    )
