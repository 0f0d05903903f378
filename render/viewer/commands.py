"""What each key makes a window do: one table, ``COMMANDS``, from an action to a function.

Names, words and keys of actions stand in ``render.settings.actions``. A command gets what the window keeps and the
world that it shows; ``requests`` are what panels ask for, done with the same functions.
"""

import time
from collections.abc import Callable
from itertools import chain, count
from typing import Final

from msgspec.structs import replace

from client.errors import UsageError
from client.report.find import Search, find_in
from client.weather import WEATHERS
from render.draw_options import HIGHEST, Cut
from render.gpu.textures import write_png
from render.overlays.found import MOST_MARKED
from render.panels.find import FindView
from render.panels.panel import (
    Bind,
    Change,
    Copy,
    Find,
    Go,
    ListPackets,
    Overlay,
    OverlayRow,
    PanelRequest,
    Press,
    Seek,
    Sky,
)
from render.settings.actions import Action, ActionGroup, actions_of
from render.view_line import ViewLine
from render.viewer.control.travel import near
from render.viewer.display.captions import ALL
from render.viewer.input import copied
from render.viewer.picking import FREE, sight
from render.viewer.shown_world import listed
from render.viewer.window_state import WindowState
from render.viewer.world_session import WorldSession

FOUND: Final = "found"
"""The overlay that marks found blocks."""
Command = Callable[[WindowState, WorldSession, Action], None]

COMMANDS: Final[dict[Action, Command]] = {}


def command(*actions: Action) -> Callable[[Command], Command]:
    def register(function: Command) -> Command:
        COMMANDS.update(dict.fromkeys(actions, function))
        return function

    return register


def run_action(state: WindowState, session: WorldSession, action: Action) -> None:
    state.captions.used(action, time.monotonic())
    if action.overlay:
        switch_overlay(state, session, action)
    else:
        COMMANDS[action](state, session, action)


# ---------------------------------------------------------------- camera and places


@command(*actions_of(ActionGroup.MOVE))
def move(state: WindowState, _session: WorldSession, action: Action) -> None:
    """Flies, walks or zooms while the key is down."""
    state.controls.press(action)


@command(
    Action.WALK,
    Action.TOP_DOWN,
    Action.TO_PLAYER,
    Action.ORTHOGRAPHIC,
    Action.TELEPORT,
    Action.SAVE_BOOKMARK,
    Action.NEXT_BOOKMARK,
    Action.RECORD_PATH,
    Action.PLAY_PATH,
)
def travel(state: WindowState, session: WorldSession, action: Action) -> None:
    """Moves the camera elsewhere, or stores its view (``control.travel``)."""
    view = state.controls.view
    state.tell("travel", session.travel.run_action(action, time.monotonic()) or "")
    if state.controls.view != view:
        session.look()


@command(Action.PIN_HERE, Action.PIN_THERE, Action.LIST_PINS, Action.UNPIN)
def change_pins(state: WindowState, session: WorldSession, action: Action) -> None:
    """Pins the camera's place or the one in sight, releases the nearest pin, or only lists them."""
    connection, pins, view = session.world.connection, session.world.pins, state.controls.view
    match action:
        case Action.PIN_HERE:
            said = pins.pin_here(view)
        case Action.PIN_THERE:
            said = pins.pin_there(view)
        case Action.UNPIN:
            said = pins.unpin_nearest(view.eye)
        case _:
            said = listed(connection.pins)
    state.tell("pins", said, pinned=sorted(connection.pins))


@command(*actions_of(ActionGroup.TIME))
def go_in_time(state: WindowState, session: WorldSession, action: Action) -> None:
    """Pauses, steps, skips and seeks in a recording or the session's history (``control.timeline``)."""
    state.tell("time", session.world.timeline.run_action(action) or "", action=action.value)
    session.look()  # the player follows again after a return to the present


# ---------------------------------------------------------------- what is shown


@command(Action.HELP)
def switch_help(state: WindowState, session: WorldSession, _action: Action) -> None:
    """Opens or closes the table of keys and commands; frees the mouse while it is open."""
    state.controls.release_all()
    session.mouse.take(False)
    state.events.tell_when_shown("help", on=state.table.turn())


