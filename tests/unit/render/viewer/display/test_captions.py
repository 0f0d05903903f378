"""What is said and asked, which numbers are shown, the card of a first start; and the layout of keys.

Crosshair: Where the arms of the crosshair lie.

Hud: What the HUD says, read without a window.

Snapshots for the panel of the legend: the same ones while nothing changed.
"""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from client.player import Eye, View
from client.world.lifecycle import SubChunkState
from render.settings import Action, Keyboard, Settings, load
from render.settings.file import default_file
from render.viewer.display.captions import (
    ALL,
    FEW,
    FIRST_S,
    KEPT_SENTENCES,
    MOVED_S,
    READ_CHARACTERS_S,
    SAID_S,
    Captions,
    arms_of,
    first_keys,
)
from render.viewer.display.hud import STATE_ORDER, biome_at, facing, hud_lines, more_lines, named
from render.viewer.frame_times import Pace
from render.viewer.preferences import Preferences
from render.viewer.window.window import Area
from tests.support.session.virtual import VirtualSession

# ---------------------------------------------------------------- captions


def captions(first_start: bool = False, numbers_on: bool = True) -> Captions:
    return Captions(Preferences(Settings(), None), numbers_on, first_start, 0.0)


def shown(told: Captions, now: float) -> list[str]:
    return told.lines(now, lambda every: [f"at {now:g}", "more"] if every else [f"at {now:g}"])


def test_a_first_start_shows_a_card_of_four_keys_for_a_while() -> None:
    told = captions(first_start=True)
    assert [row.caps for row in told.keys(1.0)] == [("W", "A", "S", "D"), ("F1",), ("F6",), ("I",)]
    assert shown(told, 1.0) == ["at 1"], "beside the numbers"
    assert told.keys(FIRST_S + 1.0) == told.keys(1.0) == ()
    assert captions().keys(1.0) == ()
    assert first_keys(Keyboard("azerty"))[0].caps == ("Z", "Q", "S", "D")


@pytest.mark.parametrize("action", [Action.HELP, Action("states"), Action.INSPECT])
def test_the_card_goes_when_one_of_its_keys_is_used(action: Action) -> None:
    told = captions(first_start=True)
    told.used(Action.PICTURE, 1.0)
    assert told.keys(1.0)
    told.used(action, 1.0)
    assert told.keys(1.0) == ()


def test_the_card_goes_soon_after_the_first_step() -> None:
    told = captions(first_start=True)
    told.used(Action.FORWARD, 1.0)
    told.used(Action.FORWARD, MOVED_S)
    assert told.keys(0.9 + MOVED_S)
    assert told.keys(1.1 + MOVED_S) == ()


def test_few_numbers_then_all_then_none() -> None:
    told = captions()
    assert shown(told, 1.0) == ["at 1"]
    assert told.switch_numbers() == ALL
    assert shown(told, 1.0) == ["at 1", "more"]
    assert told.switch_numbers() == 0
    assert shown(told, 1.0) == []
    assert told.switch_numbers() == FEW
    assert shown(captions(numbers_on=False), 1.0) == []


def test_an_open_list_stands_in_the_place_of_numbers_and_card() -> None:
    told = captions(first_start=True)
    told.listed = ["a list"]
    assert (shown(told, 1.0), told.keys(1.0)) == (["a list"], ())


def test_what_was_said_and_what_is_asked_take_no_place_of_the_numbers() -> None:
    told = captions()
    told.say("picture: a.png", 1.0)
    assert told.said(2.0, "Go to: ") == ["picture: a.png", "Go to: "]
    assert told.said(1.0 + SAID_S, None) == []
    assert shown(told, 2.0) == ["at 2"]


def test_what_was_said_can_be_read_again() -> None:
    told = captions()
    told.restart(lambda: 7.5)
    told.say("", 1.0)
    for number in range(KEPT_SENTENCES + 2):
        told.say(f"{number}", 1.0)
    assert told.kept[0] == (7.5, "2")
    assert len(told.kept) == KEPT_SENTENCES


