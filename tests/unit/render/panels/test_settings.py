"""The panel of settings: fields by type, and what is wrong with what was typed.

Invariants: The panel of invariants: counts, and the way to the places.

Legend: The legend: rows with their numbers, overlays with their switches.

Widgets: What stands beside each other, and what does not fit there.
"""

from itertools import count

import msgspec
import numpy as np
import pytest
from imgui_bundle import imgui

from client.player import Eye
from net.space import BlockPos
from render.invariants import NAMES, NOWHERE, Blocks, InvariantFinding
from render.overlays.legend import OverlayLegend
from render.overlays.overlay import LegendRow
from render.panels import legend, problems, settings
from render.panels.imgui_host import FONT_PX, ImguiHost
from render.panels.legend import LegendState, LegendView
from render.panels.panel import Change, Go, Inspect, Overlay, OverlayRow, PanelRequest, Sky
from render.panels.problems import MEANS, InvariantsState, InvariantsView, next_place
from render.panels.settings import NAMES as NAMES_OF_SETTINGS
from render.panels.settings import SettingsState, SettingsView
from render.panels.widgets import cell, flows
from render.passes.overlay.boxes import Hatch, Outline, Style
from render.settings import Keyboard, Settings
from render.settings.overlays import OVERLAYS
from render.settings.schema import SETTINGS, Setting
from tests.support.window.panels import frame, hosted, text_of

# ---------------------------------------------------------------- settings

VIEW = SettingsView("/home/x/config.toml", Settings(packs=("a", "b")), Keyboard())


def test_all_settings_stand_in_their_tables() -> None:
    text = text_of(lambda: settings.draw(VIEW, SettingsState()))
    for words in (
        "/home/x/config.toml",
        "window",
        "HUD at the start",
        "camera",
        "flying speed, blocks/s",
        "flying speed in blocks per second; the wheel changes it",
        "12",
        "cpu",
        "a, b",
        "where lighting is computed (after a restart)",
        "next preset",
        "F8",
    ):
        assert words in text


def test_every_setting_has_a_name_that_people_read() -> None:
    assert {setting.key for setting in SETTINGS} == set(NAMES_OF_SETTINGS)
    assert not [name for name in NAMES_OF_SETTINGS.values() if "_" in name]


def test_time_of_day_and_weather_are_chosen_in_the_panel() -> None:
    text = text_of(lambda: settings.draw(VIEW, SettingsState()))
    for words in ("time of day", "the server's", "weather"):
        assert words in text
    dusk = msgspec.structs.replace(VIEW, sky=Sky(12000, "rain"))
    text = text_of(lambda: settings.draw(dusk, SettingsState()))
    for words in ("sunset", "rain", "12000"):
        assert words in text
    assert "13000 ticks" in text_of(
        lambda: settings.draw(msgspec.structs.replace(VIEW, sky=Sky(13000, None)), SettingsState())
    )


def test_what_is_wrong_is_said_below_its_field() -> None:
    state = SettingsState(troubles={"light": "must be one of cpu, gpu, flat"})
    assert "must be one of cpu, gpu, flat" in text_of(lambda: settings.draw(VIEW, state))


def entered(typed: str, key: str, monkeypatch: pytest.MonkeyPatch) -> list[PanelRequest]:
    """What a person wishes who goes to a field, types over it and presses Enter."""
    requests: list[PanelRequest] = []
    state, frames, field_of = SettingsState(), count(), settings.field_of

    def focused(setting: Setting, value: object, state: SettingsState) -> object:
        if setting.key == key and next(frames) == 3:
            imgui.set_keyboard_focus_here()
        return field_of(setting, value, state)

    monkeypatch.setattr(settings, "field_of", focused)
    with hosted() as host:

        def shown() -> None:
            requests.extend(settings.draw(VIEW, state))

        for _ in range(8):
            frame(host, shown)
        host.text(typed)
        frame(host, shown)
        for down in (True, False):
            host.key("ENTER", down)
            for _ in range(3):
                frame(host, shown)
    return requests


def test_a_number_that_is_typed_is_a_wish_with_no_more_digits_than_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert entered("0.15", "speed", monkeypatch) == [Change("speed", 0.15)]


@pytest.mark.parametrize(
    ("typed", "expected"), [("640x480", Change("size", "640x480")), ("one, two", Change("packs", ["one", "two"]))]
)
def test_a_text_and_a_list_are_wishes_at_enter(typed: str, expected: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    assert entered(typed, expected.key, monkeypatch) == [expected]


def test_a_setting_of_a_few_words_is_chosen_from_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "SETTINGS", [setting for setting in SETTINGS if setting.key == "light"])
    requests: list[PanelRequest] = []
    with hosted() as host:

        def press(*keys: str) -> None:
            for key in keys:
                for down in (True, False):
                    host.key(key, down)
                    for _ in range(3):
                        frame(host, lambda: requests.extend(settings.draw(VIEW, SettingsState())))

        press("TAB")
        imgui.set_window_focus("tried")
        press(*["DOWN"] * 4, "SPACE", "DOWN", "SPACE")  # below time of day, weather and ticks
    assert requests == [Change("light", "gpu")]


