"""What height maps of real servers say about their blocks, and what contradictions do."""

import gzip

import numpy as np
import pytest

from client.world.block_pools import PLACEHOLDER_SLOT, BlockPools
from client.world.block_table import BlockTable
from client.world.decode import SubChunkDecoder
from client.world.height_maps import UNKNOWN_TOP, HeightMaps, HeightVerdict
from client.world.lifecycle import SubChunkState
from client.world.places import PlaceTables
from net.nbt import NETWORK
from net.palette import BlockState, Palette
from net.space import OVERWORLD, ColumnPos, SubChunkPos
from net.subchunk.decode import scan
from net.subchunk.heights import HeightAnswer, joined_maps
from tests.support.data.shared import HEIGHT_KINDS, Capture, buffer, captures, shared_data
from tests.support.reference.wire import read_roots
from tests.support.worlds import store as w
from tests.support.worlds.store import SEVEN, small_table

PALETTES = {"bedrock_1.18.0": "1.18.0", "bedrock_1.19.1": "1.19.0"}

SURFACE = np.zeros(256, np.int8)


def palette(version: str) -> Palette:
    data = gzip.decompress(shared_data(f"palettes/canonical_block_states-{version}.nbt.gz").read_bytes())
    return Palette(
        [BlockState(str(root["name"]), tuple(sorted(root["states"].items()))) for root in read_roots(data, NETWORK)]
    )


class OneColumn:
    """A column at 0, 0 that shows what it is told to."""

    def __init__(self, table: BlockTable, dimension: object = SEVEN) -> None:
        self.table = table
        self.pools = BlockPools(table, 64, 64)
        self.tables = PlaceTables(dimension, 4)
        self.row = self.tables.add(ColumnPos(0, 0))
        self.maps = HeightMaps(table, self.pools, self.tables)
        self.maps.clear(self.row)

    def show(self, y: int, slot: int, layer1: int = 0, state: SubChunkState = SubChunkState.DATA) -> int:
        place = self.tables.place_of(SubChunkPos(0, y, 0))
        self.tables.slot[place], self.tables.layer1_slot[place] = slot, layer1
        self.tables.state[place] = state
        return place

    def take(self, place: int, kind: int, heights: bytes | None = None) -> HeightVerdict:
        self.maps.take(np.array([place], np.int32), *joined_maps(np.array([kind], np.uint8), [heights]))
        return HeightVerdict(int(self.maps.verdict[place]))

    def edit(self, place: int, cell: int) -> None:
        self.maps.edit(np.array([place], np.int32), np.array([cell]))

    def all_of(self, runtime_id: int) -> int:
        return self.pools.uniform(self.table.dense_of_id(runtime_id))


def answered(capture: Capture) -> list[tuple[int, dict[str, object]]]:
    """Absolute y and entry of each success that carries its terrain."""
    content = capture.content
    if "entries" not in content:
        return [(content["y"], {**content, "payload": content["data"], "result": content["request_result"]})]
    return [(content["origin"]["y"] + entry["dy"], entry) for entry in content["entries"] if isinstance(entry, dict)]


def test_no_captured_height_map_contradicts_its_blocks() -> None:
    seen: list[HeightVerdict] = []
    for capture in captures():
        if not capture.is_answer or capture.content.get("cache_enabled"):
            continue
        column = OneColumn(BlockTable.build(palette(PALETTES[capture.path.parent.name])), OVERWORLD)
        intake = SubChunkDecoder(column.table, column.pools)
        told = []
        for y, entry in answered(capture):
            state = SubChunkState.ALL_AIR if entry["result"] == "success_all_air" else SubChunkState.DATA
            slot = layer1 = 0
            if state is SubChunkState.DATA:
                taken = intake.take(scan([buffer(entry["payload"])]), lambda _: ("SubChunk", "payload"))
                assert taken.faults == {}
                slot, layer1 = int(taken.slots[0]), int(taken.layer1[0])
            heights = buffer(entry["heightmap"]) if entry.get("heightmap") else None
            told.append((column.show(y, slot, layer1, state), HEIGHT_KINDS[str(entry["heightmap_type"])], heights))
        seen += [column.take(*each) for each in told]
    assert len(seen) >= 5
    assert set(seen) == {HeightVerdict.AGREES}


