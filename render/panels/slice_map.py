"""A flat map of a slice through the sub-chunks, with pan and zoom, coloured by state, priority, age or light.

Removed sub-chunks fade. Over it lie the radii of the join: squares of columns that were requested, granted, received,
and the published circle.

The mouse: left selects, right moves, the wheel zooms. The keyboard, once the map has it (Tab): arrows move a mark, with
Shift they select, with Control they move the map; Space inspects, Enter goes there, + and - zoom, Home is the eye.

Coordinates of the map are in sub-chunks: ``a`` to the right, ``b`` down. A level slice has x and z there (north is up);
an upright one x or z, and the negative height, so that up is up.
"""

import math
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui

from client.world.lifecycle import ILLEGAL, STATES, SubChunkState
from net.space import BlockPos, coordinates
from render.panels.panel import Dock, Go, Inspect, PanelRequest, panel
from render.panels.widgets import flows, hint, soft
from render.passes.overlay.boxes import STYLES

# ---------------------------------------------------------------- slice view

NOTHING: Final = ILLEGAL
"""Value in ``SliceView.states`` for no column."""


Rgb = tuple[float, float, float]
"""0..255."""
YOUNG_S, OLD_S = 0.1, 100.0
YOUNG, MIDDLE, OLD = (255.0, 235.0, 90.0), (220.0, 60.0, 40.0), (40.0, 60.0, 160.0)
"""Colours of ages: of the youngest, of ``sqrt(YOUNG_S * OLD_S)``, of the oldest."""
NEXT, LAST = (255.0, 230.0, 120.0), (90.0, 30.0, 120.0)
"""Colours of ranks in the plan."""
UNWANTED: Final[Rgb] = (70.0, 70.0, 70.0)


class Plane(Enum):
    """The plane of the slice: the value is its displayed name."""

    LEVEL = "level"
    ALONG_X = "upright, x"
    ALONG_Z = "upright, z"


class Paint(Enum):
    """The meaning of colours: the value is its displayed name."""

    STATE = "state"
    PRIORITY = "priority"
    AGE = "age"
    LIGHT = "light"


class SliceState(msgspec.Struct):
    """The user's selection."""

    plane: Plane = Plane.LEVEL
    paint: Paint = Paint.STATE
    level: int | None = None  # block coordinate of the slice; None: the eye's
    centre: tuple[float, float] | None = None  # middle of the map; None: the eye
    px: float = 0.0  # chosen size of a sub-chunk; 0: fitted to the panel
    fitted_px: float = 14.0  # fitted size of a sub-chunk
    held: tuple[float, float] | None = None  # map coordinates where the mouse button was pressed
    # corners of the selection, whole sub-chunks, upper ones exclusive
    selected: tuple[int, int, int, int] | None = None
    mark: tuple[int, int] | None = None  # position of the keyboard's mark; None: not used yet
    begun: tuple[int, int] | None = None  # where the keyboard's selection started


class RingKind(Enum):
    """The meaning of a ring: the value is its displayed name. Ordered from outside to inside where rings coincide."""

    REQUESTED = "requested"
    GRANTED = "granted"
    RECEIVED = "all received up to"
    PUBLISHED = "published circle"


class Ring(msgspec.Struct, frozen=True):
    """A radius of the join on the slice."""

    kind: RingKind
    radius: str  # with its unit
    # its corners on the map, in sub-chunks; None if it does not meet the slice
    corners: tuple[float, float, float, float] | None
    is_round: bool = False  # a circle on the map, else a rectangle


class SliceView(msgspec.Struct, frozen=True):
    """The content of one slice in one frame."""

    picture: int  # its number in imgui; covers ``states``
    origin: tuple[int, int]  # map coordinates of its upper left corner
    states: npt.NDArray[np.uint8]  # uint8[rows, columns] a SubChunkState a sub-chunk, NOTHING without a column
    eye: tuple[float, float]  # camera position in map coordinates
    ahead: tuple[float, float]  # its direction on the map
    level: int  # block coordinate of the slice
    levels: tuple[int, int]  # lowest and highest valid level
    rings: tuple[Ring, ...] = ()  # by kind

    def state_at(self, a: int, b: int) -> SubChunkState | None:
        column, row = a - self.origin[0], b - self.origin[1]
        if not (0 <= row < self.states.shape[0] and 0 <= column < self.states.shape[1]):
            return None
        state = int(self.states[row, column])
        return None if state == NOTHING else SubChunkState(state)

    def totals(self, corners: tuple[int, int, int, int]) -> dict[SubChunkState, int]:
        """Number of sub-chunks by state in a rectangle of the map."""
        a0, b0, a1, b1 = corners
        columns = slice(max(a0 - self.origin[0], 0), max(a1 - self.origin[0], 0))
        rows = slice(max(b0 - self.origin[1], 0), max(b1 - self.origin[1], 0))
        counts = np.bincount(self.states[rows, columns].ravel(), minlength=STATES)[:NOTHING]
        return {SubChunkState(state): int(counts[state]) for state in np.flatnonzero(counts).tolist()}


