"""Every setting of the file: shown, changed, stored without touching its comments."""

from typing import Any, Final

import msgspec
from imgui_bundle import imgui

from client.weather import WEATHERS
from render.panels.panel import TIMES, Bind, Change, Dock, PanelRequest, Sky, panel
from render.panels.widgets import RED, beside, hint, soft
from render.settings import Action, Keyboard, Settings
from render.settings.schema import AT_ONCE, SETTINGS, Setting

NAMES: Final = {
    "size": "window size, pixels",
    "full_screen": "full screen",
    "hud": "HUD at the start",
    "scale": "text size, factor",
    "fov": "field of view, degrees",
    "speed": "flying speed, blocks/s",
    "sprint": "sprinting, factor",
    "mouse": "mouse, degrees per pixel",
    "invert_mouse": "invert the mouse",
    "follow": "follow the server",
    "collide": "stop at blocks in flight",
    "radius": "view distance, columns",
    "gamma": "gamma",
    "light": "light",
    "overlays": "overlays at the start",
    "packs": "resource packs",
    "pictures": "folder for pictures",
    "identity": "player",
    "past_minutes": "rewinding: minutes kept",
    "past_mb": "rewinding: MiB kept",
    "preset": "key layout",
}
"""Names of settings here, with their units; the file has their keys."""
SERVERS: Final = "the server's"


class SettingsView(msgspec.Struct, frozen=True):
    """The content of one frame."""

    file: str  # their file, or a text if nothing is stored
    settings: Settings  # present ones
    keyboard: Keyboard  # present keys
    asked: Action | None = None  # the action that the next pressed key is assigned to
    sky: Sky = Sky(None, None)  # present sky


class SettingsState(msgspec.Struct):
    """The values being entered, and their errors, by key."""

    typed: dict[str, Any] = {}  # Any: as the setting
    troubles: dict[str, str] = {}


@panel("settings", title="Settings", place=7, dock=Dock.RIGHT, state=SettingsState)
def draw(view: SettingsView, state: SettingsState) -> list[PanelRequest]:
    """Lists one frame of it; a value that somebody entered is requested, whether it may be or not."""
    soft(view.file)
    requests = _sky(view.sky)
    table = ""
    for setting in SETTINGS:
        if setting.table != table:
            table = setting.table
            imgui.separator_text(table)
        entered = field_of(setting, getattr(view.settings, setting.key), state)
        if entered is not None:
            requests.append(Change(setting.key, entered))
        hint(f"{setting.key} in the file")
        soft(setting.means if setting.key in AT_ONCE else f"{setting.means} (after a restart)")
        if trouble := state.troubles.get(setting.key):
            imgui.text_colored(RED, trouble)
    return requests + _bindings(view)


def _sky(sky: Sky) -> list[PanelRequest]:
    """Time of day and weather of this window, not stored: words to select, and a time to drag."""
    imgui.separator_text("sky")
    imgui.text_disabled("for this window only; not saved")
    requests: list[PanelRequest] = []
    for name, words, now in (
        ("time of day", tuple(TIMES), next((word for word, at in TIMES.items() if at == sky.time), None)),
        ("weather", tuple(WEATHERS), sky.weather),
    ):
        beside(name)
        imgui.set_next_item_width(-1.0)
        listed = [SERVERS, *words, *([f"{sky.time} ticks"] if name == "time of day" and sky.time and not now else [])]
        chosen = now or (listed[-1] if len(listed) > len(words) + 1 else SERVERS)
        changed, index = imgui.combo(f"##{name}", listed.index(chosen), listed)
        if changed:
            word = None if index == 0 else listed[index]
            requests.append(Sky(sky.time, word) if name == "weather" else Sky(TIMES.get(word or "", None), sky.weather))
    beside("ticks")
    imgui.set_next_item_width(-1.0)
    moved, ticks = imgui.slider_int("##ticks", sky.time or 0, 0, 23999, "%d" if sky.time is not None else SERVERS)
    hint("0 is sunrise, 6000 noon, 12000 sunset, 18000 midnight")
    return [*requests, Sky(ticks, sky.weather)] if moved else requests


def _bindings(view: SettingsView) -> list[PanelRequest]:
    """A button for each action: after a click it waits for a key."""
    requests: list[PanelRequest] = []
    for action in Action:
        beside(action.value.replace("_", " "))
        label = "press a key" if action is view.asked else view.keyboard.all_shown(action)
        if imgui.button(f"{label}##{action.value}", (-1.0, 0.0)):
            requests.append(Bind(action.value))
        hint(action.means)
    return requests


def field_of(setting: Setting, value: Any, state: SettingsState) -> Any:  # Any: each setting has its own type
    """A field by the type of its value; returns the entered value, or None while it is being edited."""
    key, label = setting.key, f"##{setting.key}"
    beside(NAMES.get(key, key))
    imgui.set_next_item_width(-1.0)
    if isinstance(value, bool):
        changed, ticked = imgui.checkbox(label, value)
        return ticked if changed else None
    if setting.options:
        changed, index = imgui.combo(label, setting.options.index(value), list(setting.options))
        return setting.options[index] if changed else None
    typed = state.typed.get(key, ", ".join(value) if isinstance(value, tuple) else value)
    if isinstance(value, int):
        _, typed = imgui.input_int(label, typed)
    elif isinstance(value, float):
        _, typed = imgui.input_float(label, typed, format="%.4g")
        typed = float(f"{typed:.4g}")  # imgui's floats are single precision: 0.15 would be stored as 0.15000000596
    else:
        _, typed = imgui.input_text(label, typed)
    state.typed.pop(key, None)
    if imgui.is_item_deactivated_after_edit():
        return [word.strip() for word in typed.split(",") if word.strip()] if isinstance(value, tuple) else typed
    if imgui.is_item_active():
        state.typed[key] = typed
    return None
