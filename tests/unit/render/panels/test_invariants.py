"""The panel of invariants: counts, and the way to the places."""

import numpy as np
from imgui_bundle import imgui

from client.player import Eye
from net.space.positions import BlockPos
from render.invariants import NAMES, NOWHERE, Blocks, InvariantFinding
from render.panels import invariants
from render.panels.imgui_host import FONT_PX
from render.panels.invariants import MEANS, InvariantsState, InvariantsView, next_place
from render.panels.requests import Go, Inspect, Wish
from tests.support.window.panels import frame, hosted, text_of

PLACES = np.array([[8, 72, 8], [104, 72, 8], [24, 72, 8], [40, 72, 8]], np.int32)
NEAR_THE_LAST = Eye(50.0, 80.0, 8.0)
FOUND = {
    "stored undrawn": InvariantFinding(None, NOWHERE, "while the picture settles"),
    "asked twice": InvariantFinding(1234, PLACES),
    "leaked pages": InvariantFinding(0, NOWHERE, "7 in use, 7 held"),
}


def test_every_invariant_is_explained() -> None:
    assert MEANS.keys() == set(NAMES)


def test_counts_are_told_and_what_cannot_be_told() -> None:
    text = text_of(lambda: invariants.draw(InvariantsView(FOUND, NEAR_THE_LAST), InvariantsState()))
    for words in ("1 of 3 are broken", "1 234", "asked twice", "take me there", "while the picture settles", "7 held"):
        assert words in text
    fine = {"leaked pages": InvariantFinding(0)}
    assert "nothing is known to be wrong" in text_of(
        lambda: invariants.draw(InvariantsView(fine, NEAR_THE_LAST), InvariantsState())
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
    wishes: list[Wish] = []
    state = InvariantsState()
    with hosted() as host:

        def drawn() -> None:
            wishes.extend(invariants.draw(InvariantsView(FOUND, NEAR_THE_LAST), state))

        for _ in range(2):
            frame(host, drawn)
        host.focus("tried")
        for key in ("DOWN", "DOWN", "SPACE", "SPACE"):
            for down in (True, False):
                host.key(key, down)
                for _ in range(3):
                    frame(host, drawn)
    gone = [wish.block for wish in wishes if isinstance(wish, Go)]
    assert [block.x for block in gone] == [40, 24]
    assert [wish.block for wish in wishes if isinstance(wish, Inspect)] == gone
    assert "2 of 4" in text_of(lambda: invariants.draw(InvariantsView(FOUND, NEAR_THE_LAST), state))


def test_a_second_click_leads_on_though_the_picture_settles_after_the_first() -> None:
    wishes: list[Wish] = []
    state, found = InvariantsState(), {"stored undrawn": InvariantFinding(4, PLACES)}
    with hosted() as host:

        def drawn() -> None:
            imgui.begin_child("narrow", imgui.ImVec2(14 * FONT_PX, 0.0))
            wishes.extend(invariants.draw(InvariantsView(found, NEAR_THE_LAST), state))
            imgui.end_child()

        def leads_on(y_px: int) -> bool:
            before = len(wishes)
            host.moved(6.0 * FONT_PX, y_px)
            for down in (True, False):
                host.button(0, down)
                for _ in range(3):
                    frame(host, drawn)
            return len(wishes) > before

        for _ in range(3):
            frame(host, drawn)
        y_px = next(y_px for y_px in range(40, 400, 8) if leads_on(y_px))
        found["stored undrawn"] = InvariantFinding(None, PLACES, "while the picture settles")
        assert leads_on(y_px)
    assert [wish.block.x for wish in wishes if isinstance(wish, Go)] == [40, 24]


def test_words_are_whole_however_narrow_the_panel_is() -> None:
    heights, state = [], InvariantsState({"asked twice": {BlockPos(40, 72, 8)}})

    def narrow() -> None:
        imgui.begin_child("narrow", imgui.ImVec2(14 * FONT_PX, 0.0))
        invariants.draw(InvariantsView(FOUND, NEAR_THE_LAST), state)
        heights.append(imgui.get_cursor_pos_y())
        imgui.end_child()

    text_of(narrow, frames=4)
    assert heights[-1] < 20 * FONT_PX, "not a letter a line"