@command(Action.HUD)
def switch_numbers(state: WindowState, _session: WorldSession, _action: Action) -> None:
    """Cycles the HUD: few lines, all, none."""
    level = state.captions.switch_numbers()
    state.events.tell_when_shown("hud", on=level > 0, all=level == ALL)


@command(Action.OVERLAYS)
def choose_overlays(state: WindowState, _session: WorldSession, _action: Action) -> None:
    state.overlays.turn()


def switch_overlay(state: WindowState, _session: WorldSession, action: Action) -> None:
    """Switches the overlay of an action: F6 is ``states``, pressed again ``states=all``."""
    assert action.overlay
    state.captions.renew()
    state.overlays.press(action.overlay)


@command(Action.ENTITIES)
def switch_entities(state: WindowState, _session: WorldSession, _action: Action) -> None:
    state.shows_entities = not state.shows_entities
    state.captions.renew()
    state.events.tell_when_shown("entities", on=state.shows_entities)


@command(Action.BUILD)
def switch_building(state: WindowState, session: WorldSession, _action: Action) -> None:
    state.tell("build", session.builder.switch(), on=session.builder.on)


@command(Action.CUT, Action.CUT_UP, Action.CUT_DOWN)
def cut(state: WindowState, session: WorldSession, action: Action) -> None:
    """Switches the height cut on or off, or moves it by a block."""
    was = state.settings.cut
    if action is Action.CUT and was is not None:
        state.settings = replace(state.settings, cut=None)
        state.tell("cut", "Nothing is cut off.", on=False)
        return
    if was is None:
        block = sight(session.world.connection.session, session.camera).block
        was = Cut(high=session.camera.eye_block[1] if block is None else block.y)
    step = {Action.CUT_UP: 1, Action.CUT_DOWN: -1}.get(action, 0)
    now = was._replace(high=min(max(was.high + step, was.low + 1), HIGHEST))
    state.settings = replace(state.settings, cut=now)
    state.tell("cut", f"Hidden: y {now.high} and above.", on=True, low=now.low, high=now.high)


@command(Action.INSPECT)
def inspect(state: WindowState, session: WorldSession, action: Action) -> None:
    """Describes the block under the crosshair, or why there is a hole."""
    world = session.world
    said = world.debug.inspect(world.connection.session, session.camera, world.connection.now, state.settings.cut)
    state.tell("debug", said, action=action.value)


@command(Action.CHECK_MIRROR)
def check_mirror(state: WindowState, session: WorldSession, action: Action) -> None:
    state.tell("debug", session.world.debug.check_mirror(), action=action.value)


@command(Action.FREEZE)
def freeze(state: WindowState, session: WorldSession, action: Action) -> None:
    """Freezes the draw list of the present camera while one flies elsewhere, or ends that."""
    state.tell("debug", session.world.debug.freeze(session.camera), action=action.value)


@command(Action.PANELS)
def switch_panels(state: WindowState, session: WorldSession, _action: Action) -> None:
    session.panels.open_or_close(state.screen.extent)
    hand_keys_over(state, session)


@command(Action.PANEL_KEYS)
def switch_keys(state: WindowState, session: WorldSession, _action: Action) -> None:
    state.say(session.panels.switch_keys())
    hand_keys_over(state, session)


def hand_keys_over(state: WindowState, session: WorldSession) -> None:
    """After the keyboard's owner may have changed: releases all keys, and frees the mouse for panels."""
    panels = session.panels
    state.controls.release_all()
    state.captions.renew()
    if panels.keyboard:
        session.mouse.take(False)
    state.events.tell_when_shown("panels", on=panels.shown, keys=panels.keyboard)


# ---------------------------------------------------------------- window


