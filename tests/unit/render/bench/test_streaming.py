"""The standard path, and how a leg is gone.

Proof: What a proof says.

Recording: A recording is measured as it was, and what earlier visits kept is no part of a measurement.

Frames: What is said of how far a measurement of frames is.

Frames report: The table of what frames cost, as people read it.

Rays: Rays that measure streaming, one promise at a time; a property test holds them against plain ones.
"""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from msgspec.structs import replace

from client.connection.connection import Connection
from client.errors import CHECK_FAILED, DONE, INCOMPLETE, SourceError, UsageError
from client.options import Options
from client.player import Eye, View
from client.session.config import SessionConfig
from client.source import Remote, Source, WorldFile
from net.space import ColumnPos, Dimension
from render.bench import streaming
from render.bench.frames import HEAD, ROWS_A_HEAD, FrameReport, LegReport, PassReport, Spread, format_leg
from render.bench.rays import Hits, RayEnd, cast, sphere_rays
from render.bench.streaming import (
    ALL_ROUND,
    RECORDED,
    Leg,
    StreamLegReport,
    StreamProof,
    StreamReport,
    prove,
    right_since,
    standard_path,
)
from tests.support.session.virtual import SWIFT, VirtualSession
from tests.support.worlds.blocks import FakeTable, FakeWorld

# ---------------------------------------------------------------- streaming

# ---------------------------------------------------------------- path

START = View(Eye(0.0, 80.0, 0.0), yaw_deg=0.0)


def test_a_leg_is_gone_at_constant_speed() -> None:
    leg = Leg("walk", View(Eye(10.0, 80.0, 0.0), yaw_deg=90.0), seconds=2.0)
    assert leg.view(START, 0.0).eye == START.eye
    half = leg.view(START, 1.0)
    assert (half.eye, half.yaw_deg) == (Eye(5.0, 80.0, 0.0), 45.0)
    assert leg.view(START, 2.0) == leg.end == leg.view(START, 99.0)


def test_a_leg_without_time_is_there_at_once() -> None:
    leg = Leg("teleport", View(Eye(10.0, 80.0, 0.0)))
    assert leg.view(START, 0.0) == leg.end


def test_the_path_goes_each_way_a_player_goes() -> None:
    path = standard_path(START)
    assert [leg.name for leg in path] == ["spawn", "walk", "turn", "fly", "dig down", "teleport"]
    ends = {leg.name: leg.end.eye for leg in path}
    assert ends["walk"].distance_blocks(ends["spawn"]) == pytest.approx(32.0)
    assert path[1].seconds == pytest.approx(32.0 / 5.0)
    assert ends["turn"] == ends["walk"]
    assert path[2].end.yaw_deg - path[1].end.yaw_deg == 90
    assert ends["dig down"].y == START.eye.y - 40
    assert ends["teleport"].distance_blocks(START.eye) == pytest.approx(512.0)
    assert not path[1].rests, "the turn comes while the walk's world still streams"


# ---------------------------------------------------------------- proof

LEG = StreamLegReport(
    name="spawn",
    terrain_px=1000,
    right_s={50: 0.1, 90: 0.2, 99: 0.3, 100: 0.4},
    settled_s=0.9,
    settled=True,
    holes=0,
    requested=30,
    received=29,
    in_vain=2,
    packets=3,
    bytes_in=1_500_000,
    bytes_out=12_300,
    places=200,
    places_below_limit=60,
    answered=30,
)
SIGHT = StreamReport("embedded:hills:1", "visible sub-chunks", 4, 0.1, (LEG,))
ALL = replace(SIGHT, wanted="every sub-chunk in radius", legs=(replace(LEG, requested=60, bytes_in=3_000_000),))


def test_the_saving_is_told_against_the_baseline() -> None:
    proof = StreamProof(SIGHT, ALL)
    assert proof.requested_share == 0.5
    assert "30 of 200 sub-chunks had been requested, 50% of those that can contain blocks" in proof.sentence()
    assert "50% of the baseline's requests and 50% fewer bytes" in proof.sentence()


def test_where_nothing_is_saved_that_is_said() -> None:
    assert "100% more bytes" in StreamProof(ALL, SIGHT).sentence()


def test_without_a_baseline_nothing_is_compared() -> None:
    proof = StreamProof(SIGHT, None)
    assert proof.requested_share is None
    assert "baseline" not in proof.sentence()


def test_the_exit_code_tells_holes_and_deadlines() -> None:
    assert StreamProof(SIGHT, ALL).exit_code == DONE
    assert StreamProof(replace(SIGHT, legs=(replace(LEG, holes=1),)), ALL).exit_code == CHECK_FAILED
    assert StreamProof(replace(SIGHT, legs=(replace(LEG, settled=False),)), ALL).exit_code == INCOMPLETE


