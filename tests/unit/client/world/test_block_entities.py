"""Block entities by themselves: where they belong, what they end with, what is told of broken ones."""

import numpy as np

from client.world.block_entities import EACH_BYTES, BlockEntities
from client.world.places import PlaceTables
from net.nbt import NETWORK, Compound, Int, encode_root
from net.space.positions import BlockPos, ColumnPos, SubChunkPos
from tests.support.worlds.store import SEVEN

COLUMN = ColumnPos(2, -1)
SIGN = BlockPos(33, 5, -3)
"""In section 0 of the column."""


class Room:
    """Block entities of one column."""

    def __init__(self, most_bytes: int = 1 << 20) -> None:
        self.tables = PlaceTables(SEVEN, 4)
        self.row = self.tables.add(COLUMN)
        self.entities = BlockEntities(self.tables, most_bytes)
        self.place = self.tables.place_of(SIGN.subchunk)
        self.places = self.tables.places_of_row(self.row)

    def texts(self) -> list[object]:
        return [entity.get("text") for entity in self.entities.of(self.places)]


def sign(position: BlockPos = SIGN, text: str = "") -> Compound:
    return {"id": "Sign", "text": text, "x": Int(position.x), "y": Int(position.y), "z": Int(position.z)}


def raw(*entities: Compound) -> bytes:
    return b"".join(encode_root(entity, NETWORK) for entity in entities)


def test_they_come_with_their_sub_chunk_and_are_found_at_their_block() -> None:
    room = Room()
    other = SIGN._replace(y=6)
    assert room.entities.take(room.place, raw(sign(text="a"), sign(other, "b"))) == ()
    assert room.entities.at(room.place, SIGN.in_subchunk) == sign(text="a")
    assert room.entities.at(room.place, SIGN.in_subchunk + 2) is None
    assert len(room.entities) == 2
    cells = np.array([SIGN.in_subchunk, 0])
    assert room.entities.stands_at(np.array([room.place] * 2, np.int32), cells).tolist() == [True, False]


def test_the_later_of_two_at_one_block_stands() -> None:
    room = Room()
    room.entities.take(room.place, raw(sign(text="a"), sign(text="b")))
    assert room.texts() == ["b"]


def test_those_of_other_sub_chunks_are_dropped_and_told_once() -> None:
    room = Room()
    astray = [sign(SIGN._replace(y=16)), sign(SIGN._replace(x=0)), sign(SIGN._replace(y=9999)), {"id": "Sign"}]
    (fault,) = room.entities.take(room.place, raw(sign(text="a"), *astray))
    assert room.texts() == ["a"]
    assert fault.position == SIGN.subchunk
    assert "entities[1]" in str(fault)
    assert "(33, 16, -3)" in str(fault)
    assert "3 others" in str(fault)


def test_those_of_a_whole_column_may_lie_anywhere_in_it() -> None:
    room = Room()
    top, below = SIGN._replace(y=79), SIGN._replace(y=-33)
    (fault,) = room.entities.take_column(room.row, raw(sign(text="a"), sign(top, "b"), sign(below)))
    assert room.texts() == ["a", "b"]
    assert "LevelChunk.entities[2]" in str(fault)


def test_of_broken_nbt_what_comes_before_it_stands() -> None:
    room = Room()
    data = raw(sign(text="a"))
    (fault,) = room.entities.take(room.place, data + b"\x0a\x00\x63" + data)
    assert room.texts() == ["a"]
    assert "SubChunk.entities[1]" in str(fault)


def test_a_block_of_another_name_ends_it_and_another_state_does_not() -> None:
    room = Room()
    room.entities.take(room.place, raw(sign()))
    where, cell = np.array([room.place], np.int32), np.array([SIGN.in_subchunk])
    room.entities.ending(where, cell, np.array([False]))
    assert len(room.entities) == 1
    room.entities.ending(where, cell, np.array([True]))
    assert (len(room.entities), room.entities.ended, room.entities.used_bytes) == (0, 1, 0)


def test_one_for_a_place_without_blocks_waits_for_them() -> None:
    room = Room()
    where = np.array([room.place], np.int32)
    assert room.entities.hold(room.place, SIGN.in_subchunk, sign(text="held")) == ()
    assert (len(room.entities), room.entities.waiting) == (0, 1)
    room.entities.take(room.place, raw(sign(text="came")))
    room.entities.release(where)
    assert room.texts() == ["held"]
    room.entities.hold(room.place, SIGN.in_subchunk, sign(text="late"))
    room.entities.ending_unseen(where, np.array([SIGN.in_subchunk]))
    room.entities.release(where)
    assert room.texts() == ["held"]
    room.entities.hold(room.place, SIGN.in_subchunk, sign())
    room.entities.drop_waiting(where)
    room.entities.drop(where)
    assert (len(room.entities), room.entities.waiting, room.entities.used_bytes) == (0, 0, 0)


def test_they_cannot_fill_the_memory() -> None:
    size = len(raw(sign())) + EACH_BYTES
    room = Room(3 * size)
    cells = [SIGN._replace(y=y) for y in range(5)]
    (fault,) = room.entities.take(room.place, raw(*(sign(position) for position in cells)))
    assert "bytes of block entities" in str(fault)
    assert (len(room.entities), room.entities.used_bytes) == (3, 3 * size)
    assert room.entities.put(room.place, cells[0].in_subchunk, sign(cells[0])) == ()
    (fault,) = room.entities.hold(room.place, cells[4].in_subchunk, sign(cells[4]))
    assert fault.position == SubChunkPos(2, 0, -1)


def test_a_dimension_takes_all_of_them_along() -> None:
    room = Room()
    room.entities.take(room.place, raw(sign()))
    room.entities.hold(room.place, 0, sign())
    room.entities.reset()
    assert (len(room.entities), room.entities.waiting, room.entities.used_bytes) == (0, 0, 0)
