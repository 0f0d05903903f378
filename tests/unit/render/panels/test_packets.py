"""The panel Packets asks for a list, shows packets with their fields, and requests with their answers."""

from pathlib import Path
from types import SimpleNamespace

from imgui_bundle import imgui

from client.connection.opening import open_connection
from client.options import Options
from client.report.packets import PacketFilter, PacketReader
from client.source import WorldFile
from net.recording.file import Recording, RecordingWriter
from net.recording.records import ReceivedRecord, SentRecord, TimedRecord
from render.panels import packets
from render.panels.packets import PacketsState, PacketsView
from render.panels.panel import ListPackets
from render.panels.widgets import long_table
from render.viewer.display.packet_list import PacketLists, read_list
from tests.recordings import NAMES, recording
from tests.support.session.past import remembering
from tests.support.session.virtual import VirtualSession
from tests.support.window.panels import frame, hosted, text_of


def listed(name: str, *, waterfall: bool = False, **wanted: object) -> PacketsView:
    reader = PacketReader.open(WorldFile(recording(name)), PacketFilter(**wanted))  # type: ignore[arg-type]
    found = read_list(reader, waterfall, lambda: False)
    fields = found.reader.fields(found.raw[0]) if found.raw else ()
    return PacketsView(found.packets, found.requests, found.range_s, found.report, fields=fields, seekable_from_s=0.0)


def test_packets_are_rows_and_the_chosen_one_is_listed_field_by_field() -> None:
    view = listed(NAMES[0], types=("LevelChunk",))
    text = text_of(lambda: packets.draw(view, PacketsState(chosen=0)))
    count = len(view.packets)
    for part in (f"{count} of", "LevelChunk", "moment", "place", "offset", "header", f"{view.packets[0].bytes:,}"):
        assert part in text


def test_requests_are_bars_with_their_answers() -> None:
    view = listed(NAMES[0], waterfall=True)
    text = text_of(lambda: packets.draw(view, PacketsState()))
    assert f"{len(view.requests)} request" in text
    assert view.requests[0].says in text


def test_what_cannot_be_listed_is_said_and_a_list_under_way_too() -> None:
    assert "no packet 'X'" in text_of(lambda: packets.draw(PacketsView(trouble="no packet 'X'"), PacketsState()))
    assert "reading packets" in text_of(lambda: packets.draw(PacketsView(running=True), PacketsState()))
    untouched = text_of(lambda: packets.draw(PacketsView(), PacketsState()))
    assert "press list to read the packets before the moment that is shown" in " ".join(untouched.split())


def test_a_list_that_is_not_wanted_any_more_ends_at_its_next_packet() -> None:
    reader = PacketReader.open(WorldFile(recording(NAMES[0])), PacketFilter())
    asked = iter([False, False, True])
    assert len(read_list(reader, False, lambda: next(asked)).packets) == 2


def test_packets_are_listed_by_time_though_a_busy_session_applies_them_later_than_what_it_sends(tmp_path: Path) -> None:
    with recording(NAMES[0]).open("rb") as file:
        writer = RecordingWriter(Recording(file).header)
    for time_us, record in ((100, ReceivedRecord), (9_000, SentRecord), (200, ReceivedRecord), (9_100, ReceivedRecord)):
        writer.add(TimedRecord(time_us, record(b"\x22")))
    path = tmp_path / "busy.cscope"
    path.write_bytes(writer.front + writer.flush())
    found = read_list(PacketReader.open(WorldFile(path), PacketFilter()), False, lambda: False)
    assert [row.time_s for row in found.packets] == [0.0001, 0.0002, 0.009, 0.0091]


