"""Snapshots of columns: what of block entities outlives edits and saves.

Openings: Through which faces sections let sight, as they are made and after edits.
"""

import numpy as np

from net.palette import BlockState
from net.server.block_ids import LocalStates
from net.server.column_snapshots import ColumnSnapshot, SectionBlocks, SectionVersion, openings_of
from net.server.worlds.world import GeneratedColumn
from net.space.dimensions import OVERWORLD, Dimension
from tests.support.reference.visibility import flood_connectivity

# ---------------------------------------------------------------- snapshots

STATES = LocalStates([BlockState("minecraft:air"), BlockState("minecraft:glass"), BlockState("minecraft:chest")])
GLASS, CHEST = 1, 2


def test_what_ended_by_a_block_of_another_name_stays_ended_whatever_stands_there_later() -> None:
    blocks = np.full((OVERWORLD.sections, 4096), CHEST, np.uint16)
    made = GeneratedColumn(blocks, None, np.zeros(256, np.uint16), entities={0: {5: b"a", 6: b"b"}})
    kept = blocks[0].copy()
    kept[5] = GLASS
    loaded = ColumnSnapshot(made, STATES, OVERWORLD, {0: SectionBlocks(kept, None, SectionVersion(1, 1))})
    assert (loaded.entities(0), loaded.section(0).ended) == (b"b", {5}), "a save of before tells by its blocks alone"
    edited = loaded.edited(0, 5, 0, CHEST, 2)
    assert (edited.entities(0), edited.section(0).ended) == (b"b", {5})
    again = ColumnSnapshot(made, STATES, OVERWORLD, {0: edited.section(0)})
    assert (again.entities(0), again.section(0).ended) == (b"b", {5})
    last = again.edited(0, 6, 0, GLASS, 3).edited(0, 6, 0, CHEST, 4)
    assert (last.entities(0), last.section(0).ended) == (b"", {5, 6})
    assert again.entities(0) == b"b", "a snapshot never changes"


def test_a_turned_block_and_what_holds_no_entity_end_nothing() -> None:
    blocks = np.full((OVERWORLD.sections, 4096), CHEST, np.uint16)
    made = GeneratedColumn(blocks, None, np.zeros(256, np.uint16), entities={0: {5: b"a"}})
    edited = ColumnSnapshot(made, STATES, OVERWORLD).edited(0, 5, 0, CHEST, 1).edited(0, 7, 0, GLASS, 2)
    assert (edited.edited(0, 5, 1, GLASS, 3).entities(0), edited.section(0).ended) == (b"a", frozenset())


# ---------------------------------------------------------------- openings

THREE = Dimension(1, "three", 0, 3, False)
OPENINGS_STATES = LocalStates([BlockState(f"minecraft:{name}") for name in ("air", "stone", "glass")])
AIR, STONE, OPENINGS_GLASS = range(3)
EDITS = 300


def column(density: float) -> ColumnSnapshot:
    """Noise below, stone with a shaft in the middle, air above."""
    rng = np.random.default_rng(7)
    layer0 = np.zeros((3, 16, 16, 16), np.uint16)
    layer0[0] = np.where(rng.random((16, 16, 16)) < density, STONE, OPENINGS_GLASS)
    layer0[1] = STONE
    layer0[1, 4, 9, :] = AIR
    made = GeneratedColumn(layer0.reshape(3, 4096), None, np.zeros(256, np.uint16))
    return ColumnSnapshot(made, OPENINGS_STATES, THREE)


def flooded(snapshot: ColumnSnapshot) -> list[int]:
    """The same, cell by cell."""
    solid = (OPENINGS_STATES.stops_sight[snapshot.section(index).layer0] for index in range(3))
    return [flood_connectivity(np.packbits(each, bitorder="little").view("<u2")) for each in solid]


def test_they_equal_a_flood() -> None:
    for density in (0.0, 0.3, 0.65, 1.0):
        made = column(density)
        assert made.openings.tolist() == flooded(made)


def test_they_follow_edits_and_older_snapshots_keep_theirs() -> None:
    rng = np.random.default_rng(8)
    first = made = column(0.65)
    before = first.openings.tolist()
    for tick in range(EDITS):
        section, cell, layer = int(rng.integers(3)), int(rng.integers(4096)), int(rng.random() < 0.1)
        made = made.edited(section, cell, layer, int(rng.integers(3)), tick)
    assert made.openings.tolist() == flooded(made)
    assert first.openings.tolist() == before != made.openings.tolist()


def test_few_and_many_local_ids_are_read_alike() -> None:
    stops = np.array([False, True])
    blocks = np.random.default_rng(9).integers(0, 2, 4096)
    few, many = openings_of([blocks.astype(np.uint8), None, blocks.astype(np.uint16)], stops)[[0, 2]]
    assert few == many
