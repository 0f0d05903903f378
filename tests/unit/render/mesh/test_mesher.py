"""Looks and shapes as the kernel reads them.

Neighbours: What the blocks beside a model do to it: stairs bend, doors take from either half what only that one knows.

Vertex format: The packed words of a quad: what goes in comes out, and the kernel and the shaders are told the same
bits.
"""

import numpy as np
import pytest

from assets.models import load
from client.world.block_table import BlockTable
from net.subchunk import storage
from render.materials.biome_tints import DOUBLE_SIDED, TRANSLUCENT_QUAD
from render.materials.materials import Materials
from render.mesh import cell_layout, vertex_format
from render.mesh import cube_kernels as kernels
from render.mesh.liquid_kernels import FULL
from render.mesh.mesher import AppearanceTables, Scratch, appearance_tables, run
from render.mesh.model_shapes import quads_of
from render.mesh.vertex_format import CUBE, MODEL, NO_FACE, Group, read
from tests.support.data.shared import StateValue, state
from tests.support.reference.mesh import Classes, batch_of

# ---------------------------------------------------------------- mesher

# ---------------------------------------------------------------- tables

SCOPE_FACES = np.array([[-1, 0, 0], [1, 0, 0], [0, 0, -1], [0, 0, 1], [0, -1, 0], [0, 1, 0]])


@pytest.fixture(scope="module")
def looks(materials: Materials, table: BlockTable) -> AppearanceTables:
    return appearance_tables(materials, table)


def shape(name: str, **states: StateValue) -> tuple[tuple[int, ...], ...]:
    """The boxes of a block state, low and high corner in one row."""
    full = state(name, **states)
    return tuple((*box.low, *box.high) for box in load().shape_of(full.name, dict(full.states)).boxes)


def test_the_kernel_and_the_pools_mean_the_same_kinds() -> None:
    assert (storage.HAS_OPAQUE, storage.ALL_OPAQUE) == (cell_layout.HAS_OPAQUE, cell_layout.ALL_OPAQUE)
    assert (storage.HAS_LIQUID, storage.HAS_OTHER) == (cell_layout.HAS_LIQUID, cell_layout.HAS_OTHER)


def test_every_look_unpacks_to_what_materials_say(materials: Materials, looks: AppearanceTables) -> None:
    words = looks.faces.reshape(-1).view(np.uint32).reshape(-1, 2)
    assert (read(CUBE, words, "layer").reshape(-1, 6) == materials.tiles).all()
    assert (read(CUBE, words, "tint").reshape(-1, 6) == materials.tints).all()
    assert (read(CUBE, words, "flags").reshape(-1, 6) == materials.flags).all()
    assert (read(CUBE, words, "block").reshape(-1, 6) == np.arange(len(materials))[:, None]).all()


def test_still_water_is_drawn_inside_plants(table: BlockTable, looks: AppearanceTables) -> None:
    water = table.states[int(looks.classes[cell_layout.WATERLOG])]
    assert (water.name, dict(water.states)) == ("minecraft:water", {"liquid_depth": 0})


def test_liquids_fill_as_much_as_their_state_says(table: BlockTable, looks: AppearanceTables) -> None:
    liquids = range(table.first.liquid, table.first.placeholder)
    amounts = {
        (table.states[k].name.removeprefix("minecraft:"), dict(table.states[k].states).get("liquid_depth")): int(
            looks.amounts[k]
        )
        for k in liquids
    }
    for name in ("water", "flowing_water", "lava", "flowing_lava"):
        assert [amounts[name, depth] for depth in range(16)] == [8, 7, 6, 5, 4, 3, 2, 1] + [8] * 8
    rest = np.delete(looks.amounts, liquids)
    assert (rest == FULL).all()


def _shown_by(looks: AppearanceTables, quads: np.ndarray) -> list[int]:
    """An id for each of some rows of quads that has it among its own."""
    begins = looks.model_rows[:, 0]
    order = np.argsort(begins, kind="stable")
    return order[np.searchsorted(begins[order], quads, side="right") - 1].tolist()


