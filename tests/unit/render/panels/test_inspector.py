"""The inspector tells what ``why`` knows of a block."""

import json

import pytest
from imgui_bundle import imgui
from msgspec.structs import replace

from client.connection.connection import Connection
from client.report.why import facts_of
from client.report.why_facts import DrawDiagnosis
from net.space.positions import BlockPos
from render.panels import inspector
from render.panels.imgui_host import FONT_PX
from render.panels.inspector import InspectorState, InspectorView
from tests.support.session.virtual import VirtualSession
from tests.support.window.panels import text_of


@pytest.fixture(scope="module")
def view() -> InspectorView:
    connection: Connection = VirtualSession("flat:1").connection()
    assert connection.wait_settled()
    block = BlockPos(3, connection.session.movement.view.eye.block.y - 2, 3)
    while connection.block(block).name == "minecraft:air":
        block = block._replace(y=block.y - 1)
    return InspectorView(facts_of(connection.session, block, connection.now, DrawDiagnosis(True, "render cell shown")))


def test_block_state_light_and_history_are_told(view: InspectorView) -> None:
    text = text_of(lambda: inspector.draw(view, InspectorState()))
    assert view.facts is not None
    assert view.facts.block_facts is not None
    for word in (view.facts.block_facts.name.removeprefix("minecraft:"), "daylight", "LevelChunk", "SubChunk"):
        assert word in text
    assert "render cell shown" in text
    assert "answer data" in text
    assert "asked once; no request is out" in " ".join(text.split())


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

    assert "light, 0 to 15, not final yet" in said()
    assert "It waits: 2 of the 6 sub-chunks beside it are placeholders." in said()
    facts = replace(facts, placeholders_beside=0)
    assert "is a placeholder, or not lit." in said()
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
    assert "light before the face that is seen" in text
    assert "red 3" in text
    assert "daylight 14" in text
    assert "light above it" in text_of(lambda: inspector.draw(seen, InspectorState(held=view.facts.block)))
    lit = InspectorView(replace(dark, light=replace(dark.light, daylight=9)), before=above, light_before=(3, 0, 0, 14))
    assert "daylight 9" in text_of(lambda: inspector.draw(lit, InspectorState())), "glass has light of its own"


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
    for now_s, words in ((42.0, "data since 2.00 s, 40 s ago"), (242.0, "data since 2.00 s, 4 min ago")):
        seen = InspectorView(replace(view.facts, since_s=2.0), now_s)
        assert words in " ".join(text_of(lambda seen=seen: inspector.draw(seen, InspectorState())).split())


def test_nothing_under_the_crosshair_is_said() -> None:
    assert "Nothing within reach" in text_of(lambda: inspector.draw(InspectorView(None), InspectorState()))


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
        "| block | not known: a placeholder is shown |",
        "| column | not announced: nothing is known of",
        "| request | never asked |",
        "Nothing happened to it yet.",
    ):
        assert words in text
    assert "block entity" not in text
    whole = " ".join(text_of(lambda: inspector.draw(view, InspectorState())).split())
    assert "| block entity | none; 0 in its column |" in whole


def test_why_there_is_nothing_to_look_into_is_said() -> None:
    view = InspectorView(None, nothing="There are no blocks at y 400.")
    assert "no blocks at y 400" in text_of(lambda: inspector.draw(view, InspectorState(held=BlockPos(0, 400, 0))))
