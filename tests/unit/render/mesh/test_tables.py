"""Looks and shapes as the kernel reads them."""

import numpy as np
import pytest

from assets.models import load
from client.world.block_table import BlockTable
from net.subchunk import storage
from render.materials.looks import DOUBLE_SIDED
from render.materials.materials import Materials
from render.mesh import cell_layout
from render.mesh.liquid_kernels import FULL
from render.mesh.mesher import MeshTables, mesh_tables
from render.mesh.model_shapes import quads_of
from render.mesh.vertex_format import CUBE, MODEL, NO_FACE, read
from tests.support.block_states import StateValue, state

SCOPE_FACES = np.array([[-1, 0, 0], [1, 0, 0], [0, 0, -1], [0, 0, 1], [0, -1, 0], [0, 1, 0]])


@pytest.fixture(scope="module")
def looks(materials: Materials, table: BlockTable) -> MeshTables:
    return mesh_tables(materials, table)


def shape(name: str, **states: StateValue) -> tuple[tuple[int, ...], ...]:
    """The boxes of a block state, low and high corner in one row."""
    full = state(name, **states)
    return tuple((*box.low, *box.high) for box in load().shape_of(full.name, dict(full.states)).boxes)


def test_the_kernel_and_the_pools_mean_the_same_kinds() -> None:
    assert (storage.HAS_OPAQUE, storage.ALL_OPAQUE) == (cell_layout.HAS_OPAQUE, cell_layout.ALL_OPAQUE)
    assert (storage.HAS_LIQUID, storage.HAS_OTHER) == (cell_layout.HAS_LIQUID, cell_layout.HAS_OTHER)


def test_every_look_unpacks_to_what_materials_say(materials: Materials, looks: MeshTables) -> None:
    words = looks.looks.reshape(-1).view(np.uint32).reshape(-1, 2)
    assert (read(CUBE, words, "layer").reshape(-1, 6) == materials.tiles).all()
    assert (read(CUBE, words, "tint").reshape(-1, 6) == materials.tints).all()
    assert (read(CUBE, words, "flags").reshape(-1, 6) == materials.flags).all()
    assert (read(CUBE, words, "block").reshape(-1, 6) == np.arange(len(materials))[:, None]).all()


def test_still_water_is_drawn_inside_plants(table: BlockTable, looks: MeshTables) -> None:
    water = table.states[int(looks.classes[cell_layout.WATERLOG])]
    assert (water.name, dict(water.states)) == ("minecraft:water", {"liquid_depth": 0})


def test_liquids_fill_as_much_as_their_state_says(table: BlockTable, looks: MeshTables) -> None:
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


def _shown_by(looks: MeshTables, quads: np.ndarray) -> list[int]:
    """An id for each of some rows of quads that has it among its own."""
    begins = looks.model_rows[:, 0]
    order = np.argsort(begins, kind="stable")
    return order[np.searchsorted(begins[order], quads, side="right") - 1].tolist()


def test_every_quad_of_a_model_looks_outwards_and_lies_in_its_block(table: BlockTable, looks: MeshTables) -> None:
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


def test_states_of_no_model_have_no_rows(table: BlockTable, looks: MeshTables) -> None:
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


def test_a_vessel_shows_what_it_holds_at_its_height(table: BlockTable, materials: Materials, looks: MeshTables) -> None:
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
