"""imgui's context: style, fonts, docking, input, and the layout as text.

Rules:
1. Pixels are those of the framebuffer, y down; ``scale`` enlarges text and spacing, not positions.
2. imgui reads and writes no files: the caller stores the layout's text (``layout``, ``layout_changed``).
3. One host at a time is current; ``begin`` makes it so. Owner thread only.
4. An exception in a panel affects only that panel: it shows the error, the rest is drawn (``panel``).
5. New panels are placed behind others: each column keeps the tab named by the layout, and the keyboard goes to the
   first visible panel.
6. ``stirred`` tells whether there was recent input. imgui handles some input a few frames later (a key and its
   release), so each frame after it is rebuilt.
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
"""Least size of panels, in heights of the font, limited to ``MOST_SHARE``."""


def arrange(space: int) -> None:
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
    """A layout adapted to another window size: imgui's text holds pixels, and a dock keeps its share of the window."""
    kept = ROOT_SIZE.search(layout)
    if kept is None:
        return layout
    menu = re.search(r"^DockSpace\s.*\bPos=-?\d+,(\d+)", layout, re.MULTILINE)
    top = int(menu[1]) if menu else 0
    shares = size_px[0] / max(int(kept[1]), 1), (size_px[1] - top) / max(int(kept[2]), 1)
    if min(shares) <= 0 or shares == (1.0, 1.0):
        return layout
    return SIZES.sub(lambda at: f"{at[1]}={round(int(at[2]) * shares[0])},{round(int(at[3]) * shares[1])}", layout)


