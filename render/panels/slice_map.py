"""A slice through the sub-chunks, flat: pan and zoom, coloured by state, priority, age or light; what is gone fades.

The mouse: left selects, right moves, the wheel zooms. The keyboard is ``slice_keys``; what is shown, ``slice_view``.
"""

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from imgui_bundle import imgui

from render.panels.rows import flows, hint
from render.panels.slice_keys import LEAST_PX, MOST_PX, ZOOM, keys
from render.panels.slice_view import (
    LAST,
    MIDDLE,
    NEXT,
    NOTHING,
    OLD,
    OLD_S,
    UNWANTED,
    YOUNG,
    YOUNG_S,
    Paint,
    Plane,
    Rgb,
    SliceState,
    SliceView,
    middle_of,
    subchunk_at,
)
from render.panels.wishes import Go, Inspect, Wish
from render.passes.state_styles import STYLES

TITLE: Final = "Slice map"
MARK_COLOUR: Final = 0xFF30D8FF
"""As imgui packs colours: yellow."""
GRID_PX: Final = 12.0
"""From this size on, lines part the sub-chunks."""
DRAGGED_PX: Final = 4.0
"""What is moved less was a click."""
MOUSE_HINT: Final = "drag to select, right button to move, wheel to zoom, double click to go there"
KEYS_HINT: Final = (
    "on the map: arrows move the mark, with Shift select, with Ctrl the map; Space inspects, Enter goes there"
)
ACROSS: Final = {Plane.LEVEL: "y", Plane.ALONG_X: "z", Plane.ALONG_Z: "x"}
"""The axis that goes through a slice."""
KEYS: Final[dict[Paint, tuple[tuple[Rgb, str], ...]]] = {
    Paint.PRIORITY: ((NEXT, "asked for next"), (LAST, "last"), (UNWANTED, "not wanted")),
    Paint.AGE: (
        (YOUNG, f"{YOUNG_S:g} s in its state"), (MIDDLE, f"{math.sqrt(YOUNG_S * OLD_S):.2g} s"), (OLD, f"{OLD_S:g} s"),
    ),
    Paint.LIGHT: (((255.0, 255.0, 255.0), "block light in its colours"), ((135.0, 135.0, 135.0), "daylight in grey")),
}  # fmt: skip
"""What colours mean where they mean no states."""


def draw(view: SliceView, state: SliceState) -> list[Wish]:
    """Lists one frame of it."""
    choose(view, state)
    key(view, state.paint)
    total(view, state.selected)
    return chart(view, state)


def choose(view: SliceView, state: SliceState) -> None:
    """Which slice, which colours, how near."""
    em = imgui.get_font_size()
    for label, field, values, means in (
        ("##plane", "plane", list(Plane), "which slice through the world"),
        ("##paint", "paint", list(Paint), "what colours say"),
    ):
        if field == "paint":
            flows("", 7.5)
        imgui.set_next_item_width(7.5 * em)
        names = [value.value for value in values]
        changed, index = imgui.combo(label, names.index(getattr(state, field).value), names)
        hint(means)
        if changed:
            setattr(state, field, values[index])
            if field == "plane":
                state.level = state.centre = state.selected = state.mark = None
    flows("", 10.0)
    imgui.set_next_item_width(10 * em)
    changed, level = imgui.slider_int("##level", view.level, *view.levels, f"{ACROSS[state.plane]} %d")
    hint("where the slice lies, in blocks")
    if changed:
        state.level = level
    flows("follow", 2.5)
    changed, follows = imgui.checkbox("follow", state.level is None and state.centre is None)
    if changed:
        state.level = None if follows else view.level
        state.centre = None if follows else view.eye
    hint("stays with the camera")
    flows(" -  + ", 2.0)
    if imgui.button(" - "):
        state.px = max(state.px / ZOOM, LEAST_PX)
    imgui.same_line()
    if imgui.button(" + "):
        state.px = min(state.px * ZOOM, MOST_PX)
    hint("zoom; the wheel does it, too")


def key(view: SliceView, paint: Paint) -> None:
    """What colours mean, those of states that are on the map; in as many lines as it takes."""
    side = imgui.get_text_line_height()
    for index, (colour, words) in enumerate(KEYS.get(paint) or states_key(view)):
        if index:
            flows(words, 2.0)
        at, (red, green, blue) = imgui.get_cursor_screen_pos(), colour
        packed = imgui.color_convert_float4_to_u32(imgui.ImVec4(red / 255, green / 255, blue / 255, 1.0))
        imgui.get_window_draw_list().add_rect_filled(at, imgui.ImVec2(at.x + side, at.y + side), packed)
        imgui.dummy(imgui.ImVec2(side, side))
        imgui.same_line()
        imgui.text_disabled(words)


def states_key(view: SliceView) -> list[tuple[Rgb, str]]:
    """Colours of the states that are on the map, with how many there are."""
    counts = np.bincount(view.states.ravel(), minlength=NOTHING)
    return [
        ((255 * red, 255 * green, 255 * blue), f"{style.label} {counts[state]}")
        for state, style in STYLES.items()
        if counts[state]
        for red, green, blue in (style.colour,)
    ]


def total(view: SliceView, selected: tuple[int, int, int, int] | None) -> None:
    """What is selected, by state: always a line, lest the map moves under the mouse that selects."""
    if selected is None:
        imgui.push_text_wrap_pos(0.0)
        imgui.text_disabled(KEYS_HINT if imgui.get_io().nav_visible else MOUSE_HINT)
        imgui.pop_text_wrap_pos()
        return
    words = [f"{STYLES[state].label} {number}" for state, number in view.totals(selected).items() if state in STYLES]
    size = (selected[2] - selected[0]) * (selected[3] - selected[1])
    imgui.text_wrapped(f"{size} selected: {', '.join(words) or 'no columns'}")