def test_a_server_that_talks_a_lot_has_one_line_and_takes_none_of_our_own_away() -> None:
    told = captions()
    told.receive("server: welcome", 1.0)
    told.say("picture: a.png", 1.0)
    for tenth in range(9, 49):
        told.receive(f"<Mole> {tenth}", tenth / 10)
        assert told.said(tenth / 10, None) == ["picture: a.png", f"<Mole> {tenth}"]
    assert told.said(1.0 + SAID_S, None) == ["<Mole> 48"]
    told.say("", 1.1 + SAID_S)
    assert told.said(4.9 + SAID_S, None) == []


def test_a_long_sentence_stays_as_long_as_it_takes_to_be_read() -> None:
    told, sentence = captions(), "Undecodable: " + "it makes no sense, " * 10
    told.say(sentence, 1.0)
    read_s = len(sentence) / READ_CHARACTERS_S
    assert read_s > 2 * SAID_S
    assert told.said(0.9 + read_s, None) == [sentence]
    assert told.said(1.1 + read_s, None) == []


def test_text_is_made_anew_some_times_a_second() -> None:
    told = captions()
    assert shown(told, 1.0)[0] == "at 1"
    assert shown(told, 1.05)[0] == "at 1"
    told.renew()
    assert shown(told, 1.05)[0] == "at 1.05"
    assert shown(told, 1.2)[0] == "at 1.2"


