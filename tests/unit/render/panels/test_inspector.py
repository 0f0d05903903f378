"""The inspector tells what ``why`` knows of a block.

Slice map: The slice map: what the mouse does on it, and what it says.
"""

import json

import numpy as np
import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from client.connection.connection import Connection
from client.report.why import facts_of
from client.report.why_facts import DrawDiagnosis
from client.world.lifecycle import SubChunkState
from net.palette import BlockState
from net.space import BlockPos
from render.panels import inspector, slice_map
from render.panels.imgui_host import FONT_PX, ImguiHost
from render.panels.inspector import InspectorState, InspectorView
from render.panels.panel import Go, Inspect, PanelRequest
from render.panels.slice_map import NOTHING, Paint, Ring, RingKind, SliceState, SliceView
from tests.support.session.virtual import VirtualSession
from tests.support.window.panels import frame, hosted, text_of

# ---------------------------------------------------------------- inspector


@pytest.fixture(scope="module")
def view() -> InspectorView:
    connection: Connection = VirtualSession("flat:1").connection()
    assert connection.wait_settled()
    block = BlockPos(3, connection.session.movement.view.eye.block.y - 2, 3)
    while connection.block(block).name == "minecraft:air":
        block = block._replace(y=block.y - 1)
    return InspectorView(facts_of(connection.session, block, connection.now, DrawDiagnosis(True, "render cell shown")))


def test_a_slice_fits_its_panel_until_somebody_zooms_and_its_edges_have_coordinates() -> None:
    view = SliceView(0, (-4, -4), np.zeros((8, 8), np.uint8), (0.0, 0.0), (0.0, 1.0), 64, (-64, 319))
    assert slice_map.fitting((800.0, 200.0), view, (0.0, 0.0)) == 25.0
    assert slice_map.fitting((800.0, 200.0), view, (4.0, 0.0)) == 25.0
    assert slice_map.fitting((800.0, 200.0), view, (0.0, 6.0)) == 10.0, "what is moved is smaller"
    words = slice_map.edge_words(slice_map.Plane.LEVEL, 25.0, (800.0, 200.0), (0.0, 0.0))
    assert words == ("x -256", "x 256", "z -64", "z 64")
    upright = slice_map.edge_words(slice_map.Plane.ALONG_X, 25.0, (800.0, 200.0), (0.0, -4.0))
    assert upright == ("x -256", "x 256", "y 128", "y 0")
    state = SliceState()
    with hosted() as host:
        for _ in range(2):
            frame(host, lambda: slice_map.chart(view, state))
    assert state.px == 0.0, "nobody zoomed"
    assert state.fitted_px > 14.0


def test_block_state_light_and_history_are_told(view: InspectorView) -> None:
    text = text_of(lambda: inspector.draw(view, InspectorState()))
    assert view.facts is not None
    assert view.facts.block_facts is not None
    for word in (view.facts.block_facts.name.removeprefix("minecraft:"), "daylight", "LevelChunk", "SubChunk"):
        assert word in text
    assert "render cell shown" in text
    assert "answered" in text
    assert "requested once, at 0." in " ".join(text.split())


def test_a_block_of_a_server_and_its_further_layers_are_named() -> None:
    connection: Connection = VirtualSession("flat:1").connection()
    assert connection.wait_settled()
    store, at = connection.session.dimension.store, BlockPos(3, -63, 3)
    own = store.table.dense_of_state(BlockState("some:lamp", (("some:lit", True),)))
    place = int(store.places_of(np.array([at.subchunk], np.int32))[0])
    store.attached.further_layers.take(place, np.full((5, 4096), own, np.uint16))
    view = InspectorView(facts_of(connection.session, at, connection.now, None))
    text = " ".join(text_of(lambda: inspector.draw(view, InspectorState())).split())
    lamp = "some:lamp[some:lit=true]"
    assert f"further layers | {', '.join([lamp] * 4)} and 1 more (never drawn)" in text


def test_a_block_state_is_written_as_find_takes_it(view: InspectorView) -> None:
    assert view.facts is not None
    assert view.facts.block_facts is not None
    block = replace(view.facts.block_facts, name="minecraft:lever", states={"level": 2, "open_bit": True})
    seen = InspectorView(replace(view.facts, block_facts=block))
    text = " ".join(text_of(lambda: inspector.draw(seen, InspectorState())).split())
    assert "block | lever[level=2,open_bit=true]" in text


def test_a_biome_has_its_name_and_number(view: InspectorView) -> None:
    assert view.facts is not None
    assert view.facts.column is not None
    column = replace(view.facts.column, biome=4, biome_name="forest", biomes=3)
    seen = InspectorView(replace(view.facts, column=column))
    assert "forest (4), one of 3 in the sub-chunk" in text_of(lambda: inspector.draw(seen, InspectorState()))