def test_the_table_has_a_line_for_each_leg() -> None:
    lines = StreamProof(SIGHT, ALL).text().splitlines()
    assert sum("spawn" in line for line in lines[:3]) == 1
    assert any("requesting every sub-chunk in radius" in line for line in lines)
    assert lines[2].split() == [
        "spawn",
        "0.10",
        "0.20",
        "0.30",
        "0.40",
        "0.90",
        "0",
        "30",
        "29",
        "2",
        "3",
        "12.3",
        "1.50",
    ]
    assert "never" in StreamProof(replace(SIGHT, legs=(replace(LEG, settled=False),)), None).text()


def test_what_the_server_does_wrong_stands_below_its_table() -> None:
    spoilt = replace(SIGHT, warnings=("3 answers came twice", "7 packets made no sense"))
    lines = StreamProof(spoilt, ALL).text().split("\n\n")[0].splitlines()
    assert lines[-2:] == ["the server: 3 answers came twice", "the server: 7 packets made no sense"]
    assert "the server:" not in StreamProof(SIGHT, ALL).text()


def test_as_json_every_number_is_there() -> None:
    said = json.loads(json.dumps(StreamProof(SIGHT, ALL).as_json()))
    assert said["by_sight"]["legs"][0]["right_s"]["90"] == 0.2
    assert said["baseline"]["legs"][0]["requested"] == 60


def test_where_no_terrain_is_in_view_there_are_no_moments_and_that_is_said() -> None:
    blind = replace(LEG, terrain_px=0, right_s={})
    text = StreamProof(replace(SIGHT, legs=(blind,)), None).text()
    assert text.splitlines()[2].split()[:6] == ["spawn", "-", "-", "-", "-", "0.90"]
    assert "No terrain is in view at the end of spawn, so no times are given." in text
    assert "No terrain" not in StreamProof(SIGHT, None).text()


def test_a_recording_that_ends_early_is_measured_all_the_same() -> None:
    early = replace(LEG, name=RECORDED, settled=False, holes=19, requested=0)
    proof = StreamProof(replace(SIGHT, legs=(early,)), None)
    assert proof.exit_code == DONE
    assert "At its end 30 of 200 sub-chunks had arrived unrequested" in proof.sentence()
    assert proof.text().endswith("The recording ends before everything requested has arrived.")
    assert "recording" not in StreamProof(SIGHT, None).text()


def test_every_column_that_a_stranger_would_not_understand_is_explained() -> None:
    text = StreamProof(SIGHT, ALL).text()
    for name in ("settled", "holes", "requested", "wasted"):
        assert any(line.startswith(f"{name}  ") for line in text.splitlines()), name


# ---------------------------------------------------------------- recording


def recorded(path: Path) -> Connection:
    """A visit to the hills, closed when nothing was missing; what it knew can still be asked."""
    virtual = VirtualSession("hills:1", config=SessionConfig(radius=2, player=SWIFT))
    connection = virtual.connection(Options(radius=2, light=False, record=path))
    while connection.unsettled() is not None:
        connection.pump()
    connection.close()
    return connection


def test_a_recording_is_one_leg_dated_by_its_own_time(tmp_path: Path) -> None:
    path = tmp_path / "visit.cscope"
    session = recorded(path).session
    told: list[float] = []
    found = prove(WorldFile(path), Options(radius=2), progress=lambda share, _: told.append(share))
    assert found.baseline is None
    (leg,) = found.by_sight.legs
    counted = session.stats(0.0).requests
    assert (leg.requested, leg.packets) == (counted.entries, counted.packets)
    assert leg.requested == leg.received == leg.answered > 100
    assert leg.settled
    assert leg.holes == leg.in_vain == 0
    assert 0 < leg.bytes_out < leg.bytes_in
    assert session.dimension.requests.asking.first_asked_at is not None
    view = View(session.movement.eye, session.movement.view.yaw_deg, session.movement.view.pitch_deg)
    since = right_since(session.dimension.store, view, ALL_ROUND) - session.dimension.requests.asking.first_asked_at
    assert leg.terrain_px == len(since) > 10_000
    assert leg.right_s[50] == pytest.approx(float(np.quantile(since, 0.5)), abs=0.02)
    assert leg.right_s[100] == pytest.approx(float(since[-1]), abs=0.001)
    assert 0 < leg.right_s[100] <= leg.settled_s
    assert f"At its end {leg.answered} of {leg.places} sub-chunks had been requested" in found.sentence()
    assert told
    assert max(told) <= 1.0


def test_a_recording_cannot_be_delayed(tmp_path: Path) -> None:
    path = tmp_path / "visit.cscope"
    recorded(path)
    with pytest.raises(UsageError, match="--delay has no effect"):
        prove(WorldFile(path), Options(radius=2, delay_s=0.1))