@command(Action.PICTURE)
def take_picture(state: WindowState, session: WorldSession, _action: Action) -> None:
    """Writes the picture, without HUD text, into a PNG with a new name."""
    state.captions.renew()
    world, view = session.world, state.controls.shown
    line = ViewLine.of(view, world.upkeep.dimension)
    labels = {"Software": "chunkscope", "Source": str(world.connection.source), "View": str(line)}
    labels |= {"Recording": world.timeline.place} if world.timeline.place else {}
    folder, name = state.settings.pictures, time.strftime("%Y%m%d-%H%M%S")
    paths = (folder / f"{name}{more}.png" for more in chain([""], (f"-{number}" for number in count(2))))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = next(path for path in paths if not path.exists())
        write_png(path, state.screen.target.pixels(), labels)
    except OSError as error:  # a full disk must not end the viewer
        state.say(f"picture not written: {error.filename or folder}: {error.strerror}")
        state.events.tell("picture", path=None, reason=str(error))
    else:
        state.say(f"picture: {path.absolute()}")
        state.events.tell("picture", path=str(path.absolute()))


def show_sky(state: WindowState, sky: Sky) -> None:
    weather = None if sky.weather is None else WEATHERS[sky.weather]
    state.settings = replace(state.settings, time=sky.time, weather=weather)
    time_words = "the server's" if sky.time is None else str(sky.time)
    weather_words = sky.weather or "the server's"
    said = f"Time of day: {time_words}. Weather: {weather_words}."
    state.tell("sky", said, time=sky.time, weather=sky.weather)


@command(Action.NEXT_PRESET)
def next_preset(state: WindowState, _session: WorldSession, _action: Action) -> None:
    """Selects the next layout of keys, stored in the file; asks first, since a key is easily pressed by accident."""
    state.controls.release_all()
    before = state.preferences.settings.preset
    state.say(state.preferences.offer_preset())
    if state.preferences.settings.preset != before:
        state.events.tell_when_shown("preset", name=state.preferences.settings.preset)


@command(Action.REBIND)
def rebind(_state: WindowState, _session: WorldSession, _action: Action) -> None:
    """Asks for another key: ``input`` takes the keys that follow."""


@command(Action.FULL_SCREEN)
def switch_full_screen(state: WindowState, _session: WorldSession, _action: Action) -> None:
    state.window.set_fullscreen(not state.window.fullscreen)


@command(Action.CONNECT)
def connect(_state: WindowState, session: WorldSession, _action: Action) -> None:
    session.on_deactivate()
    session.switcher.screen.open()


@command(Action.FREE_MOUSE)
def free_mouse(state: WindowState, session: WorldSession, action: Action) -> None:
    """Frees the mouse; if it is free already, opens the connect screen."""
    if session.mouse.taken:
        session.mouse.take(False)
    else:
        connect(state, session, action)


# ---------------------------------------------------------------- what panels ask for


def grant(state: WindowState, session: WorldSession, request: PanelRequest) -> None:
    match request:
        case Go(block):
            store = session.world.connection.session.dimension.store
            session.travel.go(near(block, state.controls.view, lambda at: store.block(at).name == FREE))
            session.look()
        case Seek(time_s):
            state.tell("time", session.world.timeline.seek(time_s))
        case Press(name):
            run_action(state, session, Action(name))
        case Copy(text):
            state.say(copied(state.window, text))
        case Sky():
            show_sky(state, request)
        case Overlay(name):
            state.overlays.switch(name)
        case OverlayRow(name, label):
            state.overlays.switch_row(name, label)
        case Change(key, value):
            state.say(state.preferences.change(key, value))
            state.adopt(key)
        case Find(name, entities):
            find(state, session, name, entities)
        case ListPackets():
            session.packets.ask(request, session.world.timeline.span_s[1])
        case Bind(name):
            state.tell("keys", state.preferences.ask(name))
    state.events.tell("wish", what=type(request).__name__.lower())


def find(state: WindowState, session: WorldSession, name: str, entities: bool) -> None:
    """Searches the loaded world for blocks and marks them, or removes the marks."""
    store, begun = session.world.connection.session.dimension.store, time.perf_counter()
    try:
        near = state.controls.view.eye.block
        search = Search((name,), entities=entities, most=MOST_MARKED)
        found = find_in(store, search, store.announced_rows, near) if name else None
        state.found = FindView(name, found, "", time.perf_counter() - begun)
    except UsageError as error:
        state.found = FindView(name, None, str(error))
    state.found_in = store
    if (state.found.found is not None) != (FOUND in state.overlays.on):
        state.overlays.switch(FOUND)
