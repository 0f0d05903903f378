"""Shapes that point somewhere do so with their pictures; parts that another stuff is made of show that one."""

import numpy as np
import pytest

from assets.models import ModelBox, Shape, load
from client.world.block_table import BlockTable
from net.palette import Palette
from render.materials.biome_tints import DOUBLE_SIDED, TRANSLUCENT_QUAD
from render.materials.materials import Materials
from render.mesh.mesher import AppearanceTables, appearance_tables
from render.mesh.model_shapes import LINK, PICTURE, Quads, quads_of
from render.mesh.vertex_format import MODEL, read
from tests.support.data.shared import StateValue, state

WAYS = np.array([[-1, 0, 0], [1, 0, 0], [0, 0, -1], [0, 0, 1], [0, -1, 0], [0, 1, 0]])
FACING = (4, 5, 2, 3, 0, 1)
"""Direction by facing_direction: down, up, north, south, west, east."""
COMPASS = (3, 0, 2, 1)
"""Direction by ``direction``: south, west, north, east."""
FACE = 13


def quads(name: str, **states: StateValue) -> Quads:
    full = state(name, **states)
    return quads_of(load().shape_of(full.name, dict(full.states)))


def middles(found: Quads) -> np.ndarray:
    """[n, 3] in sixteenths from the middle of the block."""
    return found[:, :3] + (found[:, 3:6] + found[:, 6:9]) / 2 - 8.0


def reach(found: Quads, way: int) -> float:
    """How far towards a direction the middles of quads lie, on average."""
    return float((middles(found) @ WAYS[way]).mean())


@pytest.fixture(scope="module")
def looks(materials: Materials, table: BlockTable) -> AppearanceTables:
    return appearance_tables(materials, table)


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("grows", range(6))
def test_a_shape_that_is_moved_whole_stays_the_same_shape(turns: int, grows: int) -> None:
    boxes = (ModelBox((1, 0, 3), (7, 5, 4), link=3), ModelBox((2, 6, 2), (2, 9, 11)))
    plain, moved = quads_of(Shape(boxes, 16)), quads_of(Shape(boxes, 16, turns=turns, grows=grows))
    columns = [*range(9, 13), *range(14, plain.shape[1])]
    asked = np.isin(columns, (16, LINK))
    assert np.array_equal(moved[:, columns][:, ~asked], plain[:, columns][:, ~asked]), "pictures and rules"
    for found in (plain, moved):
        outwards = np.cross(found[:, 3:6], found[:, 6:9])
        level = found[:, FACE] < 6
        assert (np.sign(outwards[level]) == WAYS[found[level, FACE]]).all(), "corners run as seen from outside"
    assert np.array_equal(np.sort((middles(moved) ** 2).sum(axis=1)), np.sort((middles(plain) ** 2).sum(axis=1)))
    linked = plain[:, LINK] < 6
    assert (moved[linked, LINK] != 7).all()
    assert (middles(moved)[linked] * WAYS[moved[linked, LINK]]).sum() == (middles(plain)[linked] @ WAYS[3]).sum()


@pytest.mark.parametrize("facing", range(6))
@pytest.mark.parametrize("name", ["amethyst_cluster", "lightning_rod"])
def test_crystals_and_rods_grow_from_the_face_they_stand_on(name: str, facing: int) -> None:
    found = quads(name, facing_direction=facing)
    sides = found[found[:, PICTURE] < 4]
    upwards = np.sign(sides[:, 10] - sides[:, 12])[:, None] * sides[:, 6:9]  # row 0 of a picture is its upper end
    assert (upwards @ WAYS[FACING[facing]] > 0).all()


