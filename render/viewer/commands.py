"""What keys and panels make a window do; each room knows its own actions, what is left over switches what is shown."""

import time

from render.panels.requests import Bind, Change, Copy, Go, Overlay, Press, Seek, Wish
from render.settings import Action
from render.settings.actions import OVERLAY_OF
from render.view_line import ViewLine
from render.viewer.connect.switch_world import Gate
from render.viewer.screenshots import kept_picture, labels_of
from render.viewer.window.clipboard import copied, near
from render.viewer.window_state import Fittings
from render.viewer.world_session import Stay


class Deeds:
    """Of one window in one world."""

    def __init__(self, fittings: Fittings, gate: Gate, stay: Stay) -> None:
        """All three belong to the caller."""
        self._fittings, self._gate, self._stay = fittings, gate, stay

    def obey(self, action: Action) -> None:
        """Does what a key means."""
        fittings, stay, world = self._fittings, self._stay, self._stay.world
        view, session = fittings.controls.view, world.connection.session
        if (said := stay.panels.obey(action, fittings.screen.extent)) is not None:
            self._take_keys(said)
        elif (said := world.timeline.obey(action)) is not None:
            fittings.tell("time", said, action=action.value)
            stay.look()  # the player follows again once the present is back
        elif sentence := world.debug.obey(action, session, stay.camera, world.connection.now):
            fittings.tell("debug", sentence, action=action.value)
        elif sentence := world.pins.obey(action, view):
            fittings.tell("pins", sentence, pinned=sorted(world.connection.pins))
        elif (said := stay.travel.obey(action, time.monotonic())) is not None:
            fittings.tell("travel", said)
            if fittings.controls.view != view:
                stay.look()
        elif not fittings.controls.press(action):
            self._show(action)

    def typed(self, answer: str | None) -> None:
        """The prompt has changed, or was answered."""
        self._fittings.captions.renew()
        if answer is not None:
            self._fittings.tell("travel", answer)
            self._stay.look()

    def grant(self, wish: Wish) -> None:
        """Does what a panel asks for."""
        fittings, stay = self._fittings, self._stay
        match wish:
            case Go(block):
                stay.travel.go(near(block, fittings.controls.view))
                stay.look()
            case Seek(time_s):
                fittings.tell("time", stay.world.timeline.seek(time_s))
            case Press(name):
                self.obey(Action(name))
            case Copy(text):
                fittings.say(copied(fittings.window, text))
            case Overlay(name):
                fittings.overlays.switch(name)
            case Change(key, value):
                fittings.say(fittings.preferences.change(key, value))
                self._adopt(key)
            case Bind(name):
                fittings.tell("keys", fittings.layout.ask(name))
        fittings.events.tell("wish", what=type(wish).__name__.lower())

    def _show(self, action: Action) -> None:
        """Switches what is shown."""
        fittings, captions, events = self._fittings, self._fittings.captions, self._fittings.events
        captions.renew()
        match action:
            case Action.HELP:
                events.tell_when_shown("help", on=captions.switch_help())
            case Action.PICTURE:
                self._take_picture()
            case Action.HUD:
                events.tell_when_shown("hud", on=captions.switch_numbers())
            case Action.OVERLAYS:
                fittings.overlays.turn()
            case _ if action in OVERLAY_OF:
                fittings.overlays.switch(OVERLAY_OF[action])
            case Action.NEXT_PRESET:
                fittings.controls.release_all()
                fittings.say(fittings.layout.change())
                events.tell_when_shown("preset", name=fittings.layout.preset)
            case Action.FULL_SCREEN:
                fittings.window.set_fullscreen(not fittings.window.fullscreen)
            case Action.FREE_MOUSE if self._stay.mouse.taken:
                self._stay.mouse.take(False)
            case Action.CONNECT | Action.FREE_MOUSE:
                self._stay.on_deactivate()
                self._gate.open()

    def _adopt(self, key: str) -> None:
        """Everything lives by a setting that was changed, where that needs no other start."""
        self._fittings.adopt(key)
        scale = self._fittings.preferences.settings.scale
        self._stay.panels.rescale(scale)
        self._gate.rescale(scale)

    def _take_keys(self, said: str) -> None:
        """Panels opened, closed, or keys changed hands: nothing is held any more, and the mouse is free for panels."""
        panels = self._stay.panels
        self._fittings.controls.release_all()
        self._fittings.captions.renew()
        if said:
            self._fittings.say(said)
        if panels.keyboard:
            self._stay.mouse.take(False)
        self._fittings.events.tell_when_shown("panels", on=panels.shown, keys=panels.keyboard)

    def _take_picture(self) -> None:
        """Writes what is shown, without the HUD, with its view in the file's labels."""
        fittings, world = self._fittings, self._stay.world
        line = ViewLine.of(fittings.controls.shown, world.upkeep.dimension)
        labels = labels_of(world.connection.source, line, world.timeline.place)
        said, facts = kept_picture(fittings.settings.pictures, fittings.screen.target.pixels(), labels)
        fittings.say(said)
        fittings.events.tell("picture", **facts)