def test_light_that_is_not_final_says_what_it_waits_for(view: InspectorView) -> None:
    assert view.facts is not None
    assert view.facts.column is not None
    assert view.facts.light is not None
    facts = replace(view.facts, light=replace(view.facts.light, final=False), placeholders_beside=2)

    def said() -> str:
        assert facts.column is not None
        seen = InspectorView(replace(facts, column=replace(facts.column, missing_around=0)))
        return " ".join(text_of(lambda: inspector.draw(seen, InspectorState())).split())

    assert "light in the block, 0 to 15, not final yet" in said()
    assert "It waits: the blocks of 2 of the 6 sub-chunks beside it are unknown." in said()
    facts = replace(facts, placeholders_beside=0)
    assert "blocks or light of a sub-chunk above it" in said()
    alone = InspectorView(replace(facts, column=replace(view.facts.column, missing_around=3)))
    text = " ".join(text_of(lambda: inspector.draw(alone, InspectorState())).split())
    assert "It waits: 3 of the 8 columns around are not announced." in text


def test_of_a_block_that_lets_no_light_in_one_reads_the_light_before_it(view: InspectorView) -> None:
    assert view.facts is not None
    assert view.facts.light is not None
    dark = replace(view.facts, light=replace(view.facts.light, red=0, green=0, blue=0, daylight=0))
    above = view.facts.block._replace(y=view.facts.block.y + 1)
    seen = InspectorView(dark, before=above, light_before=(3, 0, 0, 14))
    text = text_of(lambda: inspector.draw(seen, InspectorState()))
    assert "light at the face that is seen" in text
    assert "red 3" in text
    assert "daylight 14" in text
    assert "light above it" in text_of(lambda: inspector.draw(seen, InspectorState(held=view.facts.block)))
    lit = InspectorView(replace(dark, light=replace(dark.light, daylight=9)), before=above, light_before=(3, 0, 0, 14))
    text = text_of(lambda: inspector.draw(lit, InspectorState()))
    assert "daylight 14" in text, "as I says, and as the picture has it"
    assert "in the block itself: red 0, green 0, blue 0, daylight 9" in " ".join(text.split()), "glass has its own"
    held = text_of(lambda: inspector.draw(lit, InspectorState(held=view.facts.block)))
    assert "light in the block" in held
    assert "daylight 9" in held


def test_that_the_eye_is_in_a_missing_sub_chunk_is_told_beside_the_block(view: InspectorView) -> None:
    seen = replace(view, around="Refused by the server: code 3.")
    text = " ".join(text_of(lambda: inspector.draw(seen, InspectorState())).split())
    assert "The eye is in a missing sub-chunk: Refused by the server: code 3." in text


def test_lines_of_the_history_are_one_line_high(view: InspectorView) -> None:
    assert view.facts is not None
    heights = []

    def measured() -> None:
        before = imgui.get_cursor_pos_y()
        assert view.facts is not None
        inspector.history(view.facts)
        heights.append(imgui.get_cursor_pos_y() - before)

    text_of(measured, frames=4)
    assert heights[-1] < (len(view.facts.history) + 3) * 1.6 * FONT_PX


def test_how_long_a_state_lasts_is_told(view: InspectorView) -> None:
    assert view.facts is not None
    for now_s, words in ((42.0, "received since 2.00 s, 40 s ago"), (242.0, "received since 2.00 s, 4 min ago")):
        seen = InspectorView(replace(view.facts, since_s=2.0), now_s)
        assert words in " ".join(text_of(lambda seen=seen: inspector.draw(seen, InspectorState())).split())


def test_nothing_under_the_crosshair_is_said() -> None:
    assert "No block under the crosshair" in text_of(lambda: inspector.draw(InspectorView(None), InspectorState()))


def test_a_position_that_follows_the_crosshair_stands_in_the_field(view: InspectorView) -> None:
    state = InspectorState()
    text_of(lambda: inspector.draw(view, state))
    assert view.facts is not None
    assert state.typed == [*view.facts.block]
    assert state.held is None


def test_a_position_that_another_panel_chose_stands_in_the_field(view: InspectorView) -> None:
    state = InspectorState(held=BlockPos(56, 56, -8))
    text_of(lambda: inspector.draw(view, state))
    assert state.typed == [56, 56, -8]


def test_the_copy_is_json_with_the_sentence(view: InspectorView) -> None:
    assert view.facts is not None
    plain = json.loads(inspector.as_json(view.facts))
    assert plain["facts"]["block"] == [*view.facts.block]
    assert plain["sentence"].endswith(".")
    assert plain["facts"]["history"][0]["cause"]


