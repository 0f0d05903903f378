"""A recording is the session again: same store, ledger, states and light, at any place, forward and back.

Cracks in recordings: A recording's blocks crack on between its packets: what is broken of them follows from its time.
"""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from client.connection import connect
from client.connection.connection import Connection
from client.connection.live import COLUMNS_A_LIGHT_STEP
from client.connection.opening import open_connection, open_replay
from client.errors import SourceError, UnreadableFile, UsageError
from client.options import Box, Moment, Options
from client.player import Eye, View
from client.recording.replay import Replay
from client.report.dump import missing_places, read_box
from client.session.config import SessionConfig
from client.session.session import Session
from client.session.stats import states_of
from client.source import Embedded, WorldFile, parse_source
from client.streaming.anchors import Anchor
from client.streaming.limits import RequestLimits
from client.world.lifecycle import StateEvent, SubChunkState
from net.palette import BlockState
from net.recording.file import Recording, RecordingWriter
from net.recording.records import AnchorRecord, PinnedAnchorRecord, ReceivedRecord, TickRecord, TimedRecord, TurnRecord
from net.server.faults import RefusalFault, ServerFaults
from net.server.host_options import ColumnMode, HostOptions
from net.space import BlockPos, ColumnPos
from net.transport import faulty
from net.wire.fields import Profile
from tests.support.session.driven import shown
from tests.support.session.virtual import VirtualSession

# ---------------------------------------------------------------- replay

BOX = Box(BlockPos(-5, -64, -3), BlockPos(18, 320, 17))
PLACE_ARRAYS = ("state", "refusal", "limit", "revision")


def facts(session: Session) -> dict[str, Any]:
    """Everything of a session that must repeat, but for counts of the planner's own work."""
    store, stats = session.dimension.store, msgspec.to_builtins(session.stats(0.0))
    stats["requests"] = {name: stats["requests"][name] for name in ("wanted", "packets", "entries")}
    sections = store.dimension.sections
    announced = [row * sections + section for _, row in sorted(store.row_of.items()) for section in range(sections)]
    positions = [
        store.positions_of(np.array([place], np.int32)) for place in np.sort(session.dimension.requests.asking.wanted)
    ]
    return {
        **stats,
        "rows": dict(store.row_of),
        "places": {name: getattr(store, name).tolist() for name in PLACE_ARRAYS},
        "lives": [store.history.of(place) for place in range(len(store.state)) if store.history.noted[place]],
        "history": [store.history.of(place) for place in announced],
        "wanted": [tuple(at[0].tolist()) for at in positions],
        "anchors": dict(session.anchors.items()),
        "view": session.movement.view,
        "phase": session.spawn.phase,
    }


def recorded(path: Path, virtual: VirtualSession, options: Options | None = None) -> Connection:
    return virtual.connection(msgspec.structs.replace(options or Options(radius=2), record=path))


def replayed(path: Path, **options: Any) -> Connection:
    return open_connection(WorldFile(path), Options(radius=2, **options))


