"""The door to the panels: whose keys, text and mouse are whose. No window, and no imgui but where it says so.

Panel layout: Which panels are open and where they lie outlives the window; a broken file costs a layout and nothing
else.
"""

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from render.settings import Action
from render.viewer.display.panels import PanelLayout, Panels, read_layout, write_layout
from render.viewer.window.window_size import Area, WindowSize

# ---------------------------------------------------------------- panels

EXTENT = WindowSize((640, 360), (640, 360), 1.0)
AREA = Area(0, 0, 400, 339)


@dataclass
class FakeHost:
    """Notes what it is told."""

    wants_mouse: bool = False
    wants_text: bool = False
    told: list[object] = field(default_factory=list)

    def key(self, name: str, down: bool) -> None:
        self.told.append((name, down))

    def text(self, typed: str) -> None:
        self.told.append(typed)

    def button(self, number: int, down: bool) -> None:
        self.told.append((number, down))

    def moved(self, x_px: float, y_px: float) -> None:
        self.told.append((x_px, y_px))

    def wheel(self, across: float, up: float) -> None:
        self.told.append((across, up))

    def away(self) -> None:
        self.told.append("away")


class FakeRoom:
    """Panels that are loaded."""

    def __init__(self) -> None:
        self.host = FakeHost()
        self.opened = {"legend"}
        self.hidden = 0
        self.resized: list[int] = []

    def resize_text(self, steps: int) -> None:
        self.resized.append(steps)

    def hide(self) -> None:
        self.hidden += 1

    def free(self, _extent: WindowSize) -> Area:
        return AREA

    def switch_by_key(self, key: str) -> bool:
        if key == "_1":
            self.opened ^= {"pipeline"}
        return key == "_1"


@pytest.fixture
def panels() -> Panels:
    made = Panels(cast(Any, None), cast(Any, None), 1.0, None)
    made._room = cast(Any, FakeRoom())
    return made


def host_of(panels: Panels) -> FakeHost:
    return cast(FakeHost, cast(Any, panels._room).host)


def test_the_key_opens_with_the_keyboard_and_closes(panels: Panels) -> None:
    assert panels.switch_keys() == "No panels are open."
    panels.open_or_close(EXTENT)
    assert panels.shown
    assert panels.keyboard
    assert panels.legend
    assert panels.free(EXTENT) == AREA
    panels.open_or_close(EXTENT)
    assert not panels.shown
    assert not panels.keyboard
    assert panels.free(EXTENT) == EXTENT.whole
    assert cast(Any, panels._room).hidden == 1


def test_keys_go_to_whom_they_belong(panels: Panels) -> None:
    assert not panels.key("W", True, Action.FORWARD), "closed panels have no keys"
    panels.open_or_close(EXTENT)
    host = host_of(panels)
    assert panels.key("W", True, Action.FORWARD)
    assert host.told[-1] == ("W", True)
    assert not panels.key("F2", True, Action.PICTURE), "function keys are the window's"
    assert not panels.key("TAB", True, Action.PANEL_KEYS)
    assert panels.text("w")
    assert panels.key("_1", True, None)
    assert cast(Any, panels._room).opened == {"legend", "pipeline"}
    host.wants_text = True
    assert panels.key("_1", True, None)
    assert host.told[-1] == ("_1", True), "somebody types a number"
    host.wants_text = False
    panels.switch_keys()
    assert panels.shown
    assert not panels.key("W", True, Action.FORWARD), "now the world has them"
    assert not panels.text("w")


def test_tab_is_the_panels_while_somebody_types_or_holds_control(panels: Panels) -> None:
    panels.open_or_close(EXTENT)
    host_of(panels).wants_text = True
    assert panels.key("TAB", True, Action.PANEL_KEYS)
    host_of(panels).wants_text = False
    panels.key("LCTRL", True, None)
    assert panels.key("TAB", True, Action.PANEL_KEYS)
    panels.key("LCTRL", False, None)
    assert not panels.key("TAB", True, Action.PANEL_KEYS)


def test_control_with_plus_minus_and_nought_sizes_text(panels: Panels) -> None:
    panels.open_or_close(EXTENT)
    host = host_of(panels)
    panels.key("EQUAL", True, None)
    assert host.told[-1] == ("EQUAL", True), "without Control it is a panel's"
    panels.key("LCTRL", True, None)
    told = len(host.told)
    for name in ("EQUAL", "NUM_SUBTRACT", "_0"):
        assert panels.key(name, True, None)
        assert panels.key(name, False, None)
    assert cast(Any, panels._room).resized == [1, -1, 0]
    assert len(host.told) == told


def test_a_click_beside_the_panels_is_the_worlds_with_keyboard_and_all(panels: Panels) -> None:
    assert not panels.button(0, True)
    panels.open_or_close(EXTENT)
    host_of(panels).wants_mouse = True
    assert panels.button(0, True)
    assert panels.wheel(0.0, 1.0)
    assert panels.keyboard
    host_of(panels).wants_mouse = False
    assert not panels.button(0, True)
    assert not panels.wheel(0.0, 1.0)
    assert not panels.keyboard
    assert host_of(panels).told[-1] == "away"


@pytest.mark.parametrize("module", ["render.capture.picture", "render.cli.shot", "render.cli.test", "render.film"])
def test_imgui_is_not_loaded_by_what_has_no_window(module: str) -> None:
    code = f"import sys, {module}; print('imgui_bundle' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"


# ---------------------------------------------------------------- panel layout


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "panels.ini"
    write_layout(path, ["pipeline", "graphs"], "[Window][Pipeline]\nPos=1,2\n")
    assert read_layout(path) == PanelLayout(("pipeline", "graphs"), "[Window][Pipeline]\nPos=1,2\n")
    write_layout(path, [], "")
    assert read_layout(path) == PanelLayout((), ""), "nobody wants panels: that is kept, too"


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"[Window][Pipeline]\n", b""])
def test_what_is_no_layout_is_none(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "panels.ini"
    path.write_bytes(content)
    assert read_layout(path) == PanelLayout()


def test_no_file_is_no_layout(tmp_path: Path) -> None:
    assert read_layout(None) == read_layout(tmp_path / "none.ini") == PanelLayout()
    write_layout(None, ["pipeline"], "")
    with pytest.raises(OSError, match="directory"):
        write_layout(tmp_path, ["pipeline"], "")
    assert list(tmp_path.parent.glob("*.part")) == []
