"""Recordings that pass through several dimensions, and where they are opened for one of them.

Foreign recordings: Sessions with servers that are not ours, replayed: what was read out of them then is read out of
them now.
"""

import gc
import json
import weakref
from pathlib import Path

import pytest

from client.connection.opening import open_connection
from client.errors import SourceError, UsageError
from client.options import Moment, Options
from client.player import Eye
from client.report.why import why
from client.session.stats import states_of
from client.source import WorldFile
from net.bedrock import ChangeDimension, Login, PlayStatus, StartGame
from net.bedrock.codec import Codec
from net.peer.packet_stream import Received
from net.recording.file import Recording
from net.recording.records import LoginRecord, ReceivedRecord
from net.server.worlds import open_worlds
from net.space import BlockPos
from render.cli.report import json_of
from tests.recordings import ENTITIES, MOST_BYTES, MOST_BYTES_TOGETHER, NAMES, box_of, digests, dumped, said_of
from tests.recordings import recording as recordings_recording
from tests.recordings.servers import MAKERS, kind_of
from tests.support.session.virtual import VirtualSession

# ---------------------------------------------------------------- playback

BELOW = (5.5, 70.0, -8.5)
PLAYER_SPAWN = 3


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The overworld, then the Nether, then the overworld again."""
    path = tmp_path / "a.cscope"
    virtual = VirtualSession("flat:1")
    with virtual.connection(Options(radius=2, light=False, record=path)) as live:
        live.wait_settled()
        heard = virtual.link.events
        for number, place in ((1, BELOW), (0, (0.5, 80.0, 0.5))):
            said = [Received(ChangeDimension(number, place, False), virtual.now, 0, 0)]
            said.append(Received(PlayStatus(PLAYER_SPAWN), virtual.now, 0, 0))
            monkeypatch.setattr(virtual.link, "events", lambda said=said: [*heard(), *(said.pop(0) for _ in said[:])])
            for _ in range(50):
                live.pump()
    return path


def test_one_begins_where_the_dimension_is_shown_first(recording: Path) -> None:
    with open_connection(WorldFile(recording), Options(light=False, dimension=1)) as again:
        assert again.session.dimension.store.dimension.name == "nether"
        assert again.session.movement.view.eye == Eye(*BELOW)
        assert again.replay
        assert again.replay.position.time_s < again.replay.duration_s


@pytest.mark.parametrize("light", [False, True])
def test_a_session_that_was_left_by_a_seek_back_does_not_stay_in_memory(recording: Path, light: bool) -> None:
    with open_connection(WorldFile(recording), Options(light=light)) as again:
        assert again.replay
        again.wait_settled()
        gone = weakref.ref(again.session)
        again.replay.seek(again.replay.duration_s / 2)
        again.pump()
        gc.collect()
        assert gone() is None


def test_one_that_never_shows_it_says_so_and_one_at_a_moment_what_it_shows(recording: Path) -> None:
    with pytest.raises(SourceError, match=r"a\.cscope never shows dimension end\.$"):
        open_connection(WorldFile(recording), Options(light=False, dimension=2))
    with open_connection(WorldFile(recording), Options(light=False)) as again:
        assert again.replay
        end = Moment(again.replay.duration_s)
    with pytest.raises(SourceError, match=r"a\.cscope shows dimension overworld at .*, not nether\.$"):
        open_connection(WorldFile(recording), Options(light=False, dimension=1, start=end))


def test_a_crossing_by_command_is_lived_through_again(tmp_path: Path) -> None:
    path = tmp_path / "b.cscope"
    overworld, *beside = open_worlds("hills:1")
    virtual = VirtualSession(overworld, beside=beside)
    with virtual.connection(Options(radius=2, light=False, record=path)) as live:
        for command in ("/dimension nether 8.5 45 8.5", "/dimension aether", "/dimension the_end"):
            assert live.wait_settled()
            heard = live.session.commands.heard
            live.command(command)
            while live.session.commands.heard == heard:
                live.pump()
            for _ in range(50):
                live.pump()
        assert live.wait_settled()
        outcomes, states = live.session.commands.outcomes, states_of(live.session.dimension.store)
        assert [one.success for one in outcomes] == [True, False, True]
    with open_connection(WorldFile(path), Options(light=False)) as again:
        assert again.replay
        again.replay.seek(again.replay.duration_s)
        again.replay.run()
        assert again.session.dimension.store.dimension.name == "end"
        assert states_of(again.session.dimension.store) == states
        assert again.session.commands.outcomes == outcomes
        with pytest.raises(UsageError, match="'/dimension nether' cannot be sent: a recording has no server"):
            again.command("/dimension nether")


@pytest.mark.parametrize(("number", "name"), [(0, "overworld"), (1, "nether")])
def test_who_waits_for_the_whole_world_of_one_dimension_sees_the_end_of_its_first_stay(
    recording: Path, number: int, name: str
) -> None:
    with open_connection(WorldFile(recording), Options(light=False, dimension=number)) as again:
        first = again.session.dimension.store.dimension
        again.wait_settled()
        assert (first.name, again.session.dimension.store.dimension.name) == (name, name)
        assert again.replay
        stayed = again.replay.position.packets
        assert again.replay.resting
        again.wait_settled()
        assert again.replay.position.packets == stayed, "whoever asks again moves nothing"
        again.replay.step(2)
        again.replay.run()
        assert again.session.dimension.store.dimension.name != name, "the very next is another dimension"


def test_a_dimension_that_is_never_left_is_waited_for_to_the_end(recording: Path) -> None:
    with open_connection(WorldFile(recording), Options(light=False, dimension=1)) as again:
        assert again.replay
        end = Moment(again.replay.duration_s - 0.01)
    with open_connection(WorldFile(recording), Options(light=False, dimension=0, start=end)) as again:
        again.wait_settled()
        assert again.replay
        assert again.replay.position.time_s == pytest.approx(again.replay.duration_s, abs=0.05)
        assert again.session.dimension.store.dimension.name == "overworld"


# ---------------------------------------------------------------- foreign recordings

WHOLE = ("serenity-975", "jsprismarine-748")
"""Servers without sub-chunk requests."""


@pytest.mark.parametrize("name", NAMES)
def test_a_dump_of_the_recording_has_the_digests_beside_it(name: str) -> None:
    assert digests(dumped(recordings_recording(name), box_of(name))) == said_of(name)["digests"]


@pytest.mark.parametrize("name", NAMES)
def test_why_tells_what_each_server_sent(name: str) -> None:
    with open_connection(WorldFile(recordings_recording(name)), Options(radius=3)) as played:
        sent, above, away = (why(played, BlockPos(*at)) for at in ((8, -60, 8), (8, 300, 8), (3000, 64, 8)))
    assert sent.sentence.startswith("Received: ")
    assert sent.exit_code == 0
    cause = "column_data" if name in WHOLE else "answer_data"
    assert [event.cause for event in sent.facts.history if event.after == "data"][-1] == cause
    assert sent.facts.column is not None
    assert sent.facts.column.whole == (name in WHOLE)
    assert (sent.facts.request is None) == (name in WHOLE)
    assert sent.facts.faults == ()
    assert sent.facts.light is not None
    assert sent.facts.light.final
    assert above.sentence.startswith(("All air: ", "Known air: "))
    assert away.sentence.startswith("Never sent: its column was never announced; it is 187 columns from the player")
    assert all(json.loads(json_of(report))["sentence"] == report.sentence for report in (sent, above, away))


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_bears_its_servers_protocol_and_no_keys(name: str) -> None:
    with Recording.open(recordings_recording(name)) as opened:
        assert opened.header.protocol == int(name.removesuffix("-hashed").rpartition("-")[2])
        codec = Codec(opened.header.protocol)
        records = [entry.record for entry in opened.entries()]
        assert not opened.damages
    greetings = [codec.decode(record.packet) for record in records if isinstance(record, LoginRecord)]
    logins = [message for message in greetings if isinstance(message, Login)]
    assert logins
    assert all(not login.chain and not login.client_token for login in logins)
    heard = (record.packet for record in records if isinstance(record, ReceivedRecord))
    assert sum(isinstance(codec.decode(packet), StartGame) for packet in heard if packet[0] == 11) == 1


def test_they_are_small_and_each_has_a_server() -> None:
    sizes = [recordings_recording(name).stat().st_size for name in (*NAMES, *ENTITIES)]
    assert max(sizes) <= MOST_BYTES
    assert sum(sizes) <= MOST_BYTES_TOGETHER
    assert {kind_of(name)[0] for name in (*NAMES, *ENTITIES)} == set(MAKERS)
    assert {path.stem for path in recordings_recording(NAMES[0]).parent.glob("*.cscope")} == {*NAMES, *ENTITIES}
