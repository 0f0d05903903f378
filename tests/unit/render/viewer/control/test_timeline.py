"""The window's hand on time: keys of the past in a live session, and of a recording; what is told of it.

Playback: The keys of a recording: what each does to a replay, and the line that says where one is.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.options import Moment, Options, PastOptions
from client.recording.replay import Position
from client.session.spawn import SpawnPhase
from client.source import WorldFile
from render.settings import Action, Keyboard, Settings
from render.viewer.control.timeline import NO_PAST, Playback, Timeline, ago_words
from render.viewer.window_options import past_of
from tests.support.session.past import arrive, fly, remembering
from tests.support.session.virtual import VirtualSession

# ---------------------------------------------------------------- timeline


@pytest.fixture
def live() -> Iterator[Connection]:
    """Some seconds of a session that is remembered."""
    with remembering(VirtualSession("flat:1")) as connection:
        connection.wait_settled()
        fly(connection, 800, 0.0)
        yield connection


def test_a_pause_shows_the_past_and_the_end_the_present(live: Connection, tmp_path: Path) -> None:
    timeline = Timeline(live, tmp_path)
    assert not timeline.recorded
    session = live.session
    assert timeline.run_action(Action.PAUSE) == "Rewound; the live session continues."
    arrive(live)
    assert live.session is not session
    assert timeline.recorded
    assert timeline.recording is None, "the past has a banner"
    assert timeline.playback is not None
    assert timeline.playback.line().endswith("paused")
    assert timeline.run_action(Action.END) == "This is the live session."
    assert live.session is session
    assert not timeline.recorded


def test_the_past_says_how_long_ago_it_was_and_what_leads_on(live: Connection, tmp_path: Path) -> None:
    timeline, keyboard = Timeline(live, tmp_path), Keyboard("qwerty")
    assert timeline.past_banner(keyboard) is None
    timeline.run_action(Action.SKIP_BACK)
    arrive(live)
    view = timeline.past_banner(keyboard)
    assert view is not None
    assert 5.0 <= float(view.title.removeprefix("Rewound ").removesuffix(" s")) < 5.3
    assert view.share is not None
    assert 0.0 < view.share < 1.0
    assert view.words == "paused; live session continues"
    assert "End: live" in view.keys
    beside_panels = timeline.past_banner(keyboard, panels_have_keys=True)
    assert beside_panels is not None
    assert beside_panels.keys == f"Tab, then   {view.keys}", "End and P are the panels' until then"
    fly(live, 200, 0.0)
    later = timeline.past_banner(keyboard)
    assert later is not None
    assert float(later.title.removeprefix("Rewound ").removesuffix(" s")) >= 6.9, "the session goes on"
    timeline.run_action(Action.END)
    assert timeline.past_banner(keyboard) is None
    assert [ago_words(seconds) for seconds in (-0.1, 59.94, 61.0, 7200.0)] == [
        "0.0 s",
        "59.9 s",
        "1:01 min",
        "120:00 min",
    ]


def test_the_start_is_where_there_is_a_world_and_before_it_one_is_told_so(live: Connection, tmp_path: Path) -> None:
    timeline = Timeline(live, tmp_path)
    timeline.run_action(Action.START)
    arrive(live)
    assert live.session.spawn.phase is SpawnPhase.PLAYING
    assert 0.0 < timeline.span_s[1] < 2.0
    path = tmp_path / "a.cscope"
    with VirtualSession("flat:1").connection(Options(radius=2, record=path)) as recorded:
        recorded.wait_settled()
    with open_connection(WorldFile(path), Options(still=Moment(0.0), light=False)) as played:
        timeline = Timeline(played, tmp_path)
        assert played.session.spawn.phase is not SpawnPhase.PLAYING
        assert played.replay is not None
        joined = f"the server spawns the player at {played.replay.joined_s:.2f} s"
        assert timeline.recording is not None
        assert joined in timeline.recording.line()
        timeline.run_action(Action.START)
        arrive(played)
        assert played.session.spawn.phase is SpawnPhase.PLAYING
        assert joined not in timeline.recording.line()


@pytest.mark.parametrize(
    ("action", "back_s"),
    [(Action.SKIP_BACK, 5.0), (Action.START, 1e9), (Action.TICK_BACK, 0.05), (Action.PACKET_BACK, 0.0)],
)
def test_a_step_back_leads_to_the_past(live: Connection, tmp_path: Path, action: Action, back_s: float) -> None:
    timeline = Timeline(live, tmp_path)
    _, now_s, last_s = timeline.span_s
    assert now_s == last_s
    timeline.run_action(action)
    arrive(live)
    from_s, there_s, _ = timeline.span_s
    assert from_s <= there_s <= now_s - min(back_s, now_s) + 0.2
    if back_s < 1e9 and action is not Action.PACKET_BACK:
        assert there_s == pytest.approx(now_s - back_s, abs=0.2)


def test_what_needs_a_past_says_so(live: Connection, tmp_path: Path) -> None:
    assert (
        Timeline(live, tmp_path).run_action(Action.FASTER) == "This is the live session; only going back is possible."
    )
    assert live.replay is None
    assert Timeline(live, tmp_path).run_action(Action.FORWARD) is None
    with VirtualSession("flat:1").connection(Options(radius=2)) as other:
        timeline = Timeline(other, tmp_path)
        assert timeline.run_action(Action.PAUSE) == timeline.run_action(Action.SAVE_PAST) == timeline.kept() == NO_PAST
        assert timeline.seek(1.0) == ""
        assert timeline.recording is timeline.place is None


def test_the_scrubber_leads_from_the_present_to_the_past_and_further(live: Connection, tmp_path: Path) -> None:
    timeline = Timeline(live, tmp_path)
    for time_s in (4.0, 2.0, 5.0):
        assert timeline.seek(time_s) == ""
        arrive(live)
        assert timeline.span_s[1] == pytest.approx(time_s, abs=0.2)


def test_the_past_is_saved_and_opens_as_a_recording(live: Connection, tmp_path: Path) -> None:
    timeline = Timeline(live, tmp_path / "new")
    said = timeline.run_action(Action.SAVE_PAST)
    (path,) = (tmp_path / "new").glob("past-*.cscope")
    assert said is not None
    assert said.endswith(f"of the session saved: {path}")
    assert "KB" in said
    with open_connection(WorldFile(path), Options()) as again:
        recorded = Timeline(again, tmp_path)
        assert recorded.run_action(Action.SAVE_PAST) == "This is already a recording: copy the file."
        assert recorded.kept() == ""
        assert recorded.place is not None
        assert recorded.run_action(Action.END) == ""
        assert again.replay is not None


def test_a_folder_that_cannot_be_written_is_told(live: Connection, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = Timeline(live, tmp_path / "file" / "below").run_action(Action.SAVE_PAST)
    assert said is not None
    assert said.startswith("Not saved: ")


def test_a_past_that_ended_is_told(live: Connection, tmp_path: Path) -> None:
    assert live.past is not None
    timeline = Timeline(live, tmp_path)
    assert timeline.kept().startswith("the last 0:")
    live.past.buffer.most_bytes = 100
    fly(live, 700, 0.0)
    for said in (
        timeline.run_action(Action.PAUSE),
        timeline.seek(1.0),
        timeline.kept(),
        timeline.run_action(Action.SAVE_PAST),
    ):
        assert said is not None
        assert said.startswith("Rewinding is not possible: the world takes")


def test_settings_say_how_much_is_kept() -> None:
    assert past_of(Settings(past_minutes=0.0)) is None
    assert past_of(Settings(past_minutes=2.0, past_mb=8)) == PastOptions(120.0, 8 << 20)


# ---------------------------------------------------------------- playback

HERE = Position(time_s=12.5, packets=350, ticks=800, at_end=False)


class Noted:
    """As a replay, noting what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []
        self.position, self.duration_s, self.joined_s = HERE, 50.0, 0.5
        self.speed: float | None = 1.0
        self.paused = False
        self.on_the_way: Position | None = None
        self.goal_s: float | None = None

    def play(self, speed: float | None) -> None:
        self.speed, self.paused = speed, False

    def pause(self) -> None:
        self.paused = True

    def step(self, packets: int) -> None:
        self.told.append(("step", packets))

    def step_ticks(self, ticks: int) -> None:
        self.told.append(("step_ticks", ticks))

    def skip(self, seconds: float) -> None:
        self.told.append(("skip", seconds))

    def seek(self, time_s: float, stay: bool) -> None:
        self.told.append(("seek", time_s, stay))