def subchunk_at(plane: Plane, level: int, a: int, b: int) -> tuple[int, int, int]:
    match plane:
        case Plane.LEVEL:
            return a, level >> 4, b
        case Plane.ALONG_X:
            return a, -b - 1, level >> 4
        case Plane.ALONG_Z:
            return level >> 4, -b - 1, a


def middle_of(subchunk: tuple[int, int, int]) -> BlockPos:
    return BlockPos(*(16 * axis + 8 for axis in subchunk))


# ---------------------------------------------------------------- slice keys

LEAST_PX, MOST_PX = 2.0, 160.0
"""Limits of a sub-chunk's size."""
ZOOM: Final = 1.2
STEPS: Final = {
    imgui.Key.left_arrow: (-1, 0),
    imgui.Key.right_arrow: (1, 0),
    imgui.Key.up_arrow: (0, -1),
    imgui.Key.down_arrow: (0, 1),
}
OWN_KEYS: Final = (*STEPS, imgui.Key.space, imgui.Key.enter, imgui.Key.keypad_enter, imgui.Key.home)
"""Keys of the map while it has the keyboard: imgui would use them for navigation."""


def keys(view: SliceView, state: SliceState, shown: tuple[float, float]) -> list[PanelRequest]:
    """Handles the keyboard on the map; ``shown``: number of sub-chunks in the visible area."""
    for key in OWN_KEYS:
        imgui.internal.set_key_owner(key, imgui.get_item_id())
    if imgui.is_key_pressed(imgui.Key.home):
        state.mark = state.centre = state.level = state.selected = state.begun = None
    for key, step in STEPS.items():
        if imgui.is_key_pressed(key):
            step_on(view, state, step, shown)
    for key, steps in ((imgui.Key.equal, 1), (imgui.Key.keypad_add, 1), (imgui.Key.minus, -1)):
        if imgui.is_key_pressed(key):
            zoom(state, steps)
    if state.mark is None:
        return []
    block = middle_of(subchunk_at(state.plane, view.level, *state.mark))
    requests: list[PanelRequest] = [Inspect(block)] if imgui.is_key_pressed(imgui.Key.space) else []
    enter = imgui.is_key_pressed(imgui.Key.enter) or imgui.is_key_pressed(imgui.Key.keypad_enter)
    return [*requests, Go(block)] if enter else requests


def zoom(state: SliceState, steps: float) -> None:
    state.px = min(max((state.px or state.fitted_px) * ZOOM**steps, LEAST_PX), MOST_PX)


def step_on(view: SliceView, state: SliceState, step: tuple[int, int], shown: tuple[float, float]) -> None:
    """Handles an arrow: moves the map, or the mark, which the map follows at its edge."""
    io, centre = imgui.get_io(), state.centre or view.eye
    if io.key_ctrl:
        state.centre, state.level = (centre[0] + step[0], centre[1] + step[1]), view.level
        return
    here = state.mark or (math.floor(centre[0]), math.floor(centre[1]))
    state.begun = (state.begun or here) if io.key_shift else None
    a, b = state.mark = here[0] + step[0], here[1] + step[1]
    first = state.begun or state.mark
    state.selected = (min(first[0], a), min(first[1], b), max(first[0], a) + 1, max(first[1], b) + 1)
    if any(abs(at + 0.5 - middle) > space / 2 - 1 for at, middle, space in zip(state.mark, centre, shown, strict=True)):
        state.centre, state.level = (a + 0.5, b + 0.5), view.level


# ---------------------------------------------------------------- slice map

