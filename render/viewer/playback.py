"""The keys of a recording, and the line that says where in it one is. Knows no window, so tests drive it without one.

Rules:
1. Commands, not keys: the window translates its key symbols through ``BINDINGS``. None of them flies.
2. Steps pause, for one wants to see what a packet did; skips go on as it went.
3. Ways are made a frame's share at a time (``App``), so that the window lives: keys that come meanwhile add up.
"""

from enum import Enum
from typing import Final

from client.connect.replay import Replay


class Command(Enum):
    """What a key does."""

    PAUSE = "pause or go on"
    PACKET_ON = "one packet on"
    PACKET_BACK = "one packet back"
    TICK_ON = "one tick on"
    TICK_BACK = "one tick back"
    FASTER = "faster"
    SLOWER = "slower"
    SKIP_ON = "five seconds on"
    SKIP_BACK = "five seconds back"
    START = "to the start"
    END = "to the end"


BINDINGS: Final = {
    "P": Command.PAUSE,
    "PERIOD": Command.PACKET_ON,
    "COMMA": Command.PACKET_BACK,
    "BRACKETRIGHT": Command.TICK_ON,
    "BRACKETLEFT": Command.TICK_BACK,
    "PLUS": Command.FASTER,
    "EQUAL": Command.FASTER,  # the same key without shift
    "NUM_ADD": Command.FASTER,
    "MINUS": Command.SLOWER,
    "NUM_SUBTRACT": Command.SLOWER,
    "PAGEDOWN": Command.SKIP_ON,
    "PAGEUP": Command.SKIP_BACK,
    "HOME": Command.START,
    "END": Command.END,
}
"""pyglet's names of keys."""

HELP: Final = "P pause · , . packet · [ ] tick · - + speed · PgUp PgDn 5 s · Home End: start, end"
SKIP_S: Final = 5.0
SLOWEST, FASTEST = 1 / 16, 64.0
CELLS: Final = 40
"""Of the bar."""


class Playback:
    """The keys' hand on a recording."""

    def __init__(self, replay: Replay) -> None:
        """The replay belongs to its connection."""
        self._replay = replay

    def press(self, key: str) -> bool:
        """A key went down; whether it is bound to a command."""
        if command := BINDINGS.get(key):
            self._obey(command)
        return command is not None

    def line(self) -> str:
        """Where it is: bar, time, packet, tick, speed, and what holds it."""
        replay = self._replay
        here, duration_s = replay.position, replay.duration_s
        done = round(CELLS * here.time_s / duration_s) if duration_s > 0 else CELLS
        words = [
            f"{'█' * done}{'░' * (CELLS - done)} {here.time_s:.2f} of {duration_s:.2f} s",
            f"packet {here.packets}",
            f"tick {here.ticks}",
            _speed(replay.speed),
        ]
        if (there := replay.on_the_way) is not None:
            words.append(f"on the way, at {there.time_s:.2f} s")
        elif here.at_end:
            words.append("at the end")
        if replay.paused:
            words.append("paused")
        return " · ".join(words)

    @property
    def place(self) -> str:
        """Where it is, as ``view`` takes it."""
        return f"--start=#{self._replay.position.packets}"

    def _obey(self, command: Command) -> None:
        replay = self._replay
        match command:
            case Command.PAUSE:
                self._pause_or_go_on()
            case Command.PACKET_ON | Command.PACKET_BACK:
                replay.step(1 if command is Command.PACKET_ON else -1)
            case Command.TICK_ON | Command.TICK_BACK:
                replay.step_ticks(1 if command is Command.TICK_ON else -1)
            case Command.FASTER | Command.SLOWER:
                self._change_speed(2.0 if command is Command.FASTER else 0.5)
            case Command.SKIP_ON | Command.SKIP_BACK:
                replay.skip(SKIP_S if command is Command.SKIP_ON else -SKIP_S)
            case Command.START | Command.END:
                replay.seek(0.0 if command is Command.START else replay.duration_s, stay=False)

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


def _speed(speed: float | None) -> str:
    if speed is None:
        return "as fast as it goes"
    return f"{speed:g}x" if speed >= 1 else f"1/{1 / speed:g}x"