def test_every_quad_of_a_model_looks_outwards_and_lies_in_its_block(table: BlockTable, looks: AppearanceTables) -> None:
    words = looks.model_quads.view(np.uint32).reshape(-1, 6)
    parts = {name: read(MODEL, words, name) for name in MODEL}
    origin, u, v = (np.stack([parts[prefix + axis] for axis in "xyz"], 1) for prefix in ("", "u", "v"))
    face = parts["face"]
    flat = face != NO_FACE
    normal = np.cross(u, v)
    outwards = (normal[flat] * SCOPE_FACES[face[flat]]).sum(1)
    assert (outwards > 0).all()
    names = [table.states[dense].name for dense in range(len(table))]
    tilted = np.array([name.endswith(("_sign", "_banner")) or "torch" in name for name in names])
    upright = ~tilted[_shown_by(looks, np.flatnonzero(flat))]
    aslant = np.abs(normal[flat]).sum(1) != outwards
    assert not (aslant & upright).any(), "only signs and banners stand in sixteenths of a turn, and torches lean"
    assert (parts["flags"][~flat] & DOUBLE_SIDED == DOUBLE_SIDED).all()
    for corner in (origin, origin + u, origin + v, origin + u + v):
        assert corner.min() >= 0
        assert corner.max() <= 16
    for name in ("u0", "v0", "u1", "v1"):
        assert parts[name].max() <= 16
    size = np.abs(u).sum(1), np.abs(v).sum(1)
    straight = np.flatnonzero(flat)[upright]
    assert (np.abs(parts["u1"] - parts["u0"])[straight] == size[0][straight]).all()
    assert (np.abs(parts["v1"] - parts["v0"])[straight] == size[1][straight]).all()


def test_states_of_no_model_have_no_rows(table: BlockTable, looks: AppearanceTables) -> None:
    counts = looks.model_rows[:, 1] - looks.model_rows[:, 0]
    assert (counts[table.first.cutout :] == 0).all()
    nothing = {
        table.states[dense].name.removeprefix("minecraft:")
        for dense in range(1, table.first.cutout)
        if counts[dense] == 0
    }
    assert nothing <= {
        "light_block", "structure_void", "barrier", "movingBlock", "invisibleBedrock",
    }  # fmt: skip


def test_only_a_face_in_the_blocks_own_face_is_hidden_by_a_neighbour() -> None:
    slab = quads_of(load().shape_of("minecraft:oak_slab", {"top_slot_bit": 0}))
    assert dict(zip(slab[:, 13].tolist(), slab[:, 16].tolist(), strict=True)) == {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 7}


def test_slabs_and_stairs_stand_as_their_states_say() -> None:
    assert shape("stone_slab", stone_slab_type="brick", top_slot_bit=0) == ((0, 0, 0, 16, 8, 16),)
    assert shape("stone_slab", stone_slab_type="brick", top_slot_bit=1) == ((0, 8, 0, 16, 16, 16),)
    east, west, south, north = (shape("oak_stairs", upside_down_bit=0, weirdo_direction=n)[1] for n in range(4))
    assert east == (8, 8, 0, 16, 16, 16)
    assert west == (0, 8, 0, 8, 16, 16)
    assert south == (0, 8, 8, 16, 16, 16)
    assert north == (0, 8, 0, 16, 16, 8)
    assert shape("oak_stairs", upside_down_bit=1, weirdo_direction=0)[0] == (0, 8, 0, 16, 16, 16)


def test_snow_grows_with_its_height() -> None:
    assert [shape("snow_layer", covered_bit=0, height=n)[0][4] for n in range(8)] == [2, 4, 6, 8, 10, 12, 14, 16]


def test_a_torch_that_leans_on_no_block_stands_in_the_middle() -> None:
    standing = ((7, 0, 7, 9, 10, 9),)
    assert shape("torch", torch_facing_direction="top") == standing
    assert all(shape("torch", torch_facing_direction=side) != standing for side in ("west", "east", "north", "south"))


def test_a_button_grows_from_the_face_it_sits_on() -> None:
    ends = {0: (1, 14, 16), 1: (1, 0, 2), 2: (2, 14, 16), 3: (2, 0, 2), 4: (0, 14, 16), 5: (0, 0, 2)}
    for facing, (axis, low, high) in ends.items():
        box = shape("oak_button", button_pressed_bit=0, facing_direction=facing)[0]
        assert (box[axis], box[axis + 3]) == (low, high), facing