def assert_same(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        assert value == theirs[name], name


def assert_same_arrays(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        assert array.dtype == theirs[name].dtype, name
        assert array.tobytes() == theirs[name].tobytes(), name


def busy_session(virtual: VirtualSession, connection: Connection) -> None:
    """Settles, edits, looks elsewhere, pins, and stops in the middle of what that asked for."""
    assert connection.wait_settled()
    spot = BlockPos.containing(*virtual.world.spawn.feet)
    virtual.host.set_block(spot, BlockState("minecraft:glowstone"))
    for _ in range(20):
        connection.pump()
    eye = connection.session.movement.view.eye
    connection.look(View(Eye(eye.x + 80.0, eye.y, eye.z - 40.0), 90.0, 10.0))
    for _ in range(12):
        connection.pump()


@pytest.mark.parametrize(
    ("world", "options", "profile"),
    [
        ("flat:1", HostOptions(), Profile.BEDROCK),
        ("hills:1", HostOptions(), Profile.BEDROCK),
        ("hills:1", HostOptions(mode=ColumnMode.LIMITLESS), Profile.DOCUMENTED),
        ("hills:1", HostOptions(mode=ColumnMode.FULL), Profile.BEDROCK),
        (
            "hills:1",
            HostOptions(
                faults=ServerFaults(refusals=(RefusalFault(2, 0.3, 3),), delay_s=0.1, reverse=True), entries_a_packet=7
            ),
            Profile.BEDROCK,
        ),
    ],
    ids=["flat", "hills", "documented", "full", "spoilt"],
)
def test_a_replay_repeats_store_ledger_and_states(
    tmp_path: Path, world: str, options: HostOptions, profile: Profile
) -> None:
    virtual = VirtualSession(world, options, SessionConfig(radius=2), profile)
    with recorded(tmp_path / "a.cscope", virtual, Options(radius=2, profile=profile.value)) as live:
        busy_session(virtual, live)
        expected = facts(live.session)
    with replayed(tmp_path / "a.cscope") as again:
        again.wait_settled()
        assert_same(facts(again.session), expected)
        assert again.replay is not None
        assert again.replay.damages == ()
        assert again.replay.position.at_end


def test_a_replay_repeats_silences_and_a_lossy_wire(tmp_path: Path) -> None:
    faults = faulty.WireFaults(loss=0.1, repetition=0.05, delay_s=0.05, jitter_s=0.1)
    virtual = VirtualSession(
        "hills:1", HostOptions(faults=ServerFaults(delay_s=1.4)), up=faulty.Wire(faults, 5), down=faulty.Wire(faults, 6)
    )
    with recorded(tmp_path / "a.cscope", virtual) as live:
        live.wait_settled(20.0)
        expected = facts(live.session)
    assert expected["ledger"]["timed_out"] > 0
    with replayed(tmp_path / "a.cscope") as again:
        again.wait_settled()
        assert_same(facts(again.session), expected)


@pytest.mark.parametrize("world", ["flat:1", "hills:1"])
def test_a_dump_of_a_recording_is_the_live_dump(tmp_path: Path, world: str) -> None:
    with recorded(tmp_path / "a.cscope", VirtualSession(world)) as live:
        assert live.request(BOX, 60.0)
        expected = read_box(live, BOX)
    with replayed(tmp_path / "a.cscope") as again:
        assert again.request(BOX, 60.0)
        assert missing_places(again, BOX) == ()
        assert_same_arrays(read_box(again, BOX), expected)


def test_any_place_is_reached_from_any_other(tmp_path: Path) -> None:
    virtual = VirtualSession("hills:1")
    with recorded(tmp_path / "a.cscope", virtual) as live:
        busy_session(virtual, live)
    with replayed(tmp_path / "a.cscope", light=False) as once:
        assert once.replay is not None
        once.replay.pause()
        duration_s = once.replay.duration_s
        times = [duration_s * share for share in (0.1, 0.35, 0.6, 0.9)]
        straight = []
        for time_s in times:
            once.replay.seek(time_s)
            once.pump()
            straight.append((once.replay.position, facts(once.session)))
        assert [position.time_s <= time_s for (position, _), time_s in zip(straight, times, strict=True)] == [True] * 4
        for index in (2, 0, 3, 1, 1, 2):
            once.replay.seek(times[index])
            once.pump()
            position, expected = straight[index]
            assert once.replay.position == position
            assert_same(facts(once.session), expected)
        once.replay.play(None)
        once.wait_settled()
        assert once.replay.position.at_end


def test_packets_are_stepped_on_and_back(tmp_path: Path) -> None:
    with recorded(tmp_path / "a.cscope", VirtualSession("hills:1")) as live:
        live.wait_settled()
        total = live.statistics().peer.packets_in
    with replayed(tmp_path / "a.cscope") as again:
        replay = again.replay
        assert replay is not None
        replay.seek_packet(total)
        again.pump()
        assert replay.position.packets == total
        known = [again.states()]
        for _ in range(3):
            replay.step(-1)
            again.pump()
            known.append(again.states())
        assert replay.position.packets == total - 3
        for expected in reversed(known[:-1]):
            replay.step()
            again.pump()
            assert again.states() == expected
        replay.step(-10 * total)
        again.pump()
        assert (replay.position.packets, again.states()) == (0, {})
        again.close()


def test_one_goes_back_within_the_first_turn(tmp_path: Path) -> None:
    """It begins at 0 microseconds, as what is whole does where nothing was left out."""
    with recorded(tmp_path / "a.cscope", VirtualSession("flat:1")) as live:
        live.wait_settled()
    with replayed(tmp_path / "a.cscope", light=False) as again:
        replay = again.replay
        assert replay is not None
        for packets in (1, 0):
            replay.seek_packet(packets)
            again.pump()
            assert (replay.position.packets, replay.position.time_s) == (packets, 0.0)


def test_a_place_is_one_state_whichever_way_led_there(tmp_path: Path) -> None:
    virtual = VirtualSession("hills:1")
    with recorded(tmp_path / "a.cscope", virtual) as live:
        busy_session(virtual, live)
    with replayed(tmp_path / "a.cscope", light=False) as again:
        replay = again.replay
        assert replay is not None
        again.wait_settled()
        end = replay.position
        middle = end.packets * 2 // 3
        replay.seek_packet(0)
        again.pump()
        replay.seek_packet(middle)
        again.pump()
        there, expected = replay.position, shown(again.session)
        assert there.packets == middle

        replay.play(None)
        again.wait_settled()
        replay.seek_packet(middle)
        again.pump()
        assert (replay.position, shown(again.session)) == (there, expected), "back from the end"

        replay.seek_packet(middle - 7)
        again.pump()
        for _ in range(7):
            replay.step()
            again.pump()
        assert (replay.position, shown(again.session)) == (there, expected), "packet by packet"

        replay.step_ticks(3)
        again.pump()
        replay.seek_packet(middle)
        again.pump()
        assert (replay.position, shown(again.session)) == (there, expected), "back from later in the same packet's time"

        replay.play(None)
        again.wait_settled()
        assert replay.position == end
        assert again.states() == live.states()


def test_ticks_are_stepped_on_and_back(tmp_path: Path) -> None:
    virtual = VirtualSession("hills:1")
    with recorded(tmp_path / "a.cscope", virtual) as live:
        busy_session(virtual, live)
    with replayed(tmp_path / "a.cscope", light=False) as again:
        replay = again.replay
        assert replay is not None
        replay.seek(replay.duration_s / 2)
        again.pump()
        start = replay.position
        seen = [facts(again.session)]
        for number in range(1, 4):
            replay.step_ticks()
            again.pump()
            assert replay.position.ticks == start.ticks + number
            seen.append(facts(again.session))
        for expected in reversed(seen[:-1]):
            replay.step_ticks(-1)
            again.pump()
            assert_same(facts(again.session), expected)
        replay.step()
        again.pump()
        within = replay.position
        replay.step_ticks(-1)
        again.pump()
        assert replay.position.ticks == within.ticks, "back to the beginning of the turn, not of the one before"
        replay.step_ticks(-(10**6))
        again.pump()
        assert (replay.position.ticks, again.states()) == (0, {})


def test_steps_that_are_faster_than_their_way_add_up(tmp_path: Path) -> None:
    with recorded(tmp_path / "a.cscope", VirtualSession("flat:1")) as live:
        live.wait_settled()
        for _ in range(100):
            live.pump()
    with replayed(tmp_path / "a.cscope", light=False) as again:
        replay = again.replay
        assert replay is not None
        again.wait_settled()
        packets = replay.position.packets
        for _ in range(5):
            replay.step(-1)
            again.pump(budget_s=0.0)
        while replay.on_the_way is not None:
            again.pump()
        assert replay.position.packets == packets - 5
        replay.seek(replay.duration_s)
        again.pump()
        ticks = replay.position.ticks
        for _ in range(4):
            replay.step_ticks(-2)
        replay.step_ticks(1)
        again.pump()
        assert replay.position.ticks == ticks - 7


def test_a_skip_goes_on_as_it_did(tmp_path: Path) -> None:
    with recorded(tmp_path / "a.cscope", VirtualSession("flat:1")) as live:
        live.wait_settled()
        for _ in range(300):
            live.pump()
    now = [100.0]
    with Recording.open(tmp_path / "a.cscope") as recording:
        replay = Replay(recording, tmp_path / "a.cscope", lambda: now[0])
        replay.play(1.0)
        now[0] += 2.0
        replay.run()
        replay.skip(-1.5)
        replay.run()
        assert replay.position.time_s == pytest.approx(0.5, abs=0.06)
        going_on = not replay.paused
        assert going_on
        now[0] += 0.25
        replay.run()
        assert replay.position.time_s == pytest.approx(0.75, abs=0.06), "time that a way took is not due afterwards"
        replay.pause()
        replay.skip(1.0)
        begun = replay.on_the_way
        replay.run()
        assert (begun is None, replay.on_the_way) == (False, None)
        assert replay.position.time_s == pytest.approx(1.75, abs=0.06)
        assert replay.paused
        replay.skip(1e6)
        replay.run()
        assert replay.position.time_s == pytest.approx(replay.duration_s, abs=0.06)
        replay.skip(-1e6)
        replay.run()
        assert replay.position.time_s == 0.0


def test_a_pause_shows_what_has_come(tmp_path: Path) -> None:
    with recorded(tmp_path / "a.cscope", VirtualSession("flat:1")) as live:
        live.wait_settled()
    with replayed(tmp_path / "a.cscope", light=False) as again:
        replay = again.replay
        assert replay is not None
        replay.seek(0.0)
        again.pump()
        replay.play(None)
        before = after = replay.position
        while before.ticks != after.ticks or before.packets == after.packets or not again.states():
            before = after
            again.pump(budget_s=0.0)  # a record at a time, so that it stops within a turn
            after = replay.position
        replay.pause()
        stopped = replay.position, shown(again.session)
        replay.seek_packet(0)
        again.pump()
        replay.seek_packet(stopped[0].packets)
        again.pump()
        assert (replay.position, shown(again.session)) == stopped


def test_a_recording_starts_where_it_is_told_to(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    with recorded(path, VirtualSession("flat:1")) as live:
        live.wait_settled()
        for _ in range(100):
            live.pump()
    with replayed(path, start=Moment(packet=12), speed=1.0, light=False) as again:
        assert again.replay is not None
        assert again.replay.position.packets == 12
        assert not again.replay.paused
    with replayed(path, start=Moment(0.4), light=False) as again:
        assert again.replay is not None
        assert again.replay.position.time_s == pytest.approx(0.4, abs=0.06)
    with pytest.raises(UsageError, match=r"lasts \d+\.\d\d s, so 999 s lies outside it\.$"):
        replayed(path, start=Moment(999.0))
    with pytest.raises(UsageError, match=r"has \d+ packets, so packet 100000 lies outside it\.$"):
        replayed(path, start=Moment(packet=100_000))
    for option in ({"speed": 2.0}, {"start": Moment(1.0)}):
        with pytest.raises(UsageError, match="embedded:flat:1 is not a recording"):
            open_connection(Embedded("flat", 1), Options(**option))


def test_a_chosen_view_is_there_before_the_first_step(tmp_path: Path) -> None:
    """A window takes its camera from a connection that it has not pumped yet."""
    path = tmp_path / "a.cscope"
    with recorded(path, VirtualSession("flat:1")) as live:
        live.wait_settled()
    for start in (None, Moment(packet=1), Moment(packet=12)):
        with replayed(path, at=Eye(8.0, 96.0, -24.0), look_deg=(0.0, 45.0), start=start, light=False) as again:
            view = again.session.movement.view
            assert (view.eye, view.yaw_deg, view.pitch_deg) == (Eye(8.0, 96.0, -24.0), 0.0, 45.0)
            assert again.session.movement.player.position != view.eye  # the recorded player stays where it was
            for _ in range(20):
                again.pump()
            assert again.session.movement.view == view


def test_a_recording_stands_still_at_one_moment(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    with recorded(path, VirtualSession("flat:1", HostOptions(faults=ServerFaults(delay_s=0.6)))) as live:
        live.wait_settled()
    seen = []
    for moment in (Moment(packet=30), Moment(0.3), Moment(packet=0)):
        with replayed(path, still=moment, light=False) as again:
            assert again.replay is not None
            assert again.replay.resting
            before = shown(again.session)
            assert not again.wait_settled(), "it is in the middle of loading"
            assert not again.pump(), "nothing of it plays"
            assert shown(again.session) == before
            seen.append(again.replay.position)
    assert seen[0].packets == 30
    assert seen[1].time_s == pytest.approx(0.3, abs=0.06)
    assert (seen[2].packets, seen[2].ticks) == (0, 0)
    with replayed(path, still=Moment(packet=0), at=Eye(1.0, 70.0, 2.0), look_deg=(30.0, 40.0)) as again:
        again.wait_settled()
        assert again.session.movement.view == View(Eye(1.0, 70.0, 2.0), 30.0, 40.0), (
            "though no server has placed the player"
        )


def test_a_missing_step_of_a_join_is_a_problem_once_the_recorded_join_has_stalled(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    with recorded(path, VirtualSession("flat:1", HostOptions(faults=ServerFaults(unpublished=True)))) as live:
        live.wait_for(lambda now: None if now > 6.0 else "six seconds", 60.0)
    faults = []
    for moment in (Moment(0.5), Moment(6.0)):
        with replayed(path, still=moment, light=False) as again:
            assert again.session.dimension.store.row_of, "columns have come"
            faults.append(again.statistics().session.join_fault)
    assert faults[0] == "", "its join was still under way then"
    assert faults[1].startswith("never published: ")


def test_moments_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    with recorded(path, VirtualSession("flat:1")) as live:
        live.wait_settled()
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(UsageError, match=r"has \d+ packets, so packet 100000 lies outside it; \d+ bytes at byte"):
        replayed(path, still=Moment(packet=100_000))
    with pytest.raises(UsageError, match=r"lasts \d+\.\d\d s, so 999 s lies outside it; .* ends inside a block"):
        replayed(path, still=Moment(999.0))
    with pytest.raises(UsageError, match=r"embedded:flat:1 is not a recording: it cannot be shown at packet 3\."):
        open_connection(Embedded("flat", 1), Options(still=Moment(packet=3)))
    with pytest.raises(UsageError, match="-1 is not a packet number"):
        Moment(packet=-1)
    for wrong in (-0.5, float("nan")):
        with pytest.raises(UsageError, match="is not a time of a recording"):
            Moment(wrong)
    for also in ({"start": Moment(1.0)}, {"speed": 1.0}):
        with pytest.raises(UsageError, match="shown at packet 3 cannot also start elsewhere or be played"):
            Options(still=Moment(packet=3), **also)


def test_what_is_lost_counts_from_where_it_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    with recorded(path, VirtualSession("flat:1")) as live:
        live.wait_settled()
    with Recording.open(path) as recording:
        everything, header = list(recording.entries()), recording.header
    writer, offsets = RecordingWriter(header), []
    raw = bytearray(writer.front)
    for start in range(0, len(everything), len(everything) // 4 + 1):
        for entry in everything[start : start + len(everything) // 4 + 1]:
            writer.add(entry)
        offsets.append(len(raw))
        raw += writer.flush()
    raw[offsets[2] + 100] ^= 0x40
    path.write_bytes(raw)
    with replayed(path, still=Moment(packet=3), light=False) as early, replayed(path, light=False) as late:
        late.wait_settled()
        assert early.replay is not None
        assert late.replay is not None
        assert early.replay.lost == ()
        assert [damage.offset for damage in late.replay.lost] == [offsets[2]]


def test_a_way_back_keeps_the_old_world_until_the_new_one_is_there(tmp_path: Path) -> None:
    with recorded(tmp_path / "a.cscope", VirtualSession("flat:1")) as live:
        live.wait_settled()
    with replayed(tmp_path / "a.cscope") as again:
        replay = again.replay
        assert replay is not None
        again.wait_settled()
        shown = again.session
        replay.seek(replay.duration_s / 2)
        pumps = 0
        while not replay.resting:
            again.pump(budget_s=0.0)
            pumps += 1
            assert (again.session is shown) == (not replay.resting)
            assert pumps < 100_000
        assert again.session is not shown


def test_speed_is_seconds_a_second(tmp_path: Path) -> None:
    with recorded(tmp_path / "a.cscope", VirtualSession("flat:1")) as live:
        live.wait_settled()
        for _ in range(300):
            live.pump()
    now = [100.0]
    with Recording.open(tmp_path / "a.cscope") as recording:
        replay = Replay(recording, tmp_path / "a.cscope", lambda: now[0])
        assert not replay.run(), "it begins paused"
        replay.play(2.0)
        now[0] += 0.5
        replay.run()
        assert replay.position.time_s == pytest.approx(1.0, abs=0.06)
        replay.pause()
        now[0] += 10.0
        assert not replay.run()
        replay.play(0.5)
        now[0] += 1.0
        replay.run()
        assert replay.position.time_s == pytest.approx(1.5, abs=0.06)
        now[0] += 1000.0
        replay.run(5.0)
        assert replay.position.at_end
        assert replay.resting


def test_the_camera_is_the_watchers(tmp_path: Path) -> None:
    with recorded(tmp_path / "a.cscope", VirtualSession("flat:1"), Options(radius=2, at=Eye(3.5, 10.0, 4.5))) as live:
        live.wait_settled()
        there = live.session.movement.view
        player = live.session.movement.eye
    with replayed(tmp_path / "a.cscope") as again:
        again.wait_settled()
        assert again.session.movement.view == there
    with replayed(tmp_path / "a.cscope", at=Eye(90.0, 80.0, 70.0), look_deg=(10.0, 20.0)) as again:
        again.wait_settled()
        assert again.session.movement.view == View(Eye(90.0, 80.0, 70.0), 10.0, 20.0)
        assert again.session.movement.eye == player
        assert again.replay is not None
        again.replay.seek(0.5)
        again.pump()
        assert again.session.movement.view.eye == Eye(90.0, 80.0, 70.0)


def test_a_killed_process_leaves_what_was_flushed(tmp_path: Path) -> None:
    with recorded(tmp_path / "whole.cscope", VirtualSession("hills:1")) as live:
        live.wait_settled()
    with Recording.open(tmp_path / "whole.cscope") as recording:
        everything = list(recording.entries())  # of several blocks where its thread was slow
        groups = [everything[start : start + 2] for start in range(0, len(everything), 2)]
        writer = RecordingWriter(recording.header)
    raw = bytearray(writer.front)
    for group in groups:
        for entry in group:
            writer.add(entry)
        raw += writer.flush()
    (tmp_path / "cut.cscope").write_bytes(raw[:-10])
    with replayed(tmp_path / "cut.cscope") as again:
        again.wait_settled()
        assert again.states() == live.states()
        assert again.replay is not None
        assert "ends inside a block" in str(again.replay.damages[0])


def test_what_the_last_turn_of_a_recording_cut_short_brought_is_shown(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.cscope", tmp_path / "cut.cscope"
    with recorded(whole, VirtualSession("flat:1")) as live:
        live.wait_settled()
    with replayed(whole, light=False, still=Moment(packet=0)) as way:
        assert way.replay is not None
        way.replay.until(lambda session: states_of(session.dimension.store).get("data", 0) > 20)
        packets = way.replay.position.packets  # at the end of the turn that brought them
    with Recording.open(whole) as recording:
        everything, writer = list(recording.entries()), RecordingWriter(recording.header)
    came = [index for index, entry in enumerate(everything) if isinstance(entry.record, ReceivedRecord)]
    for entry in everything[: came[packets - 1] + 1]:
        writer.add(entry)
    cut.write_bytes(writer.front + writer.flush())
    with replayed(whole, light=False, still=Moment(packet=packets)) as stopped, replayed(cut, light=False) as again:
        again.wait_settled()
        assert again.states()["data"] > 20
        assert shown(again.session) == shown(stopped.session)


def test_a_lost_block_costs_what_it_held(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "a.cscope"
    with recorded(path, VirtualSession("hills:1")) as live:
        live.wait_settled()
    with Recording.open(path) as recording:
        everything: list[TimedRecord] = list(recording.entries())
        header = recording.header
    for lost in range(2, 12):
        writer = RecordingWriter(header)
        raw, spans = bytearray(writer.front), []
        size = len(everything) // 12
        for start in range(0, len(everything), size):
            for entry in everything[start : start + size]:
                writer.add(entry)
            spans.append(len(raw))
            raw += writer.flush()
        raw[spans[lost] + 100] ^= 0x40
        path.write_bytes(raw)
        caplog.clear()
        with replayed(path) as again:
            again.wait_settled()
            assert again.replay is not None
            assert again.replay.position.at_end
            assert len(again.replay.damages) == 1
        assert f"{path}: " in caplog.text
        assert f"at byte {spans[lost]} are lost: block does not match its checksum" in caplog.text


def test_unreadable_files_are_one_sentence_with_file_and_offset(tmp_path: Path) -> None:
    path = tmp_path / "a.cscope"
    path.write_bytes(b"PK\x03\x04 something else")
    with pytest.raises(
        UnreadableFile, match=r"a\.cscope at byte 0: magic is 504b0304\w*, so the file is not a recording\.$"
    ):
        connect(str(path))
    with recorded(path, VirtualSession("flat:1")) as live:
        live.pump()
    raw = bytearray(path.read_bytes())
    path.write_bytes(raw[:20])
    with pytest.raises(UnreadableFile, match=r"a\.cscope at byte 20: header is cut short: the file ends inside it\.$"):
        connect(str(path))
    raw[8] = 9
    path.write_bytes(raw)
    with pytest.raises(UnreadableFile, match=r"a\.cscope at byte 8: format is 9; .* reads 1, 2, 3, 4 and 5\.$") as told:
        connect(str(path))
    assert told.value.exit_code == 6
    with pytest.raises(SourceError, match="does not exist"):
        connect(str(tmp_path / "nothing.cscope"))


def test_a_header_no_session_can_have_is_unreadable(tmp_path: Path) -> None:
    with recorded(tmp_path / "a.cscope", VirtualSession("flat:1")) as live:
        live.pump()
    with Recording.open(tmp_path / "a.cscope") as recording:
        header = recording.header
    for wrong, words in (
        ({"session": {"radius": 1e9}}, "radius"),
        ({"session": {"limits": {"outstanding": "many"}}}, "limits.outstanding"),
        ({"protocol": 31}, "protocol 31"),
        ({"profile": "nobody's"}, "nobody's"),
    ):
        (tmp_path / "b.cscope").write_bytes(RecordingWriter(msgspec.structs.replace(header, **wrong)).front)
        with pytest.raises(UnreadableFile, match=words):
            open_replay(tmp_path / "b.cscope")


def test_a_recording_begins_with_its_session_and_is_not_recorded_again(tmp_path: Path) -> None:
    with recorded(tmp_path / "a.cscope", VirtualSession("flat:1")) as live:
        with pytest.raises(UsageError, match="already being recorded"):
            live.record(tmp_path / "b.cscope")
        live.wait_settled()
    with VirtualSession("flat:1").connection() as begun, pytest.raises(UsageError, match="has already started"):
        begun.record(tmp_path / "b.cscope")
    with pytest.raises(UsageError, match="copy the file"):
        replayed(tmp_path / "a.cscope", record=tmp_path / "b.cscope")
    with replayed(tmp_path / "a.cscope") as again, pytest.raises(UsageError, match="is a recording"):
        again.record(tmp_path / "b.cscope")


def test_a_session_that_ended_says_why(tmp_path: Path) -> None:
    virtual = VirtualSession("flat:1")
    with recorded(tmp_path / "a.cscope", virtual) as live:
        live.wait_settled()
        virtual.host.close("enough\x1b[2J of\nyou", virtual.now)
        with pytest.raises(SourceError):
            live.wait_settled(5.0)
        expected = live.states()
    with replayed(tmp_path / "a.cscope") as again:
        ended = again.wait_settled()
        assert not ended
        assert ended.waiting_for == "in the recording the server ended the session: enough [2J of you"
        assert again.states() == expected


def test_a_replay_repeats_what_was_evicted_on_the_way(tmp_path: Path) -> None:
    virtual = VirtualSession("hills:1", down=faulty.Wire(faulty.WireFaults(delay_s=0.05, jitter_s=0.1), 6))
    with recorded(tmp_path / "a.cscope", virtual) as live:
        live.wait_settled()
        eye = live.session.movement.view.eye
        for number in [*range(12), *range(12, 0, -1)]:
            live.look(View(Eye(eye.x + 16.0 * number, eye.y, eye.z), 90.0 * number))
            for _ in range(12):
                live.pump()
        expected = facts(live.session)
        evicted = live.session.dimension.release.evicted
    assert evicted > 0
    with replayed(tmp_path / "a.cscope", light=False) as again:
        again.wait_settled()
        assert again.session.dimension.release.evicted == evicted
        assert_same(facts(again.session), expected)


def test_a_replay_looks_through_the_lens_of_then(tmp_path: Path) -> None:
    with recorded(tmp_path / "a.cscope", VirtualSession("flat:1")) as live:
        live.wait_settled()
        seen = View(live.session.movement.view.eye, 10.0, 90.0, 50.0, ortho_blocks=96.5)
        live.look(seen)
        live.wait_settled()
    with replayed(tmp_path / "a.cscope", light=False) as again:
        again.wait_settled()
        assert again.session.movement.view == seen


def test_the_turn_after_a_tick_moved_anchors_is_written_though_nothing_came(tmp_path: Path) -> None:
    """A tick looks at its beginning what anchors let go: in the turn after the one whose plan moved them."""
    virtual = VirtualSession("flat:1", down=faulty.Wire(faulty.WireFaults(delay_s=0.3), 6))
    looks = []
    with recorded(tmp_path / "a.cscope", virtual) as live:
        live.wait_settled()
        eye = live.session.movement.view.eye
        for number in range(1, 30):
            live.look(View(Eye(eye.x + 16.0 * number, eye.y, eye.z)))
            for _ in range(10):
                before = dict(live.session.anchors.items())
                live.pump()
                if dict(live.session.anchors.items()) != before:
                    looks.append(virtual.now)
    assert len(looks) > 20
    with Recording.open(tmp_path / "a.cscope") as recording:
        turns = {entry.record.now for entry in recording.entries() if isinstance(entry.record, TurnRecord)}
    assert set(looks) <= turns


def test_an_idle_session_writes_little(tmp_path: Path) -> None:
    with recorded(tmp_path / "a.cscope", VirtualSession("flat:1")) as live:
        live.wait_settled()
        before = live.session.movement.ticks
        for _ in range(1000):
            live.pump()
        ticks = live.session.movement.ticks - before
    with Recording.open(tmp_path / "a.cscope") as recording:
        entries = [entry.record for entry in recording.entries()]
    assert ticks >= 190
    last_packet = max(index for index, record in enumerate(entries) if isinstance(record, ReceivedRecord))
    assert sum(isinstance(record, TickRecord) for record in entries[last_packet:]) <= ticks + 20


def test_a_replay_repeats_look_outs_and_what_they_kept_and_asked(tmp_path: Path) -> None:
    """Pins of both kinds, moved and released on the way; what they keep outside the publisher's circle is stale."""
    virtual = VirtualSession("hills:1", down=faulty.Wire(faulty.WireFaults(delay_s=0.05), 6))
    with recorded(tmp_path / "a.cscope", virtual) as live:
        live.wait_settled()
        eye, home = live.session.movement.view.eye, live.session.movement.view.eye.column
        live.session.pin("seen", Anchor.square(home, 1), Eye(eye.x, 100.0, eye.z))
        live.session.pin("whole", Anchor.square(ColumnPos(home.x + 2, home.z), 1))
        live.session.pin("short", Anchor.square(home, 0))
        for number in range(1, 12):
            live.look(View(Eye(eye.x + 16.0 * number, eye.y, eye.z)))
            for _ in range(12):
                live.pump()
            if number == 4:
                live.session.pin("whole", Anchor.rectangle(ColumnPos(home.x + 3, home.z), 1, 0))
                live.session.unpin("short")
        expected, pins = facts(live.session), dict(live.session.anchors.pins)
        stale = live.session.dimension.terrain.staleness.rows[live.session.dimension.store.announced_rows].tolist()
    assert sum(stale) >= 9
    assert expected["terrain"]["stale_columns"] == sum(stale)
    with replayed(tmp_path / "a.cscope", light=False) as again:
        again.wait_settled()
        assert again.session.anchors.pins == pins
        assert (
            again.session.dimension.terrain.staleness.rows[again.session.dimension.store.announced_rows].tolist()
            == stale
        )
        assert_same(facts(again.session), expected)


def test_a_replay_repeats_what_was_asked_in_vain_and_left_the_plan(tmp_path: Path) -> None:
    """Nothing is answered: places lie beyond the radius after a step, their time runs out, the rest is asked again."""
    limits = RequestLimits(silence_least_s=2.0, silence_longest_s=4.0)
    config = SessionConfig(radius=2, limits=limits)
    virtual = VirtualSession("hills:1", HostOptions(faults=ServerFaults(delay_s=90.0)), config)
    with recorded(tmp_path / "a.cscope", virtual) as live:
        eye = live.session.movement.view.eye
        for turn in range(1200):
            live.pump()
            if turn == 150:
                live.look(View(Eye(eye.x - 16.0, eye.y, eye.z)))
        expected = facts(live.session)
    left = [life[-1] for life in expected["lives"] if len(life) and life[-1].cause is StateEvent.LEFT_PLAN]
    assert any(event.before is SubChunkState.REQUESTED for event in left)
    with replayed(tmp_path / "a.cscope", light=False) as again:
        again.wait_settled()
        assert_same(facts(again.session), expected)


def test_an_anchor_without_end_in_a_recording_is_left_out_with_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with recorded(tmp_path / "a.cscope", VirtualSession("flat:1")) as live:
        live.wait_settled()
        expected = facts(live.session)
    far = (1 << 31) - 1
    with Recording.open(tmp_path / "a.cscope") as recording:
        writer = RecordingWriter(recording.header)
        raw = bytearray(writer.front)
        for entry in recording.entries():
            writer.add(entry)
            if isinstance(entry.record, TurnRecord):
                writer.add(TimedRecord(entry.time_us, AnchorRecord("world", (-far, -far, far, far))))
                writer.add(TimedRecord(entry.time_us, PinnedAnchorRecord("eyes", (-far, 0, far, 0), (0.0, 70.0, 0.0))))
        raw += writer.flush()
    (tmp_path / "b.cscope").write_bytes(raw)
    with replayed(tmp_path / "b.cscope", light=False) as again:
        again.wait_settled()
        assert_same(facts(again.session), expected)
    assert "anchor 'world' has 4294967295 x 4294967295 columns" in caplog.text


def test_a_recording_of_more_columns_than_one_step_of_light_settles_at_once(tmp_path: Path) -> None:
    virtual = VirtualSession("flat:1", HostOptions(), SessionConfig(radius=6))
    with recorded(tmp_path / "a.cscope", virtual, Options(radius=6, light=False)) as live:
        assert live.wait_settled()
        assert len(live.session.dimension.store.row_of) > COLUMNS_A_LIGHT_STEP
    with replayed(tmp_path / "a.cscope") as again:
        assert again.wait_settled()


# ---------------------------------------------------------------- cracks in recordings

RECORDING = Path(__file__).parents[3] / "golden" / "scenes" / "broken_blocks.cscope"


def test_what_somebody_digs_at_is_broken_more_and_more_while_no_packet_comes() -> None:
    tenths, ages = [], []
    for moment_s in (1.5, 2.5, 3.9, 4.6):
        with open_connection(parse_source(str(RECORDING)), Options(light=False)) as connection:
            assert connection.replay is not None
            connection.replay.seek(moment_s)
            while connection.replay.on_the_way is not None:
                connection.pump()
            session = connection.session
            tenths.append(sorted(set(session.dimension.store.cracks(session.now)[:, 3].tolist())))
            ages += [
                round(session.now - e.time_s, 2) for e in session.dimension.events.events() if e.what == "destroy_block"
            ]
    assert [len(found) for found in tenths] == [1, 1, 1, 1]
    assert [found[0] for found in tenths] == sorted({found[0] for found in tenths})
    assert len(ages) == 6
    assert ages[3] - ages[0] > 0.5
