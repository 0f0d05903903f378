"""Snapshots of columns: what of block entities outlives edits and saves."""

import numpy as np

from net.palette import BlockState
from net.server.block_ids import LocalStates
from net.server.column_snapshots import ColumnSnapshot, SectionBlocks, SectionVersion
from net.server.worlds.world import GeneratedColumn
from net.space.dimensions import OVERWORLD

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
