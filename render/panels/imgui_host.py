"""imgui's context: style, fonts, docking, what comes in, and the layout as text.

Rules:
1. Pixels are those of the framebuffer, y down; ``scale`` makes text and spacing larger, positions never.
2. imgui reads and writes no files: the layout is a text that somebody else keeps (``layout``, ``layout_changed``).
3. One host at a time is current; ``begin`` makes it so. Owner thread only.
4. A panel that raises costs its own panel: it says what was raised, the rest is drawn (``panel``).
5. Panels that come with the host stay behind: each column keeps the tab that the layout names, and the keyboard goes to
   the first panel in sight.
6. ``stirred`` says whether something came in of late. imgui takes some of it a few frames later (a key and its
   release), so who does anything has each frame listed.
"""

import re
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import imgui_bundle
from imgui_bundle import imgui, implot

from client.source import one_line
from render.panels.panel import PANELS, Dock

RIGHT_SHARE: Final = 0.33
BELOW_SHARE: Final = 0.34
MOST_SHARE: Final = 0.5
RIGHT_EM, BELOW_EM = 22.0, 14.0
"""What panels need at least, in heights of the font, where that is no more than ``MOST_SHARE``."""


def arrange(space: int) -> None:
    """Splits an empty docking space."""
    builder, size, em = imgui.internal, imgui.get_main_viewport().work_size, imgui.get_font_size()
    share = min(max(RIGHT_SHARE, RIGHT_EM * em / size.x), MOST_SHARE)
    right = builder.dock_builder_split_node(space, imgui.Dir.right, share)
    share = min(max(BELOW_SHARE, BELOW_EM * em / size.y), MOST_SHARE)
    below = builder.dock_builder_split_node(right.id_at_opposite_dir, imgui.Dir.down, share)
    nodes = {Dock.RIGHT: right.id_at_dir, Dock.BELOW: below.id_at_dir}
    for panel in PANELS:
        builder.dock_builder_dock_window(panel.title, nodes[panel.dock])
    builder.dock_builder_finish(space)


SIZES: Final = re.compile(r"\b(Pos|Size|SizeRef)=(-?\d+),(-?\d+)")
ROOT_SIZE: Final = re.compile(r"^DockSpace\s.*\bSize=(\d+),(\d+)", re.MULTILINE)


def resized(layout: str, size_px: tuple[int, int]) -> str:
    """A layout for a window of another size: imgui's text holds pixels, and a dock keeps its share of the window."""
    kept = ROOT_SIZE.search(layout)
    if kept is None:
        return layout
    menu = re.search(r"^DockSpace\s.*\bPos=-?\d+,(\d+)", layout, re.MULTILINE)
    top = int(menu[1]) if menu else 0
    shares = size_px[0] / max(int(kept[1]), 1), (size_px[1] - top) / max(int(kept[2]), 1)
    if min(shares) <= 0 or shares == (1.0, 1.0):
        return layout
    return SIZES.sub(lambda at: f"{at[1]}={round(int(at[2]) * shares[0])},{round(int(at[3]) * shares[1])}", layout)


SIGNS: Final = {
    "COMMA": "comma", "PERIOD": "period", "SEMICOLON": "semicolon", "APOSTROPHE": "apostrophe", "SLASH": "slash",
    "BACKSLASH": "backslash", "MINUS": "minus", "EQUAL": "equal", "BRACKETLEFT": "left_bracket",
    "BRACKETRIGHT": "right_bracket", "QUOTELEFT": "grave_accent",
}  # fmt: skip
NAMED: Final = {
    "SPACE": "space", "TAB": "tab", "ENTER": "enter", "RETURN": "enter", "NUM_ENTER": "keypad_enter",
    "BACKSPACE": "backspace", "ESCAPE": "escape", "INSERT": "insert", "DELETE": "delete", "HOME": "home", "END": "end",
    "PAGEUP": "page_up", "PAGEDOWN": "page_down", "UP": "up_arrow", "DOWN": "down_arrow", "LEFT": "left_arrow",
    "RIGHT": "right_arrow", "NUM_ADD": "keypad_add", "NUM_SUBTRACT": "keypad_subtract",
}  # fmt: skip
HELD: Final = {
    "LSHIFT": ("left_shift", "mod_shift"), "RSHIFT": ("right_shift", "mod_shift"),
    "LCTRL": ("left_ctrl", "mod_ctrl"), "RCTRL": ("right_ctrl", "mod_ctrl"),
    "LALT": ("left_alt", "mod_alt"), "RALT": ("right_alt", "mod_alt"),
}  # fmt: skip
"""Keys that go with others: imgui wants to be told of the key and of what it means."""