@pytest.mark.parametrize("direction", range(4))
def test_a_bed_has_its_pillow_at_the_end_of_its_head(direction: int) -> None:
    head, foot = (quads("bed", direction=direction, head_piece_bit=bit) for bit in (1, 0))
    top = head[head[:, FACE] == 5][0]
    pillow = top[:3] + (top[6:9] if top[12] < top[10] else 0) + top[3:6] / 2 - 8.0  # the edge of row 0
    assert pillow @ WAYS[COMPASS[direction]] == 8
    legs = head[(head[:, FACE] == 4) & (middles(head)[:, 1] == -8)]
    assert reach(legs, COMPASS[direction]) > 0
    assert reach(foot[(foot[:, FACE] == 4) & (middles(foot)[:, 1] == -8)], COMPASS[direction]) < 0


def test_only_the_head_of_a_bed_has_a_pillow(table: BlockTable, materials: Materials) -> None:
    tops = {
        dict(full.states)["head_piece_bit"]: int(materials.tiles[dense, 5])
        for dense, full in enumerate(table.states)
        if full.name == "minecraft:bed"
    }
    assert len(set(tops.values())) == 2


@pytest.mark.parametrize("name", ["chest", "trapped_chest", "ender_chest"])
def test_a_chest_has_one_lock_on_the_face_it_looks_from(table: BlockTable, materials: Materials, name: str) -> None:
    for dense, full in enumerate(table.states):
        facing = dict(full.states).get("facing_direction")
        if full.name == f"minecraft:{name}" and isinstance(facing, int) and facing > 1:
            sides = materials.tiles[dense, :4]
            front = FACING[facing]
            assert (sides == sides[front]).sum() == 1


@pytest.mark.parametrize("name", ["powered_repeater", "unpowered_comparator", "lectern"])
def test_pictures_of_devices_turn_with_them(name: str) -> None:
    turned = [quads(name, direction=direction) for direction in range(4)]
    bases = {tuple(found[(found[:, FACE] == 5) & (found[:, 1] == 2)][0, 3:9].tolist()) for found in turned}
    assert len(bases) == 4
    shapes = {tuple(sorted(map(tuple, middles(found).tolist()))) for found in turned}
    assert len(shapes) > 1


def test_the_saw_of_a_stonecutter_turns() -> None:
    north, east = (quads("stonecutter_block", facing_direction=facing) for facing in (2, 5))
    widths = [np.ptp(found[found[:, 1] >= 9][:, [0, 2]] + 0, axis=0) for found in (north, east)]
    assert (widths[0] != widths[1]).any()


@pytest.mark.parametrize(("name", "shown"), [("lever", "cobblestone"), ("tripwire_hook", "oak_stairs")])
def test_what_holds_a_lever_or_a_hook_is_no_stick(
    table: BlockTable, looks: AppearanceTables, materials: Materials, name: str, shown: str
) -> None:
    of = next(dense for dense, full in enumerate(table.states) if full.name == f"minecraft:{shown}")
    for dense, full in enumerate(table.states):
        if full.name == f"minecraft:{name}":
            start, end = looks.model_rows[dense].tolist()
            words = looks.model_quads[start:end].view(np.uint32).reshape(end - start, -1)
            layers = read(MODEL, words, "layer")
            assert set(layers[:6].tolist()) <= set(materials.tiles[of].tolist())
            assert set(layers[6:].tolist()) <= set(materials.tiles[dense].tolist())


@pytest.mark.parametrize(("side", "way"), [("west", 0), ("east", 1), ("north", 2), ("south", 3)])
def test_a_torch_on_a_wall_leans_away_from_it_and_stays_closed(side: str, way: int) -> None:
    found = quads("torch", torch_facing_direction=side)
    low, high = (found[found[:, FACE] == face] for face in (4, 5))
    assert reach(low, way) == 7, "its foot is at the wall"
    assert reach(high, way) == 3
    edges = set[tuple[tuple[int, ...], tuple[int, ...]]]()
    for quad in found:
        origin, u, v = quad[:3], quad[3:6], quad[6:9]
        corners = [tuple(corner.tolist()) for corner in (origin, origin + u, origin + u + v, origin + v)]
        edges |= set(zip(corners, corners[1:] + corners[:1], strict=True))
    assert len(edges) == 24
    assert {(end, begin) for begin, end in edges} == edges, "each edge is that of two faces, the other way round"