def chart(view: SliceView, state: SliceState) -> list[Wish]:
    """The map itself: everything that is left of the panel."""
    size = imgui.get_content_region_avail()
    size = imgui.ImVec2(max(size.x, 32.0), max(size.y, 32.0))
    corner = imgui.get_cursor_screen_pos()
    buttons = imgui.ButtonFlags_.mouse_button_left | imgui.ButtonFlags_.mouse_button_right
    imgui.invisible_button("map", size, buttons | imgui.ButtonFlags_.enable_nav)
    keyed = keys(view, state, (size.x / state.px, size.y / state.px)) if imgui.is_item_focused() else []
    centre = state.centre or view.eye
    middle = corner.x + size.x / 2, corner.y + size.y / 2

    def screen(a: float, b: float) -> imgui.ImVec2:
        return imgui.ImVec2(middle[0] + (a - centre[0]) * state.px, middle[1] + (b - centre[1]) * state.px)

    mouse = imgui.get_mouse_pos()
    under = centre[0] + (mouse.x - middle[0]) / state.px, centre[1] + (mouse.y - middle[1]) / state.px
    lines = imgui.get_window_draw_list()
    lines.push_clip_rect(corner, imgui.ImVec2(corner.x + size.x, corner.y + size.y), True)
    (a0, b0), (rows, columns) = view.origin, view.states.shape
    lines.add_image(imgui.ImTextureRef(view.picture), screen(a0, b0), screen(a0 + columns, b0 + rows))
    if state.px >= GRID_PX:
        grid(view, screen, lines)
    if state.selected is not None:
        a, b, a1, b1 = state.selected
        lines.add_rect(screen(a, b), screen(a1, b1), 0xFFFFFFFF, 0.0, 2.0)
    if state.mark is not None:
        a, b = state.mark
        lines.add_rect(screen(a, b), screen(a + 1, b + 1), 0xFF000000, 0.0, 4.0)
        lines.add_rect(screen(a, b), screen(a + 1, b + 1), MARK_COLOUR, 0.0, 2.0)
    eye(view, screen, lines)
    lines.pop_clip_rect()
    return keyed + moved(view, state, centre, under)


Screen = Callable[[float, float], Any]
"""Map coordinates to imgui's position on the screen."""


def grid(view: SliceView, screen: Screen, lines: Any) -> None:  # Any: imgui's list
    """Thin lines between sub-chunks."""
    (a0, b0), (rows, columns) = view.origin, view.states.shape
    for a in range(a0, a0 + columns + 1):
        lines.add_line(screen(a, b0), screen(a, b0 + rows), 0x30FFFFFF)
    for b in range(b0, b0 + rows + 1):
        lines.add_line(screen(a0, b), screen(a0 + columns, b), 0x30FFFFFF)


def eye(view: SliceView, screen: Screen, lines: Any) -> None:  # Any: imgui's list
    """The camera: a point, and a line where it looks."""
    at = screen(*view.eye)
    length = math.hypot(*view.ahead) or 1.0
    ahead = imgui.ImVec2(at.x + 18 * view.ahead[0] / length, at.y + 18 * view.ahead[1] / length)
    lines.add_line(at, ahead, 0xFF000000, 4.0)
    lines.add_line(at, ahead, 0xFFFFFFFF, 2.0)
    lines.add_circle_filled(at, 5.0, 0xFF000000)
    lines.add_circle_filled(at, 3.5, 0xFFFFFFFF)


def moved(view: SliceView, state: SliceState, centre: tuple[float, float], under: tuple[float, float]) -> list[Wish]:
    """What the mouse does on the map: wheel zooms, right drags it, left selects; a tip says what lies under it."""
    io, wishes = imgui.get_io(), list[Wish]()
    a, b = math.floor(under[0]), math.floor(under[1])
    if imgui.is_item_hovered():
        if io.mouse_wheel:
            state.px = min(max(state.px * ZOOM**io.mouse_wheel, LEAST_PX), MOST_PX)
        known = view.state_at(a, b)
        place = subchunk_at(state.plane, view.level, a, b)
        said = "no column" if known is None else STYLES[known].label if known in STYLES else known.name.lower()
        imgui.set_tooltip(f"{' '.join(map(str, place))}: {said}")
        if imgui.is_mouse_double_clicked(0):
            wishes.append(Go(middle_of(place)))
    if imgui.is_item_active() and imgui.is_mouse_dragging(1, 0.0):
        state.centre = centre[0] - io.mouse_delta.x / state.px, centre[1] - io.mouse_delta.y / state.px
        state.level = view.level
    if imgui.is_item_activated() and imgui.is_mouse_clicked(0):
        state.held = under
    if state.held is not None:
        (first_a, last_a), (first_b, last_b) = sorted((state.held[0], under[0])), sorted((state.held[1], under[1]))
        state.selected = (
            math.floor(first_a), math.floor(first_b), math.floor(last_a) + 1, math.floor(last_b) + 1,
        )  # fmt: skip
        if not imgui.is_mouse_down(0):
            still = max(last_a - first_a, last_b - first_b) * state.px < DRAGGED_PX
            if still:
                wishes.append(Inspect(middle_of(subchunk_at(state.plane, view.level, a, b))))
            state.held = None
    return wishes
