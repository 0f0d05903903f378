"""One shown world in a window, with its server's messages: its travelling, its panels, its builder.

Rules:
1. It is made anew for the next world, which has other bookmarks, another server and another history; the window's
   ``state`` holds what is independent of worlds.
2. The session gets every change of the view, whatever caused it (``look``).
"""

import time
from typing import Any, Final

import msgspec

from client.connection.chat_text import said_in_words
from client.connection.connection import Connection
from client.player import View
from client.recording.replay import Replay
from client.report.why_text import verdict
from client.session.chat import ChatLine
from net.space import BlockPos
from render.camera import Camera
from render.panels.panel import PanelRequest
from render.settings import Action
from render.view_line import ViewLine
from render.viewer.connect.switch_world import WorldSwitcher
from render.viewer.control.bookmarks import Bookmarks, beside
from render.viewer.control.camera_control import CameraStops
from render.viewer.control.server_moves import Following, Placement
from render.viewer.control.travel import Travel
from render.viewer.display.captions import SAID_S
from render.viewer.display.packet_list import PacketLists
from render.viewer.display.panels import Panels
from render.viewer.event_stream import EventStream
from render.viewer.input import Mouse
from render.viewer.picking import Builder, facts_at
from render.viewer.shown_world import ShownWorld
from render.viewer.window.window import title_of
from render.viewer.window_state import WindowState


class Milestones:
    """Events of the first frames, written once each."""

    def __init__(self, events: EventStream, view: View) -> None:
        self._events = events
        self._awaited = ["frame", "world", "settled"]
        self._told_view = view
        self._rested: Any = None  # where a recording last came to rest and was drawn

    @property
    def passed(self) -> bool:
        """Whether all of them were written."""
        return not self._awaited

    def shown(self, world: ShownWorld, view: View) -> None:
        cells, drawn, replay = world.scene.stats().cells_drawn, world.scene.settled, world.connection.replay
        rests = replay if replay is not None and drawn and replay.resting else None
        reached = {"frame": True, "world": cells > 0, "settled": world.complete}
        while self._awaited and reached[self._awaited[0]]:
            self._events.tell(self._awaited.pop(0), cells=cells)
        if rests is not None:
            self._tell_rest(rests, cells)
        if view != self._told_view:
            self._told_view = view
            eye = [round(axis, 3) for axis in view.eye]
            self._events.tell("view", eye=eye, yaw_deg=round(view.yaw_deg, 2), pitch_deg=round(view.pitch_deg, 2))
        self._events.shown()

    def _tell_rest(self, replay: Replay, cells: int) -> None:
        rest = replay.position, replay.paused, replay.speed
        if rest != self._rested:
            self._rested = rest
            self._events.tell(
                "rest", **msgspec.to_builtins(replay.position), paused=replay.paused, speed=replay.speed, cells=cells
            )


# ---------------------------------------------------------------- stay

OUTSIDE = "That is above or below the world."
ARRIVAL_S: Final = 10.0
"""How long a world may arrive; then it is one in which something is always missing."""


