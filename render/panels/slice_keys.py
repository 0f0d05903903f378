"""The slice map by the keyboard, once the map has it (Tab).

Arrows move a mark, with Shift they select, with Control they move the map; Space inspects, Enter goes there, + and -
zoom, Home is the eye.
"""

import math
from typing import Final

from imgui_bundle import imgui

from render.panels.slice_view import SliceState, SliceView, middle_of, subchunk_at
from render.panels.wishes import Go, Inspect, Wish

LEAST_PX, MOST_PX = 2.0, 160.0
"""Of a sub-chunk."""
ZOOM: Final = 1.2
STEPS: Final = {
    imgui.Key.left_arrow: (-1, 0),
    imgui.Key.right_arrow: (1, 0),
    imgui.Key.up_arrow: (0, -1),
    imgui.Key.down_arrow: (0, 1),
}
OWN_KEYS: Final = (*STEPS, imgui.Key.space, imgui.Key.enter, imgui.Key.keypad_enter, imgui.Key.home)
"""Of the map while it has the keyboard: imgui would go elsewhere with them."""


def keys(view: SliceView, state: SliceState, shown: tuple[float, float]) -> list[Wish]:
    """What the keyboard does on the map, which has it; ``shown`` is how many sub-chunks there is room for."""
    for key in OWN_KEYS:
        imgui.internal.set_key_owner(key, imgui.get_item_id())
    if imgui.is_key_pressed(imgui.Key.home):
        state.mark = state.centre = state.level = state.selected = state.begun = None
    for key, step in STEPS.items():
        if imgui.is_key_pressed(key):
            step_on(view, state, step, shown)
    for key, zoom in ((imgui.Key.equal, ZOOM), (imgui.Key.keypad_add, ZOOM), (imgui.Key.minus, 1 / ZOOM)):
        if imgui.is_key_pressed(key):
            state.px = min(max(state.px * zoom, LEAST_PX), MOST_PX)
    if state.mark is None:
        return []
    block = middle_of(subchunk_at(state.plane, view.level, *state.mark))
    wishes: list[Wish] = [Inspect(block)] if imgui.is_key_pressed(imgui.Key.space) else []
    enter = imgui.is_key_pressed(imgui.Key.enter) or imgui.is_key_pressed(imgui.Key.keypad_enter)
    return [*wishes, Go(block)] if enter else wishes


def step_on(view: SliceView, state: SliceState, step: tuple[int, int], shown: tuple[float, float]) -> None:
    """One arrow: the map moves, or the mark, which the map follows where it would leave it."""
    io, centre = imgui.get_io(), state.centre or view.eye
    if io.key_ctrl:
        state.centre, state.level = (centre[0] + step[0], centre[1] + step[1]), view.level
        return
    here = state.mark or (math.floor(centre[0]), math.floor(centre[1]))
    state.begun = (state.begun or here) if io.key_shift else None
    a, b = state.mark = here[0] + step[0], here[1] + step[1]
    first = state.begun or state.mark
    state.selected = (min(first[0], a), min(first[1], b), max(first[0], a) + 1, max(first[1], b) + 1)
    if any(abs(at + 0.5 - middle) > room / 2 - 1 for at, middle, room in zip(state.mark, centre, shown, strict=True)):
        state.centre, state.level = (a + 0.5, b + 0.5), view.level