def test_a_changed_layout_is_kept_with_own_keys_over_it(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[keys]\nhelp = 'X' # mine\n")
    layout = Preferences(load(file, {}).settings, file)
    layout.offer_preset()
    assert layout.offer_preset() == "key layout: azerty"
    assert layout.keyboard.action("Z") is Action.FORWARD
    assert layout.keyboard.action("X") is Action.HELP
    assert file.read_text() == "[keys]\nhelp = 'X' # mine\npreset = \"azerty\"\n"


def test_one_press_offers_another_layout_and_the_second_changes_it(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("")
    layout = Preferences(load(file, {}).settings, file)
    assert layout.offer_preset() == f"Press F8 again to change the key layout to azerty and save it in {file}."
    layout.withdraw_offer()  # another key
    assert layout.offer_preset().startswith("Press F8 again")
    assert file.read_text() == ""
    assert layout.offer_preset() == "key layout: azerty"
    assert "azerty" in file.read_text()


def test_a_file_that_cannot_be_kept_is_told_and_the_layout_changes(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[keys\n")
    layout = Preferences(Settings(), file)
    layout.offer_preset()
    assert layout.offer_preset().startswith(f"key layout: azerty; {file} is not valid TOML")
    assert layout.settings.preset == "azerty"
    blocked = Preferences(Settings(), file / "deeper.toml")
    assert str(file) in blocked.begin()
    blocked.offer_preset()
    assert "not saved" in blocked.offer_preset()


def test_a_first_start_writes_the_default_file(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config.toml"
    assert Preferences(Settings(), file).begin() == ""
    assert file.read_text("utf-8") == default_file()


# ---------------------------------------------------------------- crosshair


@pytest.mark.parametrize("scale", [1.0, 1.25, 2.0])
@pytest.mark.parametrize("size", [(1280, 720), (320, 180)])
def test_arms_lie_around_the_middle_and_leave_it_free(size: tuple[int, int], scale: float) -> None:
    left, right, lower, upper = arms_of(Area(0, 0, *size), scale)
    x, y = size[0] // 2, size[1] // 2
    assert left.x + left.width < x < right.x
    assert lower.y + lower.height < y < upper.y
    assert x - left.x == right.x + right.width - x == y - lower.y == upper.y + upper.height - y
    assert {left.y, right.y} == {y - left.height // 2}
    assert {lower.x, upper.x} == {x - lower.width // 2}
    assert left.width == upper.height >= 8 * scale


def test_it_grows_with_the_scale() -> None:
    window = Area(0, 0, 1280, 720)
    assert arms_of(window, 2.0)[0].width == 2 * arms_of(window, 1.0)[0].width


def test_it_stands_in_the_middle_of_what_panels_leave_of_the_window() -> None:
    whole, beside = Area(0, 0, 840, 480), Area(0, 240, 840, 720)
    moved = [arm._replace(y=arm.y + 240) for arm in arms_of(whole, 1.0)]
    assert list(arms_of(beside, 1.0)) == moved


# ---------------------------------------------------------------- hud

PACE = Pace(frame_ms=16.7, work_ms=9.24, worst_ms=48.0, bytes_in_s=2_500_000.0, bytes_out_s=310.0)
VIEW = View(Eye(1.0, 70.25, -8.0), 90.0, 12.4, 70.0)


def statistics(**session: Any) -> Any:
    """A connection's snapshot with what the HUD reads of it."""
    facts: dict[str, Any] = {
        "world_name": "Hills",
        "dimension": 0,
        "time": 6000,
        "player": Eye(1.0, 69.0, -8.0),
        "held_at": None,
        "columns": 9,
        "states": {"data": 40, "unknown": 7, "refused": 1, "wanted": 0},
        "requests": SimpleNamespace(entries=48, packets=2),
        "ledger": SimpleNamespace(outstanding=3),
        "terrain": SimpleNamespace(stale_columns=0),
        "pins": 0,
        "join_fault": "",
        "warnings": (),
    }
    peer = SimpleNamespace(bytes_in=1_234_567, bytes_out=999)
    return SimpleNamespace(source="embedded:hills:1", session=SimpleNamespace(**facts | session), peer=peer)


SCENE: Any = SimpleNamespace(
    cells_shown=20,
    cells_drawn=12,
    quads_drawn=3456,
    gpu_bytes=2_000_000_000,
    gpu_light=False,
    failures=0,
    failed=None,
    mirror=SimpleNamespace(light=SimpleNamespace(left_out=0)),
)


def lines(scene: Any = SCENE, view: View = VIEW, pace: Pace = PACE, unsent: int = 0, **session: Any) -> list[str]:
    return hud_lines(statistics(**session), scene, pace, view, unsent, "plains")


def more(scene: Any = SCENE, unsent: int = 0, **session: Any) -> list[str]:
    return more_lines(statistics(**session), scene, PACE, VIEW, unsent)


def test_three_lines_say_where_one_is_what_is_missing_and_how_fast_it_goes() -> None:
    assert lines() == [
        "where\t1.0,70.2,-8.0\tchunk 0,-1 (1,8 in it)\twest (-X)\toverworld\tplains",
        "missing\t1 refused by the server",
        "frame\t60 fps\t16.7 ms, worst 48 ms\tHills (embedded:hills:1)",
    ]


def test_that_the_eye_is_inside_a_block_is_a_problem_before_the_frame() -> None:
    told = hud_lines(statistics(), SCENE, PACE, VIEW, 0, "plains", "The camera is inside a block (stone).")
    assert told == [*lines()[:2], "problem\tThe camera is inside a block (stone)", lines()[2]]


def test_an_orthographic_view_has_its_scale_for_as_long_as_it_lasts() -> None:
    told = lines(view=replace(VIEW, ortho_blocks=1024.4))
    assert told[1] == "scale\t1,024 blocks from top to bottom; the wheel zooms"
    assert [told[0], *told[2:]] == lines()


def test_the_biome_is_named_where_it_is_known() -> None:
    connection = VirtualSession("hills:1").connection()
    assert connection.wait_settled()
    session = connection.session
    eye = session.movement.eye.block
    assert biome_at(session, eye) == "plains"
    assert biome_at(session, eye._replace(y=5000)) == biome_at(session, eye._replace(x=90_000)) == ""


def test_place_in_a_chunk_counts_from_its_corner_below_zero_too() -> None:
    assert "chunk -2,1 (15,0 in it)" in lines(view=replace(VIEW, eye=Eye(-16.5, 70.0, 16.0)))[0]


@pytest.mark.parametrize(
    ("yaw_deg", "words"),
    [(0, "south (+Z)"), (90, "west (-X)"), (180, "north (-Z)"), (-180, "north (-Z)"), (-90, "east (+X)"),
     (44, "south (+Z)"), (46, "west (-X)"), (-44, "south (+Z)"), (314, "east (+X)"), (359, "south (+Z)")],
)  # fmt: skip
def test_the_direction_is_told_with_its_axis(yaw_deg: float, words: str) -> None:
    assert facing(yaw_deg) == words


def test_a_name_is_told_once() -> None:
    assert named("Hills", "embedded:hills:1") == "Hills (embedded:hills:1)"
    assert named("hills:1", "embedded:hills:1") == named("", "embedded:hills:1") == "embedded:hills:1"
    assert named("\u00a7cRed\n", "here:1") == "Red (here:1)"


def test_before_the_second_frame_there_is_no_rate() -> None:
    assert lines(pace=Pace(0.0, 0.0, 0.0, 0.0, 0.0))[2].startswith("frame\t- fps\t0.0 ms")
    assert lines(pace=Pace(2500.0, 2500.0, 0.0, 0.0, 0.0))[2].startswith("frame\t0.4 fps\t")


def test_what_is_missing_is_counted_by_kind_and_none_is_hidden() -> None:
    assert lines(states={"data": 40, "unknown": 7})[1] == "missing\tnothing"
    assert lines(states={"data": 40}, join_fault="no radius granted")[1:3] == [
        "missing\tnothing that was requested",
        "problem\tjoin: no radius granted",
    ]
    many = {"data": 4, "requested": 334, "refused": 2}
    assert lines(states=many, unsent=3)[1] == (
        "missing\t334 requested, no answer yet · 2 refused by the server · 3 columns never sent"
    )
    assert lines(states={}, columns=0)[1] == "missing\teverything: no column has arrived yet"


def test_the_hours_bytes_and_costs_are_told_on_demand() -> None:
    told = more()
    assert told[0] == "view\tyaw 90 pitch 12 · player 1,69,-8 · time of day 12:00"
    assert "time of day 00:00" in more(time=18000)[0]
    assert told[1] == "network\tin 2.5 MB/s, out 310 B/s · total 1.2 MB in, 999 B out"
    assert "9.2 ms of work per frame" in told[4]


def test_it_says_who_makes_the_light() -> None:
    assert more()[4].endswith("CPU lighting")
    assert more(SimpleNamespace(**vars(SCENE) | {"gpu_light": True}))[4].endswith("GPU lighting")


def test_what_could_not_be_made_is_told() -> None:
    failed = SimpleNamespace(
        **vars(SCENE) | {"failures": 3, "failed": "the mesh of render cell 1 2 3 could not be made"}
    )
    assert "problem\t3 failed, shown as they were: the mesh of render cell 1 2 3 could not be made" in lines(failed)
    assert not [line for line in lines() if "failed" in line]


def test_states_have_the_names_of_the_legend_and_empty_ones_are_left_out() -> None:
    assert more()[2] == "sub-chunks\treceived 40 · refused by the server 1 · not requested (hidden) 7"
    assert more(states={})[2] == "sub-chunks\tnone announced yet"


def test_every_state_with_a_box_is_counted_somewhere() -> None:
    assert set(STATE_ORDER) == set(SubChunkState) - {SubChunkState.OUTSIDE}


def test_what_is_wrong_is_said_only_when_it_is() -> None:
    assert len(lines()) == 3
    wrong = "2 packets made no sense; the last one: SubChunk.entries at 9: truncated"
    assert "problem\tjoin: no radius granted" in lines(join_fault="no radius granted")
    told = lines(held_at=Eye(5.0, 64.0, 5.5), warnings=(wrong, "3 answers came twice"))
    assert told[2:-1] == [
        "problem\tserver holds you at 5.0,64.0,5.5",
        f"problem\t{wrong}",
        "problem\t3 answers came twice",
    ]


def test_stale_columns_and_pins_are_counted_where_there_are_any() -> None:
    assert more()[3].startswith("columns\t9 · requested 48")
    told = more(terrain=SimpleNamespace(stale_columns=4), pins=2)
    assert told[3].startswith("columns\t9 (4 stale) · 2 pinned · requested 48")


def test_holes_of_a_gpu_without_room_are_told() -> None:
    assert not any("no room" in line for line in lines())
    full = SimpleNamespace(**vars(SCENE) | {"mirror": SimpleNamespace(light=SimpleNamespace(left_out=107))})
    assert "problem\tno room on the GPU for the light of 107 sub-chunks: holes around them" in lines(full)


def test_columns_that_were_never_sent_are_counted_where_there_are_any() -> None:
    told = more(unsent=2, terrain=SimpleNamespace(stale_columns=4))
    assert told[3].startswith("columns\t9 (4 stale, 2 never sent) · requested 48")
    assert more(pins=1)[3].startswith("columns\t9 · 1 pinned · requested")