def imgui_keys(name: str) -> tuple[Any, ...]:
    """Keys of imgui's for one of ours; none where it has none."""
    if name in HELD:
        return tuple(getattr(imgui.Key, key) for key in HELD[name])
    if len(name) == 1 and name.isalpha():
        return (getattr(imgui.Key, name.lower()),)
    if len(name) == 2 and name.startswith("_") and name[1].isdigit():
        return (getattr(imgui.Key, name),)
    known = NAMED.get(name) or SIGNS.get(name)
    return (getattr(imgui.Key, known),) if known else ()


# ---------------------------------------------------------------- style

FONTS: Final = Path(imgui_bundle.__file__).parent / "assets" / "fonts"
FONT: Final = FONTS / "Roboto" / "Roboto-Regular.ttf"
ARROWS: Final = FONTS / "Inconsolata-Medium.ttf"
"""Has what Roboto lacks: names of keys are arrows."""
FONT_PX: Final = 15.0
BACKGROUND: Final = (0.07, 0.08, 0.10, 0.92)
FIELD: Final = (0.20, 0.23, 0.28, 1.0)
"""Boxes and fields stand out from it."""
ROUNDED_PX: Final = 4.0
NARROWEST_TAB_PX: Final = 36.0
"""Tabs are made so narrow before they are scrolled: of four in a narrow column the open one was out of sight."""
NO_CLOSE_BUTTON: Final = int(imgui.internal.TabItemFlagsPrivate_.no_close_button)
"""Of tabs: the column's own cross closes the one in front. Room for a cross in each tab cut titles in half."""


def load_fonts(fonts: Any) -> None:  # Any: imgui's atlas
    """Adds ours to the fonts of a context; where they are missing, imgui's own remains."""
    if FONT.is_file():
        fonts.add_font_from_file_ttf(str(FONT), FONT_PX)
        merged = imgui.ImFontConfig()
        merged.merge_mode = True
        fonts.add_font_from_file_ttf(str(ARROWS), FONT_PX, merged)


def dress() -> None:
    """Gives the context that is current our colours and sizes, those of scale 1."""
    style = imgui.get_style()
    imgui.style_colors_dark(style)
    style.window_rounding = ROUNDED_PX
    style.tab_min_width_shrink = NARROWEST_TAB_PX
    style.set_color_(imgui.Col_.window_bg, imgui.ImVec4(*BACKGROUND))
    style.set_color_(imgui.Col_.frame_bg, imgui.ImVec4(*FIELD))


def tabbed() -> imgui.WindowClass:
    """What kind of windows panels are: those whose tabs are titles alone."""
    kind = imgui.WindowClass()
    kind.tab_item_flags_override_set = NO_CLOSE_BUTTON
    return kind


DOUBLE_CLICK_S: Final = 0.3
DOUBLE_CLICK_FRAMES: Final = 3.0
"""Each press is told in a frame of its own: where frames are slow, two may lie further apart than imgui waits."""
SHORTEST_S: Final = 1e-4
"""imgui takes no frame of no time."""
FIRST_FRAMES: Final = 2
"""In the first one imgui lists docked panels as if they were not; from the second on tabs hide each other."""
STIRRED_FRAMES: Final = 8
"""So many are listed after the last thing that came in."""
MOVED, PRESSED, LET_GO, TURNED = range(4)
"""What the mouse does."""


