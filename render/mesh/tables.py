"""Looks and shapes of block states -> the tables the mesh kernel reads.

Rules:
1. Made by the owner, whole, when ids have joined the session; never changed afterwards.
2. A model takes the texture of the face it shows where it stands: a box's side cuts its part out of the block's side.
3. A quad that lies in the block's own face is hidden by an opaque neighbour; one further in is not.

Limits: states that look alike share their quads: the 6,820 model states of protocol 486 take 15,000, 0.36 MB, made in
0.07 s.
"""

from collections.abc import Callable, Mapping
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from assets.models import ALWAYS, DOWN, UP, Box, Shape, StateValue, load
from client.world.block_table import ClassThresholds, is_lava
from render.materials.looks import DOUBLE_SIDED
from render.materials.materials import BlockStateLike, Materials, StateTable
from render.mesh.build import MeshTables
from render.mesh.liquid_kernels import FULL, LAVA, WATER
from render.mesh.model_kernels import LIKE_ONLY
from render.mesh.quads import CUBE, MODEL, MODEL_WORDS, NO_FACE, Field, Words, pack

QUAD_COLUMNS: Final = 19
BEND_SHIFT: Final = 7
CROSS_FACE: Final = 2  # whose texture crossed plants show

Quads = npt.NDArray[np.int32]
"""[k, 19]: origin x y z, edge U x y z, edge V x y z, u0 v0 u1 v1, face, texture face, flags, hidden by, link, more."""


class ClassedTable(StateTable, Protocol):
    """A block table sorted by class."""

    @property
    def first(self) -> ClassThresholds:
        """Where the classes begin."""


def mesh_tables(materials: Materials, table: ClassedTable) -> MeshTables:
    """The kernel's tables for every state that has a look.

    Args:
        materials: looks; call its ``grow`` first if the table may have grown.
        table: the session's block table.
    """
    count, first = len(materials), table.first
    water = next((k for k in range(first.liquid, first.placeholder) if _is_still_water(table.states[k])), first.liquid)
    bounds = (first.model, first.cutout, first.translucent, first.liquid, first.placeholder, first.opaque)
    model_rows, model_quads, model_rules, groups = _models(materials, table)
    doors, door_ids = _doors(table, count)
    return MeshTables(
        classes=np.array([*bounds, water], np.int64),
        amounts=_amounts(table, count),
        liquids=_liquids(table, count),
        looks=_looks(materials, count),
        groups=groups,
        stairs=_stairs(table, count),
        doors=doors,
        door_ids=door_ids,
        model_rows=model_rows,
        model_quads=model_quads,
        model_rules=model_rules,
    )


def _is_still_water(state: BlockStateLike) -> bool:
    return state.name == "minecraft:water" and dict(state.states).get("liquid_depth", 0) == 0


def _amounts(table: ClassedTable, count: int) -> npt.NDArray[np.uint8]:
    """uint8[n]: eighths of liquids, 8 when they fall (``liquid_depth`` 8 and more) and where no state says."""
    amounts = np.full(count, FULL, np.uint8)
    for dense in range(table.first.liquid, table.first.placeholder):
        depth = dict(table.states[dense].states).get("liquid_depth", 0)
        amounts[dense] = FULL - depth if isinstance(depth, int) and 0 <= depth < FULL else FULL
    return amounts


def _liquids(table: ClassedTable, count: int) -> npt.NDArray[np.uint8]:
    """As ``MeshTables.liquids``."""
    liquids = np.full(count, WATER, np.uint8)
    for dense in range(table.first.liquid, table.first.placeholder):
        if is_lava(table.states[dense].name):
            liquids[dense] = LAVA
    return liquids


def _stairs(table: ClassedTable, count: int) -> npt.NDArray[np.uint8]:
    """As ``MeshTables.stairs``; weirdo_direction is east, west, south, north."""
    stairs = np.zeros(count, np.uint8)
    for dense in range(table.first.model, table.first.cutout):
        states = dict(table.states[dense].states)
        if "weirdo_direction" in states:
            stairs[dense] = (
                1 + (1, 0, 3, 2)[_number(states, "weirdo_direction", 4)] + 4 * _number(states, "upside_down_bit", 2)
            )
    return stairs


