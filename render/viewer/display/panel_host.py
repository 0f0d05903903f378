"""The panels of one window: imgui's host, the pass that draws it, the menu, the stored layout.

Imported when panels are first opened, by ``panels``.
"""

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from imgui_bundle import imgui

from client.connection.stats import Statistics
from render.gpu.timers import GpuTimes
from render.panels.imgui_host import ImguiHost
from render.panels.panel import Change, Inspect, Panel, PanelRequest, all_panels
from render.panels.widgets import ACCENT, SOFT
from render.passes.imgui import PanelsPass
from render.settings import Action
from render.settings.schema import DEFAULTS
from render.viewer.display.panel_data import PanelFrame, PanelViews
from render.viewer.display.panels import FILE_NAME, read_layout, write_layout
from render.viewer.input import copied, pasted
from render.viewer.preferences import expected
from render.viewer.window.window import Area, WindowSize

if TYPE_CHECKING:
    from render.viewer.window_state import WindowState
    from render.viewer.world_session import WorldSession

LISTED_EVERY_S: Final = 0.1
"""How often idle panels are rebuilt: faster numbers cannot be read, and building all panels costs six times as much as
drawing the same triangles again."""
KEEP_EVERY_S: Final = 2.0
"""How often a changing layout is written."""

TEXT_STEP: Final = 1.125