@pytest.mark.parametrize(
    ("name", "states", "box", "shown"),
    [
        ("bell", {"attachment": "standing"}, ((0, 0, 6), (2, 16, 10)), "stone"),
        ("bell", {"attachment": "hanging"}, ((7, 13, 7), (9, 16, 9)), "dark_oak_stairs"),
        ("campfire", {"extinguished": False}, ((1, 0, 0), (5, 4, 16)), "stripped_spruce_log"),
        ("flower_pot", {}, ((6, 0, 6), (10, 4, 10)), "dirt"),
    ],
)
def test_parts_of_another_stuff_show_that_one(
    name: str, states: dict[str, StateValue], box: tuple[tuple[int, ...], tuple[int, ...]], shown: str
) -> None:
    full = state(name, **states)
    of = {(one.low, one.high): one.shows for one in load().shape_of(full.name, dict(full.states)).boxes}
    assert of[box] == shown
    for protocol in (486, 2193):
        assert f"minecraft:{shown}" in {one.name for one in Palette.for_protocol(protocol).states}


def test_a_campfire_burns_until_it_is_put_out() -> None:
    burning, out = (load().shape_of("campfire", {"direction": 0, "extinguished": bit}) for bit in (False, True))
    assert (burning.cross, out.cross) == (16, 0)
    assert len(burning.boxes) == len(out.boxes)


def test_the_edge_of_a_glass_pane_is_seen_from_above(table: BlockTable, materials: Materials) -> None:
    pane = next(dense for dense, full in enumerate(table.states) if full.name == "minecraft:glass_pane")
    assert (materials.textures[materials.tiles[pane, 5]][..., 3] == 255).all()
    assert (materials.textures[materials.tiles[pane, 3]][..., 3] < 128).any()


@pytest.mark.parametrize("axis", ["x", "z", "unknown"])
def test_one_sees_through_a_portal(axis: str) -> None:
    found = quads("portal", portal_axis=axis)
    assert (found[:, 15] & TRANSLUCENT_QUAD).all()
    thin = np.ptp(np.concatenate([found[:, :3], found[:, :3] + found[:, 3:6] + found[:, 6:9]]), axis=0).tolist()
    assert thin == ([4, 16, 16] if axis == "z" else [16, 16, 4])


def test_a_statue_stands_on_the_ground() -> None:
    table = BlockTable.build(Palette.for_protocol(2168))
    shapes = set()
    for full in table.states:
        if full.name.endswith("copper_golem_statue"):
            boxes = load().shape_of(full.name, dict(full.states)).boxes
            assert min(box.low[1] for box in boxes) == 0
            shapes.add(tuple((box.low, box.high) for box in boxes))
    assert len(shapes) == 4, "it looks four ways"
    for full in table.states:
        if full.name == "minecraft:player_head" and dict(full.states)["facing_direction"] == 2:
            assert min(box.low[1] for box in load().shape_of(full.name, dict(full.states)).boxes) == 4, (
                "a head on a wall"
            )


def test_an_end_portal_is_a_sheet_seen_from_both_sides_and_a_gateway_fills_its_block() -> None:
    sheet, gateway = quads("end_portal"), quads("end_gateway")
    assert len(sheet) == 1
    assert sheet[0, 15] & DOUBLE_SIDED
    assert (sheet[0, 1], *np.abs(sheet[0, 3:9]).tolist()) == (12, 16, 0, 0, 0, 0, 16)
    assert sorted(gateway[:, FACE].tolist()) == list(range(6))
    assert (gateway[:, 16] == gateway[:, FACE]).all(), "an opaque neighbour hides its face"
