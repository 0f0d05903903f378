"""A report says what came of a picture, to people and to programs.

Watching: Drawing all along: when frames are due, and that a recording ends where it stood.

Channels: Rows of a palette mean the same whatever a session met first.

The legend inside a picture: a corner of it, and nothing where there is nothing to say.
"""

import json
import math
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from msgspec.structs import replace

from client.connection.opening import open_connection
from client.connection.stats import LISTED_BOXES, MissingPlace, PendingWork
from client.options import Moment, Options
from client.player import Eye
from client.session.session import Session
from client.source import WorldFile
from client.world.block_table import BlockTable
from net.palette import Palette as WirePalette
from render.capture.channels import NO_RUNTIME_ID, ShotPalette
from render.capture.picture import (
    EVERY_S,
    MOST_SHARE,
    PictureReport,
    PictureWatch,
    lines_of_legend,
    nothing_near,
    watch_again,
    with_legend,
)
from render.draw_options import Cut
from render.gpu.targets import Pixels
from render.overlays.legend import OverlayLegend
from render.overlays.overlay import LegendRow
from render.passes.overlay.boxes import FAILED, UNLIT, UNSENT
from render.scene.frame.surroundings import useless_cut
from tests.support.servers.hostile import Besieged
from tests.support.session.virtual import VirtualSession

# ---------------------------------------------------------------- picture

# ---------------------------------------------------------------- report

PATH = Path("hills.png")


def lack(missing: int) -> PendingWork:
    places = tuple(MissingPlace((2 * x, 4, -1), 1.5, 2, 0, 1) for x in range(missing))
    return PendingWork("outstanding", "sub-chunks", missing, places, "requested 1.5 s ago, 2 times")


def incomplete(missing: int) -> PictureReport:
    return PictureReport(PATH, False, f"{missing} sub-chunks are requested and not answered yet", (lack(missing),), 2.5)


def test_a_complete_picture_is_one_line_and_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert PictureReport(PATH, True, "", (), 1.25).tell() == 0
    assert capsys.readouterr().out == "hills.png (1.2 s)\n"