NAMED: Final = {
    "COMMA": "comma", "PERIOD": "period", "SEMICOLON": "semicolon", "APOSTROPHE": "apostrophe", "SLASH": "slash",
    "BACKSLASH": "backslash", "MINUS": "minus", "EQUAL": "equal", "BRACKETLEFT": "left_bracket",
    "BRACKETRIGHT": "right_bracket", "QUOTELEFT": "grave_accent",
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
"""Modifier keys: imgui needs both the key and its meaning."""


def imgui_keys(name: str) -> tuple[Any, ...]:
    """The imgui keys for one of ours; empty if it has none."""
    if name in HELD:
        return tuple(getattr(imgui.Key, key) for key in HELD[name])
    if len(name) == 1 and name.isalpha():
        return (getattr(imgui.Key, name.lower()),)
    if len(name) == 2 and name.startswith("_") and name[1].isdigit():
        return (getattr(imgui.Key, name),)
    return (getattr(imgui.Key, NAMED[name]),) if name in NAMED else ()


# ---------------------------------------------------------------- style

FONTS: Final = Path(imgui_bundle.__file__).parent / "assets" / "fonts"
FONT: Final = FONTS / "Roboto" / "Roboto-Regular.ttf"
ARROWS: Final = FONTS / "Inconsolata-Medium.ttf"
"""Font of characters that Roboto lacks: names of keys are arrows."""
FONT_PX: Final = 15.0
BACKGROUND: Final = (0.07, 0.08, 0.10, 0.92)
FIELD: Final = (0.20, 0.23, 0.28, 1.0)
"""Background of boxes and fields."""
ROUNDED_PX: Final = 4.0
NARROWEST_TAB_PX: Final = 36.0
"""Least width of tabs before they are scrolled: in a narrow column of four the open one was not visible."""
NO_CLOSE_BUTTON: Final = int(imgui.internal.TabItemFlagsPrivate_.no_close_button)
"""Flag of tabs: the column's own cross closes the front one. A cross in each tab cut titles in half."""


def load_fonts(fonts: Any) -> None:  # Any: imgui's atlas
    """Adds our fonts to a context; if they are missing, imgui's own is used."""
    if FONT.is_file():
        fonts.add_font_from_file_ttf(str(FONT), FONT_PX)
        merged = imgui.ImFontConfig()
        merged.merge_mode = True
        fonts.add_font_from_file_ttf(str(ARROWS), FONT_PX, merged)


def dress() -> None:
    """Sets our colours and sizes, those of scale 1, in the current context."""
    style = imgui.get_style()
    imgui.style_colors_dark(style)
    style.window_rounding = ROUNDED_PX
    style.tab_min_width_shrink = NARROWEST_TAB_PX
    style.set_color_(imgui.Col_.window_bg, BACKGROUND)
    style.set_color_(imgui.Col_.frame_bg, FIELD)


def tabbed() -> imgui.WindowClass:
    """Window class of panels, whose tabs show only titles."""
    kind = imgui.WindowClass()
    kind.tab_item_flags_override_set = NO_CLOSE_BUTTON
    return kind


DOUBLE_CLICK_S: Final = 0.3
DOUBLE_CLICK_FRAMES: Final = 3.0
"""Each press is reported in a frame of its own: in slow frames two may be further apart than imgui's limit."""
SHORTEST_S: Final = 1e-4
"""imgui rejects a frame of zero length."""
FIRST_FRAMES: Final = 2
"""In its first frame imgui builds docked panels as if undocked; from the second on tabs hide each other."""
STIRRED_FRAMES: Final = 8
"""Frames that are rebuilt after the last input."""
MOVED, PRESSED, LET_GO, TURNED = range(4)
"""Kinds of mouse events."""


class ImguiHost:
    """One context with its docking space."""

    def __init__(self, scale: float = 1.0, layout: str = "") -> None:
        """``layout``: a stored layout; empty for the default one (``dock``)."""
        self._context = imgui.create_context()
        self._plots = implot.create_context()
        self.make_current()  # otherwise imgui keeps the previous context
        self._io = imgui.get_io()
        self._io.set_ini_filename(None)  # None: with an empty name imgui never reports changes to store
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
        self._fronted = ""  # title of the panel to bring to the front
        # area left by docked panels in the last frame: left, top, right, bottom, in pixels, y down
        self.free = 0.0, 0.0, 0.0, 0.0
        dress()
        self.rescale(scale)
        self._arranged = bool(layout)
        self._kept = layout  # not loaded yet: the first frame gives the window's size
        self._size_px: tuple[int, int] | None = None  # of the last frame

    # ------------------------------------------------------------ what comes in

    def key(self, name: str, down: bool) -> None:
        self._stirred = STIRRED_FRAMES
        for key in imgui_keys(name):
            self._io.add_key_event(key, down)

    def text(self, typed: str) -> None:
        """Passes on typed text without control characters."""
        self._stirred = STIRRED_FRAMES
        for sign in typed:
            if sign.isprintable():
                self._io.add_input_character(ord(sign))

    def moved(self, x_px: float, y_px: float) -> None:
        self._mouse = x_px, y_px
        self._awaited.append((MOVED, partial(self._io.add_mouse_pos_event, x_px, y_px)))

    def away(self) -> None:
        """Releases mouse and keys: they belong to another part."""
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
        platform = imgui.get_platform_io()

        def write(_context: Any, text: str) -> None:  # Any: imgui's context
            put(text)

        platform.platform_get_clipboard_text_fn = lambda _context: take()
        platform.platform_set_clipboard_text_fn = write

    def _tell(self) -> None:
        """Passes mouse events to imgui. A press waits a frame after a move: tabs ignore it in the frame of the move."""
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
        """Whether there was recent input, or a button is held, or a field has the focus."""
        self.make_current()
        return bool(self._awaited) or self._stirred > 0 or self.wants_text or imgui.is_any_item_active()

    @property
    def wants_mouse(self) -> bool:
        """Whether the mouse is over a panel, or drags one; imgui itself notices a move one frame later."""
        x, y = self._mouse
        over = any(x0 <= x < x1 and y0 <= y < y1 for x0, y0, x1, y1 in self._taken)
        return over or bool(self._io.want_capture_mouse)

    @property
    def wants_text(self) -> bool:
        """Whether a text field of a panel has the focus."""
        return bool(self._io.want_text_input)

    # ------------------------------------------------------------ a frame

    def rescale(self, scale: float) -> None:
        """Sets the size of text and spacing from the next frame on."""
        if scale != self.scale:
            imgui.get_style().scale_all_sizes(scale / self.scale)
            imgui.get_style().font_scale_main = self.scale = scale

    def make_current(self) -> None:
        imgui.set_current_context(self._context)
        implot.set_current_context(self._plots)

    def begin(self, size_px: tuple[int, int], elapsed_s: float) -> None:
        """Starts a frame of a size, ``elapsed_s`` after the last."""
        self.make_current()
        self._stirred = STIRRED_FRAMES if self._awaited else max(self._stirred - 1, 0)
        self._keep_shares(size_px)
        self._io.display_size = imgui.ImVec2(*size_px)
        self._taken.clear()
        self._in_sight.clear()
        self._io.delta_time = max(elapsed_s, SHORTEST_S)
        self._io.mouse_double_click_time = twice_s = max(DOUBLE_CLICK_S, DOUBLE_CLICK_FRAMES * elapsed_s)
        self._io.mouse_single_click_delay = twice_s + SHORTEST_S  # imgui requires it to be longer
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
        """Keeps the panels' shares of the window, from the last frame or the stored layout."""
        if self._kept:
            imgui.load_ini_settings_from_memory(resized(self._kept, size_px))
            self._kept = ""
        elif self._size_px not in (None, size_px) and self._arranged:
            imgui.load_ini_settings_from_memory(resized(str(imgui.save_ini_settings_to_memory()), size_px))
        self._size_px = size_px

    def panel(self, title: str, draw: Callable[[], None]) -> bool:
        """Draws one panel; False: it was closed by its cross."""
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
        """Takes the mouse in an area, until the next frame starts."""
        self._taken.append((corner.x, corner.y, corner.x + size.x, corner.y + size.y))

    def _close_what_was_left_open(self, whole: Any) -> None:  # Any: imgui's state
        """Closes tables and the like after an error: imgui would assert otherwise, from C++ code."""
        self._io.config_error_recovery_enable_assert = self._io.config_error_recovery_enable_debug_log = False
        imgui.internal.error_recovery_try_to_recover_state(whole)
        self._io.config_error_recovery_enable_assert = self._io.config_error_recovery_enable_debug_log = True

    def end(self) -> Any:  # Any: imgui's lists, for ``PanelsPass.draw``
        """Ends the frame and returns its draw lists."""
        imgui.render()
        if self._first:
            self._first -= 1
            if not self._first and self._in_sight:
                imgui.set_window_focus(self._in_sight[0])
            self._in_sight_as_kept = [*self._in_sight]
        return imgui.get_draw_data()

    def bring_to_front(self, title: str) -> None:
        """Shows a docked panel in front of others in its column; the keyboard stays where it is."""
        self._stirred = STIRRED_FRAMES
        self._fronted = title

    def _front(self) -> None:
        """Brings it to the front, once the panel exists."""
        window: Any = imgui.internal.find_window_by_name(self._fronted)
        if window is None or window.dock_node is None or window.dock_node.tab_bar is None:
            return
        active: Any = self._context.nav_window
        if active is not None and active.dock_node is not None and active.dock_node.id_ == window.dock_node.id_:
            imgui.set_window_focus(self._fronted)  # otherwise the one beside it stays, since it has the keyboard
        window.dock_node.tab_bar.next_selected_tab_id = window.tab_id
        self._fronted = ""

    # ------------------------------------------------------------ what is kept

    @property
    def layout_changed(self) -> bool:
        """Whether the layout changed since ``layout``, or a tab came to the front, which imgui does not report."""
        return bool(self._io.want_save_ini_settings) or self._in_sight != self._in_sight_as_kept

    def layout(self) -> str:
        self._io.want_save_ini_settings = False
        self._in_sight_as_kept = [*self._in_sight]
        imgui.set_current_context(self._context)  # without a current context imgui crashes
        return str(imgui.save_ini_settings_to_memory())

    def close(self) -> None:
        """Destroys the context; the pass must be released before."""
        implot.destroy_context(self._plots)
        imgui.destroy_context(self._context)