def test_sheets_stand_for_each_bit() -> None:
    assert len(shape("vine", vine_direction_bits=5)) == 2
    assert shape("vine", vine_direction_bits=1) == ((0, 0, 15, 16, 16, 15),)
    assert len(shape("glow_lichen", multi_face_direction_bits=63)) == 6
    assert shape("glow_lichen", multi_face_direction_bits=1) == ((0, 1, 0, 16, 1, 16),)


def test_a_name_nobody_shaped_is_a_whole_box() -> None:
    assert shape("model_of_tomorrow") == ((0, 0, 0, 16, 16, 16),)


def test_crops_grow_with_their_age() -> None:
    def height(name: str, key: str, age: int) -> int:
        found = load().shape_of(f"minecraft:{name}", {key: age})
        return found.cross or max(box.high[1] for box in found.boxes)

    for name, key, ages in (
        ("wheat", "growth", 8),
        ("carrots", "growth", 8),
        ("nether_wart", "age", 4),
        ("melon_stem", "growth", 8),
    ):
        heights = [height(name, key, age) for age in range(ages)]
        assert heights == sorted(heights)
        assert len(set(heights)) > 2, name


def test_a_vessel_shows_what_it_holds_at_its_height(
    table: BlockTable, materials: Materials, looks: AppearanceTables
) -> None:
    def surface(**states: StateValue) -> tuple[int, int] | None:
        """How high, and the texture layer."""
        wanted = state("cauldron", **states)
        dense = next(
            k
            for k, one in enumerate(table.states)
            if one.name == wanted.name and dict(one.states) == dict(wanted.states)
        )
        start, end = looks.model_rows[dense]
        words = looks.model_quads[start:end].view(np.uint32).reshape(-1, 6)
        flat = (read(MODEL, words, "ux") == 12) & (read(MODEL, words, "vz") == -12)
        held = flat & (read(MODEL, words, "layer") != materials.tiles[dense, 5])
        found = np.flatnonzero(held)
        return (
            (int(read(MODEL, words, "y")[found[0]]), int(read(MODEL, words, "layer")[found[0]])) if len(found) else None
        )

    def picture(name: str) -> int:
        return int(materials.tiles[next(k for k, one in enumerate(table.states) if one.name == f"minecraft:{name}"), 5])

    assert surface(cauldron_liquid="water", fill_level=0) is None
    assert surface(cauldron_liquid="water", fill_level=3) == (10, picture("water"))
    assert surface(cauldron_liquid="lava", fill_level=6) == (15, picture("lava"))


