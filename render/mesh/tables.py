"""Looks and shapes of block states -> the tables the mesh kernel reads.

Rules:
1. Made by the owner, whole, when ids have joined the session; never changed afterwards.
2. A quad shows a picture of its own block, but for what a vessel holds: that shows the block of this name, if there is
   one, in its first state.

Limits: states that look alike share their quads: the 6,821 model states of protocol 486 take 96,160, 2.5 MB, made in
0.1 s (processor time). Sharing what packs alike, too, would leave 94,268.
"""

from collections.abc import Mapping
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from assets.models import StateValue, load
from assets.shapes import Box
from client.world.block_table import ClassThresholds, is_lava
from render.materials.materials import BlockStateLike, Materials, StateTable
from render.mesh.build import MeshTables
from render.mesh.liquid_kernels import FULL, LAVA, WATER
from render.mesh.model_quads import BOX, FLAGS, HIDDEN_BY, LINK, PICTURE, QUAD_COLUMNS, RULES, Quads, quads_of
from render.mesh.quads import CUBE, MODEL, MODEL_WORDS, Field, Words, pack

OWN: Final = Box((0, 0, 0), (0, 0, 0))
"""What crosses and ramps show."""


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
    first_of_name = _first_of_name(table)
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
            shown = [first_of_name.get(f"minecraft:{box.shows}", dense) for box in (*shape.boxes, OWN)]
            shown_by += [shown[box] for box in quads[:, BOX].tolist()]
        model_rows[dense] = rows_by_look[look]
    every = np.concatenate(parts)
    words = _packed(every, np.array(shown_by, np.int64), materials)
    rule = (every[:, HIDDEN_BY] | every[:, LINK] << 3 | every[:, RULES]).astype(np.uint16)
    return model_rows, words.view(np.uint64).reshape(-1, MODEL_WORDS // 2), rule, groups


def _first_of_name(table: ClassedTable) -> dict[str, int]:
    """The lowest dense id of each block's name."""
    found: dict[str, int] = {}
    for dense, state in enumerate(table.states):
        found.setdefault(state.name, dense)
    return found


def _packed(quads: Quads, shown_by: npt.NDArray[np.int64], materials: Materials) -> Words:
    """Everything but the block's id and place, which the kernel adds."""
    names = ("x", "y", "z", "ux", "uy", "uz", "vx", "vy", "vz", "u0", "v0", "u1", "v1", "face")
    values: dict[str, npt.ArrayLike] = {name: quads[:, k] for k, name in enumerate(names)}
    shown = quads[:, PICTURE]
    values["layer"] = materials.tiles[shown_by, shown]
    values["tint"] = materials.tints[shown_by, shown]
    values["flags"] = materials.flags[shown_by, shown] | quads[:, FLAGS]
    return pack(MODEL, len(quads), **values)
