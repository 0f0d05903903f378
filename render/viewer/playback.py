"""The keys of a recording, and the line that says where in it one is. Knows no window, so tests drive it without one.

Rules:
1. Actions, not keys: the window translates its key symbols through a ``Keyboard``. None of them flies.
2. Steps pause, for one wants to see what a packet did; skips go on as it went.
3. Ways are made a frame's share at a time (``App``), so that the window lives: keys that come meanwhile add up.
4. The start is where the server let the player in, as the window opens a recording: before there is nothing to see.
"""

from typing import Final

from client.recording.replay import Replay
from render.settings import Action
from render.settings.actions import PLAYING

SKIP_S: Final = 5.0
SLOWEST, FASTEST = 1 / 16, 64.0
CELLS: Final = 40
"""Of the bar."""


class Playback:
    """The keys' hand on a recording."""

    def __init__(self, replay: Replay) -> None:
        """The replay belongs to its connection."""
        self._replay = replay

    def obey(self, action: Action) -> bool:
        """Does what a key means, if that is about a recording's time; whether it is."""
        if action in PLAYING:
            self._do(action)
        return action in PLAYING

    def line(self) -> str:
        """Where it is: bar, time, packet, tick, speed, and what holds it."""
        replay = self._replay
        here, duration_s = replay.position, replay.duration_s
        done = round(CELLS * here.time_s / duration_s) if duration_s > 0 else CELLS
        words = [
            f"{'█' * done}{'░' * (CELLS - done)} {here.time_s:.2f} of {duration_s:.2f} s",
            f"packet {here.packets}",
            f"tick {here.ticks}",
            speed_words(replay.speed),
        ]
        if (there := replay.on_the_way) is not None:
            to = "" if replay.goal_s is None else f" to {replay.goal_s:.2f} s"
            words.append(f"on the way{to}, at {there.time_s:.2f} s")
        elif here.at_end:
            words.append("at the end")
        if here.time_s < replay.joined_s:
            words.append(f"the server lets the player in at {replay.joined_s:.2f} s")
        if replay.paused:
            words.append("paused")
        return " · ".join(words)

    @property
    def place(self) -> str:
        """Where it is, as ``view`` takes it."""
        return f"--start=#{self._replay.position.packets}"

    def _do(self, action: Action) -> None:
        replay = self._replay
        match action:
            case Action.PAUSE:
                self._pause_or_go_on()
            case Action.PACKET_ON | Action.PACKET_BACK:
                replay.step(1 if action is Action.PACKET_ON else -1)
            case Action.TICK_ON | Action.TICK_BACK:
                replay.step_ticks(1 if action is Action.TICK_ON else -1)
            case Action.FASTER | Action.SLOWER:
                self._change_speed(2.0 if action is Action.FASTER else 0.5)
            case Action.SKIP_ON | Action.SKIP_BACK:
                replay.skip(SKIP_S if action is Action.SKIP_ON else -SKIP_S)
            case Action.START:
                replay.seek(replay.joined_s, stay=False)
            case Action.END:
                replay.seek(replay.duration_s, stay=False)

    def _pause_or_go_on(self) -> None:
        if self._replay.paused:
            self._replay.play(self._replay.speed)
        else:
            self._replay.pause()

    def _change_speed(self, factor: float) -> None:
        """Between the slowest and the fastest; a pause lasts."""
        paused = self._replay.paused
        speed = 1.0 if self._replay.speed is None else self._replay.speed
        self._replay.play(min(FASTEST, max(SLOWEST, speed * factor)))
        if paused:
            self._replay.pause()


def speed_words(speed: float | None) -> str:
    """A recording's speed for people; None is as fast as it goes."""
    if speed is None:
        return "as fast as it goes"
    return f"{speed:g}x" if speed >= 1 else f"1/{1 / speed:g}x"