def test_a_map_that_contradicts_its_blocks_is_counted_and_not_taken() -> None:
    column = OneColumn(small_table())
    place = column.show(0, column.all_of(w.STONE))
    assert column.take(place, HeightAnswer.ALL_TOO_LOW) is HeightVerdict.CONTRADICTS
    assert column.take(place, HeightAnswer.DATA, (SURFACE + 4).tobytes()) is HeightVerdict.CONTRADICTS
    assert column.maps.counted[HeightVerdict.CONTRADICTS] == 2
    assert (column.maps.tops[column.row] == UNKNOWN_TOP).all()


def test_all_above_contradicts_where_nothing_is_above() -> None:
    column = OneColumn(small_table())
    place = column.show(0, 0, state=SubChunkState.ALL_AIR)
    assert column.take(place, HeightAnswer.ALL_TOO_HIGH) is HeightVerdict.AGREES
    for y in range(1, 5):
        column.show(y, 0, state=SubChunkState.KNOWN_AIR)
    assert column.take(place, HeightAnswer.ALL_TOO_HIGH) is HeightVerdict.CONTRADICTS
    full = column.show(0, column.all_of(w.STONE))
    assert column.take(full, HeightAnswer.ALL_TOO_HIGH) is HeightVerdict.AGREES


@pytest.mark.parametrize(
    ("block", "value", "verdict"),
    [
        (w.STONE, 8, HeightVerdict.AGREES),
        (w.TORCH, 8, HeightVerdict.AGREES_ANY_BLOCK),
        (w.STONE, 7, HeightVerdict.AGREES_AS_Y),
        (w.TORCH, 7, HeightVerdict.AGREES_AS_Y_ANY_BLOCK),
        (w.STONE, 6, HeightVerdict.CONTRADICTS),
        (w.AIR, 8, HeightVerdict.CONTRADICTS),
    ],
)
def test_a_verdict_names_the_reading_that_fits(block: int, value: int, verdict: HeightVerdict) -> None:
    column = OneColumn(small_table())
    slot = column.pools.take()
    column.pools.blocks[slot].reshape(256, 16)[:, 7] = column.table.dense_of_id(block)
    assert column.take(column.show(0, slot), HeightAnswer.DATA, (SURFACE + value).tobytes()) is verdict
    ours = verdict in (HeightVerdict.AGREES, HeightVerdict.AGREES_AS_Y)
    assert (column.maps.tops[column.row] == (8 if ours else UNKNOWN_TOP)).all()


@pytest.mark.parametrize(
    ("above", "value", "verdict"),
    [
        (w.WATER, 8, HeightVerdict.AGREES_BETWEEN),  # a sea, by a server that counts full blocks alone
        (w.LEAVES, 10, HeightVerdict.AGREES_BETWEEN),
        (w.WATER, 11, HeightVerdict.CONTRADICTS),  # no block there
        (w.STONE, 8, HeightVerdict.CONTRADICTS),
    ],
)
def test_a_server_that_counts_full_blocks_alone_contradicts_nothing(
    above: int, value: int, verdict: HeightVerdict
) -> None:
    column = OneColumn(small_table())
    slot = column.pools.take()
    heap = column.pools.blocks[slot].reshape(256, 16)
    heap[:, 7] = column.table.dense_of_id(w.STONE)
    heap[:, [9, 12]] = column.table.dense_of_id(above)
    assert column.take(column.show(0, slot), HeightAnswer.DATA, (SURFACE + value).tobytes()) is verdict
    assert (column.maps.tops[column.row] == UNKNOWN_TOP).all()
    for y in range(1, 5):
        column.show(y, 0, state=SubChunkState.KNOWN_AIR)
    assert (column.maps.column(column.row) == 13).all()  # our table's word


def test_a_map_whose_blocks_did_not_decode_is_taken_unchecked() -> None:
    column = OneColumn(small_table())
    place = column.show(0, PLACEHOLDER_SLOT, state=SubChunkState.UNDECODABLE)
    assert column.take(place, HeightAnswer.DATA, (SURFACE + 3).tobytes()) is HeightVerdict.UNCHECKED
    assert (column.maps.tops[column.row] == 3).all()


def test_no_map_and_a_map_of_another_length_say_nothing() -> None:
    column = OneColumn(small_table())
    place = column.show(0, 0, state=SubChunkState.ALL_AIR)
    assert column.take(place, HeightAnswer.NONE) is HeightVerdict.NONE_SAID
    assert column.take(place, HeightAnswer.DATA, b"\0" * 255) is HeightVerdict.NONE_SAID
    assert column.take(place, 200, b"\0" * 256) is HeightVerdict.NONE_SAID
    assert column.maps.counted.tolist() == [3] + [0] * (len(HeightVerdict) - 1)


