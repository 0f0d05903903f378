"""What the HUD says, read without a window."""

from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace

from client.player import Eye, View
from client.world.lifecycle import SubChunkState
from render.viewer.display.hud import STATE_ORDER, hud_lines, short_hud_lines
from render.viewer.frame_times import Pace

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
    assert any(line.endswith("light made by the CPU") for line in lines())
    on_gpu = SimpleNamespace(**vars(SCENE) | {"gpu_light": True})
    assert any(line.endswith("light made by the GPU") for line in hud_lines(statistics(), on_gpu, PACE, VIEW))


def test_what_could_not_be_made_is_told() -> None:
    failed = SimpleNamespace(
        **vars(SCENE) | {"failures": 3, "failed": "the mesh of render cell 1 2 3 could not be made"}
    )
    told = hud_lines(statistics(), failed, PACE, VIEW)
    assert "3 failed, shown as they were: the mesh of render cell 1 2 3 could not be made" in told
    assert not [line for line in lines() if "failed" in line]


def test_states_have_the_names_of_the_legend_and_empty_ones_are_left_out() -> None:
    told = next(line for line in lines() if line.startswith("all sub-chunks: "))
    assert told == "all sub-chunks: received 40 · refused by the server 1 · not asked for (out of sight) 7"
    assert "all sub-chunks: none announced yet" in lines(states={})


def test_every_state_with_a_box_is_counted_somewhere() -> None:
    assert set(STATE_ORDER) == set(SubChunkState) - {SubChunkState.OUTSIDE}


def test_what_is_wrong_is_said_only_when_it_is() -> None:
    assert not any("holds you" in line or "sense" in line for line in lines())
    wrong = "2 packets made no sense; the last one: SubChunk.entries at 9: truncated"
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
        "received 40 · refused by the server 1 · not asked for (out of sight) 7 · outstanding 3",
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