def _doors(table: ClassedTable, count: int) -> tuple[npt.NDArray[np.uint16], npt.NDArray[np.uint16]]:
    """As ``MeshTables.doors`` and ``door_ids``; a combination that the palette lacks shows the block itself."""
    doors, kinds = np.zeros(count, np.uint16), dict[str, int]()
    for dense in range(table.first.model, table.first.cutout):
        states = dict(table.states[dense].states)
        if "door_hinge_bit" not in states:
            continue
        kind = kinds.setdefault(table.states[dense].name, len(kinds) + 1)
        doors[dense] = kind << 5 | _number(states, "direction", 4)
        for place, name in enumerate(("open_bit", "door_hinge_bit", "upper_block_bit")):
            doors[dense] |= _number(states, name, 2) << 2 + place
    ids = np.zeros(32 * (len(kinds) + 1), np.uint16)
    some = np.flatnonzero(doors)
    for dense in some.tolist():
        ids[doors[dense] >> 5 << 5 : (doors[dense] >> 5) + 1 << 5] = dense
    ids[doors[some]] = some
    return doors, ids


def _number(states: Mapping[str, StateValue], name: str, many: int) -> int:
    """A state's value, 0 where it is none of ``many``."""
    value = states.get(name, 0)
    return int(value) if isinstance(value, int) and 0 <= value < many else 0


def _looks(materials: Materials, count: int) -> npt.NDArray[np.uint64]:
    """uint64[n, 6]: what a face adds to a cube quad."""
    looks = np.zeros((count, 6), np.uint64)
    ids = np.arange(count, dtype=np.uint64)[:, None]
    for name, values in (
        ("layer", materials.tiles),
        ("tint", materials.tints),
        ("flags", materials.flags),
        ("block", ids),
    ):
        looks |= values.astype(np.uint64) << _place(CUBE[name])
    return looks


def _place(field: Field) -> np.uint64:
    """A field's first bit in the words read as one little-endian number."""
    return np.uint64(32 * field.word + field.shift)