def test_a_value_that_changes_elsewhere_is_shown() -> None:
    state = SettingsState()
    for scale in (1.0, 1.125):
        view = SettingsView("file", Settings(scale=scale), Keyboard())
        assert f" {scale:g}" in text_of(lambda view=view: settings.draw(view, state))


# ---------------------------------------------------------------- invariants

PLACES = np.array([[8, 72, 8], [104, 72, 8], [24, 72, 8], [40, 72, 8]], np.int32)
NEAR_THE_LAST = Eye(50.0, 80.0, 8.0)
FOUND = {
    "not meshed": InvariantFinding(None, NOWHERE, "while the picture settles"),
    "duplicate requests": InvariantFinding(1234, PLACES),
    "GPU pages leaked": InvariantFinding(0, NOWHERE, "7 in use, 7 held"),
}


def test_every_invariant_is_explained() -> None:
    assert MEANS.keys() == set(NAMES)


def test_counts_are_told_and_what_cannot_be_told() -> None:
    text = text_of(lambda: problems.draw_invariants(InvariantsView(FOUND, NEAR_THE_LAST), InvariantsState()))
    for words in (
        "1 of 3 are broken",
        "1,234",
        "duplicate requests",
        "go there",
        "while the picture settles",
        "7 held",
    ):
        assert words in text
    fine = {"GPU pages leaked": InvariantFinding(0)}
    assert "no violations known" in text_of(
        lambda: problems.draw_invariants(InvariantsView(fine, NEAR_THE_LAST), InvariantsState())
    )


def walked(places: Blocks, seen: set[BlockPos], presses: int) -> list[int]:
    """Where (x) each place is that one is taken to, going on from there."""
    found, eye = [], NEAR_THE_LAST
    for _ in range(presses):
        place = next_place(places, seen, eye)
        found.append(place.x)
        eye = Eye(*(axis + 1.0 for axis in place))
    return found


def test_one_is_taken_to_the_nearest_place_and_on_to_the_next_until_all_were_seen() -> None:
    seen: set[BlockPos] = set()
    assert walked(PLACES, seen, 4) == [40, 24, 8, 104]
    assert len(seen) == 4
    assert walked(PLACES, seen, 2) == [40, 24]
    assert len(seen) == 2


def test_what_is_mended_meanwhile_counts_no_longer() -> None:
    seen: set[BlockPos] = set()
    walked(PLACES, seen, 2)
    assert walked(PLACES[:3], seen, 1) == [8]
    assert {place.x for place in seen} == {24, 8}


def test_the_button_leads_on_and_says_how_far() -> None:
    requests: list[PanelRequest] = []
    state = InvariantsState()
    with hosted() as host:

        def drawn() -> None:
            requests.extend(problems.draw_invariants(InvariantsView(FOUND, NEAR_THE_LAST), state))

        for _ in range(2):
            frame(host, drawn)
        imgui.set_window_focus("tried")
        for key in ("DOWN", "DOWN", "SPACE", "SPACE"):
            for down in (True, False):
                host.key(key, down)
                for _ in range(3):
                    frame(host, drawn)
    gone = [request.block for request in requests if isinstance(request, Go)]
    assert [block.x for block in gone] == [40, 24]
    assert [request.block for request in requests if isinstance(request, Inspect)] == gone
    assert "2 of 4" in text_of(lambda: problems.draw_invariants(InvariantsView(FOUND, NEAR_THE_LAST), state))


def test_a_second_click_leads_on_though_the_picture_settles_after_the_first() -> None:
    requests: list[PanelRequest] = []
    state, found = InvariantsState(), {"not meshed": InvariantFinding(4, PLACES)}
    with hosted() as host:

        def drawn() -> None:
            imgui.begin_child("narrow", imgui.ImVec2(14 * FONT_PX, 0.0))
            requests.extend(problems.draw_invariants(InvariantsView(found, NEAR_THE_LAST), state))
            imgui.end_child()

        def leads_on(y_px: int) -> bool:
            before = len(requests)
            host.moved(4.0 * FONT_PX, y_px)
            for down in (True, False):
                host.button(0, down)
                for _ in range(3):
                    frame(host, drawn)
            return len(requests) > before

        for _ in range(3):
            frame(host, drawn)
        y_px = next(y_px for y_px in range(40, 400, 8) if leads_on(y_px))
        found["not meshed"] = InvariantFinding(None, PLACES, "while the picture settles")
        assert leads_on(y_px)
    assert [request.block.x for request in requests if isinstance(request, Go)] == [40, 24]