class WorldSession:
    """One world in a window; owner thread."""

    def __init__(self, state: WindowState, switcher: WorldSwitcher, world: ShownWorld) -> None:
        self.world = world
        self._state, self.switcher = state, switcher
        controls, settings, connection = state.controls, state.settings, world.connection
        self.following = Following(connection)  # camera moves by the server
        self._hearing = ServerMessages(connection)
        there = lambda: world.upkeep.dimension, lambda: connection.session.movement.eye, self._set_out
        bookmarks = Bookmarks(beside(settings.settings_file), str(connection.source))
        self.travel = Travel(controls, bookmarks, settings.pictures, *there)  # camera moves by keys
        self.packets = PacketLists(connection)  # lists of the panel Packets
        self.panels = Panels(state, self)  # over the picture
        self.builder = Builder(connection, settings.build)  # build mode
        self.mouse = Mouse(state, self)
        self._placement = Placement(connection.session.dimension.store.dimension)
        self._stops = CameraStops(world.upkeep.name_at, self._why)
        self._milestones = Milestones(state.events, controls.view)
        self._entered = time.monotonic()
        state.window.set_caption(title_of(connection.opened))

    @property
    def camera(self) -> Camera:
        return Camera.of(self._state.controls.shown, self._state.screen.target.aspect)

    def look(self) -> None:
        """The user moved the camera: the session requests what is visible from there."""
        self.world.connection.look(self._state.controls.view)
        self.following.looked(self._state.controls.view)

    def move(self, now: float, elapsed_s: float) -> None:
        """Moves the camera by held keys and camera paths, once a frame."""
        moved = self._state.controls.move(elapsed_s, self.world.upkeep.obstructs)
        if self.travel.frame(now) or moved:
            self.look()
        if (said := self._stops.news(self._state.controls.body, now)) is not None:
            self._state.tell("stopped", said)

    def click(self, button: int) -> None:
        """A button was pressed while the mouse looks around; the number is pyglet's."""
        if self.builder.on and (said := self.builder.click(button, self.camera, self._state.settings.cut)):
            self._state.tell("build", said, on=self.builder.on)

    def _why(self, block: BlockPos) -> str:
        world = self.world
        session, now = world.connection.session, world.connection.now
        if not session.dimension.store.dimension.holds_section(block.subchunk.y):
            return OUTSIDE
        return verdict(facts_at(session, world.scene, block, now))

    def keep_up(self, now: float, elapsed_s: float) -> None:
        """Applies received data and updates the scene, once a frame."""
        world, lap = self.world, self._state.stages.lap
        if lost := world.upkeep.pump(elapsed_s):
            self.switcher.lose(lost)
            self._state.events.tell_when_shown("lost", reason=lost)
        self._follow_server(now)
        lap("network, client")
        world.known = world.connection.statistics()
        lap("statistics")
        if (said := world.upkeep.reload(now)) is not None:
            self._state.say(said)
            self._state.events.tell_when_shown("packs", said=said)
        world.upkeep.step(self._state.controls.view.eye, elapsed_s)
        lap("scene")

    def go_on(self, elapsed_s: float) -> None:
        """Waits a moment for packets and results, and applies as many as after a frame that took ``elapsed_s``."""
        self.world.rest()
        self.keep_up(time.monotonic(), elapsed_s)

    def arriving(self, now: float) -> bool:
        """Whether the world was entered a short time ago and was never complete."""
        return not self.world.complete and not self._milestones.passed and now - self._entered < ARRIVAL_S

    def requests(self, now: float, elapsed_s: float) -> list[PanelRequest]:
        return self.panels.frame(self.world.known, now, elapsed_s, self._state.screen.extent)

    def shown(self, now: float, ended: float) -> None:
        known = self.world.known
        self._milestones.shown(self.world, self._state.controls.view)
        self._state.pacer.frame(now, ended, known.peer.bytes_in, known.peer.bytes_out)

    def on_deactivate(self) -> None:
        """Another window has the keyboard: releases all keys; the name is pyglet's."""
        self._state.controls.release_all()
        self.panels.away()
        self.mouse.take(False)

    def close(self) -> None:
        """Frees what shows the world; stores a camera path being recorded."""
        if said := self.travel.leave(time.monotonic()):
            self._state.tell("travel", said)
        self.panels.close()
        self.packets.close()
        self.world.close()

    def _follow_server(self, now: float) -> None:
        """Moves the camera where the server moved the player; a mere correction does not (architecture.md 3)."""
        state = self._state
        for line in self._hearing.news():
            state.receive(line)
        if (said := self.following.news(now)) is not None:
            state.tell("travel", said)
        asked = self.following.asks
        view = self.following.view(state.controls.view, along=state.preferences.settings.follow)
        session = self.world.connection.session
        if view is not None:
            self.travel.go(view)
            said = self._placement.took(view.eye, session.dimension.store.dimension)
            if asked:
                self.look()
            else:
                state.tell("taken", said)
        back = state.preferences.keyboard.shown(Action.TO_PLAYER)
        if (said := self._placement.held(session.movement.player.held_at, back, now)) is not None:
            state.tell("held", said)

    def _set_out(self, dimension: int, line: ViewLine | None, view: View) -> str:
        """Changes the dimension: by a command if the server knows it, else by joining the same world there."""
        connection = self.world.connection
        recorded = connection.past is None and connection.replay is not None
        if recorded or connection.session.spawn.closed_reason:
            return self.switcher.cross(dimension, line, view)
        return self.following.ask(dimension, line)


class ServerMessages:
    """Chat and server messages of one connection: a line in the corner, and an event each.

    Of one frame's messages the newest is shown; the panel of events has all. Messages that games show briefly over the
    hot bar are shown only there, since servers send many a second. Old messages that a recording passes while seeking
    are not shown.
    """

    def __init__(self, connection: Connection) -> None:
        """Includes the messages of the last seconds, received during the join."""
        self._connection = connection
        self._heard = 0
        self._packet = -1  # of the newest message seen

    def news(self) -> list[str]:
        """The messages since the last call, once a frame; the newest last."""
        session = self._connection.session
        if session.chat.heard == self._heard:
            return []
        lines, self._heard = session.chat.lines, session.chat.heard
        after, self._packet = self._packet, lines[-1].packet if lines else -1  # the past may have none
        fresh = [line for line in lines if line.packet > after and session.now - line.time_s <= SAID_S]
        return [_named(line, words) for line in fresh if not line.is_passing and (words := said_in_words(line))]


def _named(line: ChatLine, words: str) -> str:
    return words if line.source else f"server: {words}"