@pytest.fixture
def noted() -> Noted:
    return Noted()


@pytest.fixture
def playback(noted: Noted) -> Playback:
    return Playback(noted)


@pytest.mark.parametrize(
    ("action", "told"),
    [
        (Action.PACKET_ON, ("step", 1)),
        (Action.PACKET_BACK, ("step", -1)),
        (Action.TICK_ON, ("step_ticks", 1)),
        (Action.TICK_BACK, ("step_ticks", -1)),
        (Action.SKIP_ON, ("skip", 5.0)),
        (Action.SKIP_BACK, ("skip", -5.0)),
        (Action.START, ("seek", 0.5, False)),
        (Action.END, ("seek", 50.0, False)),
    ],
)
def test_a_key_moves_the_recording(noted: Noted, playback: Playback, action: Action, told: tuple[Any, ...]) -> None:
    playback.run_action(action)
    assert noted.told == [told]


def test_pause_and_speed(noted: Noted, playback: Playback) -> None:
    playback.run_action(Action.PAUSE)
    seen = [noted.paused]
    for action in (Action.FASTER, Action.FASTER, Action.SLOWER):
        playback.run_action(action)
    seen.append(noted.paused)
    assert noted.speed == 2.0
    playback.run_action(Action.PAUSE)
    seen.append(noted.paused)
    assert seen == [True, True, False], "another speed does not end a pause"
    for _ in range(20):
        playback.run_action(Action.FASTER)
    assert noted.speed == 64.0
    for _ in range(20):
        playback.run_action(Action.SLOWER)
    assert noted.speed == 1 / 16