def test_a_column_grows_with_what_a_later_list_has_in_it() -> None:
    def width_of(text: str) -> float:
        """Of the first column once its table has shown ``text`` in a frame."""
        found = [0.0]

        def draw() -> None:
            for _ in long_table("listed", {"bytes": 0.0, "says": 1.0}, 1):
                imgui.table_next_column()
                imgui.text(text)
                left = imgui.get_cursor_screen_pos().x
                imgui.table_next_column()
                found[0] = imgui.get_cursor_screen_pos().x - left

        for _ in range(5):
            frame(host, draw)
        return found[0]

    with hosted() as host:
        assert width_of("15") < width_of("1,234,567,890")


class Played:
    """A connection that plays a recording."""

    past = None

    def __init__(self, path: Path) -> None:
        self.replay: SimpleNamespace | None = SimpleNamespace(path=path)


def ask(seconds: float = 1e6, **other: object) -> ListPackets:
    return ListPackets(
        **(
            {
                "types": (),
                "text": "",
                "place": "",
                "sender": "",
                "undecodable": False,
                "waterfall": False,
                "seconds": seconds,
            }
            | other
        )
    )  # type: ignore[arg-type]


def view_of(lists: PacketLists) -> PacketsView:
    if lists._task is not None:
        assert lists._task.wait(30.0)
    return lists.view(0, None, 64, 0.0)


def test_a_list_is_of_the_seconds_before_the_moment_that_is_shown() -> None:
    path = recording(NAMES[0])
    lists = PacketLists(Played(path))  # type: ignore[arg-type]  # all of it that is used
    with path.open("rb") as file:
        end_s = Recording(file).duration_us / 1e6
    lists.ask(ask(), end_s)
    all_of_it = view_of(lists)
    assert all_of_it.report is not None
    assert all_of_it.report.packets == len(all_of_it.packets) > 10
    assert all_of_it.fields
    assert all_of_it.fields[0].name == "header"
    lists.ask(ask(seconds=end_s / 4), end_s / 2)
    part = view_of(lists)
    assert 0 < len(part.packets) < len(all_of_it.packets)
    assert {row.time_s for row in part.packets} <= {
        row.time_s for row in all_of_it.packets if end_s / 4 <= row.time_s <= end_s / 2
    }


def test_packets_of_a_recording_are_listed_whatever_was_recorded() -> None:
    with open_connection(WorldFile(recording(NAMES[0])), Options(light=False)) as connection:
        assert connection.replay
        lists = PacketLists(connection)
        lists.ask(ask(), connection.replay.duration_s)
        view = view_of(lists)
        assert not view.trouble
        assert len(view.packets) > 10


def test_a_place_is_read_as_everywhere() -> None:
    path = recording(NAMES[0])
    for place in ("8,40,8", "8 40 8", "8, 40, 8"):
        lists = PacketLists(Played(path))  # type: ignore[arg-type]
        lists.ask(ask(place=place), 1e6)
        view = view_of(lists)
        assert not view.trouble
        assert {row.name for row in view.packets} >= {"LevelChunk", "SubChunk"}


def test_a_wrong_filter_is_one_sentence() -> None:
    lists = PacketLists(Played(recording(NAMES[0])))  # type: ignore[arg-type]
    for asked, word in ((ask(types=("SubChnk",)), "SubChunk"), (ask(place="here"), "write X,Y,Z")):
        lists.ask(asked, 1.0)
        assert word in view_of(lists).trouble
    live = Played(recording(NAMES[0]))
    live.replay = None
    lists = PacketLists(live)  # type: ignore[arg-type]
    lists.ask(ask(), 1.0)
    assert "past_minutes" in view_of(lists).trouble


def test_a_live_session_lists_the_packets_of_its_last_minutes() -> None:
    with remembering(VirtualSession("flat:1")) as connection:
        assert connection.wait_settled(60)
        lists = PacketLists(connection)
        lists.ask(ask(types=("SubChunk",)), 1e6)
        found = view_of(lists)
        assert found.packets
        assert {row.name for row in found.packets} == {"SubChunk"}
        assert found.packets[0].about is not None
        lists.close()