MARK_COLOUR: Final = 0xFF30D8FF
"""Yellow, packed for imgui."""
GRID_PX: Final = 12.0
"""From this size on, lines separate the sub-chunks."""
DRAGGED_PX: Final = 4.0
"""A shorter move counts as a click."""
MOUSE_HINT: Final = "drag to select, drag with the right button to pan, wheel to zoom, double click to go there"
KEYS_HINT: Final = (
    "on the map: arrows move the marker, Shift+arrows select, Ctrl+arrows pan; Space inspects, Enter goes there"
)
ACROSS: Final = {Plane.LEVEL: "y", Plane.ALONG_X: "z", Plane.ALONG_Z: "x"}
"""The axis perpendicular to a slice."""
KEYS: Final[dict[Paint, tuple[tuple[Rgb, str], ...]]] = {
    Paint.PRIORITY: ((NEXT, "requested next"), (LAST, "last"), (UNWANTED, "not requested")),
    Paint.AGE: (
        (YOUNG, f"{YOUNG_S:g} s in its state"), (MIDDLE, f"{math.sqrt(YOUNG_S * OLD_S):.2g} s"), (OLD, f"{OLD_S:g} s"),
    ),
    Paint.LIGHT: (((255.0, 255.0, 255.0), "block light in its colours"), ((135.0, 135.0, 135.0), "daylight in grey")),
}  # fmt: skip
"""Meaning of colours that do not show states."""
RING_COLOURS: Final[dict[RingKind, Rgb]] = {
    RingKind.REQUESTED: (255.0, 255.0, 255.0),
    RingKind.GRANTED: (255.0, 150.0, 220.0),
    RingKind.RECEIVED: (255.0, 230.0, 80.0),
    RingKind.PUBLISHED: (90.0, 220.0, 255.0),
}
RING_PX: Final = 2.0
"""Width of a ring's line, and of its dark edge."""


@panel("slice", title="Slice map", place=4, dock=Dock.BELOW, state=SliceState)
def draw(view: SliceView, state: SliceState) -> list[PanelRequest]:
    choose(view, state)
    key(view, state.paint)
    rings_key(view.rings)
    total(view, state.selected)
    return chart(view, state)


