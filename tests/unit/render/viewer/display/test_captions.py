"""The lines in the corner, and the layout of keys that they tell of.

Crosshair: Where the arms of the crosshair lie.

Guide: What the window says about its keys: as they are bound, and three lines at first.

Hud: What the HUD says, read without a window.
"""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from client.player import Eye, View
from client.world.lifecycle import SubChunkState
from render.settings import Action, Keyboard, Settings, load
from render.settings.actions import LOOKING_BACK, ActionGroup, actions_of
from render.settings.file import default_file
from render.settings.keys import PRESETS
from render.settings.overlays import OVERLAYS
from render.viewer.display.captions import (
    FIRST_S,
    LONGEST_LINE,
    LONGEST_OF_ALL,
    READ_CHARACTERS_S,
    SAID_S,
    Captions,
    all_keys,
    arms_of,
    first_lines,
    hint,
    packed,
    pins_hint,
    playback_hint,
    short_hint,
    tools_hint,
)
from render.viewer.display.hud import STATE_ORDER, hud_lines, short_hud_lines
from render.viewer.frame_times import Pace
from render.viewer.key_layout import KeyLayout

# ---------------------------------------------------------------- captions

# ---------------------------------------------------------------- captions


def captions(first_start: bool = False, numbers_on: bool = True) -> Captions:
    return Captions(KeyLayout(Settings(), None), numbers_on, Path("/a/config.toml"), first_start, 0.0)


def shown(told: Captions, now: float, prompt: str | None = None, playback: str | None = None) -> list[str]:
    return told.said(now, prompt) + told.lines(now, lambda: [f"at {now:g}"], playback)


def test_a_first_start_shows_three_lines_for_a_while() -> None:
    told = captions(first_start=True, numbers_on=False)
    assert len(shown(told, 1.0)) == 3
    assert shown(told, FIRST_S + 1.0) == []
    assert shown(captions(numbers_on=False), 1.0) == []


def test_the_lines_of_a_first_start_stand_alone_until_a_key_asks_for_the_numbers() -> None:
    told = captions(first_start=True)
    assert len(shown(told, 1.0)) == 3, "three lines, not a manual"
    assert shown(captions(first_start=True), FIRST_S + 1.0)[0] == f"at {FIRST_S + 1.0:g}", "which come by themselves"
    assert told.switch_numbers(), "they were not uploaded yet"
    assert shown(told, 1.0)[0] == "at 1"
    assert not told.switch_numbers()
    assert shown(told, 1.0) == []
    told.say("picture: a.png", 1.0)
    assert shown(captions(first_start=True), 1.0)[0].startswith("Click")


def test_the_list_of_keys_stands_in_the_place_of_the_rest() -> None:
    told = captions(first_start=True)
    assert told.switch_help()
    text = "\n".join(shown(told, 1.0))
    assert "Keys (qwerty)" in text
    assert "at 1" not in text
    assert not told.switch_help()
    assert shown(told, 1.0)[0] == "at 1", "and after it no first lines"


def test_what_is_wrong_and_what_was_said_come_first() -> None:
    told = captions()
    told.say("picture: a.png", 1.0)
    assert shown(told, 2.0, prompt="Go to: ")[:3] == ["picture: a.png", "Go to: ", "at 2"]
    assert "picture: a.png" not in shown(told, 1.0 + SAID_S)


def test_a_server_that_talks_a_lot_has_one_line_and_takes_none_of_our_own_away() -> None:
    told = captions()
    told.receive("server: welcome", 1.0)
    told.say("picture: a.png", 1.0)
    for tenth in range(9, 49):
        told.receive(f"<Mole> {tenth}", tenth / 10)
        assert shown(told, tenth / 10)[:3] == ["picture: a.png", f"<Mole> {tenth}", f"at {tenth / 10:g}"]
    assert shown(told, 1.0 + SAID_S)[:2] == ["<Mole> 48", f"at {1.0 + SAID_S:g}"]
    told.say("", 1.1 + SAID_S)
    assert not any("<Mole>" in line or line == "" for line in shown(told, 4.9 + SAID_S))