class ImguiHost:
    """One context with its docking space."""

    def __init__(self, scale: float = 1.0, layout: str = "") -> None:
        """Begins with what ``layout`` gave some other time; where that is empty, panels lie as ``dock`` says."""
        self._context = imgui.create_context()
        self._plots = implot.create_context()
        self.make_current()  # where there was another, imgui keeps that
        self._io = imgui.get_io()
        self._io.set_ini_filename(None)  # no name at all: with an empty one imgui never says that it wants to be kept
        self._io.config_flags |= imgui.ConfigFlags_.docking_enable | imgui.ConfigFlags_.nav_enable_keyboard
        self._io.backend_flags |= (
            imgui.BackendFlags_.renderer_has_textures | imgui.BackendFlags_.renderer_has_vtx_offset
        )
        self._io.config_windows_move_from_title_bar_only = True
        load_fonts(self._io.fonts)
        self.scale = 1.0  # of text and spacing
        self._mouse = -1.0, -1.0
        self._awaited: deque[tuple[int, Callable[[], object]]] = deque()
        self._taken: list[tuple[float, float, float, float]] = []
        self._stirred = STIRRED_FRAMES
        self._first = FIRST_FRAMES
        self._class = tabbed()
        self._in_sight: list[str] = []
        self._in_sight_as_kept: list[str] = []
        self._fronted = ""  # the title of the panel that is to come to the front
        # what the panels docked in the last frame left: left, top, right, bottom, in pixels, y down
        self.free = 0.0, 0.0, 0.0, 0.0
        dress()
        self.rescale(scale)
        self._arranged = bool(layout)
        self._kept = layout  # not loaded yet: the first frame says how large the window is
        self._size_px: tuple[int, int] | None = None  # of the last frame

    # ------------------------------------------------------------ what comes in

    def key(self, name: str, down: bool) -> None:
        """A key, by its name, went down or up."""
        self._stirred = STIRRED_FRAMES
        for key in imgui_keys(name):
            self._io.add_key_event(key, down)

    def text(self, typed: str) -> None:
        """Text was typed; control characters are none."""
        self._stirred = STIRRED_FRAMES
        for sign in typed:
            if sign.isprintable():
                self._io.add_input_character(ord(sign))

    def moved(self, x_px: float, y_px: float) -> None:
        self._mouse = x_px, y_px
        self._awaited.append((MOVED, partial(self._io.add_mouse_pos_event, x_px, y_px)))

    def away(self) -> None:
        """The mouse is nowhere, and no key is down: somebody else has them."""
        self._stirred = STIRRED_FRAMES
        self._mouse = -1.0, -1.0
        self._awaited.clear()
        self._io.add_focus_event(False)
        self._io.add_focus_event(True)
        self._io.add_mouse_pos_event(-3.4e38, -3.4e38)

    def button(self, number: int, down: bool) -> None:
        """A mouse button: 0 left, 1 right, 2 middle."""
        self._awaited.append((PRESSED if down else LET_GO, partial(self._io.add_mouse_button_event, number, down)))

    def wheel(self, across: float, up: float) -> None:
        self._awaited.append((TURNED, partial(self._io.add_mouse_wheel_event, across, up)))

    def clipboard(self, take: Callable[[], str], put: Callable[[str], object]) -> None:
        """Where text is copied from and to."""
        platform = imgui.get_platform_io()

        def write(_context: Any, text: str) -> None:  # Any: imgui's context
            put(text)

        platform.platform_get_clipboard_text_fn = lambda _context: take()
        platform.platform_set_clipboard_text_fn = write

    def _tell(self) -> None:
        """Tells imgui of the mouse; a press waits a frame where it has just come: tabs take none in that frame."""
        came = False
        while self._awaited:
            kind, event = self._awaited[0]
            if kind == PRESSED and came:
                return
            came = came or kind == MOVED
            self._awaited.popleft()
            event()

    @property
    def stirred(self) -> bool:
        """Whether something came in of late, or somebody holds or types something."""
        self.make_current()
        return bool(self._awaited) or self._stirred > 0 or self.wants_text or imgui.is_any_item_active()

    @property
    def wants_mouse(self) -> bool:
        """Whether the mouse is over a panel, or one is dragged; imgui itself knows of a move a frame later."""
        x, y = self._mouse
        over = any(x0 <= x < x1 and y0 <= y < y1 for x0, y0, x1, y1 in self._taken)
        return over or bool(self._io.want_capture_mouse)

    @property
    def wants_text(self) -> bool:
        """Whether somebody is typing into a panel."""
        return bool(self._io.want_text_input)

    # ------------------------------------------------------------ a frame

    def rescale(self, scale: float) -> None:
        """Text and spacing of another size from the next frame on."""
        if scale != self.scale:
            imgui.get_style().scale_all_sizes(scale / self.scale)
            imgui.get_style().font_scale_main = self.scale = scale

    def make_current(self) -> None:
        """Calls of imgui are about this one from now on."""
        imgui.set_current_context(self._context)
        implot.set_current_context(self._plots)

    def begin(self, size_px: tuple[int, int], elapsed_s: float) -> None:
        """A frame of so many pixels begins, so long after the one before."""
        self.make_current()
        self._stirred = STIRRED_FRAMES if self._awaited else max(self._stirred - 1, 0)
        self._keep_shares(size_px)
        self._io.display_size = imgui.ImVec2(*size_px)
        self._taken.clear()
        self._in_sight.clear()
        self._io.delta_time = max(elapsed_s, SHORTEST_S)
        self._io.mouse_double_click_time = twice_s = max(DOUBLE_CLICK_S, DOUBLE_CLICK_FRAMES * elapsed_s)
        self._io.mouse_single_click_delay = twice_s + SHORTEST_S  # imgui wants it to be longer
        self._tell()
        if self._fronted:
            self._front()
        imgui.new_frame()
        space = imgui.dock_space_over_viewport(0, None, imgui.DockNodeFlags_.passthru_central_node)
        if not self._arranged:
            self._arranged = True
            arrange(space)
        if centre := imgui.internal.dock_builder_get_central_node(space):
            corner, size = centre.pos, centre.size
            self.free = corner.x, corner.y, corner.x + size.x, corner.y + size.y

    def _keep_shares(self, size_px: tuple[int, int]) -> None:
        """Panels take the same share of the window as in the frame before, or when the layout was kept."""
        if self._kept:
            imgui.load_ini_settings_from_memory(resized(self._kept, size_px))
            self._kept = ""
        elif self._size_px not in (None, size_px) and self._arranged:
            imgui.load_ini_settings_from_memory(resized(str(imgui.save_ini_settings_to_memory()), size_px))
        self._size_px = size_px

    def panel(self, title: str, draw: Callable[[], None]) -> bool:
        """One panel; False: it was closed by its cross."""
        as_kept = imgui.WindowFlags_.no_focus_on_appearing if self._first else imgui.WindowFlags_.none
        imgui.set_next_window_class(self._class)
        visible, stays = imgui.begin(title, True, as_kept)
        if visible:
            self._in_sight.append(title)
        self.take(imgui.get_window_pos(), imgui.get_window_size())
        whole = imgui.internal.ErrorRecoveryState()
        imgui.internal.error_recovery_store_state(whole)
        try:
            if visible:
                draw()
        except Exception as error:  # any: a panel must not end the window
            self._close_what_was_left_open(whole)
            imgui.text_wrapped(f"This panel failed: {type(error).__name__}: {one_line(str(error))}")
        finally:
            imgui.end()
        return bool(stays)

    def take(self, corner: Any, size: Any) -> None:  # Any: imgui's vectors
        """The mouse is ours there, until the next frame begins."""
        self._taken.append((corner.x, corner.y, corner.x + size.x, corner.y + size.y))

    def _close_what_was_left_open(self, whole: Any) -> None:  # Any: imgui's state
        """Tables and the like, quietly: imgui would assert, and its own callers are C++."""
        self._io.config_error_recovery_enable_assert = self._io.config_error_recovery_enable_debug_log = False
        imgui.internal.error_recovery_try_to_recover_state(whole)
        self._io.config_error_recovery_enable_assert = self._io.config_error_recovery_enable_debug_log = True

    def end(self) -> Any:  # Any: imgui's lists, for ``PanelsPass.draw``
        """The frame is listed."""
        imgui.render()
        if self._first:
            self._first -= 1
            if not self._first and self._in_sight:
                imgui.set_window_focus(self._in_sight[0])
            self._in_sight_as_kept = [*self._in_sight]
        return imgui.get_draw_data()

    def focus(self, title: str | None) -> None:
        """Gives the keyboard to a panel; None: to none of them."""
        self._stirred = STIRRED_FRAMES
        if title is None:
            imgui.set_window_focus(None)
        else:
            imgui.set_window_focus(title)

    def bring_to_front(self, title: str) -> None:
        """Shows a docked panel in place of those it shares a column with; the keyboard stays where it is."""
        self._stirred = STIRRED_FRAMES
        self._fronted = title

    def _front(self) -> None:
        """Does it, once the panel is there."""
        window: Any = imgui.internal.find_window_by_name(self._fronted)
        if window is None or window.dock_node is None or window.dock_node.tab_bar is None:
            return
        active: Any = self._context.nav_window
        if active is not None and active.dock_node is not None and active.dock_node.id_ == window.dock_node.id_:
            imgui.set_window_focus(self._fronted)  # else the one beside it stays, for it has the keyboard
        window.dock_node.tab_bar.next_selected_tab_id = window.tab_id
        self._fronted = ""

    # ------------------------------------------------------------ what is kept

    @property
    def layout_changed(self) -> bool:
        """Whether somebody moved something since ``layout``, or brought a tab to the front, which imgui tells not."""
        return bool(self._io.want_save_ini_settings) or self._in_sight != self._in_sight_as_kept

    def layout(self) -> str:
        """Where everything lies."""
        self._io.want_save_ini_settings = False
        self._in_sight_as_kept = [*self._in_sight]
        imgui.set_current_context(self._context)  # another host's end leaves none, and imgui crashes without one
        return str(imgui.save_ini_settings_to_memory())

    def close(self) -> None:
        """Ends the context; the pass was released before."""
        implot.destroy_context(self._plots)
        imgui.destroy_context(self._context)
