"""What the blocks beside a model do to it: stairs bend, doors take from either half what only that one knows."""

import numpy as np
import pytest

from client.world.block_table import BlockTable
from render.materials.looks import CLEAR
from render.materials.materials import Materials
from render.mesh.mesher import MeshTables, Scratch, mesh_tables, run
from render.mesh.vertex_format import MODEL, Group, read
from tests.support.block_states import StateValue
from tests.support.mesh_worlds import Classes, batch_of

EAST, WEST, SOUTH, NORTH = range(4)
"""Values of weirdo_direction."""
STEP = {EAST: (1, 0), WEST: (-1, 0), SOUTH: (0, 1), NORTH: (0, -1)}
Part = tuple[tuple[int, int], tuple[int, int]]
"""West to east and north to south, in sixteenths."""


@pytest.fixture(scope="module")
def looks(materials: Materials, table: BlockTable) -> MeshTables:
    return mesh_tables(materials, table)


def dense(table: BlockTable, name: str, **states: StateValue) -> int:
    """The id of a block's first state that has these."""
    wanted = states.items()
    return next(
        k
        for k in range(table.first.model, table.first.opaque)
        if table.states[k].name == f"minecraft:{name}" and wanted <= dict(table.states[k].states).items()
    )


def drawn(table: BlockTable, looks: MeshTables, blocks: dict[tuple[int, int, int], int]) -> dict[str, np.ndarray]:
    """Fields of the model quads of the block at 8, 8, 8 of a mesh with these blocks around it, by offset x, y, z."""
    _, models = meshed(table, looks, blocks)
    fields = {name: read(MODEL, models, name) for name in MODEL}
    own = (fields["block_x"] == 8) & (fields["block_y"] == 8) & (fields["block_z"] == 8)
    return {name: values[own] for name, values in fields.items()}


def meshed(
    table: BlockTable, looks: MeshTables, blocks: dict[tuple[int, int, int], int]
) -> tuple[np.ndarray, np.ndarray]:
    """Counts by group and model quads of a mesh with these blocks around 8, 8, 8."""
    first = table.first
    classes = Classes(
        first.model, first.cutout, first.translucent, first.liquid, first.placeholder, first.opaque, len(looks.looks)
    )
    volume = np.zeros((48, 64, 48), np.uint16)
    for (x, y, z), id_ in blocks.items():
        volume[24 + x, 24 + y, 24 + z] = id_
    result = run(batch_of([volume], classes, looks), Scratch())
    return result.counts[0], result.models


def upper_parts(table: BlockTable, looks: MeshTables, stairs: dict[tuple[int, int, int], int]) -> set[Part]:
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
    table: BlockTable, looks: MeshTables, case: str
) -> None:
    around, expected = CASES[case]
    blocks = {at: stairs(table, direction) for at, direction in around}
    assert upper_parts(table, looks, {(0, 0, 0): stairs(table, SOUTH), **blocks}) == expected


@pytest.mark.parametrize(("direction", "corner"), [(EAST, (1, -1)), (NORTH, (-1, -1)), (WEST, (-1, 1))])
def test_stairs_bend_alike_whichever_way_they_rise(
    table: BlockTable, looks: MeshTables, direction: int, corner: tuple[int, int]
) -> None:
    """Behind it one that rises to its left: only the quarter at the back and to the left is left."""
    left = {EAST: NORTH, NORTH: WEST, WEST: SOUTH}[direction]
    dx, dz = STEP[direction]
    parts = upper_parts(table, looks, {(0, 0, 0): stairs(table, direction), (dx, 0, dz): stairs(table, left)})
    x, z = ((8, 16) if side > 0 else (0, 8) for side in corner)
    assert parts == {(x, z)}


def test_stairs_of_the_other_half_bend_none(table: BlockTable, looks: MeshTables) -> None:
    blocks = {(0, 0, 0): stairs(table, SOUTH), (0, 0, 1): stairs(table, EAST, upside_down=True)}
    assert upper_parts(table, looks, blocks) == STRAIGHT


def test_a_door_takes_direction_and_opening_from_below_and_its_hinge_from_above(
    table: BlockTable, looks: MeshTables
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


def test_redstone_runs_to_its_like_and_not_to_a_wall(table: BlockTable, looks: MeshTables) -> None:
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


def test_a_stained_pane_is_drawn_among_what_one_sees_through(table: BlockTable, looks: MeshTables) -> None:
    quads = drawn(table, looks, {(0, 0, 0): pane(table)})
    assert sorted(quads["face"].tolist()) == [0, 1, 2, 3, 4, 5]
    assert (quads["flags"] & CLEAR == CLEAR).all()
    plain = drawn(table, looks, {(0, 0, 0): dense(table, "glass_pane")})
    assert (plain["flags"] & CLEAR == 0).all()


def test_clear_quads_lie_behind_all_others_of_a_mesh(table: BlockTable, looks: MeshTables) -> None:
    counts, models = meshed(table, looks, {(0, 0, 0): pane(table), (3, 0, 0): dense(table, "glass_pane")})
    assert (counts[Group.MODEL], counts[Group.SLOPE]) == (6, 6)
    clear = read(MODEL, models, "flags") & CLEAR != 0
    assert clear.tolist() == [False] * 6 + [True] * 6


@pytest.mark.parametrize("color", ["red", "blue"])
def test_joined_panes_have_no_sides_between_them(table: BlockTable, looks: MeshTables, color: str) -> None:
    """A pane with one of any colour to the south: neither the post's side there nor an end is drawn."""
    found = sides(drawn(table, looks, {(0, 0, 0): pane(table), (0, 0, 1): pane(table, color)}))
    assert {face for face, *_ in found if face == 3} == set()
    assert [face for face, *_ in sorted(found)].count(2) == 1  # the post's, to the north
    assert [face for face, *_ in sorted(found)].count(0) == 2  # of post and arm


def test_a_pane_on_a_pane_has_no_top(table: BlockTable, looks: MeshTables) -> None:
    below = drawn(table, looks, {(0, 0, 0): pane(table), (0, 1, 0): pane(table)})
    assert 5 not in below["face"]
    above = drawn(table, looks, {(0, 0, 0): pane(table), (0, -1, 0): pane(table)})
    assert 4 not in above["face"]


def dust_parts(
    table: BlockTable, looks: MeshTables, blocks: dict[tuple[int, int, int], str]
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


def test_dust_climbs_a_wall_to_dust_upon_it(table: BlockTable, looks: MeshTables) -> None:
    assert dust_parts(table, looks, {(1, 0, 0): "stone", (1, 1, 0): DUST}) == ({1}, {1})
    assert dust_parts(table, looks, {(0, 0, -1): "stone", (0, 1, -1): DUST}) == ({2}, {2})


def test_dust_runs_down_to_dust_below_an_edge(table: BlockTable, looks: MeshTables) -> None:
    assert dust_parts(table, looks, {(-1, -1, 0): DUST}) == ({0}, set())
    assert dust_parts(table, looks, {(0, 0, 1): DUST}) == ({3}, set())


def test_dust_does_not_pass_through_blocks(table: BlockTable, looks: MeshTables) -> None:
    """Not up where something lies over it, not down behind a block."""
    under_stone = {(1, 0, 0): "stone", (1, 1, 0): DUST, (0, 1, 0): "stone"}
    assert dust_parts(table, looks, under_stone) == (set(), set())
    assert dust_parts(table, looks, {(1, 0, 0): "stone", (1, -1, 0): DUST}) == (set(), set())
    assert dust_parts(table, looks, {(1, 0, 0): "stone"}) == (set(), set())