def test_a_long_sentence_stays_as_long_as_it_takes_to_be_read() -> None:
    told, sentence = captions(), "Undecodable: " + "it makes no sense, " * 10
    told.say(sentence, 1.0)
    read_s = len(sentence) / READ_CHARACTERS_S
    assert read_s > 2 * SAID_S
    assert sentence in shown(told, 0.9 + read_s)
    assert sentence not in shown(told, 1.1 + read_s)


def test_text_is_made_anew_some_times_a_second() -> None:
    told = captions()
    assert shown(told, 1.0)[0] == "at 1"
    assert shown(told, 1.05)[0] == "at 1"
    told.renew()
    assert shown(told, 1.05)[0] == "at 1.05"
    assert shown(told, 1.2)[0] == "at 1.2"


def test_a_recording_has_its_own_keys() -> None:
    assert "P pause" in shown(captions(), 1.0, playback="█░ 1 s")[-1]
    assert "keep this place loaded" in shown(captions(), 1.0)[-1]


def test_panels_and_overlays_are_named_and_keys_of_look_outs_where_there_are_any() -> None:
    for playback in (None, "█░ 1 s"):
        assert any(
            line.startswith("I why a hole · F7 panels · O overlays")
            for line in shown(captions(), 1.0, playback=playback)
        )
    alone = captions().lines(1.0, lambda: [], None)
    kept = captions().lines(1.0, lambda: [], None, pins=2)
    assert kept[:-1] == alone
    assert "release the nearest pinned place" in kept[-1]