@pytest.mark.parametrize(("said", "used"), [(None, False), (False, False), (True, True)])
def test_what_earlier_visits_kept_is_used_only_where_that_is_said(
    said: bool | None, used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the baseline would find what the first measurement fetched, and a second run all of it."""
    opened = []

    def refused(_source: Source, options: Options, *_: Any) -> NoReturn:
        opened.append(options.cache)
        raise SourceError("enough")

    monkeypatch.setattr(streaming, "open_connection", refused)
    with pytest.raises(SourceError):
        prove(Remote("127.0.0.1", 1), Options(cache=said))
    assert opened == [used]


# ---------------------------------------------------------------- frames

# ---------------------------------------------------------------- frames progress


def test_a_leg_is_numbered_and_the_rest_foretold_as_those_before_took() -> None:
    assert format_leg("still, 120 frames", 0, 59, 0.0) == "still, 120 frames, leg 1 of 59"
    assert format_leg("turn", 1, 59, 12.0) == "turn, leg 2 of 59, about 12 min left"
    assert format_leg("turn", 56, 59, 56 * 12.0) == "turn, leg 57 of 59, about 36 s left"
    assert format_leg("turn", 58, 59, 58 * 12.0) == "turn, leg 59 of 59", "what is soon over is not foretold"


# ---------------------------------------------------------------- frames report

SPREAD = Spread(1.0, 2.0, 3.0)
PASSES = {name: PassReport(SPREAD, SPREAD, None) for name in ("frame", "step", "sky", "terrain")}
A_LEG = 1 + len(PASSES)


def table(legs: int) -> list[str]:
    each = tuple(LegReport(f"turning {number}", 120, 5, 600, 0, PASSES) for number in range(legs))
    return list(FrameReport("flat:1", 8, (1280, 720), "llvmpipe", "plain", 289, "", 90, each).lines())


def test_a_short_table_has_one_head() -> None:
    lines = table(3)
    assert lines.index(HEAD) == 1
    assert lines.count(HEAD) == 1
    assert lines[2:4] == [
        "turning 0: 120 frames, 5 of 90 render cells, 600 quads; 0 bytes of quads sent",
        f"  {'frame':14}{1.0:10.3f}{2.0:9.3f}{3.0:9.3f}{2.0:10.2f}{3.0:9.2f}",
    ]
    assert len(lines) == 2 + 3 * A_LEG


def test_a_long_table_says_again_what_its_columns_are_before_a_leg() -> None:
    lines = table(50)
    heads = [at for at, line in enumerate(lines) if line == HEAD]
    assert len(heads) > 5
    assert {later - sooner for sooner, later in pairwise(heads)} == {ROWS_A_HEAD + 1}
    assert all(lines[at + 1].startswith("turning") for at in heads)
    assert len(lines) - heads[-1] <= ROWS_A_HEAD + A_LEG
    assert len(lines) == 1 + len(heads) + 50 * A_LEG


# ---------------------------------------------------------------- rays

SMALL = Dimension(0, "small", 0, 4, True)
STONE, GLASS = 17, 9
EAST = np.array([[1.0, 0.0, 0.0]])


@pytest.fixture
def world() -> FakeWorld:
    """Two columns of air beside each other; glass, then stone in the way."""
    world = FakeWorld(SMALL, FakeTable.plain())
    for x in (0, 1):
        world.add_column(ColumnPos(x, 0))
        for section in range(SMALL.sections):
            world.show(world.place(ColumnPos(x, 0), section), np.zeros(4096, np.uint16))
    world.set_cell(world.place(ColumnPos(1, 0), 0), 2 << 8 | 8 << 4 | 8, GLASS)
    world.set_cell(world.place(ColumnPos(1, 0), 0), 4 << 8 | 8 << 4 | 8, STONE)
    world.since = np.zeros(len(world.slot))
    return world


def east(world: FakeWorld, reach_blocks: float = 4096.0) -> Hits:
    return cast(world, (2.5, 8.5, 8.5), EAST, reach_blocks)


def test_a_ray_passes_glass_ends_in_stone_and_is_as_new_as_the_newest_place_on_its_way(world: FakeWorld) -> None:
    near, far = (world.place(ColumnPos(x, 0), 0) for x in (0, 1))
    world.since[[near, far]] = 3.0, 2.0
    hits = east(world)
    assert (hits.ended[0], hits.places[0], hits.latest[0]) == (RayEnd.HIT, far, 3.0)
    assert hits.on_terrain.all()


def test_a_placeholder_ends_a_ray_and_is_named(world: FakeWorld) -> None:
    place = world.place(ColumnPos(1, 0), 0)
    world.show(place, None)
    hits = east(world)
    assert (hits.ended[0], hits.places[0]) == (RayEnd.PLACEHOLDER, place)
    assert hits.in_holes.all()


def test_a_ray_out_of_reach_left_and_a_store_without_columns_ends_every_ray(world: FakeWorld) -> None:
    assert east(world, 10.0).ended[0] == RayEnd.LEFT
    empty = FakeWorld(SMALL, FakeTable.plain())
    empty.since = np.zeros(len(empty.slot))
    assert east(empty).ended[0] == RayEnd.UNLOADED


def test_sphere_rays_cover_every_direction_evenly() -> None:
    rays = sphere_rays(2000)
    assert np.allclose(np.linalg.norm(rays, axis=1), 1.0)
    assert np.abs(rays.mean(axis=0)).max() < 0.01
    nearest = np.sort(rays @ rays.T, axis=1)[:, -2]
    assert nearest.min() > np.cos(0.08), "no ray stands alone"