class PanelHost:
    """The panels of one window; owner thread only."""

    def __init__(self, state: "WindowState", session: "WorldSession", extent: WindowSize) -> None:
        file = state.settings.settings_file
        self._file = file.with_name(FILE_NAME) if file else None
        kept = read_layout(self._file)
        self._preferences = state.preferences
        self.host = ImguiHost(self._scale * extent.scale, kept.arranged)  # handles input
        self.host.clipboard(lambda: pasted(state.window), lambda text: copied(state.window, text))
        self._pass = PanelsPass(state.gpu)
        self._clock = session.world.scene.clock
        self._times = GpuTimes(state.gpu)
        self._views = PanelViews(state, session)
        # names of open panels
        self.opened = {panel.name for panel in all_panels() if panel.opened} if kept.opened is None else {*kept.opened}
        self._states: dict[str, Any] = {panel.name: panel.state() for panel in all_panels()}  # Any: each panel's own
        self._asked: list[PanelRequest] = []
        self.trouble = ""  # why the layout is not stored, in a sentence
        self._kept_at = 0.0
        self._kept = {*self.opened}
        self._sizes_unknown = True
        self._listed: tuple[float, WindowSize, float, frozenset[str], bool] | None = None
        self._has_keys = True  # whether the panels have the keyboard

    @property
    def _scale(self) -> float:
        """Of text, multiplied by the desktop's scale factor."""
        return self._preferences.settings.scale

    def frame(self, known: Statistics, now: float, elapsed_s: float, extent: WindowSize) -> list[PanelRequest]:
        """Draws all open panels, rebuilt if they may have changed; returns their requests."""
        self._views.record(known, now, self._time_passes())
        requests: list[PanelRequest] = []
        if self._is_listed(now, extent):
            with self._clock.during("panels"):
                self._pass.draw_again(extent.pixels)
        else:
            requests = self._list_and_draw(known, now, elapsed_s, extent)
        if now - self._kept_at >= KEEP_EVERY_S and (self.host.layout_changed or self.opened != self._kept):
            self._kept_at = now
            self.keep()
        requests, self._asked = [*self._asked, *requests], []
        return [request for request in requests if not self._grants(request)]

    def give_keys(self, panels: bool) -> None:
        self._has_keys = panels

    def _is_listed(self, now: float, extent: WindowSize) -> bool:
        """Whether the last build is still current."""
        if self._listed is None or self._asked or self.host.stirred:
            return False
        then, *so = self._listed
        return 0.0 <= now - then < LISTED_EVERY_S and so == [extent, self._scale, self.opened, self._has_keys]

    def _list_and_draw(self, known: Statistics, now: float, elapsed_s: float, extent: WindowSize) -> list[PanelRequest]:
        since_s = now - self._listed[0] if self._listed else elapsed_s
        self.host.rescale(self._scale * extent.scale)
        if self._sizes_unknown:  # imgui shows no docked panel before it was built once
            self._sizes_unknown = False
            self._list(known, now, elapsed_s, extent)
        requests, listed = self._list(known, now, max(since_s, elapsed_s), extent)
        self._listed = now, extent, self._scale, frozenset(self.opened), self._has_keys
        with self._clock.during("panels"):
            self._pass.draw(listed, extent.pixels)
        return requests

    def _list(
        self, known: Statistics, now: float, elapsed_s: float, extent: WindowSize
    ) -> tuple[list[PanelRequest], Any]:  # Any: imgui's lists
        requests: list[PanelRequest] = []
        moment = PanelFrame(known, now, self._pass.picture)
        self.host.begin(extent.pixels, elapsed_s)
        self._menu()
        for panel in all_panels():
            if panel.name not in self.opened:
                continue
            draw = partial(self._draw, panel, moment, requests)
            if not self.host.panel(panel.title, draw):
                self.switch(panel.name)
        return requests, self.host.end()

    def _draw(self, panel: Panel, moment: PanelFrame, requests: list[PanelRequest]) -> None:
        state = self._states[panel.name]
        requests += panel.draw(self._views.snapshot(panel.name, moment, state), state)

    def _grants(self, request: PanelRequest) -> bool:
        """Handles a request between panels; returns whether it was one."""
        if isinstance(request, Inspect):
            self._states["inspector"].held = request.block
            self.opened.add("inspector")
            self.host.bring_to_front("Inspector")
            return True
        if isinstance(request, Change):
            self._states["settings"].troubles[request.key] = trouble = expected(request.key, request.value)
            return bool(trouble)
        return False

    def switch(self, name: str) -> None:
        self.opened ^= {name}

    def switch_by_key(self, key: str) -> bool:
        """Opens or closes the panel of a digit, by the key's name; returns whether it has one."""
        panel = panels_by_digit().get(key.removeprefix("_"))
        if panel is None:
            return False
        self.switch(panel.name)
        return True

    def resize_text(self, steps: int) -> None:
        """Changes the text size by steps, which add up within a frame; 0: the initial size."""
        asked = [request.value for request in self._asked if isinstance(request, Change)]
        before = asked[-1] if asked else self._scale
        scale = round(before * TEXT_STEP**steps, 2) if steps else DEFAULTS.scale
        if not expected("scale", scale):
            self._asked.append(Change("scale", scale))

    def keep(self) -> None:
        names = [panel.name for panel in all_panels() if panel.name in self.opened]
        self._kept = {*names}
        try:
            write_layout(self._file, names, self.host.layout())
        except OSError as error:
            self.trouble = f"The panel layout cannot be saved: {error.filename or self._file}: {error.strerror}."

    def close(self) -> None:
        self.keep()
        self._clock.watch = None
        self._times.release()
        self._pass.release()
        self.host.close()

    def free(self, extent: WindowSize) -> Area:
        """The area that menu and docked panels left in the last frame; everything before the first."""
        left, top, right, bottom = (int(side) for side in self.host.free)
        high = extent.pixels[1]
        return Area(left, high - bottom, right, high - top) if left < right and top < bottom else extent.whole

    def hide(self) -> None:
        """The panels are hidden: nothing is measured for them."""
        self._listed = None
        self._clock.watch = None

    def _time_passes(self) -> dict[str, float]:
        """GPU seconds of each pass in an earlier frame; measured only while a panel shows them."""
        wanted = "graphs" in self.opened
        was, self._clock.watch = self._clock.watch is not None, self._times if wanted else None
        return self._times.turn() if was else {}

    def _menu(self) -> None:
        if not imgui.begin_main_menu_bar():
            return
        self.host.take(imgui.get_window_pos(), imgui.get_window_size())
        keys = keys_label(self._has_keys, self._preferences.keyboard.shown(Action.PANEL_KEYS))
        keys_px = imgui.calc_text_size(keys).x + imgui.get_style().item_spacing.x
        space_px = imgui.get_content_region_avail().x - keys_px
        for label, panel in zip(menu_labels(space_px), all_panels(), strict=True):
            if imgui.menu_item_simple(label, "", panel.name in self.opened):
                self.switch(panel.name)
            if label.isdigit():
                imgui.set_item_tooltip(panel.title)
        imgui.set_cursor_pos_x(imgui.get_window_width() - keys_px)
        imgui.text_colored(imgui.ImVec4(*(ACCENT if self._has_keys else SOFT)), keys)
        imgui.set_item_tooltip("Ctrl and a digit opens or closes a panel")
        imgui.end_main_menu_bar()


def keys_label(panels: bool, key: str) -> str:
    return f"keys: panels ({key}: world)" if panels else f"keys: world ({key}: panels)"


def panels_by_digit() -> dict[str, Panel]:
    """Panels by their keys; from the tenth on they have none: Ctrl and 0 is the text size."""
    return dict(zip("123456789", all_panels(), strict=False))


def menu_labels(space_px: float) -> list[str]:
    """Labels of all panels: digits with titles; only digits if the width is too small."""
    digits = {panel.name: digit for digit, panel in panels_by_digit().items()}
    labels = [f"{digits.get(panel.name, '')} {panel.title}".lstrip() for panel in all_panels()]
    around = 2 * imgui.get_style().item_spacing.x
    if sum(imgui.calc_text_size(label).x + around for label in labels) > space_px:
        return [label.partition(" ")[0] for label in labels]
    return labels