def test_words_are_whole_however_narrow_the_panel_is() -> None:
    heights, state = [], InvariantsState({"duplicate requests": {BlockPos(40, 72, 8)}})

    def narrow() -> None:
        imgui.begin_child("narrow", imgui.ImVec2(14 * FONT_PX, 0.0))
        problems.draw_invariants(InvariantsView(FOUND, NEAR_THE_LAST), state)
        heights.append(imgui.get_cursor_pos_y())
        imgui.end_child()

    text_of(narrow, frames=4)
    assert heights[-1] < 20 * FONT_PX, "not a letter a line"


# ---------------------------------------------------------------- legend


def section_of(name: str, label: str, count: int, shown: bool | None = None, times: int = 1) -> OverlayLegend:
    style = Style(label, (1.0, 0.5, 0.0), Outline.HEAVY, Hatch.X, 0.5)
    return OverlayLegend(name, name, (LegendRow(style, count, shown),) * times)


def view_of(*sections: OverlayLegend) -> LegendView:
    return LegendView("2 pinned", sections, {section.name for section in sections}, "O", lambda _style: 1)


LEGEND_VIEW = view_of(section_of("states", "refused", 1234))


def test_rows_and_overlays_are_told() -> None:
    text = text_of(lambda: legend.draw(LEGEND_VIEW, LegendState()))
    for words in (
        "overlays (O, then the letter)",
        "S",
        "X",
        "refused",
        "big X",
        "1,234",
        "[x] states",
        "[ ] xray-air",
        OVERLAYS["xray-air"].title,
        "2 pinned",
    ):
        assert words in text


def test_what_is_scrolled_out_of_sight_keeps_its_height() -> None:
    sections = [section_of(name, f"kind {number}", 1, times=6) for number, name in enumerate([*OVERLAYS][:9])]
    view, state, heights = view_of(*sections), LegendState(), []

    def listed() -> None:
        legend.draw(view, state)
        heights.append(imgui.get_cursor_pos_y())

    with hosted() as host:
        for _ in range(4):
            frame(host, listed)
    text = text_of(lambda: legend.draw(view, state), frames=3)
    assert "kind 0" in text
    assert "kind 8" not in text
    assert len({round(height, 3) for height in heights}) == 1


def test_the_space_bar_switches_an_overlay() -> None:
    requests: list[PanelRequest] = []
    with hosted() as host:
        frame(host, lambda: requests.extend(legend.draw(LEGEND_VIEW, LegendState())))
        imgui.set_window_focus("tried")
        for key in ("DOWN", "DOWN", "SPACE"):
            for down in (True, False):
                host.key(key, down)
                for _ in range(3):
                    frame(host, lambda: requests.extend(legend.draw(LEGEND_VIEW, LegendState())))
    assert requests == [Overlay("states=all")]


def test_the_space_bar_hides_a_row_of_a_legend() -> None:
    view, requests = view_of(section_of("states", "refused", 3, shown=True)), list[PanelRequest]()
    with hosted() as host:
        frame(host, lambda: requests.extend(legend.draw(view, LegendState())))
        imgui.set_window_focus("tried")
        for key in ("DOWN", "DOWN", "SPACE"):
            for down in (True, False):
                host.key(key, down)
                for _ in range(3):
                    frame(host, lambda: requests.extend(legend.draw(view, LegendState())))
    assert requests == [OverlayRow("states", "refused")]


# ---------------------------------------------------------------- widgets


def test_buttons_stand_beside_each_other_as_far_as_there_is_room() -> None:
    lines, ends = [], []

    def many() -> None:
        for number in range(12):
            words = f"button {number}"
            if number:
                flows(words)
            imgui.button(words)
            lines.append(imgui.get_item_rect_min().y)
            ends.append(imgui.get_item_rect_max().x)

    for scale, least in ((1.0, 1), (3.0, 3)):
        host = ImguiHost(scale)
        for _ in range(2):
            lines.clear()
            ends.clear()
            frame(host, many)
        host.close()
        assert len({*lines}) >= least
        assert lines[0] == lines[1], "the first two fit"
        assert max(ends) <= 800, "none is cut"


def test_what_a_column_cuts_is_whole_under_the_mouse() -> None:
    where: list[imgui.ImVec2] = []

    def table(width: float) -> None:
        imgui.begin_table("narrow", 1, imgui.TableFlags_.none, imgui.ImVec2(width, 0.0))
        imgui.table_next_column()
        cell("requested > known air \udcff")
        where.append(imgui.get_item_rect_min())
        imgui.end_table()

    with hosted() as host:
        for width, is_cut in ((60.0, True), (400.0, False)):
            frame(host, lambda width=width: table(width))
            host.moved(where[-1].x + 5.0, where[-1].y + 5.0)
            for _ in range(3):
                frame(host, lambda width=width: table(width))
            tips = [window for window in imgui.get_current_context().windows if "Tooltip" in window.name]
            assert any(window.active for window in tips) == is_cut