def test_that_the_eye_is_inside_a_block_is_a_warning_and_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    inside = "The camera is inside a block (stone, at 0,60,0), so you see through the world."
    assert PictureReport(PATH, True, "", (), 1.25, inside=inside).tell() == 0
    assert capsys.readouterr().err == f"chunkscope: {inside}\n"
    assert PictureReport(PATH, True, "", (), 1.25, inside=inside).tell(as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["inside"] == inside


def test_that_no_column_is_near_the_eye_is_told() -> None:
    with VirtualSession("flat:1").connection(Options(radius=2)) as connection:
        store = connection.session.dimension.store
        assert nothing_near(store, Eye(0.5, 70.0, 0.5), 2) == ""
        sentence = nothing_near(store, Eye(0.5, 70.0, 2000.5), 2)
    assert sentence == (
        "No chunk column is known within 2 columns of the eye at block 0,70,2000: the picture shows only the sky."
    )


def test_that_a_cut_hides_nothing_or_everything_is_told() -> None:
    with VirtualSession("flat:1").connection(Options(radius=2)) as connection:
        store = connection.session.dimension.store
        assert useless_cut(store, None) == ""
        assert useless_cut(store, Cut(high=900)) == ""  # nothing has arrived
        assert connection.wait_settled()
        assert useless_cut(store, Cut(high=-60)) == ""
        there = "all blocks that were received are at y -64 to -49."
        assert useless_cut(store, Cut(high=900)) == f"The cut hides nothing: {there}"
        assert (
            useless_cut(store, Cut(high=-900))
            == useless_cut(store, Cut(-48, 64))
            == f"The cut hides everything: {there}"
        )


def test_the_legend_of_overlays_stands_after_the_picture(capsys: pytest.CaptureFixture[str]) -> None:
    report = PictureReport(PATH, True, "", (), 1.25, legend=("states: of all", "  received: 3 (outline)"))
    report.tell()
    assert capsys.readouterr().out == "hills.png (1.2 s)\nstates: of all\n  received: 3 (outline)\n"
    report.tell(as_json=True)
    assert json.loads(capsys.readouterr().out)["legend"] == ["states: of all", "  received: 3 (outline)"]


def test_an_incomplete_picture_lists_what_is_missing_and_is_code_4(capsys: pytest.CaptureFixture[str]) -> None:
    assert incomplete(2).tell() == 4
    assert capsys.readouterr().out.splitlines()[1:] == [
        "incomplete: 2 sub-chunks are requested and not answered yet",
        "  outstanding: 2 sub-chunks, requested 1.5 s ago, 2 times",
        "    sub-chunk 0,4,-1",
        "    sub-chunk 2,4,-1",
    ]


def test_what_one_moment_had_not_heard_is_told_and_no_failure(capsys: pytest.CaptureFixture[str]) -> None:
    report = PictureReport(PATH, True, "2 sub-chunks are asked", (lack(2),), 2.5, moment="packet 350 at 12.300 s")
    assert report.tell() == 0
    told = capsys.readouterr().out.splitlines()
    assert told[1:] == ["as of packet 350 at 12.300 s, when not everything had arrived"]


def test_a_long_list_is_cut_for_people_and_whole_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    report = incomplete(LISTED_BOXES + 3)
    assert report.text().endswith("    and 3 more boxes")
    assert report.tell(as_json=True) == 4
    said = json.loads(capsys.readouterr().out)
    (missing,) = said["missing"]
    assert (missing["kind"], missing["count"], len(missing["places"])) == ("outstanding", 11, 11)
    assert missing["places"][0] == {"at": [0, 4, -1], "age_s": 1.5, "requested": 2, "refused": 0, "silences": 1}
    assert (said["path"], said["complete"], said["seconds"]) == ("hills.png", False, 2.5)


def test_what_the_server_does_wrong_stands_last() -> None:
    world = Besieged(b"\x0a")  # a SetTime without its time
    with world.connection() as connection:
        world.rest()
        counted = connection.statistics()
    report = PictureReport(PATH, True, "", (), 1.25, counted)
    told, warning = report.text().splitlines()
    assert told == "hills.png (1.2 s)"
    assert warning.startswith("the server: 1 packet could not be decoded; the latest: SetTime.time at byte 1")


def test_a_missing_step_of_the_join_is_a_line_before_the_warnings() -> None:
    world = Besieged(b"\x0a")
    with world.connection() as connection:
        world.rest(5.0)
        counted = connection.statistics()
    told = PictureReport(PATH, True, "", (), 1.25, counted).text().splitlines()
    assert told[1] == "join: no radius granted: ChunkRadiusUpdated did not arrive"
    assert told[2].startswith("the server: 1 packet could not be decoded")
    assert len(told) == 3


# ---------------------------------------------------------------- watching

RECORDING = Path(__file__).parents[3] / "golden" / "scenes" / "broken_blocks.cscope"


@dataclass
class GivenAnchors:
    """What a session holds, as far as a watch asks."""

    pins: dict[str, int] = field(default_factory=dict)


@dataclass
class GivenSession:
    """A session, as far as a watch asks."""

    started_at: float = 100.0
    anchors: GivenAnchors = field(default_factory=GivenAnchors)


@dataclass
class GivenConnection:
    """A connection whose time is set by hand."""

    now: float = 100.0
    session: GivenSession = field(default_factory=GivenSession)


def test_a_frame_is_drawn_when_its_time_has_come_and_once_and_never_before_anything_is_held() -> None:
    connection = GivenConnection()
    drawn: list[float] = []
    watch = PictureWatch(cast(Any, connection), lambda _session, seconds: drawn.append(round(seconds, 3)))
    watch.turn()
    assert not drawn
    connection.session.anchors.pins["player"] = 1
    for at_s in (0.04, 0.06, 0.07, 0.099, 0.11, 0.4):
        connection.now = 100.0 + at_s
        watch.turn()
    assert drawn == [0.06, 0.11, 0.4]
    watch.now()
    assert drawn[-1:] == [0.4]
    assert len(drawn) == 4


@pytest.mark.parametrize("still", [Moment(time_s=2.0), Moment(packet=60), None])
def test_a_recording_is_drawn_from_its_beginning_and_ends_where_it_stood(still: Moment | None) -> None:
    drawn: list[tuple[float, Session]] = []
    with open_connection(WorldFile(RECORDING), Options(light=False, still=still)) as connection:
        if still is None:
            connection.wait_settled()
        replay = connection.replay
        assert replay is not None
        there, states = replay.position, connection.states()
        watch_again(connection, replay, lambda session, seconds: drawn.append((seconds, session)))
        assert (replay.position, connection.states()) == (there, states)
        times = [seconds for seconds, _ in drawn]
        assert times == sorted(times)
        assert times[0] < 1.0
        assert times[-1] == there.time_s
        assert max(after - before for before, after in pairwise(times)) < 4 * EVERY_S
        assert drawn[-1][1] is connection.session


@pytest.mark.parametrize("still", [Moment(time_s=2.0), None])
def test_where_there_is_no_more_time_the_rest_of_the_way_is_gone_undrawn(still: Moment | None) -> None:
    drawn: list[float] = []
    with open_connection(WorldFile(RECORDING), Options(light=False, still=still)) as connection:
        if still is None:
            connection.wait_settled()
        replay = connection.replay
        assert replay is not None
        there, states = replay.position, connection.states()
        for most in (0, 10, 10**4):
            drawn.clear()
            in_time = partial(next, iter([True] * most), False)
            left_out = watch_again(connection, replay, lambda _session, at_s: drawn.append(at_s), in_time)
            assert (replay.position, connection.states()) == (there, states)
            frames = math.ceil(there.time_s / EVERY_S)
            assert left_out == max(0, frames - most)
            assert len(drawn) <= most, "frames before the first tick draw nothing"
        assert drawn[-1] == there.time_s


# ---------------------------------------------------------------- channels


@pytest.fixture
def wire() -> WirePalette:
    return WirePalette.for_protocol(486)


def test_a_row_by_order_is_the_runtime_id(wire: WirePalette) -> None:
    table = BlockTable.build(wire)
    palette = ShotPalette.of(table)
    known = palette.runtime_ids[: len(wire)]
    assert (known == np.arange(len(wire))).all()
    assert palette.names[7] == wire.states[7].name
    assert (palette.runtime_ids[palette.row_of_dense] == table.runtime_ids[: len(table)] & 0xFFFFFFFF).all()


def test_unknown_ids_have_the_same_rows_whichever_came_first(wire: WirePalette) -> None:
    rows = []
    for order in ((90_001, 90_007), (90_007, 90_001)):
        table = BlockTable.build(wire)
        dense = {runtime_id: table.dense_of_id(runtime_id) for runtime_id in order}
        palette = ShotPalette.of(table)
        rows.append({runtime_id: int(palette.row_of_dense[dense[runtime_id]]) for runtime_id in order})
        assert palette.runtime_ids[rows[-1][90_007]] == 90_007
    assert rows[0] == rows[1]
    assert rows[0][90_001] == len(palette.names) - 2


def test_hashed_rows_ascend_and_a_state_without_an_id_says_so(wire: WirePalette) -> None:
    table = BlockTable.build(wire.hashed())
    palette = ShotPalette.of(table)
    ids = palette.runtime_ids[palette.runtime_ids != NO_RUNTIME_ID].astype(np.int64)
    assert (np.diff(ids) > 0).all()
    assert len(palette.names) == len(table)


# --------------------------------------------------------------------- test legend

ROWS = tuple(LegendRow(style, 3) for style in (FAILED, UNLIT, UNSENT))


def sky(width: int = 640, height: int = 360) -> Pixels:
    return np.full((height, width, 4), (120, 160, 220, 255), np.uint8)


def test_it_stands_in_the_upper_left_corner_with_a_swatch_a_row_and_changes_nothing_else() -> None:
    before = sky()
    after = with_legend(before, (OverlayLegend("states", "states: problems", ROWS),))
    assert after.shape == before.shape
    y, x = np.nonzero((after != before).any(axis=2))
    assert (y.min(), x.min()) == (0, 0)
    assert y.max() < MOST_SHARE * 360
    assert x.max() < 320
    purple = np.rint(np.array(UNSENT.colour) * 255)
    assert (np.abs(after[..., :3] - purple).max(axis=2) < 30).any()
    assert (after[..., 3] == 255).all()
    assert (before == sky()).all()


def test_a_large_count_has_commas() -> None:
    def drawn(row: LegendRow) -> Pixels:
        return with_legend(sky(), (OverlayLegend("states", "states", (row,)),))

    plain = replace(UNSENT, label=f"{UNSENT.label}: 9,307")
    np.testing.assert_array_equal(drawn(LegendRow(UNSENT, 9307)), drawn(LegendRow(plain, None)))


def test_rows_that_find_no_room_are_left_out_and_a_tiny_picture_stays_as_it_is() -> None:
    many = (OverlayLegend("states", "states", ROWS * 20),)
    changed = (with_legend(sky(200, 120), many) != sky(200, 120)).any(axis=(1, 2))
    assert 0 < changed.sum() <= MOST_SHARE * 120 + 20
    np.testing.assert_array_equal(with_legend(sky(40, 30), many), sky(40, 30))


def test_nothing_is_drawn_where_no_overlay_has_a_row() -> None:
    np.testing.assert_array_equal(with_legend(sky(), ()), sky())


def test_an_overlay_that_found_nothing_says_so() -> None:
    """Its title alone reads as a list of faults."""
    none = (OverlayLegend("states", "states: refused or late", ()),)
    assert lines_of_legend(none) == ("states: refused or late", "  none found")
    titled = (OverlayLegend("states", "states: refused or late", ROWS[:1]),)
    drawn, one = with_legend(sky(), none), with_legend(sky(), titled)
    high = [int((picture != sky()).any(axis=(1, 2)).sum()) for picture in (drawn, one)]
    assert 0 < high[0] == high[1], "two lines"