def test_a_changed_layout_is_kept_with_own_keys_over_it(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[keys]\nhelp = 'X' # mine\n")
    layout = KeyLayout(load(file, {}).settings, file)
    assert layout.change() == "key layout: azerty"
    assert layout.keyboard.action("Z") is Action.FORWARD
    assert layout.keyboard.action("X") is Action.HELP
    assert file.read_text() == "[keys]\nhelp = 'X' # mine\npreset = \"azerty\"\n"


def test_a_file_that_cannot_be_kept_is_told_and_the_layout_changes(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[keys\n")
    layout = KeyLayout(Settings(), file)
    assert layout.change().startswith(f"key layout: azerty; {file} is not valid TOML")
    assert layout.preset == "azerty"
    blocked = KeyLayout(Settings(), file / "deeper.toml")
    assert str(file) in blocked.begin()
    assert "not saved" in blocked.change()


def test_a_first_start_writes_the_default_file(tmp_path: Path) -> None:
    file = tmp_path / "new" / "config.toml"
    assert KeyLayout(Settings(), file).begin() == ""
    assert file.read_text("utf-8") == default_file()


def test_a_small_window_has_one_line_of_keys_and_still_tells_of_time() -> None:
    assert captions().lines(0.0, lambda: ["numbers"], "0:05 of 1:00", 2, small=True) == [
        "numbers",
        "0:05 of 1:00",
        "click: look · I why a hole · F1 all keys · F3 no numbers",
    ]


# ---------------------------------------------------------------- crosshair


@pytest.mark.parametrize("scale", [1.0, 1.25, 2.0])
@pytest.mark.parametrize("size", [(1280, 720), (320, 180)])
def test_arms_lie_around_the_middle_and_leave_it_free(size: tuple[int, int], scale: float) -> None:
    left, right, lower, upper = arms_of(size, scale)
    x, y = size[0] // 2, size[1] // 2
    assert left.x + left.width < x < right.x
    assert lower.y + lower.height < y < upper.y
    assert x - left.x == right.x + right.width - x == y - lower.y == upper.y + upper.height - y
    assert {left.y, right.y} == {y - left.height // 2}
    assert {lower.x, upper.x} == {x - lower.width // 2}
    assert left.width == upper.height >= 8 * scale


def test_it_grows_with_the_scale() -> None:
    assert arms_of((1280, 720), 2.0)[0].width == 2 * arms_of((1280, 720), 1.0)[0].width


# ---------------------------------------------------------------- guide


@pytest.mark.parametrize("preset", PRESETS)
def test_help_lists_every_action_once(preset: str) -> None:
    for recording, left_out in (
        (False, {*actions_of(ActionGroup.TIME)} - {*LOOKING_BACK}),
        (True, actions_of(ActionGroup.LOOK_OUTS)),
    ):
        lines = all_keys(Keyboard(preset), preset, recording)
        text = "\n".join(lines)
        assert preset in lines[0]
        entries = {action: Keyboard(preset).help_line(action) for action in Action}
        listed = {action for action, entry in entries.items() if entry in text}
        assert listed == set(Action) - set(left_out) - {*actions_of(ActionGroup.OVERLAYS)}
        assert all(f"{overlay.letter}: {overlay.name}" in text for overlay in OVERLAYS.values())
        assert "states (F6)" in text
        assert len(lines) <= 32, "drawn smaller it fits a window of 400 lines of pixels"
        assert all(len(line) <= LONGEST_OF_ALL + 4 for line in lines)


def test_a_first_start_shows_three_lines_and_help_is_one_of_them() -> None:
    lines = first_lines(Keyboard("azerty"), Path("/a/config.toml"))
    assert len(lines) == 3
    assert "Z Q S D, space, shift fly" in lines[0]
    assert all(len(line) <= LONGEST_LINE for line in lines)
    assert "F1 lists all keys" in lines[2]
    assert "/a/config.toml" in lines[2]


def test_hints_name_keys_as_bound() -> None:
    keyboard = Keyboard("qwerty", {Action.PICTURE: ("X",), Action.HUD: ()})
    assert "X picture" in hint(keyboard)
    assert "- numbers" in hint(keyboard)
    assert "I why a hole · " in short_hint(keyboard)
    assert "W A S D, space, shift: fly" in hint(keyboard)
    assert (
        tools_hint(keyboard, live=True)
        == "I why a hole · F7 panels · O overlays · P PgUp look back · K keep this place loaded"
    )
    assert tools_hint(keyboard, live=False) == "I why a hole · F7 panels · O overlays"
    assert pins_hint(keyboard).startswith("J keep the place under the crosshair loaded · ")
    assert playback_hint(keyboard) == (
        "P pause · , . packet · [ ] tick · - + speed · PgUp PgDn 5 s · Home End: start, end"
    )


def test_entries_lie_side_by_side_as_far_as_they_fit() -> None:
    assert packed(["a", "b", "c" * LONGEST_LINE, "d"]) == ["a  ·  b", "c" * LONGEST_LINE, "d"]


# ---------------------------------------------------------------- hud

PACE = Pace(frame_ms=16.7, work_ms=9.24, worst_ms=48.0, bytes_in_s=2_500_000.0, bytes_out_s=310.0)
VIEW = View(Eye(1.0, 70.25, -8.0), 90.0, 12.4, 70.0)


def statistics(**session: Any) -> Any:
    """A connection's snapshot with what the HUD reads of it."""
    facts: dict[str, Any] = {
        "world_name": "Hills",
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


def lines(**session: Any) -> list[str]:
    return hud_lines(statistics(**session), SCENE, PACE, VIEW)


def test_it_names_world_source_and_hour() -> None:
    assert lines()[0] == "Hills · embedded:hills:1 · 12:00"
    assert lines(time=18000, world_name="")[0] == "embedded:hills:1 · embedded:hills:1 · 00:00"


def test_frame_time_and_bytes_have_units() -> None:
    told = lines()[1]
    assert "frame 16.7 ms (work 9.2, worst 48)" in told
    assert "in 2.5 MB/s out 310 B/s" in told
    assert "total 1.2 MB in, 999 B out" in told


def test_it_says_who_makes_the_light() -> None:
    assert any(line.endswith("CPU lighting") for line in lines())
    on_gpu = SimpleNamespace(**vars(SCENE) | {"gpu_light": True})
    assert any(line.endswith("GPU lighting") for line in hud_lines(statistics(), on_gpu, PACE, VIEW))


def test_what_could_not_be_made_is_told() -> None:
    failed = SimpleNamespace(**vars(SCENE) | {"failures": 3, "failed": "the mesh of render cell 1 2 3 failed"})
    told = hud_lines(statistics(), failed, PACE, VIEW)
    assert "3 failed, shown as they were: the mesh of render cell 1 2 3 failed" in told
    assert not [line for line in lines() if "failed" in line]


def test_states_have_the_names_of_the_legend_and_empty_ones_are_left_out() -> None:
    told = next(line for line in lines() if line.startswith("all sub-chunks: "))
    assert told == "all sub-chunks: received 40 · refused by the server 1 · not requested (hidden) 7"
    assert "all sub-chunks: none announced yet" in lines(states={})


def test_every_state_with_a_box_is_counted_somewhere() -> None:
    assert set(STATE_ORDER) == set(SubChunkState) - {SubChunkState.OUTSIDE}


def test_what_is_wrong_is_said_only_when_it_is() -> None:
    assert not any("holds you" in line or "sense" in line for line in lines())
    wrong = "2 packets could not be decoded; the last one: SubChunk.entries at 9: truncated"
    assert "join: no radius granted" in lines(join_fault="no radius granted")
    told = lines(held_at=Eye(5.0, 64.0, 5.5), warnings=(wrong, "3 answers came twice"))
    assert "server holds you at 5.0 64.0 5.5" in told
    assert told[-2:] == [wrong, "3 answers came twice"]


def test_stale_columns_and_pins_are_counted_where_there_are_any() -> None:
    assert any(line.startswith("columns 9 · asked 48") for line in lines())
    told = lines(terrain=SimpleNamespace(stale_columns=4), pins=2)
    assert any(line.startswith("columns 9 (4 stale) · 2 pinned · asked 48") for line in told)


def test_holes_of_a_gpu_without_room_are_told() -> None:
    assert not any("no room" in line for line in lines())
    full = SimpleNamespace(**vars(SCENE) | {"mirror": SimpleNamespace(light=SimpleNamespace(left_out=107))})
    told = "no room on the GPU for the light of 107 sub-chunks: holes around them"
    assert told in hud_lines(statistics(), full, PACE, VIEW)
    assert told in short_hud_lines(statistics(), full, PACE, VIEW)


def test_columns_that_were_never_sent_are_counted_where_there_are_any() -> None:
    assert not any("never sent" in line for line in lines())
    told = hud_lines(statistics(terrain=SimpleNamespace(stale_columns=4)), SCENE, PACE, VIEW, unsent=2)
    assert any(line.startswith("columns 9 (4 stale, 2 never sent) · asked 48") for line in told)
    assert any("columns never sent 2" in line for line in short_hud_lines(statistics(), SCENE, PACE, VIEW, unsent=2))
    assert any(line.startswith("columns 9 · 1 pinned · asked") for line in lines(pins=1))


def test_the_view_can_be_typed_in_again() -> None:
    assert "eye 1.0 70.2 -8.0 · yaw 90 pitch 12" in lines()[2]
    assert "yaw -45" in hud_lines(statistics(), SCENE, PACE, replace(VIEW, yaw_deg=-45.0))[2]


def short(scene: Any = SCENE, **session: Any) -> list[str]:
    return short_hud_lines(statistics(**session), scene, PACE, VIEW)


def test_a_small_window_has_three_lines_where_nothing_is_wrong() -> None:
    assert short() == [
        "embedded:hills:1 · 12:00 · frame 17 ms · in 2.5 MB/s",
        "eye 1.0 70.2 -8.0 · yaw 90 pitch 12",
        "received 40 · refused by the server 1 · not requested (hidden) 7 · outstanding 3",
    ]
    assert "outstanding" not in short(ledger=SimpleNamespace(outstanding=0))[2]


def test_a_small_window_says_all_that_is_wrong() -> None:
    failed = SimpleNamespace(**vars(SCENE) | {"failures": 2, "failed": "a mesh: no"})
    told = short(failed, held_at=(1.0, 2.0, 3.0), warnings=("too many packets",))
    assert (
        told[3:]
        == hud_lines(statistics(held_at=(1.0, 2.0, 3.0), warnings=("too many packets",)), failed, PACE, VIEW)[6:]
    )
    assert len(told) == 6