def test_a_block_entity_is_a_tree() -> None:
    text = text_of(lambda: inspector.tree("tags", {"id": "Chest", "Items": [{"Slot": 3, "Name": "apple"}], "Count": 2}))
    assert [
        word for word in ("tags", "id: Chest", "Items", "Slot: 3", "Name: apple", "Count: 2") if word not in text
    ] == []


def test_text_of_a_block_entity_that_is_no_utf_8_is_shown_and_copied_as_escapes(view: InspectorView) -> None:
    assert view.facts is not None
    assert view.facts.block_facts is not None
    sign = {"id": "Sign", "Text": "\udce9t\u00e9 \u65e5\u672c \U0001f98a", "\udcff": {}, "100%s": []}
    facts = replace(view.facts, block_facts=replace(view.facts.block_facts, entity=sign))
    text = text_of(lambda: inspector.draw(InspectorView(facts), InspectorState()))
    for words in ("Text: \\udce9t\u00e9 \u65e5\u672c", "\\udcff: empty", "100%s: empty"):
        assert words in text
    copied = inspector.as_json(facts)
    assert "\u00e9 \u65e5\u672c \U0001f98a" in copied, "people read it"
    assert copied.encode()
    assert json.loads(copied)["facts"]["block_facts"]["entity"] == sign


def test_what_is_not_known_says_why(view: InspectorView) -> None:
    assert view.facts is not None
    nowhere = replace(
        view.facts, block_facts=None, column=None, request=None, light=None, history=(), layer1_states=(0, ())
    )
    text = " ".join(text_of(lambda: inspector.draw(InspectorView(nowhere), InspectorState())).split())
    for words in (
        "| block | unknown: a placeholder is shown |",
        "| column | not announced: biome, limit",
        "| request | never requested |",
        "No events yet.",
    ):
        assert words in text
    assert "block entity" not in text
    whole = " ".join(text_of(lambda: inspector.draw(view, InspectorState())).split())
    assert "| block entity | none; 0 in its column |" in whole


def test_why_there_is_nothing_to_look_into_is_said() -> None:
    view = InspectorView(None, nothing="There are no blocks at y 400.")
    assert "no blocks at y 400" in text_of(lambda: inspector.draw(view, InspectorState(held=BlockPos(0, 400, 0))))


# ---------------------------------------------------------------- slice map

STATES = np.full((10, 12), int(SubChunkState.DATA), np.uint8)
STATES[:, 0] = NOTHING
STATES[3, 5:8] = int(SubChunkState.REFUSED)
VIEW = SliceView(1, (-6, -5), STATES, (0.5, 0.5), (1.0, 0.0), 70, (-64, 319))


def test_totals_count_what_is_selected_and_nothing_beside_the_map() -> None:
    assert VIEW.totals((-100, -100, 100, 100)) == {SubChunkState.DATA: 107, SubChunkState.REFUSED: 3}
    assert VIEW.totals((-6, -5, -5, 5)) == {}
    assert VIEW.totals((-1, -2, 2, -1)) == {SubChunkState.REFUSED: 3}
    assert VIEW.state_at(-6, 0) is None
    assert VIEW.state_at(0, 99) is None
    assert VIEW.state_at(0, -2) is SubChunkState.REFUSED


def test_what_is_selected_is_counted_in_words() -> None:
    text = text_of(lambda: slice_map.draw(VIEW, SliceState(selected=(-1, -2, 2, 0))))
    assert "6 selected: received 3, refused by the server 3" in text


def test_colours_are_told_beside_the_map_those_that_occur() -> None:
    states = text_of(lambda: slice_map.draw(VIEW, SliceState()))
    assert "received 107" in states
    assert "refused by the server 3" in states
    assert "cannot be decoded" not in states
    for paint, words in ((Paint.AGE, "3.2 s"), (Paint.PRIORITY, "requested next"), (Paint.LIGHT, "daylight in grey")):
        assert words in text_of(lambda paint=paint: slice_map.draw(VIEW, SliceState(paint=paint)))  # type: ignore[misc]


RINGS = (
    Ring(RingKind.REQUESTED, "9 columns", (-9.0, -9.0, 10.0, 10.0)),
    Ring(RingKind.GRANTED, "7 columns", (-7.0, -7.0, 8.0, 8.0)),
    Ring(RingKind.RECEIVED, "7 columns", (-7.0, -7.0, 8.0, 8.0)),
    Ring(RingKind.PUBLISHED, "64 blocks", (-3.5, -3.5, 4.5, 4.5), is_round=True),
)


def test_radii_of_the_join_are_told_beside_the_map() -> None:
    text = text_of(lambda: slice_map.draw(replace(VIEW, rings=RINGS), SliceState()))
    for words in (
        "requested 9 columns",
        "granted 7 columns",
        "all received up to 7 columns",
        "published circle 64 blo",
    ):
        assert words in text


