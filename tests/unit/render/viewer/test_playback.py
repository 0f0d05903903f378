"""The keys of a recording: what each does to a replay, and the line that says where one is."""

from dataclasses import replace
from typing import Any

import pytest

from client.recording.playback import Position
from render.settings import Action
from render.viewer.control.timeline import Playback

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
    assert playback.obey(action)
    assert noted.told == [told]


def test_pause_and_speed(noted: Noted, playback: Playback) -> None:
    playback.obey(Action.PAUSE)
    seen = [noted.paused]
    for action in (Action.FASTER, Action.FASTER, Action.SLOWER):
        playback.obey(action)
    seen.append(noted.paused)
    assert noted.speed == 2.0
    playback.obey(Action.PAUSE)
    seen.append(noted.paused)
    assert seen == [True, True, False], "another speed does not end a pause"
    for _ in range(20):
        playback.obey(Action.FASTER)
    assert noted.speed == 64.0
    for _ in range(20):
        playback.obey(Action.SLOWER)
    assert noted.speed == 1 / 16


def test_other_actions_leave_a_recording_alone(noted: Noted, playback: Playback) -> None:
    assert not playback.obey(Action.FORWARD)
    assert not playback.obey(Action.PIN_HERE)
    assert noted.told == []


def test_the_line_says_where_it_is_and_what_holds_it(noted: Noted, playback: Playback) -> None:
    assert playback.line() == f"{'█' * 10}{'░' * 30} 12.50 of 50.00 s · packet 350 · tick 800 · 1x"
    noted.paused, noted.speed = True, 0.25
    assert playback.line().endswith("tick 800 · 1/4x · paused")
    noted.on_the_way = replace(HERE, time_s=3.0)
    assert playback.line().endswith("1/4x · on the way, at 3.00 s · paused")
    noted.goal_s = 40.0
    assert playback.line().endswith("1/4x · on the way to 40.00 s, at 3.00 s · paused")
    noted.on_the_way, noted.paused, noted.speed = None, False, None
    noted.position = replace(HERE, time_s=50.0, at_end=True)
    assert playback.line().startswith("█" * 40 + " 50.00 of 50.00 s")
    assert playback.line().endswith("as fast as it goes · at the end")
    noted.position, noted.paused, noted.speed = replace(HERE, time_s=0.25), True, 1.0
    assert playback.line().endswith("1x · the server lets the player in at 0.50 s · paused")
    noted.position, noted.paused = replace(HERE, time_s=0.5, at_end=True), False
    assert playback.line().endswith("1x · at the end")
    noted.position, noted.speed = replace(HERE, time_s=50.0, at_end=True), None
    noted.duration_s = 0.0
    assert playback.line().startswith("█" * 40)
    assert playback.place == "--start=#350"