def test_other_actions_leave_a_recording_alone(noted: Noted, playback: Playback) -> None:
    playback.run_action(Action.FORWARD)
    playback.run_action(Action.PIN_HERE)
    assert noted.told == []


def test_the_line_says_where_it_is_and_what_holds_it(noted: Noted, playback: Playback) -> None:
    assert playback.line() == "12.50 of 50.00 s · packet 350 · tick 800 · 1x"
    assert playback.share == 0.25
    noted.paused, noted.speed = True, 0.25
    assert playback.line().endswith("tick 800 · 1/4x · paused")
    noted.on_the_way = replace(HERE, time_s=3.0)
    assert playback.line().endswith("1/4x · seeking, at 3.00 s · paused")
    noted.goal_s = 40.0
    assert playback.line().endswith("1/4x · seeking to 40.00 s, at 3.00 s · paused")
    noted.on_the_way, noted.paused, noted.speed = None, False, None
    noted.position = replace(HERE, time_s=50.0, at_end=True)
    assert playback.line().startswith("50.00 of 50.00 s")
    assert playback.line().endswith("as fast as possible · at the end")
    noted.position, noted.paused, noted.speed = replace(HERE, time_s=0.25), True, 1.0
    assert playback.line().endswith("1x · the server spawns the player at 0.50 s · paused")
    noted.position, noted.paused = replace(HERE, time_s=0.5, at_end=True), False
    assert playback.line().endswith("1x · at the end")
    noted.position, noted.speed = replace(HERE, time_s=50.0, at_end=True), None
    noted.duration_s = 0.0
    assert playback.share == 1.0
    assert playback.place == "--moment=#350"