def test_without_its_top_block_a_column_is_as_high_as_the_next_known_one() -> None:
    column = OneColumn(small_table())
    slot = column.pools.take()
    place = column.show(0, slot)
    column.show(-1, column.all_of(w.STONE))
    column.pools.blocks[slot, 5] = column.table.dense_of_id(w.STONE)  # x 0, z 0, y 5
    column.maps.whole(column.row)
    assert column.maps.tops[column.row, :2].tolist() == [UNKNOWN_TOP, UNKNOWN_TOP], "placeholders above"
    for y in range(1, 5):
        column.show(y, 0)
    column.maps.whole(column.row)
    assert column.maps.tops[column.row, :2].tolist() == [6, 0]
    column.pools.blocks[slot, 5] = 0
    column.edit(place, 5)
    assert column.maps.tops[column.row, 0] == 0
    column.pools.layer1[1, 9] = column.table.dense_of_id(w.WATER)
    column.tables.layer1_slot[place] = 1
    column.edit(place, 9)
    assert column.maps.tops[column.row, 0] == 10, "water in the second layer counts"


def test_below_a_placeholder_the_next_block_is_unknown() -> None:
    column = OneColumn(small_table())
    place = column.show(0, 0, state=SubChunkState.ALL_AIR)
    column.take(place, HeightAnswer.DATA, SURFACE.tobytes())
    assert (column.maps.tops[column.row] == 0).all()
    column.take(place, HeightAnswer.DATA, (SURFACE - 1).tobytes())
    assert (column.maps.tops[column.row] == UNKNOWN_TOP).all(), "the new map refutes the old one"
    assert (column.maps.column(column.row) == UNKNOWN_TOP).all()


def test_a_map_at_the_border_is_beaten_by_what_the_section_below_shows() -> None:
    """The section below came first, and its top block was taken before the map of the one above came."""
    column = OneColumn(small_table())
    below = column.pools.take()
    column.pools.blocks[below].reshape(256, 16)[:, :15] = column.table.dense_of_id(w.STONE)
    column.show(-1, below)
    place = column.show(0, 0, state=SubChunkState.ALL_AIR)
    column.take(place, HeightAnswer.DATA, SURFACE.tobytes())
    assert (column.maps.tops[column.row] == -1).all()
    column.show(-1, PLACEHOLDER_SLOT)
    column.take(place, HeightAnswer.DATA, SURFACE.tobytes())
    assert (column.maps.tops[column.row] == 0).all(), "nothing refutes it"


def test_a_map_is_beaten_by_blocks_above_that_came_and_changed_before_it() -> None:
    column = OneColumn(small_table())
    stone = column.table.dense_of_id(w.STONE)
    above, ground = column.pools.take(), column.pools.take()
    place = column.show(2, above)
    column.take(place, HeightAnswer.ALL_TOO_LOW)
    column.pools.blocks[above, 5] = stone  # x 0, z 0, y 37
    column.edit(place, 5)
    column.pools.blocks[ground].reshape(256, 16)[:, :4] = stone
    column.take(column.show(0, ground), HeightAnswer.DATA, (SURFACE + 4).tobytes())
    assert column.maps.tops[column.row, :2].tolist() == [38, 4]


def test_a_border_told_by_a_server_that_counts_plants_falls_when_the_plants_come() -> None:
    column = OneColumn(small_table())
    column.take(column.show(0, 0, state=SubChunkState.ALL_AIR), HeightAnswer.DATA, SURFACE.tobytes())
    assert (column.maps.tops[column.row] == 0).all()
    plants = column.pools.take()
    heap = column.pools.blocks[plants].reshape(256, 16)
    heap[:, 14], heap[:, 15] = column.table.dense_of_id(w.STONE), column.table.dense_of_id(w.TORCH)
    column.take(column.show(-1, plants), HeightAnswer.ALL_TOO_HIGH)
    assert (column.maps.tops[column.row] == -1).all()


def test_rows_that_are_added_later_find_room() -> None:
    column = OneColumn(small_table())
    rows = [column.tables.add(ColumnPos(x, 1)) for x in range(9)]
    for row in rows:
        column.maps.clear(row)
    assert len(column.maps.tops) * SEVEN.sections == len(column.tables.state) == len(column.maps.verdict)
