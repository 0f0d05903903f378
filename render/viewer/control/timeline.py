"""Time control of a recording, and of the last minutes of a live session, whose history continues meanwhile.

Rules:
1. In a recording every action is ``Playback``'s. In a live session, pausing or going back shows the past; going to the
   end returns to the present. The session continues meanwhile (``client.recording.history``).
2. It takes actions, not keys, and none that fly. An impossible action gives a sentence, like a possible one.
3. Steps pause, since one wants to see a packet's effect; skips keep the speed.
4. Seeking is done in parts, one a frame (``App``), so that the window stays responsive; further keys add up.
5. The start is where the server let the player in: before that there is nothing to see.
"""

import math
import time
from pathlib import Path
from typing import Final

from client.connection.connection import Connection
from client.errors import UsageError
from client.recording.replay import Replay
from render.panels.hud import Banner, BannerKind
from render.panels.panel import size
from render.settings import Action, Keyboard
from render.settings.actions import ActionGroup

SKIP_S: Final = 5.0
SLOWEST, FASTEST = 1 / 16, 64.0


class Playback:
    """Key actions of a recording."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay

    def line(self) -> str:
        """Its state: time, packet, tick, speed, and what it waits for."""
        replay = self._replay
        here = replay.position
        words = [
            f"{here.time_s:.2f} of {replay.duration_s:.2f} s",
            f"packet {here.packets}",
            f"tick {here.ticks}",
            speed_words(replay.speed),
        ]
        if (there := replay.on_the_way) is not None:
            to = "" if replay.goal_s is None else f" to {replay.goal_s:.2f} s"
            words.append(f"seeking{to}, at {there.time_s:.2f} s")
        elif here.at_end:
            words.append("at the end")
        if here.time_s < replay.joined_s:
            words.append(f"the server spawns the player at {replay.joined_s:.2f} s")
        if replay.paused:
            words.append("paused")
        return " · ".join(words)

    @property
    def share(self) -> float:
        """The share already played, 0..1."""
        replay = self._replay
        return replay.position.time_s / replay.duration_s if replay.duration_s > 0 else 1.0

    @property
    def place(self) -> str:
        """Its position, as ``view`` takes it."""
        return f"--moment=#{self._replay.position.packets}"

    def run_action(self, action: Action) -> None:
        """Runs an action of a recording's time; others do nothing."""
        replay = self._replay
        match action:
            case Action.PAUSE if replay.paused:
                replay.play(replay.speed)
            case Action.PAUSE:
                replay.pause()
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

    def _change_speed(self, factor: float) -> None:
        """Changes the speed between its limits; a pause stays."""
        paused = self._replay.paused
        speed = 1.0 if self._replay.speed is None else self._replay.speed
        self._replay.play(min(FASTEST, max(SLOWEST, speed * factor)))
        if paused:
            self._replay.pause()


def speed_words(speed: float | None) -> str:
    """A recording's speed in words; None is as fast as possible."""
    if speed is None:
        return "as fast as possible"
    return f"{speed:g}x" if speed >= 1 else f"1/{1 / speed:g}x"


# ---------------------------------------------------------------- timeline

TICK_S: Final = 0.05
BACK_S: Final = {
    Action.PAUSE: 0.0, Action.PACKET_BACK: TICK_S, Action.TICK_BACK: TICK_S, Action.SKIP_BACK: SKIP_S,
    Action.START: math.inf,
}  # fmt: skip
"""How far back an action leads from the present."""
NO_PAST: Final = "Rewinding is off: the setting past_minutes is 0."