def test_signs_stand_in_sixteen_directions() -> None:
    faces = set()
    for direction in range(16):
        quads = quads_of(load().shape_of("minecraft:standing_sign", {"ground_sign_direction": direction}))
        board = quads[(quads[:, 13] == (3, 0, 2, 1)[(direction + 1) // 4 % 4]) & (quads[:, 1] == 9)][0]
        along = np.array([board[3], board[5]])
        assert 15 <= np.hypot(*along) <= 17
        angle = np.degrees(np.arctan2(along[1], along[0])) % 360
        assert min(abs(angle - direction * 22.5), 360 - abs(angle - direction * 22.5)) < 3, direction
        faces.add(tuple(along))
    assert len(faces) == 16


def test_the_head_of_a_piston_lies_where_its_arm_points() -> None:
    for facing, axis, high in ((0, 1, False), (1, 1, True), (2, 2, True), (3, 2, False), (4, 0, True), (5, 0, False)):
        head = load().shape_of("minecraft:pistonArmCollision", {"facing_direction": facing}).boxes[0]
        assert (head.low[axis], head.high[axis]) == ((12, 16) if high else (0, 4))


# ---------------------------------------------------------------- neighbours

EAST, WEST, SOUTH, NORTH = range(4)
"""Values of weirdo_direction."""
STEP = {EAST: (1, 0), WEST: (-1, 0), SOUTH: (0, 1), NORTH: (0, -1)}
Part = tuple[tuple[int, int], tuple[int, int]]
"""West to east and north to south, in sixteenths."""


def dense(table: BlockTable, name: str, **states: StateValue) -> int:
    """The id of a block's first state that has these."""
    wanted = states.items()
    return next(
        k
        for k in range(table.first.model, table.first.opaque)
        if table.states[k].name == f"minecraft:{name}" and wanted <= dict(table.states[k].states).items()
    )


def drawn(table: BlockTable, looks: AppearanceTables, blocks: dict[tuple[int, int, int], int]) -> dict[str, np.ndarray]:
    """Fields of the model quads of the block at 8, 8, 8 of a mesh with these blocks around it, by offset x, y, z."""
    _, models = meshed(table, looks, blocks)
    fields = {name: read(MODEL, models, name) for name in MODEL}
    own = (fields["block_x"] == 8) & (fields["block_y"] == 8) & (fields["block_z"] == 8)
    return {name: values[own] for name, values in fields.items()}


def meshed(
    table: BlockTable, looks: AppearanceTables, blocks: dict[tuple[int, int, int], int]
) -> tuple[np.ndarray, np.ndarray]:
    """Counts by group and model quads of a mesh with these blocks around 8, 8, 8."""
    first = table.first
    classes = Classes(
        first.model, first.cutout, first.translucent, first.liquid, first.placeholder, first.opaque, len(looks.faces)
    )
    volume = np.zeros((48, 64, 48), np.uint16)
    for (x, y, z), id_ in blocks.items():
        volume[24 + x, 24 + y, 24 + z] = id_
    result = run(batch_of([volume], classes, looks), Scratch())
    return result.counts[0], result.models


def upper_parts(table: BlockTable, looks: AppearanceTables, stairs: dict[tuple[int, int, int], int]) -> set[Part]:
    """Which boxes stairs show above their lower half, by their upper faces."""
    quads = drawn(table, looks, stairs)
    top = (quads["face"] == 5) & (quads["y"] == 9 * 16)
    parts = set()
    for k in np.flatnonzero(top).tolist():
        xs = sorted(quads["x"][k] - 128 + d for d in (0, quads["ux"][k] + quads["vx"][k]))
        zs = sorted(quads["z"][k] - 128 + d for d in (0, quads["uz"][k] + quads["vz"][k]))
        parts.add(((int(xs[0]), int(xs[1])), (int(zs[0]), int(zs[1]))))
    return parts


def stairs(table: BlockTable, direction: int, upside_down: bool = False) -> int:
    return dense(table, "oak_stairs", weirdo_direction=direction, upside_down_bit=upside_down)


STRAIGHT: set[Part] = {((0, 16), (8, 16))}
CASES = {
    "alone": ([], STRAIGHT),
    "behind it one that rises to the east": ([((0, 0, 1), EAST)], {((8, 16), (8, 16))}),
    "behind it one that rises to the west": ([((0, 0, 1), WEST)], {((0, 8), (8, 16))}),
    "before it one that rises to the east": ([((0, 0, -1), EAST)], STRAIGHT | {((8, 16), (0, 8))}),
    "before it one that rises to the west": ([((0, 0, -1), WEST)], STRAIGHT | {((0, 8), (0, 8))}),
    "behind it one that rises as it does": ([((0, 0, 1), SOUTH)], STRAIGHT),
    "behind it one that rises towards it": ([((0, 0, 1), NORTH)], STRAIGHT),
    "a row that goes on to the west past one behind it": ([((0, 0, 1), EAST), ((-1, 0, 0), SOUTH)], STRAIGHT),
    "a row that goes on to the east past one before it": ([((0, 0, -1), EAST), ((1, 0, 0), SOUTH)], STRAIGHT),
}


@pytest.mark.parametrize("case", CASES)
def test_stairs_that_rise_to_the_south_bend_by_their_neighbours(
    table: BlockTable, looks: AppearanceTables, case: str
) -> None:
    around, expected = CASES[case]
    blocks = {at: stairs(table, direction) for at, direction in around}
    assert upper_parts(table, looks, {(0, 0, 0): stairs(table, SOUTH), **blocks}) == expected


@pytest.mark.parametrize(("direction", "corner"), [(EAST, (1, -1)), (NORTH, (-1, -1)), (WEST, (-1, 1))])
def test_stairs_bend_alike_whichever_way_they_rise(
    table: BlockTable, looks: AppearanceTables, direction: int, corner: tuple[int, int]
) -> None:
    """Behind it one that rises to its left: only the quarter at the back and to the left is left."""
    left = {EAST: NORTH, NORTH: WEST, WEST: SOUTH}[direction]
    dx, dz = STEP[direction]
    parts = upper_parts(table, looks, {(0, 0, 0): stairs(table, direction), (dx, 0, dz): stairs(table, left)})
    x, z = ((8, 16) if side > 0 else (0, 8) for side in corner)
    assert parts == {(x, z)}


def test_stairs_of_the_other_half_bend_none(table: BlockTable, looks: AppearanceTables) -> None:
    blocks = {(0, 0, 0): stairs(table, SOUTH), (0, 0, 1): stairs(table, EAST, upside_down=True)}
    assert upper_parts(table, looks, blocks) == STRAIGHT


def test_a_door_takes_direction_and_opening_from_below_and_its_hinge_from_above(
    table: BlockTable, looks: AppearanceTables
) -> None:
    def half(name: str, upper: bool, direction: int, is_open: bool, hinge: bool) -> int:
        return dense(
            table, name, upper_block_bit=upper, direction=direction, open_bit=is_open, door_hinge_bit=hinge
        )  # fmt: skip

    def shape(blocks: dict[tuple[int, int, int], int]) -> list[list[int]]:
        quads = drawn(table, looks, blocks)
        return sorted(zip(*(quads[name].tolist() for name in ("x", "y", "z", "ux", "uz", "vx", "vz")), strict=True))

    lower, upper = half("iron_door", False, 2, True, False), half("iron_door", True, 0, False, True)
    whole = half("iron_door", False, 2, True, True), half("iron_door", True, 2, True, True)
    assert shape({(0, 0, 0): lower, (0, 1, 0): upper}) == shape({(0, 0, 0): whole[0]})
    assert shape({(0, 0, 0): upper, (0, -1, 0): lower}) == shape({(0, 0, 0): whole[1]})
    other = half("wooden_door", True, 0, False, True)
    assert shape({(0, 0, 0): lower, (0, 1, 0): other}) == shape({(0, 0, 0): lower}), "halves of two doors"
    assert shape({(0, 0, 0): lower, (0, 1, 0): lower}) == shape({(0, 0, 0): lower}), "two lower halves"


def test_redstone_runs_to_its_like_and_not_to_a_wall(table: BlockTable, looks: AppearanceTables) -> None:
    wire = dense(table, "redstone_wire")
    stone = next(k for k, state in enumerate(table.states) if state.name == "minecraft:stone")
    alone = len(drawn(table, looks, {(0, 0, 0): wire})["x"])
    assert len(drawn(table, looks, {(0, 0, 0): wire, (1, 0, 0): stone})["x"]) == alone
    assert len(drawn(table, looks, {(0, 0, 0): wire, (1, 0, 0): wire})["x"]) == alone + 1


def sides(quads: dict[str, np.ndarray]) -> set[tuple[int, int, int, int]]:
    """Face and origin in its block of each quad."""
    return {
        (face, x - 128, y - 128, z - 128)
        for face, x, y, z in zip(*(quads[name].tolist() for name in ("face", "x", "y", "z")), strict=True)
    }


def pane(table: BlockTable, color: str = "red") -> int:
    return dense(table, "stained_glass_pane", color=color)


def test_a_stained_pane_is_drawn_among_what_one_sees_through(table: BlockTable, looks: AppearanceTables) -> None:
    quads = drawn(table, looks, {(0, 0, 0): pane(table)})
    assert sorted(quads["face"].tolist()) == [0, 1, 2, 3, 4, 5]
    assert (quads["flags"] & TRANSLUCENT_QUAD == TRANSLUCENT_QUAD).all()
    plain = drawn(table, looks, {(0, 0, 0): dense(table, "glass_pane")})
    assert (plain["flags"] & TRANSLUCENT_QUAD == 0).all()


def test_translucent_quads_lie_behind_all_others_of_a_mesh(table: BlockTable, looks: AppearanceTables) -> None:
    counts, models = meshed(table, looks, {(0, 0, 0): pane(table), (3, 0, 0): dense(table, "glass_pane")})
    assert (counts[Group.MODEL], counts[Group.SLOPE]) == (6, 6)
    translucent = read(MODEL, models, "flags") & TRANSLUCENT_QUAD != 0
    assert translucent.tolist() == [False] * 6 + [True] * 6


@pytest.mark.parametrize("color", ["red", "blue"])
def test_joined_panes_have_no_sides_between_them(table: BlockTable, looks: AppearanceTables, color: str) -> None:
    """A pane with one of any colour to the south: neither the post's side there nor an end is drawn."""
    found = sides(drawn(table, looks, {(0, 0, 0): pane(table), (0, 0, 1): pane(table, color)}))
    assert {face for face, *_ in found if face == 3} == set()
    assert [face for face, *_ in sorted(found)].count(2) == 1  # the post's, to the north
    assert [face for face, *_ in sorted(found)].count(0) == 2  # of post and arm


def test_a_pane_on_a_pane_has_no_top(table: BlockTable, looks: AppearanceTables) -> None:
    below = drawn(table, looks, {(0, 0, 0): pane(table), (0, 1, 0): pane(table)})
    assert 5 not in below["face"]
    above = drawn(table, looks, {(0, 0, 0): pane(table), (0, -1, 0): pane(table)})
    assert 4 not in above["face"]


def test_plants_stand_aside_by_their_column_inside_their_block_and_halves_together(
    table: BlockTable, looks: AppearanceTables
) -> None:
    plant, web = block(table, "tallgrass"), block(table, "web")
    columns = [(x, z) for x in range(-8, 8) for z in range(-8, 8)]
    for dense_, most in ((plant, 2), (web, 0)):
        _, models = meshed(table, looks, {(x, y, z): dense_ for x, z in columns for y in (0, 1)})
        quads = {name: read(MODEL, models, name) for name in MODEL}
        low = {axis: np.minimum(quads[axis], quads[axis] + quads["u" + axis]) for axis in "xz"}
        at = {axis: quads[axis] + quads["u" + axis] // 2 - 8 for axis in "xz"}
        aside = {axis: at[axis] - 16 * quads["block_" + axis] for axis in "xz"}
        assert all(set(found.tolist()) == set(range(-most, most + 1)) for found in aside.values())
        for axis in "xz":
            inside = low[axis] - 16 * quads["block_" + axis]
            assert inside.min() >= 0
            assert (inside + np.abs(quads["u" + axis])).max() <= 16
        by_column: dict[tuple[int, int], set[tuple[int, int]]] = {}
        for x, z, *way in zip(quads["block_x"], quads["block_z"], aside["x"], aside["z"], strict=True):
            by_column.setdefault((int(x), int(z)), set()).add((int(way[0]), int(way[1])))
        assert len(by_column) == 256
        assert all(len(ways) == 1 for ways in by_column.values()), "both quads of both halves"
        assert len({way for ways in by_column.values() for way in ways}) == (2 * most + 1) ** 2


def dust_parts(
    table: BlockTable, looks: AppearanceTables, blocks: dict[tuple[int, int, int], str]
) -> tuple[set[int], set[int]]:
    """Directions in which dust in the middle runs on over the floor, and in which it runs up."""
    ids = {at: dense(table, name) if name == "redstone_wire" else block(table, name) for at, name in blocks.items()}
    quads = drawn(table, looks, {(0, 0, 0): dense(table, "redstone_wire"), **ids})
    floor, walls = set(), set()
    for k in range(len(quads["face"])):
        middle = [
            quads[axis][k] - 128 + (quads["u" + axis][k] + quads["v" + axis][k]) / 2 - (0 if axis == "y" else 8)
            for axis in "xyz"
        ]
        if quads["face"][k] == 5 and (middle[0], middle[2]) != (0, 0):
            floor.add((1 if middle[0] > 0 else 0) if middle[0] else (3 if middle[2] > 0 else 2))
        elif quads["face"][k] != 5:
            walls.add((1 if middle[0] > 0 else 0) if abs(middle[0]) > 2 else (3 if middle[2] > 0 else 2))
    return floor, walls


def block(table: BlockTable, name: str) -> int:
    return next(k for k, state in enumerate(table.states) if state.name == f"minecraft:{name}")


DUST = "redstone_wire"


def test_dust_climbs_a_wall_to_dust_upon_it(table: BlockTable, looks: AppearanceTables) -> None:
    assert dust_parts(table, looks, {(1, 0, 0): "stone", (1, 1, 0): DUST}) == ({1}, {1})
    assert dust_parts(table, looks, {(0, 0, -1): "stone", (0, 1, -1): DUST}) == ({2}, {2})


def test_dust_runs_down_to_dust_below_an_edge(table: BlockTable, looks: AppearanceTables) -> None:
    assert dust_parts(table, looks, {(-1, -1, 0): DUST}) == ({0}, set())
    assert dust_parts(table, looks, {(0, 0, 1): DUST}) == ({3}, set())


def test_dust_does_not_pass_through_blocks(table: BlockTable, looks: AppearanceTables) -> None:
    """Not up where something lies over it, not down behind a block."""
    under_stone = {(1, 0, 0): "stone", (1, 1, 0): DUST, (0, 1, 0): "stone"}
    assert dust_parts(table, looks, under_stone) == (set(), set())
    assert dust_parts(table, looks, {(1, 0, 0): "stone", (1, -1, 0): DUST}) == (set(), set())
    assert dust_parts(table, looks, {(1, 0, 0): "stone"}) == (set(), set())


# ---------------------------------------------------------------- vertex format


@pytest.mark.parametrize("layout", [vertex_format.CUBE, vertex_format.MODEL])
def test_no_two_fields_share_a_bit(layout: dict[str, vertex_format.BitField]) -> None:
    taken = [0] * 6
    for field in layout.values():
        bits = field.mask << field.shift
        assert bits < 1 << 32
        assert not taken[field.word] & bits
        taken[field.word] |= bits


@pytest.mark.parametrize("layout", [vertex_format.CUBE, vertex_format.MODEL])
def test_every_field_gives_back_its_smallest_and_largest_value(layout: dict[str, vertex_format.BitField]) -> None:
    for name, field in layout.items():
        ends = [field.bias, field.bias + field.mask]
        words = vertex_format.pack(layout, 2, **{name: ends})
        assert vertex_format.read(layout, words, name).tolist() == ends
        for other in layout.keys() - {name}:
            assert vertex_format.read(layout, words, other).tolist() == [max(layout[other].bias, 0)] * 2


def test_a_value_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="width"):
        vertex_format.pack(vertex_format.CUBE, 1, width=17)
    with pytest.raises(ValueError, match="no such field"):
        vertex_format.pack(vertex_format.CUBE, 1, weight=1)


def test_sizes_are_those_of_the_arena() -> None:
    assert vertex_format.pack(vertex_format.CUBE, 3).nbytes == 3 * 8
    assert vertex_format.pack(vertex_format.MODEL, 3).nbytes == 3 * 24


def test_the_kernel_shifts_as_the_layout_says() -> None:
    cube = vertex_format.CUBE
    assert (cube["x"].shift, cube["x"].word) == (0, 0)
    assert cube["z"].shift == kernels.SHIFT_Z
    assert cube["y"].shift == kernels.SHIFT_Y
    assert cube["face"].shift == kernels.SHIFT_FACE
    assert cube["width"].shift == kernels.SHIFT_WIDTH
    assert cube["height"].shift == kernels.SHIFT_HEIGHT
    assert cube["flags"].shift == kernels.SHIFT_FLAGS
    model = vertex_format.MODEL  # emit_model adds the block's position to origin and block fields by these shifts
    assert [model[name].shift for name in ("x", "z", "y")] == [0, 10, 20]
    assert [model[name].shift for name in ("block_x", "block_z", "block_y")] == [0, 4, 8]
    assert model["block_x"].word == 5
    assert (model["block"].word, model["block"].shift) == (3, 16)


def test_shaders_are_given_every_field_as_python_reads_it() -> None:
    given = vertex_format.defines()
    for prefix, layout in (("CUBE", vertex_format.CUBE), ("MODEL", vertex_format.MODEL)):
        random = np.random.default_rng(1).integers(0, 2**32, (50, 6), dtype=np.uint32)
        for name in layout:
            start = f"{prefix}_{name.upper()}"
            word, shift, mask = (given[f"{start}_{part}"] for part in ("WORD", "SHIFT", "MASK"))
            value = (random[:, word].astype(np.int64) >> shift & mask) + given[f"{start}_BIAS"]
            assert value.tolist() == vertex_format.read(layout, random, name).tolist()
    assert given["GROUP_SLOPE"] == vertex_format.GROUPS - 1
    assert all(isinstance(value, int) for value in given.values())


def test_flipped_faces_are_those_whose_axes_point_inwards() -> None:
    axes = np.eye(3)
    for face, axis in enumerate(vertex_format.FACE_AXIS):
        outward = axes[axis] * (1 if face & 1 else -1)
        normal = np.cross(axes[vertex_format.FACE_WIDTH_AXIS[face]], axes[vertex_format.FACE_HEIGHT_AXIS[face]])
        assert (normal @ outward < 0) == bool(vertex_format.FLIPPED_FACES >> face & 1)
