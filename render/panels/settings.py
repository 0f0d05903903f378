"""Every setting of the file: looked at, changed, kept, its comments left alone."""

from typing import Any

import msgspec
from imgui_bundle import imgui

from render.panels.panel import Bind, Change, Dock, Wish, panel
from render.panels.widgets import beside, hint


class Choice(msgspec.Struct, frozen=True):
    """One setting."""

    table: str  # in the file
    key: str  # in that table
    # as it is now; lists as tuples of texts
    value: Any  # Any: each setting has its own type
    means: str  # words for it
    at_once: bool  # whether a change needs no other start
    options: tuple[str, ...] = ()  # all it may be, where that is one of a few words


class Binding(msgspec.Struct, frozen=True):
    """One action and its keys."""

    action: str  # as the file has it
    keys: str  # as people know them, or that it has none
    means: str  # words for it
    waits: bool  # whether the next key pressed is its


class SettingsView(msgspec.Struct, frozen=True):
    """One moment."""

    file: str  # where they lie, or what there is to say where nothing is kept
    choices: tuple[Choice, ...]  # in the order of the file
    bindings: tuple[Binding, ...] = ()  # which key does what


class SettingsState(msgspec.Struct):
    """What somebody is typing, and what is wrong with it, by key."""

    typed: dict[str, Any] = {}  # Any: as the setting
    troubles: dict[str, str] = {}


@panel("settings", title="Settings", place=7, dock=Dock.RIGHT, state=SettingsState)
def draw(view: SettingsView, state: SettingsState) -> list[Wish]:
    """Lists one frame of it; a value that somebody entered is a wish, whether it may be or not."""
    imgui.push_text_wrap_pos(0.0)
    imgui.text_disabled(view.file)
    imgui.pop_text_wrap_pos()
    wishes: list[Wish] = []
    table = ""
    for choice in view.choices:
        if choice.table != table:
            table = choice.table
            imgui.separator_text(table)
        entered = field_of(choice, state)
        if entered is not None:
            wishes.append(Change(choice.key, entered))
        hint(choice.means if choice.at_once else f"{choice.means} (after a restart)")
        if trouble := state.troubles.get(choice.key):
            imgui.text_colored(imgui.ImVec4(1.0, 0.45, 0.35, 1.0), trouble)
    return wishes + _bindings(view.bindings)


def _bindings(bindings: tuple[Binding, ...]) -> list[Wish]:
    """A button for each action: pressed, it waits for a key."""
    wishes: list[Wish] = []
    for binding in bindings:
        beside(binding.action)
        label = "press a key" if binding.waits else binding.keys
        if imgui.button(f"{label}##{binding.action}", imgui.ImVec2(-1.0, 0.0)):
            wishes.append(Bind(binding.action))
        hint(binding.means)
    return wishes


def field_of(choice: Choice, state: SettingsState) -> Any:  # Any: as the setting
    """A field by the type of its value; what was entered just now, or None. What is typed holds while it is typed."""
    key, value, label = choice.key, choice.value, f"##{choice.key}"
    beside(key)
    imgui.set_next_item_width(-1.0)
    if isinstance(value, bool):
        changed, ticked = imgui.checkbox(label, value)
        return ticked if changed else None
    if choice.options:
        changed, index = imgui.combo(label, choice.options.index(value), list(choice.options))
        return choice.options[index] if changed else None
    typed = state.typed.get(key, ", ".join(value) if isinstance(value, tuple) else value)
    if isinstance(value, int):
        _, typed = imgui.input_int(label, typed)
    elif isinstance(value, float):
        _, typed = imgui.input_float(label, typed, format="%.4g")
        typed = float(f"{typed:.4g}")  # imgui's floats are short ones: 0.15 would be kept as 0.15000000596
    else:
        _, typed = imgui.input_text(label, typed)
    state.typed.pop(key, None)
    if imgui.is_item_deactivated_after_edit():
        return [word.strip() for word in typed.split(",") if word.strip()] if isinstance(value, tuple) else typed
    if imgui.is_item_active():
        state.typed[key] = typed
    return None