class Timeline:
    """Time control of one connection."""

    def __init__(self, connection: Connection, folder: Path) -> None:
        """The connection belongs to the caller; the history is saved to the folder."""
        self._connection = connection
        self._folder = folder

    @property
    def playback(self) -> Playback | None:
        """The actions of what is played; None in the present."""
        replay = self._connection.replay
        return Playback(replay) if replay else None

    @property
    def recording(self) -> Playback | None:
        """The actions of a recording; None in a live session, also in its past."""
        return self.playback if self._connection.past is None else None

    @property
    def place(self) -> str | None:
        """The position in a recording, as ``view`` takes it; None without one."""
        return self.recording.place if self.recording else None

    @property
    def recorded(self) -> bool:
        """Whether the shown moment is recorded: in a recording, or in the history."""
        return self._connection.replay is not None

    def run_action(self, action: Action) -> str | None:
        """Runs an action; returns a sentence, or None if it does not concern time."""
        if action.group is not ActionGroup.TIME:
            return None
        try:
            return self._do(action)
        except UsageError as error:
            return str(error)
        except OSError as error:
            return f"Not saved: {error.filename or self._folder}: {error.strerror}."

    def seek(self, time_s: float) -> str:
        """Seeks to a time of the recording or session; returns a sentence."""
        replay, past = self._connection.replay, self._connection.past
        try:
            if replay:
                replay.seek(time_s)
            elif past:
                past.look_back(self._duration_s() - time_s)
        except UsageError as error:
            return str(error)
        return ""

    def past_banner(self, keyboard: Keyboard, panels_have_keys: bool = False) -> Banner | None:
        """The age of the shown moment and its state; None in the present and in a recording."""
        replay, past = self._connection.replay, self._connection.past
        if replay is None or past is None:
            return None
        from_s, here_s, now_s = replay.whole_from_s, replay.position.time_s, self._duration_s()
        words = "paused" if replay.paused else speed_words(replay.speed)
        if (there := replay.on_the_way) is not None:
            words = f"seeking, {ago_words(now_s - there.time_s)} ago"
        share = (here_s - from_s) / max(now_s - from_s, 1e-3)
        keys = past_keys(keyboard, panels_have_keys)
        title, words = f"Rewound {ago_words(now_s - here_s)}", f"{words}; live session continues"
        return Banner(BannerKind.PAST, title, words, keys, min(max(share, 0.0), 1.0))

    @property
    def span_s(self) -> tuple[float, float, float]:
        """First reachable time, present position, and last time, in seconds of the recording or session."""
        replay, past = self._connection.replay, self._connection.past
        if replay is not None:
            return replay.whole_from_s, replay.position.time_s, replay.duration_s
        now_s = self._duration_s()
        return (0.0 if past is None else past.buffer.whole_from_us / 1e6), now_s, now_s

    def kept(self) -> str:
        """The available history of a live session, in words; empty in a recording."""
        past = self._connection.past
        if past is None:
            return "" if self._connection.replay else NO_PAST
        if past.trouble is not None:
            return f"Rewinding is not possible: {past.trouble}."
        minutes, seconds = divmod(round(max(self._duration_s() - past.buffer.whole_from_us / 1e6, 0.0)), 60)
        return f"the last {minutes}:{seconds:02} min, {size(past.buffer.size_bytes)} of {size(past.buffer.most_bytes)}"

    # ------------------------------------------------------------

    def _do(self, action: Action) -> str:
        past, playback = self._connection.past, self.playback
        if action is Action.SAVE_PAST:
            return self._save()
        if playback is None:
            if past is None:
                return NO_PAST
            if action not in BACK_S:
                return "This is the live session; only going back is possible."
            past.look_back(BACK_S[action])
            return "Rewound; the live session continues."
        if past is not None and action is Action.END:
            past.to_present()
            return "This is the live session."
        playback.run_action(action)
        return ""

    def _save(self) -> str:
        past = self._connection.past
        if past is None:
            return NO_PAST if self._connection.replay is None else "This is already a recording: copy the file."
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"past-{time.strftime('%Y-%m-%d-%H-%M-%S')}.cscope"
        return f"{size(past.save(path))} of the session saved: {path.absolute()}"

    def _duration_s(self) -> float:
        past = self._connection.past
        return 0.0 if past is None else past.live.now - past.live.started_at


def ago_words(seconds: float) -> str:
    if seconds < 60:
        return f"{max(seconds, 0.0):.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min"


def past_keys(keyboard: Keyboard, panels_have_keys: bool, end: str = "live") -> str:
    """The keys for going on, after the one that takes them from the panels if needed. ``end``: meaning of ``End``."""
    row = keyboard.row
    first = f"{row([Action.PANEL_KEYS])}, then   " if panels_have_keys else ""
    return (
        f"{first}{row([Action.PAUSE])}: pause, continue   {row([Action.PACKET_BACK, Action.PACKET_ON])}: "
        f"packet   {row([Action.TICK_BACK, Action.TICK_ON])}: tick   "
        f"{row([Action.SKIP_BACK, Action.SKIP_ON])}: 5 s   {row([Action.END])}: {end}"
    )