def choose(view: SliceView, state: SliceState) -> None:
    em = imgui.get_font_size()
    for label, field, values, means in (
        ("##plane", "plane", list(Plane), "slice plane"),
        ("##paint", "paint", list(Paint), "what the colours show"),
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
    hint("position of the slice, in blocks")
    if changed:
        state.level = level
    flows("follow", 2.5)
    changed, follows = imgui.checkbox("follow", state.level is None and state.centre is None)
    if changed:
        state.level = None if follows else view.level
        state.centre = None if follows else view.eye
    hint("follows the camera")
    flows(" -  + fit", 3.0)
    if imgui.button(" - "):
        zoom(state, -1)
    imgui.same_line()
    if imgui.button(" + "):
        zoom(state, 1)
    hint("zoom (also with the wheel)")
    imgui.same_line()
    if imgui.button("fit"):
        state.px, state.centre = 0.0, None
    hint("shows all of the slice")


def key(view: SliceView, paint: Paint) -> None:
    """Meaning of colours, for states those on the map; in as many lines as needed."""
    for index, (colour, words) in enumerate(KEYS.get(paint) or states_key(view)):
        at, side = key_entry(words, is_first=not index)
        imgui.get_window_draw_list().add_rect_filled(at, (at.x + side, at.y + side), packed(colour))


def key_entry(words: str, is_first: bool) -> tuple[imgui.ImVec2, float]:
    """A text behind room for a sample; returns the sample's upper left corner and its side."""
    if not is_first:
        flows(words, 2.0)
    at, side = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
    imgui.dummy((side, side))
    imgui.same_line()
    imgui.text_disabled(words)
    return at, side


def packed(colour: Rgb) -> int:
    red, green, blue = colour
    return int(imgui.color_convert_float4_to_u32(imgui.ImVec4(red / 255, green / 255, blue / 255, 1.0)))


def rings_key(rings: tuple[Ring, ...]) -> None:
    """Meaning of the rings' lines, each with its radius."""
    for index, ring in enumerate(rings):
        at, side = key_entry(f"{ring.kind.value} {ring.radius}", is_first=not index)
        corners = at.x + RING_PX, at.y + RING_PX, at.x + side - RING_PX, at.y + side - RING_PX
        outline(corners, ring.kind is RingKind.PUBLISHED, RING_COLOURS[ring.kind], imgui.get_window_draw_list())


def outline(
    corners: tuple[float, float, float, float], is_round: bool, colour: Rgb, lines: Any
) -> None:  # Any: imgui's list
    """A circle or a rectangle on the screen, with a dark edge for contrast with any colour."""
    left, top, right, bottom = corners
    for line, width in ((0xFF000000, 2 * RING_PX), (packed(colour), RING_PX)):
        if is_round:
            centre = imgui.ImVec2((left + right) / 2, (top + bottom) / 2)
            lines.add_circle(centre, (right - left) / 2, line, 0, width)
        else:
            lines.add_rect((left, top), (right, bottom), line, 0.0, width)


def states_key(view: SliceView) -> list[tuple[Rgb, str]]:
    counts = np.bincount(view.states.ravel(), minlength=NOTHING)
    return [
        ((255 * red, 255 * green, 255 * blue), f"{style.label} {counts[state]:,}")
        for state, style in STYLES.items()
        if counts[state]
        for red, green, blue in (style.colour,)
    ]


def total(view: SliceView, selected: tuple[int, int, int, int] | None) -> None:
    """The selection by state; always one line, so that the map does not move under the mouse that selects."""
    if selected is None:
        soft(KEYS_HINT if imgui.get_io().nav_visible else MOUSE_HINT)
        return
    words = [f"{STYLES[state].label} {number:,}" for state, number in view.totals(selected).items() if state in STYLES]
    size = (selected[2] - selected[0]) * (selected[3] - selected[1])
    imgui.text_wrapped(f"{size:,} selected: {', '.join(words) or 'no columns'}")


def chart(view: SliceView, state: SliceState) -> list[PanelRequest]:
    size = imgui.get_content_region_avail()
    size = imgui.ImVec2(max(size.x, 32.0), max(size.y, 32.0))
    corner = imgui.get_cursor_screen_pos()
    buttons = imgui.ButtonFlags_.mouse_button_left | imgui.ButtonFlags_.mouse_button_right
    imgui.invisible_button("map", size, buttons | imgui.ButtonFlags_.enable_nav)
    centre = state.centre or view.eye
    fits = not state.px
    if fits:
        state.px = state.fitted_px = fitting((size.x, size.y), view, centre)
    keyed = keys(view, state, (size.x / state.px, size.y / state.px)) if imgui.is_item_focused() else []
    middle = corner.x + size.x / 2, corner.y + size.y / 2

    def screen(a: float, b: float) -> imgui.ImVec2:
        return imgui.ImVec2(middle[0] + (a - centre[0]) * state.px, middle[1] + (b - centre[1]) * state.px)

    mouse = imgui.get_mouse_pos()
    under = centre[0] + (mouse.x - middle[0]) / state.px, centre[1] + (mouse.y - middle[1]) / state.px
    lines = imgui.get_window_draw_list()
    lines.push_clip_rect(corner, (corner.x + size.x, corner.y + size.y), True)
    (a0, b0), (rows, columns) = view.origin, view.states.shape
    lines.add_image(imgui.ImTextureRef(view.picture), screen(a0, b0), screen(a0 + columns, b0 + rows))
    if state.px >= GRID_PX:
        grid(view, screen, lines)
    rings(view.rings, screen, lines)
    if state.selected is not None:
        a, b, a1, b1 = state.selected
        lines.add_rect(screen(a, b), screen(a1, b1), 0xFFFFFFFF, 0.0, 2.0)
    if state.mark is not None:
        a, b = state.mark
        lines.add_rect(screen(a, b), screen(a + 1, b + 1), 0xFF000000, 0.0, 4.0)
        lines.add_rect(screen(a, b), screen(a + 1, b + 1), MARK_COLOUR, 0.0, 2.0)
    eye(view, screen, lines)
    edges(state, (corner.x, corner.y, size.x, size.y), centre, lines)
    lines.pop_clip_rect()
    requests = keyed + moved(view, state, centre, under)
    if fits and state.px == state.fitted_px:
        state.px = 0.0
    return requests


def fitting(size_px: tuple[float, float], view: SliceView, centre: tuple[float, float]) -> float:
    """Pixels of a sub-chunk at which a whole slice and the granted radius fit an area, around its centre."""
    (a0, b0), (rows, columns) = view.origin, view.states.shape
    shown: list[tuple[float, float, float, float]] = [(a0, b0, a0 + columns, b0 + rows)]
    shown += [ring.corners for ring in view.rings if ring.kind is RingKind.GRANTED and ring.corners is not None]
    across = max(0.5, *(abs(a - centre[0]) for corners in shown for a in corners[::2]))
    down = max(0.5, *(abs(b - centre[1]) for corners in shown for b in corners[1::2]))
    return float(min(max(min(size_px[0] / 2 / across, size_px[1] / 2 / down), LEAST_PX), MOST_PX))


def edge_words(
    plane: Plane, px: float, size_px: tuple[float, float], centre: tuple[float, float]
) -> tuple[str, str, str, str]:
    """The block coordinates at the map's edges: left, right, upper, lower, each with its axis."""
    a_name, b_name = {Plane.LEVEL: ("x", "z"), Plane.ALONG_X: ("x", "y"), Plane.ALONG_Z: ("z", "y")}[plane]
    half = size_px[0] / 2 / px, size_px[1] / 2 / px
    a = [round(16 * (centre[0] + side * half[0])) for side in (-1, 1)]
    b = [round(16 * (centre[1] + side * half[1])) for side in (-1, 1)]
    if b_name == "y":
        b = [-each for each in b]
    return f"{a_name} {a[0]}", f"{a_name} {a[1]}", f"{b_name} {b[0]}", f"{b_name} {b[1]}"


def edges(
    state: SliceState, area: tuple[float, float, float, float], centre: tuple[float, float], lines: Any
) -> None:  # Any: imgui's list
    left, top, wide, high = area
    for words, across, down in zip(
        edge_words(state.plane, state.px, (wide, high), centre), (0.0, 1.0, 0.5, 0.5), (0.5, 0.5, 0.0, 1.0), strict=True
    ):
        size = imgui.calc_text_size(words)
        corner = imgui.ImVec2(left + across * (wide - size.x), top + down * (high - size.y))
        end = imgui.ImVec2(corner.x + size.x, corner.y + size.y)
        lines.add_rect_filled(corner, end, 0xA0000000)
        lines.add_text(corner, 0xFFE0E0E0, words)


Screen = Callable[[float, float], Any]
"""Map coordinates to imgui's position on the screen."""


def grid(view: SliceView, screen: Screen, lines: Any) -> None:  # Any: imgui's list
    (a0, b0), (rows, columns) = view.origin, view.states.shape
    for a in range(a0, a0 + columns + 1):
        lines.add_line(screen(a, b0), screen(a, b0 + rows), 0x30FFFFFF)
    for b in range(b0, b0 + rows + 1):
        lines.add_line(screen(a0, b), screen(a0 + columns, b), 0x30FFFFFF)


def rings(rings: tuple[Ring, ...], screen: Screen, lines: Any) -> None:  # Any: imgui's list
    """The radii of the join; coinciding ones are drawn inside each other."""
    drawn = list[tuple[float, float, float, float]]()
    for ring in rings:
        if ring.corners is None:
            continue
        low, high = screen(*ring.corners[:2]), screen(*ring.corners[2:])
        inset = 2 * RING_PX * drawn.count(ring.corners)
        drawn.append(ring.corners)
        corners = low.x + inset, low.y + inset, high.x - inset, high.y - inset
        outline(corners, ring.is_round, RING_COLOURS[ring.kind], lines)


def eye(view: SliceView, screen: Screen, lines: Any) -> None:  # Any: imgui's list
    """The camera: a point, and a line in its direction."""
    at = screen(*view.eye)
    length = math.hypot(*view.ahead) or 1.0
    ahead = imgui.ImVec2(at.x + 18 * view.ahead[0] / length, at.y + 18 * view.ahead[1] / length)
    lines.add_line(at, ahead, 0xFF000000, 4.0)
    lines.add_line(at, ahead, 0xFFFFFFFF, 2.0)
    lines.add_circle_filled(at, 5.0, 0xFF000000)
    lines.add_circle_filled(at, 3.5, 0xFFFFFFFF)


def moved(
    view: SliceView, state: SliceState, centre: tuple[float, float], under: tuple[float, float]
) -> list[PanelRequest]:
    """Handles the mouse on the map: wheel zooms, right drags, left selects; a tooltip describes the place under it."""
    io, requests = imgui.get_io(), list[PanelRequest]()
    a, b = math.floor(under[0]), math.floor(under[1])
    if imgui.is_item_hovered():
        if io.mouse_wheel:
            zoom(state, io.mouse_wheel)
        known = view.state_at(a, b)
        place = subchunk_at(state.plane, view.level, a, b)
        said = "no column" if known is None else STYLES[known].label if known in STYLES else known.name.lower()
        imgui.set_tooltip(f"{coordinates(place)}: {said}")
        if imgui.is_mouse_double_clicked(0):
            requests.append(Go(middle_of(place)))
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
                requests.append(Inspect(middle_of(subchunk_at(state.plane, view.level, a, b))))
            state.held = None
    return requests