def _models(
    materials: Materials, table: ClassedTable
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64], npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
    """Rows by id, packed quads, their rules, and connection groups; states that look alike share their rows."""
    rules, first = load(), table.first
    groups = np.zeros(len(materials), np.uint8)
    model_rows = np.zeros((len(materials), 2), np.int32)
    group_numbers: dict[str, int] = {"": 0}
    quads_by_shape: dict[int, Quads] = {}
    rows_by_look: dict[tuple[int, bytes, bytes, bytes], tuple[int, int]] = {}
    parts: list[Quads] = [np.zeros((0, QUAD_COLUMNS), np.int32)]
    shown_by: list[int] = []  # a dense id for each part
    end = 0
    for dense in range(first.model, first.cutout):
        state = table.states[dense]
        shape = rules.shape_of(state.name, dict(state.states))
        groups[dense] = group_numbers.setdefault(shape.group, len(group_numbers))
        faces = (materials.tiles[dense].tobytes(), materials.tints[dense].tobytes(), materials.flags[dense].tobytes())
        look = (id(shape), *faces)  # shapes live as long as the rules do
        if look not in rows_by_look:
            if id(shape) not in quads_by_shape:
                quads_by_shape[id(shape)] = quads_of(shape)
            quads = quads_by_shape[id(shape)]
            rows_by_look[look] = (end, end + len(quads))
            end += len(quads)
            parts.append(quads)
            shown_by += [dense] * len(quads)
        model_rows[dense] = rows_by_look[look]
    every = np.concatenate(parts)
    words = _packed(every, np.array(shown_by, np.int64), materials)
    rule = (every[:, 16] | every[:, 17] << 3 | every[:, 18]).astype(np.uint16)
    return model_rows, words.view(np.uint64).reshape(-1, MODEL_WORDS // 2), rule, groups


def _packed(quads: Quads, shown_by: npt.NDArray[np.int64], materials: Materials) -> Words:
    """Everything but the block's id and place, which the kernel adds."""
    names = ("x", "y", "z", "ux", "uy", "uz", "vx", "vy", "vz", "u0", "v0", "u1", "v1", "face")
    values: dict[str, npt.ArrayLike] = {name: quads[:, k] for k, name in enumerate(names)}
    shown = quads[:, 14]
    values["layer"] = materials.tiles[shown_by, shown]
    values["tint"] = materials.tints[shown_by, shown]
    values["flags"] = materials.flags[shown_by, shown] | quads[:, 15]
    return pack(MODEL, len(quads), **values)


def quads_of(shape: Shape) -> Quads:
    """The quads of a shape, box by box, face by face, then the cross."""
    rows = [row for box in shape.boxes for row in _box_rows(box)]
    if shape.cross:
        v0, v1 = (0, shape.cross) if shape.hanging else (16, 16 - shape.cross)
        low = 16 - shape.cross if shape.hanging else 0
        for z, uz in ((1, 14), (15, -14)):
            edges = (1, low, z, 14, 0, uz, 0, shape.cross, 0)
            rows.append((*edges, 0, v0, 16, v1, NO_FACE, CROSS_FACE, DOUBLE_SIDED, ALWAYS, ALWAYS, 0))
    if shape.ramp is not None:
        rows.append((*_ramp(shape.ramp), 0, 16, 16, 0, NO_FACE, UP, DOUBLE_SIDED, ALWAYS, ALWAYS, 0))
    return np.array(rows, np.int32).reshape(-1, QUAD_COLUMNS)


Row = tuple[int, ...]
_Edges = Callable[[int, int, int, int, int, int], Row]

_FACES: Final[tuple[_Edges, ...]] = (
    # low x y z, high x y z -> origin, U, V, u0 v0 u1 v1; seen from outside U runs right and V up
    lambda a, b, c, x, y, z: (a, b, c, 0, 0, z - c, 0, y - b, 0, c, 16 - b, z, 16 - y),
    lambda a, b, c, x, y, z: (x, b, z, 0, 0, c - z, 0, y - b, 0, 16 - z, 16 - b, 16 - c, 16 - y),
    lambda a, b, c, x, y, z: (x, b, c, a - x, 0, 0, 0, y - b, 0, 16 - x, 16 - b, 16 - a, 16 - y),
    lambda a, b, c, x, y, z: (a, b, z, x - a, 0, 0, 0, y - b, 0, a, 16 - b, x, 16 - y),
    lambda a, b, c, x, y, z: (a, b, c, x - a, 0, 0, 0, 0, z - c, a, c, x, z),
    lambda a, b, c, x, y, z: (a, y, z, x - a, 0, 0, 0, 0, c - z, a, z, x, c),
)
_AXIS: Final = (0, 0, 2, 2, 1, 1)


def _ramp(quarters: int) -> Row:
    """Origin and edges of a sheet from the floor to the ceiling: rising to the south, west, north, east."""
    origin, u, v = (0, 16, 16), (16, 0, 0), (0, -16, -16)
    for _ in range(quarters):
        origin, u, v = ((16 - origin[2], origin[1], origin[0]), (-u[2], u[1], u[0]), (-v[2], v[1], v[0]))
    return (*origin, *u, *v)


def _box_rows(box: Box) -> list[Row]:
    """A box's faces; a sheet is one quad that is seen from both sides."""
    sheet = [axis for axis in range(3) if box.low[axis] == box.high[axis]]
    rows = []
    shown_low, shown_high = _in_the_middle(box) if box.middle else (box.low, box.high)
    for face in range(6):
        axis = _AXIS[face]
        if sheet and (axis not in sheet or face % 2 == 0):
            continue
        edge = box.high[axis] if face % 2 else box.low[axis]
        hidden_by = face if edge == (16 if face % 2 else 0) else ALWAYS
        flags = DOUBLE_SIDED if sheet else 0
        edges = _spun(face, _FACES[face](*box.low, *box.high)[:9], box.spin)
        texture = _FACES[face](*shown_low, *shown_high)[9:]
        rules = box.hidden << BEND_SHIFT | (LIKE_ONLY if box.like else 0)
        rows.append((*edges, *texture, face, face, flags, hidden_by, box.link, rules))
    return rows


def _spun(face: int, edges: Row, quarters: int) -> Row:
    """Corners of a horizontal face so that its picture is turned, from south to west; other faces as they are."""
    if face < DOWN:
        return edges
    origin, u, v = (np.array(edges[k : k + 3]) for k in (0, 3, 6))
    for _ in range(quarters):
        origin, u, v = (origin + v, -v, u) if face == UP else (origin + u, v, -u)
    return tuple(np.concatenate([origin, u, v]).tolist())


def _in_the_middle(box: Box) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The corners a box would have in the middle of the floor."""
    width, height, depth = (high - low for low, high in zip(box.low, box.high, strict=True))
    x, z = (16 - width) // 2, (16 - depth) // 2
    return (x, 0, z), (x + width, height, z + depth)