def test_a_slice_fits_its_panel_together_with_what_was_granted() -> None:
    small = SliceView(1, (-1, -1), np.zeros((3, 3), np.uint8), (0.5, 0.5), (1.0, 0.0), 70, (-64, 319), RINGS)
    assert slice_map.fitting((300.0, 300.0), small, (0.5, 0.5)) == 20.0
    assert slice_map.fitting((300.0, 300.0), replace(small, rings=()), (0.5, 0.5)) == 100.0


class Desk:
    """A map with a mouse over it."""

    def __init__(self, host: ImguiHost) -> None:
        self.state, self.requests, self.host = SliceState(px=20.0), list[PanelRequest](), host
        self.middle = (0.0, 0.0)
        for _ in range(2):
            self.frame()

    def frame(self) -> None:
        def shown() -> None:
            self.requests.extend(slice_map.draw(VIEW, self.state))
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            self.middle = (low.x + high.x) / 2, (low.y + high.y) / 2

        frame(self.host, shown)

    def to(self, a: float, b: float) -> None:
        """The mouse, in the map's coordinates."""
        centre = self.state.centre or VIEW.eye
        self.host.moved(
            self.middle[0] + (a - centre[0]) * self.state.px, self.middle[1] + (b - centre[1]) * self.state.px
        )
        self.frame()

    def button(self, number: int, down: bool) -> None:
        self.host.button(number, down)
        self.frame()
        self.frame()  # a map sees of a button that goes up one frame later


def test_a_click_selects_one_and_inspects_it() -> None:
    with hosted() as host:
        desk = Desk(host)
        desk.to(2.5, -1.5)
        desk.button(0, True)
        desk.button(0, False)
        assert desk.state.selected == (2, -2, 3, -1)
        assert desk.requests == [Inspect(BlockPos(16 * 2 + 8, 70 // 16 * 16 + 8, 16 * -2 + 8))]


def test_a_drag_selects_many() -> None:
    with hosted() as host:
        desk = Desk(host)
        desk.to(2.5, 1.5)
        desk.button(0, True)
        desk.to(-0.5, -1.5)
        desk.button(0, False)
        assert desk.state.selected == (-1, -2, 3, 2)
        assert desk.requests == []


def test_the_right_button_pans_and_the_wheel_zooms() -> None:
    with hosted() as host:
        desk = Desk(host)
        desk.to(0.5, 0.5)
        desk.button(1, True)
        where = desk.middle[0] + 40.0, desk.middle[1]
        host.moved(*where)
        desk.frame()
        desk.button(1, False)
        assert desk.state.centre == pytest.approx((0.5 - 2.0, 0.5))
        host.wheel(0.0, 1.0)
        desk.frame()
        assert desk.state.px == pytest.approx(24.0)


def test_a_double_click_goes_there() -> None:
    with hosted() as host:
        desk = Desk(host)
        desk.to(0.5, 0.5)
        for down in (True, False, True, False):
            desk.button(0, down)
        assert [request for request in desk.requests if isinstance(request, Go)] == [Go(BlockPos(8, 72, 8))]


def test_the_keyboard_alone_selects_inspects_and_goes_there() -> None:
    with hosted() as host:
        desk = Desk(host)

        def press(*names: str) -> None:
            for name in names:
                host.key(name, True)
                desk.frame()
            for name in reversed(names):
                host.key(name, False)
                desk.frame()

        imgui.set_window_focus("tried")
        for _ in range(12):
            press("TAB")
            press("RIGHT")
            if desk.state.mark is not None:
                break
        assert desk.state.mark == (1, 0), "Tab leads to the map, an arrow moves its mark from the eye"
        press("DOWN")
        assert desk.state.selected == (1, 1, 2, 2)
        press("LSHIFT", "RIGHT")
        press("LSHIFT", "UP")
        assert desk.state.selected == (1, 0, 3, 2), "with Shift from where it was"
        desk.requests.clear()
        press("SPACE")
        press("ENTER")
        block = BlockPos(16 * 2 + 8, 70 // 16 * 16 + 8, 8)
        assert desk.requests == [Inspect(block), Go(block)]
        centre = desk.state.centre or VIEW.eye
        press("LCTRL", "LEFT")
        assert desk.state.centre == (centre[0] - 1, centre[1])
        assert desk.state.mark == (2, 0)
        px = desk.state.px
        press("EQUAL")
        assert desk.state.px > px
        for _ in range(30):
            press("DOWN")
        assert desk.state.centre is not None
        assert desk.state.centre[1] > 15, "the map follows the mark"
        press("HOME")
        assert desk.state.mark is desk.state.selected is desk.state.centre is None
